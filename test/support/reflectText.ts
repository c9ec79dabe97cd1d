/** WGSL that means the same, without what `wgsl_reflect` takes for something else. */

/** Where the bracket that opens just before `from` closes, and the commas at its level. */
const bracket = (text: string, from: number): { readonly end: number; readonly commas: ReadonlyArray<number> } => {
  const commas: Array<number> = []
  let depth = 1
  for (let at = from; at < text.length; at++) {
    const c = text[at]!
    if (c === "(" || c === "[") depth++
    else if (c === ")" || c === "]") depth--
    if (c === "," && depth === 1) commas.push(at)
    if (depth === 0) return { end: at, commas }
  }
  return { end: text.length, commas }
}

/** A weak exchange in steps: what calls one is run by one invocation at a time. */
export const exchangeInSteps = (code: string): string => {
  const start = /let (\w+) = atomicCompareExchangeWeak\(/.exec(code)
  if (start === null) return code
  const from = start.index + start[0].length
  const { commas, end } = bracket(code, from)
  const [place, compared, value] = [from, ...commas.map((at) => at + 1)].map((at, k) =>
    code.slice(at, commas[k] ?? end).trim()
  )
  const name = start[1]!
  const steps = [
    `let ${name}_old = atomicLoad(${place});`,
    `let ${name}_done = ${name}_old == ${compared};`,
    `if (${name}_done) { atomicStore(${place}, ${value}); }`
  ].join("\n    ")
  const after = code.slice(end + 2)
  const renamed = after.replaceAll(`${name}.exchanged`, `${name}_done`).replaceAll(`${name}.old_value`, `${name}_old`)
  return exchangeInSteps(code.slice(0, start.index) + steps + renamed)
}

/** The loaded value as WGSL defines it: with barriers around, as statements. */
export const plainLoads = (code: string): string =>
  code.replace(
    /let (\w+) = workgroupUniformLoad\(&(\w+)\);/g,
    "workgroupBarrier();\n let $1 = $2;\n workgroupBarrier();"
  )
/** Whole numbers that have a suffix where it takes the suffix for a digit. */
export const convertedHex = (code: string): string => code.replace(/\b(0x[0-9a-f]+)i\b/g, "bitcast<i32>($1u)")
/** Numbers that say their type. */
export const typedStarts = (code: string): string => code.replace(/(var \w+(?:: i32)? = -?\d+);/g, "$1i;")
/** A statement before each barrier, which is else run at once where a block begins with it. */
export const pauses = (code: string): string =>
  code.replace(/\b(workgroup|storage)Barrier\(\);/g, "let ek_pause = 0u; $1Barrier();")
/** Elements and members that are true or false as words: it computes with numbers anyway. */
export const arraysOfWords = (code: string): string => code.replaceAll("array<bool,", "array<u32,")
export const structsOfWords = (code: string): string =>
  code.replace(/struct \w+ \{[^}]*\}/g, (declared) => declared.replaceAll(": bool", ": u32"))
