/** The page of primitives, `docs/primitives.md`: what each does, its effects, its accuracy, its gaps and its example. */
import { Result } from "effect"
import { parse } from "../src/ir/parse.ts"
import type { Example, ExampleArray, Family, Primitive } from "../src/ir/primitive.ts"
import { showAval, showRecord } from "../src/ir/literal.ts"
import { equations, joinEffects, type Params, showEffect } from "../src/ir/program.ts"
import { asView, showView } from "../src/ir/viewText.ts"
import { primitives } from "../src/primitives/index.ts"
import { methodNames } from "../src/trace/tile.ts"
import { absent } from "./absent.ts"
import { renamed } from "./functions.ts"

const array = (a: ExampleArray): string => `${showAval(a)} ${a.data.join(" ") || "(empty)"}`
const parameters = ({ view: _, ...params }: Params): string =>
  Object.keys(params).length === 0 ? "" : ` ${showRecord(params)}`

/** `add(1, 2) = 3`, as the record's rows have it. */
const row = (name: string, text: string): string => {
  const values = text.trim().split(/[ =]+/)
  return `${name}(${values.slice(0, -1).join(", ")}) = ${values.at(-1)}`
}
const valuesOf = ({ elementwise, name }: Primitive): ReadonlyArray<string> =>
  Object.entries(elementwise!.values).map(
    ([dtypes, rows]) =>
      `${dtypes}: ${rows
        .split(";")
        .map((text) => row(name, text))
        .join("; ")}`
  )
const equationOf = (name: string, example: Extract<Example, { operands: unknown }>): ReadonlyArray<string> => {
  const params = example.params ?? {}
  const view = asView(params["view"])
  const shown = view === undefined ? "" : ` through ${showView(view, String)}`
  return [
    `${name}${parameters(params)}${shown}`,
    ...example.operands.map((o) => `  of ${array(o)}`),
    ...example.results.map((r) => `   = ${array(r)}`)
  ]
}
const elements = (of: { readonly [ref: string]: ReadonlyArray<number> }): string =>
  Object.entries(of)
    .map(([name, data]) => `${name} = ${data.join(" ")}`)
    .join("; ")
const programOf = (example: Extract<Example, { program: string }>): ReadonlyArray<string> => [
  ...example.program.trimEnd().split("\n").slice(2),
  ...(Object.keys(example.args).length === 0 ? [] : [`from ${elements(example.args)}`]),
  `gives ${elements(example.results)}`
]
const exampleOf = (p: Primitive): ReadonlyArray<string> => {
  const lines =
    p.elementwise !== undefined
      ? valuesOf(p)
      : "program" in p.example
        ? programOf(p.example)
        : equationOf(p.name, p.example)
  return ["", "```text", ...lines, "```"]
}

/** What the primitive does in its example. */
const effects = ({ example, name }: Primitive): string => {
  if (!("program" in example)) return "No effects"
  const { body } = Result.getOrThrow(parse(example.program))
  const own = [...equations(body)].filter((eqn) => eqn.primitive === name).flatMap((eqn) => eqn.effects)
  const shown = joinEffects(own).map((e) => `\`${showEffect(e)}\``)
  return shown.length === 0 ? "No effects of its own" : shown.join(", ")
}
const accuracy = ({ accuracy }: Primitive): string =>
  accuracy._tag === "Exact" ? "exact" : accuracy._tag === "Rounded" ? "rounded" : accuracy.spec
const gaps = ({ gaps = {} }: Primitive): ReadonlyArray<string> =>
  Object.entries(gaps).flatMap(([interpreter, { hint, reason }]) => ["", `Gap on ${interpreter}: ${reason}; ${hint}.`])

const called = ({ name }: Primitive): string =>
  methodNames.includes(name) ? `; a method of tiles, and \`Tile.${renamed[name] ?? name}\`` : ""

const section = (p: Primitive): ReadonlyArray<string> => [
  `### \`${p.name}\``,
  "",
  p.doc,
  "",
  `${effects(p)}; ${accuracy(p)}${called(p)}.`,
  ...gaps(p),
  ...exampleOf(p),
  ""
]
const families = (): ReadonlyArray<Family> => [...new Set(primitives.map((p) => p.family))]

export const primitivesPage = (): string =>
  [
    "# Primitives",
    "",
    "What programs are made of, family by family; written from the records by `npm run generate`, and every example is run on",
    "every interpreter that has no gap there. `exact`: the same bits everywhere; `rounded`: the same bits while results are",
    "exact and normal; otherwise how far results may lie apart. `MIN`, `MAX` and `UMAX` are the ends of i32 and u32.",
    "",
    ...families().flatMap((family) => [
      `## ${family}`,
      "",
      ...primitives.filter((p) => p.family === family).flatMap(section)
    ]),
    "## Not in the API",
    "",
    ...absent.map(({ feature, reason }) => `- ${feature}: ${reason}.`),
    ""
  ].join("\n")
