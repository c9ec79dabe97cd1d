/** What operations of subgroups mean, in plain TypeScript: lists of numbers, and the size of a group. */
import { type Effect, Exit } from "effect"
import { DType, Kernel, MemRef, Subgroup, type Tile, i32 } from "../../src/index.ts"
import { gpu } from "../support/interpreters.ts"
import { single } from "../support/kernels.ts"

export type Numbers = ReadonlyArray<number>
type Operation = Effect.Effect<Tile.Any, never, any>
export interface Case {
  readonly dtypes: ReadonlyArray<DType.Compute>
  readonly run: (tile: any) => Operation
  /** The result of lane `k` of a group with these elements. */
  readonly of: (group: Numbers, k: number, dtype: DType.Compute, size: number) => number
}

const numeric = ["f32", "f16", "i32", "u32"] as const
const integers = ["i32", "u32"] as const
const all = [...numeric, "bool"] as const
const times = (a: number, b: number, dtype: DType.Compute): number =>
  DType.round(dtype)(DType.isInteger(dtype) ? Math.imul(a, b) : a * b)
const sum = (xs: Numbers, dtype: DType.Compute): number => xs.reduce((a, b) => DType.round(dtype)(a + b), 0)
const product = (xs: Numbers, dtype: DType.Compute): number => xs.reduce((a, b) => times(a, b, dtype), 1)
const bits =
  (f: (a: number, b: number) => number) =>
  (xs: Numbers, _: number, dtype: DType.Compute): number =>
    DType.round(dtype)(xs.reduce(f))
const from =
  (lane: (k: number) => number): Case["of"] =>
  (xs, k) =>
    xs[lane(k)] ?? 0

/** Lanes for a shuffle, some of which are none. */
export const lanesOf = (l: number): number => ((l * 7) % 11) - 2

export const cases: { readonly [name: string]: Case } = {
  sum: { dtypes: numeric, run: Subgroup.sum, of: (xs, _, dtype) => sum(xs, dtype) },
  prod: { dtypes: numeric, run: Subgroup.prod, of: (xs, _, dtype) => product(xs, dtype) },
  max: { dtypes: numeric, run: Subgroup.max, of: (xs) => Math.max(...xs) },
  min: { dtypes: numeric, run: Subgroup.min, of: (xs) => Math.min(...xs) },
  and: { dtypes: integers, run: Subgroup.and, of: bits((a, b) => a & b) },
  or: { dtypes: integers, run: Subgroup.or, of: bits((a, b) => a | b) },
  xor: { dtypes: integers, run: Subgroup.xor, of: bits((a, b) => a ^ b) },
  all: { dtypes: ["bool"], run: Subgroup.all, of: (xs) => Number(xs.every((x) => x !== 0)) },
  any: { dtypes: ["bool"], run: Subgroup.any, of: (xs) => Number(xs.some((x) => x !== 0)) },
  inclusiveSum: { dtypes: numeric, run: Subgroup.inclusiveSum, of: (xs, k, d) => sum(xs.slice(0, k + 1), d) },
  exclusiveSum: { dtypes: numeric, run: Subgroup.exclusiveSum, of: (xs, k, d) => sum(xs.slice(0, k), d) },
  inclusiveProd: { dtypes: numeric, run: Subgroup.inclusiveProd, of: (xs, k, d) => product(xs.slice(0, k + 1), d) },
  exclusiveProd: { dtypes: numeric, run: Subgroup.exclusiveProd, of: (xs, k, d) => product(xs.slice(0, k), d) },
  "broadcast 2": { dtypes: all, run: (t) => Subgroup.broadcast(t, 2), of: from(() => 2) },
  "broadcast 127": { dtypes: all, run: (t) => Subgroup.broadcast(t, 127), of: from(() => 127) },
  "shuffle 1": { dtypes: all, run: (t) => Subgroup.shuffle(t, 1), of: from(() => 1) },
  "shuffleXor 3": { dtypes: all, run: (t) => Subgroup.shuffleXor(t, 3), of: from((k) => k ^ 3) },
  "shuffleXor -1": { dtypes: all, run: (t) => Subgroup.shuffleXor(t, -1), of: from((k) => k ^ -1) },
  "shuffleUp 1": { dtypes: all, run: (t) => Subgroup.shuffleUp(t, 1), of: from((k) => k - 1) },
  "shuffleDown 2": { dtypes: all, run: (t) => Subgroup.shuffleDown(t, 2), of: from((k) => k + 2) },
  "shuffleDown 2147483647": {
    dtypes: all,
    run: (t) => Subgroup.shuffleDown(t, 2147483647),
    of: from((k) => (k + 2147483647) | 0)
  }
}
/** The cases of a dtype, by name. */
export const casesOf = (dtype: DType.Compute): ReadonlyArray<readonly [string, Case]> =>
  Object.entries(cases).filter(([, c]) => c.dtypes.includes(dtype))

/** The elements of each group. */
export const groupsOf = (xs: Numbers, size: number): ReadonlyArray<Numbers> =>
  Array.from({ length: Math.ceil(xs.length / size) }, (_, g) => xs.slice(g * size, (g + 1) * size))
/** The results of all elements. */
export const expected = (c: Case, xs: Numbers, dtype: DType.Compute, size: number): Numbers =>
  groupsOf(xs, size).flatMap((group) => group.map((_, k) => c.of(group, k, dtype, size)))

/** The size of the device's subgroups. */
export const sizeOfDevice = async (): Promise<number> => {
  const k = single({ n: MemRef.out(i32, []) }, function* ({ n }) {
    yield* MemRef.store(n, yield* Subgroup.size())
  })
  const exit = await gpu.exit((Kernel.run as any)(k, {}) as Effect.Effect<{ readonly n: Int32Array }, unknown>)
  if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
  return exit.value.n[0]!
}
