/** Views: chains of transforms under what a program instance may touch. */
import { type Atom, type Aval, literal, type RefUse } from "../../ir/program.ts"
import { type Affine, type Entry, sameBits, transformAval, type Transform } from "../../ir/view.ts"
import * as A from "./affine.ts"
import { sameSize } from "./params.ts"
import { fits, type Gen, type RefPlan } from "./state.ts"

export interface Seen {
  readonly use: RefUse
  readonly indices: ReadonlyArray<Atom>
  readonly aval: Aval
}
/** A view while it is being written. */
interface Chain {
  readonly gen: Gen
  readonly view: Array<Transform>
  readonly indices: Array<Atom>
  aval: Aval
  /** No two elements of the view may be one cell. */
  readonly distinct: boolean
}

const indexed = (chain: Chain, atom: Atom): number => chain.indices.push(chain.gen.use(atom)) - 1

/** A position that is known only at run time; inside an axis of size `n`, unless `stray`. */
const dynamic = (chain: Chain, n: number, stray: boolean): Affine => {
  const { draw } = chain.gen
  const found = chain.gen.find((v) => v.dtype === "i32" && v.shape.length === 0) ?? literal("i32", draw.below(3))
  const of = A.sum(draw.between(-1, 1), [[draw.of([1, 1, 2, -1]), indexed(chain, found)]])
  if (stray || n === 0) return of
  return draw.chance(0.3) ? A.mod(A.floorDiv(of, draw.between(1, 3)), n) : A.mod(of, n)
}

/** An index tile with each position once. */
const permutation = (gen: Gen, n: number): Atom => {
  const { draw } = gen
  const m = draw.between(1, Math.max(1, n))
  const positions = gen.op("iota", [], { dtype: "i32", shape: [m], axis: 0 })
  const way = gen.isCareful ? draw.of([0, 2]) : draw.below(3)
  if (way === 0) return gen.op("flip", [positions], { axes: [0] })
  if (way === 1) return gen.op("add", [positions, literal("i32", draw.between(-1, 2))])
  return gen.op("sub", [literal("i32", n - 1), positions])
}
/** An index tile of any shape whose positions are mostly inside, in any order, some more than once. */
const positions = (gen: Gen, n: number): Atom => {
  const known = gen.isCareful ? undefined : gen.find((v) => v.dtype === "i32" && v.shape.length > 0 && fits(v.shape))
  const tile = known ?? gen.op("iota", [], { dtype: "i32", shape: [gen.draw.between(1, 8)], axis: 0 })
  if (!gen.isCareful && gen.draw.chance(0.25)) return tile
  return gen.op("rem", [gen.op("mul", [tile, literal("i32", gen.draw.between(1, 5))]), literal("i32", Math.max(1, n))])
}

const whole = (n: number): Entry => A.range(A.fixed(0), n)
const part = (chain: Chain, n: number): Entry => {
  const { draw } = chain.gen
  const start = draw.below(n)
  const stride = draw.of([1, 1, 2, 3])
  return A.range(A.fixed(start), draw.between(1, Math.floor((n - 1 - start) / stride) + 1), stride)
}
const entries = (chain: Chain): ReadonlyArray<Entry> => {
  const { draw, isCareful } = chain.gen
  let gathered: Entry | undefined
  return chain.aval.shape.map((n) => {
    const way = draw.weighted([0, 1, 2, 3, 4, 5], (w) => [6, n > 0 ? 3 : 0, n > 0 ? 2 : 0, 2, 2, n > 0 ? 3 : 0][w]!)
    if (way === 1) return part(chain, n)
    if (way === 2) return A.point(A.fixed(draw.below(n)))
    if (isCareful && n === 0) return whole(n)
    if (way === 3) return A.point(dynamic(chain, n, !isCareful && draw.chance(0.2)))
    if (way === 4 && isCareful) {
      const size = draw.between(1, n)
      return A.range(dynamic(chain, n - size + 1, false), size)
    }
    if (way === 4)
      return A.range(dynamic(chain, n, draw.chance(0.5)), draw.between(1, Math.max(1, n)), draw.of([1, 1, 2]))
    if (way === 5 && gathered === undefined) {
      const tile = chain.distinct ? permutation(chain.gen, n) : positions(chain.gen, n)
      return (gathered = A.gather(indexed(chain, tile)))
    }
    // Index tiles of one index go together element by element, so the second is the first again.
    return way === 5 && !isCareful ? gathered! : whole(n)
  })
}

const transform = (chain: Chain): Transform => {
  const { draw } = chain.gen
  const { dtype, shape } = chain.aval
  const casts = sameBits(dtype)
  const way = draw.weighted([0, 1, 2, 3], (w) => [6, 2, shape.length > 1 ? 2 : 0, casts.length > 1 ? 1 : 0][w]!)
  if (way === 0) return { _tag: "Index", at: entries(chain) }
  if (way === 1) return { _tag: "Reshape", shape: sameSize(draw, shape) }
  if (way === 2) return { _tag: "Transpose", perm: draw.shuffled(shape.map((_, d) => d)) }
  return { _tag: "Bitcast", dtype: draw.of(casts) }
}

/** A view of a ref, within the part that the program instance may touch. */
export const view = (gen: Gen, ref: RefPlan, distinct: boolean): Seen => {
  const { base, indices, name, seen } = ref
  const chain: Chain = { gen, view: [...base], indices: [...indices], aval: seen, distinct }
  for (const index of indices) gen.use(index)
  for (let n = gen.draw.weighted([0, 1, 2, 3], (k) => [8, 5, 2, 1][k]!); n > 0; n--) {
    const next = transform(chain)
    const aval = transformAval(next, chain.aval, chain.indices, true)
    if (!fits(aval.shape)) continue
    chain.view.push(next)
    chain.aval = aval
  }
  return { use: { name, view: chain.view }, indices: chain.indices, aval: chain.aval }
}
/** The whole of what the program instance sees. */
export const wholeView = (gen: Gen, { base, indices, name, seen }: RefPlan): Seen => {
  for (const index of indices) gen.use(index)
  return { use: { name, view: base }, indices, aval: seen }
}
