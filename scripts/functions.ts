/** The data-first functions of elementwise primitives, which a module has to name one by one: written from the records. */
import { primitives } from "../src/primitives/index.ts"
import { methodNames } from "../src/trace/tile.ts"

/** Functions whose name a reduction has. */
export const renamed: { readonly [name: string]: string } = { max: "maximum", min: "minimum" }

/** The text of `src/tile/functions.ts`. */
export const functionsModule = (): string => {
  const functions = primitives
    .filter(({ name }) => methodNames.includes(name))
    .map(({ doc, name }) => {
      const other = renamed[name]
      const said = other === undefined ? doc : `${doc} The reduction is \`${name}\`.`
      return `/** ${said} */\nexport const ${other ?? name} = functions.${name}`
    })
  return [
    "/** The functions of elementwise primitives, data first: `npm run generate` writes them from the records. */",
    'import { functions } from "./elementwise.ts"\n',
    ...functions,
    ""
  ].join("\n")
}
