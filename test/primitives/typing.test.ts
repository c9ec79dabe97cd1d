/** Typing rules meet whatever texts, JSON and callers without types hold. */
import { describe, expect, it } from "vitest"
import * as DType from "../../src/DType.ts"
import type { Draft, Primitive, Scope } from "../../src/ir/primitive.ts"
import { type Atom, literal, type Region } from "../../src/ir/program.ts"
import { TypingError } from "../../src/ir/typing.ts"
import type { View } from "../../src/ir/view.ts"
import { primitives } from "../../src/primitives/index.ts"
import { Draw, seeded } from "../../src/verify/generate/draw.ts"
import { equationsOf, runnable } from "../support/examples.ts"

const examples = primitives.map((p) => [p.name, p, p.example] as const)
const scope: Scope = {
  rank: 2,
  ref: (name) => {
    if (name === "x") return { dtype: "f32", shape: [4] }
    if (name === "y") return { dtype: "i32", shape: [2, 3] }
    throw new TypingError(`no ref ${name}`)
  },
  inline: (name) => {
    throw new TypingError(`no inline ${name}`)
  }
}
const shapes = [[], [1], [4], [0], [2, 3], [3, 2], [1, 4, 1]]
const atom = (draw: Draw): Atom => {
  const dtype = draw.of(DType.names)
  return draw.chance(0.2)
    ? literal(dtype, draw.below(3))
    : { _tag: "Var", id: draw.below(9), dtype, shape: draw.of(shapes) }
}
const many = <A>(draw: Draw, most: number, of: () => A): ReadonlyArray<A> =>
  Array.from({ length: draw.below(most + 1) }, of)
const views: ReadonlyArray<View> = [
  [],
  [{ _tag: "Index", at: [{ _tag: "Range", start: { constant: 1, terms: [] }, size: 2, stride: 1 }] }],
  [
    {
      _tag: "Index",
      at: [{ _tag: "Point", at: { constant: 0, terms: [{ coefficient: 1, term: { _tag: "Index", index: 0 } }] } }]
    }
  ],
  [{ _tag: "Index", at: [{ _tag: "Gather", index: 1 }] }],
  [
    { _tag: "Reshape", shape: [2, 2] },
    { _tag: "Transpose", perm: [1, 0] }
  ],
  [{ _tag: "Transpose", perm: [0, 0] }],
  [{ _tag: "Bitcast", dtype: "bool" }]
]
const names = ["axis", "axes", "keepDims", "shape", "perm", "starts", "sizes", "strides", "low", "high", "dtype", "op",
  "view", "reverse", "transposeA", "transposeB", "inline", "kind", "detail", "scope", "value"] // prettier-ignore
const values: ReadonlyArray<unknown> = [0, 1, -1, 2.5, NaN, "f32", "x", "add", "", true, null, [], [0], [1, 0], [-1], [2, 3], [[1]], ["a"], {}, ...views] // prettier-ignore
const region = (draw: Draw): Region => ({
  params: many(draw, 2, () => ({ ...atom(draw), _tag: "Var", id: draw.below(9) }) as Region["params"][number]),
  refs: draw.chance(0.2) ? [{ name: "s", dtype: "f32", shape: [2], space: "workgroup" }] : [],
  eqns: [],
  results: many(draw, 2, () => atom(draw))
})
const anyDraft = (draw: Draw): Draft => ({
  params: Object.fromEntries(names.filter(() => draw.chance(0.6)).map((name) => [name, draw.of(values)])) as never,
  operands: many(draw, 4, () => atom(draw)),
  indices: many(draw, 2, () => atom(draw)),
  refs: many(draw, 2, () => ({ name: draw.of(["x", "y", "z"]), view: draw.of(views) })),
  regions: draw.chance(0.5) ? [] : many(draw, 2, () => region(draw))
})
/** A draft with one thing about it changed. */
const nearly = (draw: Draw, draft: Draft): Draft => {
  const other = anyDraft(draw)
  const key = draw.of(["params", "operands", "indices", "refs", "regions"] as const)
  if (key === "params" && Object.keys(draft.params).length > 0)
    return { ...draft, params: { ...draft.params, [draw.of(Object.keys(draft.params))]: draw.of(values) as never } }
  if (key === "operands" && draft.operands.length > 0)
    return { ...draft, operands: draft.operands.map((o, k) => (k === 0 ? atom(draw) : o)).slice(draw.below(2)) }
  return { ...draft, [key]: other[key] }
}
/** Types of the results, or what was refused; anything else that is thrown fails the test. */
const typed = (record: Primitive, draft: Draft, within: Scope = scope): unknown => {
  try {
    const types = record.typing(draft, within)
    record.effects(draft, within)
    return types
  } catch (error) {
    if (error instanceof TypingError) return undefined
    throw new Error(`${record.name} throws at ${JSON.stringify(draft)}`, { cause: error })
  }
}

describe("typing of what is nearly an equation gives types or a TypingError, and nothing else", () => {
  it.each(examples)(
    "%s, an equation of its example with one thing changed, which is refused at times",
    (_, record, example) => {
      const draw = new Draw(seeded(11))
      const eqns = equationsOf(record, runnable(record, example))
      const outcomes = Array.from({ length: 300 }, () => typed(record, nearly(draw, draw.of(eqns))))
      expect(outcomes).toContain(undefined)
    }
  )
})
