/** Operations of subgroups on the CPU, where the size of a subgroup is given: what they give, and what of it is undefined. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { bool, DType, f16, f32, i32, MemRef, u32 } from "../../src/index.ts"
import { type ArrayValue, scalar, storage } from "../../src/ir/array.ts"
import { type Eqn, equations, type Param, type Params, type Program } from "../../src/ir/program.ts"
import type { Shadowed } from "../../src/ir/shadow.ts"
import { primitive } from "../../src/primitives/index.ts"
import { Draw, seeded } from "../../src/verify/generate/draw.ts"
import { alone, equationOf, randomValue } from "../primitives/equations.ts"
import { definedness, holds, randomOperands } from "../primitives/filling.ts"
import { single } from "../support/kernels.ts"
import { casesOf, expected, lanesOf } from "./reference.ts"

const sizes = [1, 3, 4, 32, 128]
const dtypes = { f32, f16, i32, u32, bool }
const names = Object.keys(dtypes) as ReadonlyArray<DType.Compute>

const rulesOf = (eqn: Eqn, size: number) => ({ eqn, ctx: alone, ...primitive(eqn.primitive)!.lanes!(size) })
const evaluate = (eqn: Eqn, size: number, operands: ReadonlyArray<ArrayValue>): ArrayValue =>
  rulesOf(eqn, size).evaluate(alone, eqn, operands)[0]!
const tile = (dtype: DType.Name, shape: ReadonlyArray<number>, elements: ReadonlyArray<number>): ArrayValue => {
  const data = storage(dtype, elements.length)
  data.set(elements)
  return { dtype, shape, data }
}
/** The one equation of an operation, as it is traced. */
const traced = async (dtype: DType.Compute, shape: ReadonlyArray<number>, run: (tile: any) => any): Promise<Eqn> => {
  const kernel = single(
    { x: MemRef.in(dtypes[dtype], shape), o: MemRef.out(dtypes[dtype], shape) },
    function* ({ o, x }) {
      yield* MemRef.store(o, (yield* run(yield* MemRef.load(x))) as any)
    }
  )
  const program = await Effect.runPromise(kernel.trace as Effect.Effect<Program>)
  return [...equations(program.body)].find((eqn) => primitive(eqn.primitive)!.family === "subgroup")!
}

describe.each(names)("each operation on %s means what it says, lane by lane", (dtype) => {
  it.each(casesOf(dtype))("%s", async (_, c) => {
    const draw = new Draw(seeded(5))
    for (const shape of [[1], [5], [3, 7], [140]]) {
      const eqn = await traced(dtype, shape, c.run)
      const literals = eqn.operands.slice(1).map((atom) => scalar(atom.dtype, "value" in atom ? atom.value : NaN))
      for (const size of sizes) {
        const x = randomValue(draw, { dtype, shape })
        const { data } = evaluate(eqn, size, [x, ...literals])
        // The sign of zero is not compared.
        const plain = (values: ArrayLike<number>) => Array.from(values, (v) => v + 0)
        expect(plain(data), `${shape} by ${size}`).toEqual(plain(expected(c, [...x.data], dtype, size)))
      }
    }
  })
})

describe("what a lane is told", () => {
  it("its number, row by row, and how many lanes there are", () => {
    expect(evaluate(equationOf("subgroupSize", {}, []), 32, [])).toEqual(scalar("i32", 32))
    expect([...evaluate(equationOf("subgroupLane", { shape: [2, 3] }, []), 4, []).data]).toEqual([0, 1, 2, 3, 0, 1])
  })
  it("the element of a lane of its own choice; 0 where there is none", () => {
    const [x, lanes] = [Array.from({ length: 10 }, (_, k) => k + 1), Array.from({ length: 10 }, (_, l) => lanesOf(l))]
    const operands = [tile("i32", [10], x), tile("i32", [10], lanes)]
    const eqn = equationOf("subgroupShuffle", { mode: "index" }, operands)
    const group = (k: number) => x.slice(4 * Math.floor(k / 4), 4 * Math.floor(k / 4) + 4)
    expect([...evaluate(eqn, 4, operands).data]).toEqual(lanes.map((l, k) => group(k)[l] ?? 0))
  })
  it("which lanes hold, a bit each, in four words", () => {
    const x = tile(
      "bool",
      [70],
      Array.from({ length: 70 }, (_, k) => Number(k === 0 || k === 33 || k === 69))
    )
    const eqn = equationOf("subgroupBallot", {}, [x])
    const words = (size: number, k: number) => Array.from(evaluate(eqn, size, [x]).data.subarray(4 * k, 4 * k + 4))
    expect(words(128, 5)).toEqual([1, 2, 32, 0])
    expect([words(32, 31), words(32, 32), words(32, 64)]).toEqual([
      [1, 0, 0, 0],
      [2, 0, 0, 0],
      [32, 0, 0, 0]
    ])
  })
})

/** The operations, with every parameter that they have. */
const operations: ReadonlyArray<readonly [name: string, params: Params, dtypes: ReadonlyArray<DType.Name>]> = [
  ...(["sum", "prod", "max", "min"] as const).map(
    (op) => ["subgroupReduce", { op }, ["f32", "f16", "i32", "u32"]] as const
  ),
  ...(["and", "or", "xor"] as const).map((op) => ["subgroupReduce", { op }, ["i32", "u32"]] as const),
  ...(["all", "any"] as const).map((op) => ["subgroupReduce", { op }, ["bool"]] as const),
  ...["sum", "prod"].flatMap((op) =>
    [true, false].map((exclusive) => ["subgroupScan", { op, exclusive }, ["f32", "i32"]] as const)
  ),
  ...["index", "xor", "up", "down"].map((mode) => ["subgroupShuffle", { mode }, ["f32", "i32", "bool"]] as const),
  ["subgroupBallot", {}, ["bool"]]
]
/** Operations that several lanes may settle together, which the rules do not look for. */
const cautious: ReadonlyArray<Param | undefined> = ["prod", "and", "or"]
/** Nothing has moved where the lanes that a shuffle picks are undefined. */
const isExact = (name: string, { op }: Params, operands: ReadonlyArray<Shadowed>): boolean =>
  name === "subgroupShuffle"
    ? operands[1]!.origins === undefined
    : !cautious.includes(op) && !DType.isFloat(operands[0]!.value.dtype)

describe("whatever undefined lanes hold, what counts as defined stays the same", () => {
  it.each(operations)("%s %j", (name, params, dtypes) => {
    const draw = new Draw(seeded(7))
    for (const dtype of dtypes)
      for (const shape of [[1], [6], [2, 5], [70]])
        for (const size of sizes) {
          const lanes = { dtype: "i32", shape: draw.of([[], shape]) } as const
          const eqn = equationOf(name, params, [{ dtype, shape }, ...(name === "subgroupShuffle" ? [lanes] : [])])
          const operands = randomOperands(draw, eqn, (k) => k === 0 || draw.chance(0.5))
          if (operands.every(({ origins }) => origins === undefined)) continue
          holds(draw, rulesOf(eqn, size), operands, isExact(name, params, operands))
        }
  })
})

describe("one undefined lane", () => {
  const x: Shadowed = { value: tile("i32", [6], [1, 0, 3, 4, 5, 6]), origins: Int32Array.of(0, 7, 0, 0, 0, 0) }
  const one = (at: number): Shadowed => ({ value: tile("i32", [], [at]), origins: undefined })
  const found = (name: string, params: Params, ...operands: ReadonlyArray<Shadowed>) => {
    const eqn = equationOf(
      name,
      params,
      operands.map((o) => o.value)
    )
    const [origins] = definedness(rulesOf(eqn, 4), operands)
    return origins && [...origins]
  }
  it("makes what its group makes together undefined, and no other group's", () => {
    expect(found("subgroupReduce", { op: "sum" }, x)).toEqual([7, 7, 7, 7, 0, 0])
  })
  it("makes undefined what is made from there on", () => {
    expect(found("subgroupScan", { op: "sum", exclusive: false }, x)).toEqual([0, 7, 7, 7, 0, 0])
    expect(found("subgroupScan", { op: "sum", exclusive: true }, x)).toEqual([0, 0, 7, 7, 0, 0])
  })
  it("makes undefined where it is moved to", () => {
    expect(found("subgroupShuffle", { mode: "up" }, x, one(1))).toEqual([0, 0, 7, 0, 0, 0])
    expect(found("subgroupShuffle", { mode: "down" }, x, one(2))).toBeUndefined()
  })
  it("makes undefined what it picks", () => {
    const defined = { ...x, origins: undefined }
    expect(found("subgroupShuffle", { mode: "index" }, defined, x)).toEqual([0, 7, 0, 0, 0, 0])
  })
  it("makes undefined the word of a ballot that has its bit", () => {
    const votes = { value: tile("bool", [2], [1, 0]), origins: Int32Array.of(0, 7) }
    expect(found("subgroupBallot", {}, votes)).toEqual([7, 0, 0, 0, 7, 0, 0, 0])
  })
})
