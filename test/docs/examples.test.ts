import { describe, expect, it } from "vitest"
import { ofMarkdown, ofSource } from "./examples.ts"

const source = `/** A leaf. */
/**
 * Adds.
 *
 * @example
 * \`\`\`ts
 * import { a } from "x"
 *
 * console.log(a * 2) // => 4
 * \`\`\`
 * @see b
 * \`\`\`ts
 * not an example
 * \`\`\`
 */
export const a = 2
`

describe("the examples of the documentation", () => {
  it("are found in docstrings, with their line and what they promise to print", () => {
    const code = 'import { a } from "x"\n\nconsole.log(a * 2) // => 4'
    expect(ofSource("a.ts", source)).toEqual([{ file: "a.ts", line: 7, code, runs: true, prints: "4" }])
  })
  it("are found in Markdown, those of other languages left out", () => {
    const text = "# Title\n```sh\nnpm i\n```\n```ts\nlet x = 1\n```\n\n```ts no-run\nlet y = 2\n```\n"
    expect(ofMarkdown("R.md", text)).toEqual([
      { file: "R.md", line: 6, code: "let x = 1", runs: true, prints: undefined },
      { file: "R.md", line: 10, code: "let y = 2", runs: false, prints: undefined }
    ])
  })
  it("may not be announced and left out", () => {
    expect(() => ofSource("a.ts", "/**\n * @example\n * foo()\n */")).toThrow("a.ts:2: @example without")
  })
})
