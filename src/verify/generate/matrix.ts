/** The matrix pipeline: each burst of multiply-accumulates is waited for before its accumulators are looked at. */
import type * as DType from "../../DType.ts"
import type { Draft } from "../../ir/primitive.ts"
import { type Atom, type Aval, literal, type Scratch } from "../../ir/program.ts"
import { renumber, type Transform, transformAval } from "../../ir/view.ts"
import type * as Shape from "../../Shape.ts"
import * as A from "./affine.ts"
import { attempt } from "../../ir/build.ts"
import { within } from "./control.ts"
import { accumulator as accumulatorScratch } from "./refs.ts"
import type { Gen, RefPlan } from "./state.ts"
import * as Tiles from "./tiles.ts"
import type { Seen } from "./views.ts"

type Factor = { readonly kind: "tile"; readonly tile: Atom } | { readonly kind: "ref"; readonly seen: Seen }

/** Entries that show `n` of the elements along an axis. */
const part = (gen: Gen, axis: number, n: number) => A.range(A.fixed(gen.draw.between(0, axis - n)), n)
/** What shows a matrix of r rows and c columns in something of this shape; nothing where that has no room. */
const cut = (gen: Gen, shape: Shape.Shape, r: number, c: number): ReadonlyArray<Transform> | undefined => {
  const rest = shape.slice(0, -2)
  const [rows, columns] = shape.slice(-2)
  if (columns === undefined)
    return rows !== undefined && rows >= r * c
      ? [
          { _tag: "Index", at: [part(gen, rows, r * c)] },
          { _tag: "Reshape", shape: [r, c] }
        ]
      : undefined
  if (rows! < r || columns < c || rest.includes(0)) return undefined
  const points = rest.map((n) => A.point(A.fixed(gen.draw.below(n))))
  return [{ _tag: "Index", at: [...points, part(gen, rows!, r), part(gen, columns, c)] }]
}
/** A matrix in a ref, perhaps read across. */
const inRef = (gen: Gen, ref: RefPlan, [r, c]: readonly [number, number]): Seen | undefined => {
  const across = gen.draw.chance(0.25)
  const found = across ? cut(gen, ref.seen.shape, c, r) : cut(gen, ref.seen.shape, r, c)
  if (found === undefined) return undefined
  const more: ReadonlyArray<Transform> = across ? [...found, { _tag: "Transpose", perm: [1, 0] }] : found
  for (const index of ref.indices) gen.use(index)
  const aval = more.reduce((a, t) => transformAval(t, a, ref.indices, true), ref.seen)
  return { use: { name: ref.name, view: [...ref.base, ...more] }, indices: ref.indices, aval }
}
const factor = (gen: Gen, dtype: DType.Name, shape: Shape.Shape): Factor => {
  const refs = gen.refs.filter((r) => r.policy !== "accumulate" && Tiles.shown(r.seen).dtype === dtype)
  const ref = gen.draw.chance(0.7) ? gen.draw.maybe(refs) : undefined
  const [r, c, more] = shape
  const isMatrix = ref !== undefined && more === undefined
  const seen = isMatrix ? attempt(() => inRef(gen, ref, [r!, c!])) : undefined
  return seen === undefined ? { kind: "tile", tile: gen.use(Tiles.tile(gen, { dtype, shape })) } : { kind: "ref", seen }
}

/** The refs and indices of an equation whose factors come from refs: indices of one stand after those of the other. */
const uses = (factors: ReadonlyArray<Factor>): Pick<Draft, "refs" | "indices"> => {
  const indices: Array<Atom> = []
  const refs = factors.flatMap((f) => {
    if (f.kind === "tile") return []
    const from = indices.length
    indices.push(...f.seen.indices)
    return [{ name: f.seen.use.name, view: f.seen.use.view.map((t) => renumber(t, (k) => k + from)) }]
  })
  return { refs, indices }
}
const issue = (gen: Gen, { dtype, name, shape }: Scratch): void => {
  const { draw } = gen
  const of = dtype === "f32" && draw.chance(0.3) ? "f16" : dtype
  const [m, n] = shape.slice(-2) as [number, number]
  const batch = shape.slice(0, -2)
  const k = draw.between(1, 4)
  const [transposeA, transposeB] = [draw.chance(0.3), draw.chance(0.3)]
  const a = factor(gen, of, [...batch, ...(transposeA ? [k, m] : [m, k])])
  const b = factor(gen, of, [...batch, ...(transposeB ? [n, k] : [k, n])])
  const { indices, refs } = uses([a, b])
  const tiles = [a, b].flatMap((f) => (f.kind === "tile" ? [f.tile] : []))
  const params = { a: a.kind, b: b.kind, transposeA, transposeB }
  gen.builder.emit("multiplyAccumulate", tiles, { params, refs: [{ name, view: [] }, ...refs], indices })
}
const wait = (gen: Gen, atMost: number): void => void gen.builder.emit("pipelineWait", [], { params: { atMost } })
const whole = ({ name }: Scratch): Pick<Draft, "refs"> => ({ refs: [{ name, view: [] }] })

/** Issues one after the other, with waits for some of them. */
const straight = (gen: Gen, accs: ReadonlyArray<Scratch>, meanwhile: () => void): void => {
  for (let n = gen.draw.between(1, 2); n > 0; n--) {
    for (const acc of accs) attempt(() => issue(gen, acc))
    if (gen.draw.chance(0.3)) wait(gen, gen.draw.between(1, 2))
    if (gen.draw.chance(0.3)) meanwhile()
  }
}
/** Issues in a loop, so that some are in flight from one turn to the next. */
const looped = (gen: Gen, accs: ReadonlyArray<Scratch>, meanwhile: () => void): void => {
  const index: Aval = { dtype: "i32", shape: [] }
  const turn = gen.scope(() =>
    gen.builder.region([index], ([i]) => {
      gen.add(i!)
      straight(gen, accs, meanwhile)
      return []
    })
  )
  gen.builder.emit("fori", [literal("i32", 0), literal("i32", gen.draw.below(4))], { regions: [turn] })
}
const burst = (gen: Gen, accs: ReadonlyArray<Scratch>, meanwhile: () => void): void => {
  for (const acc of accs)
    if (gen.draw.chance(0.4)) gen.builder.emit("accumulatorSet", [gen.use(Tiles.tile(gen, typeOf(acc)))], whole(acc))
  const write = gen.draw.chance(0.3) ? looped : straight
  attempt(() => write(gen, accs, meanwhile))
  const read = (acc: Scratch) => gen.add(gen.builder.emit("accumulatorRead", [], whole(acc))[0]!)
  const last = accs.at(-1)!
  const early = accs.length > 1 && gen.draw.chance(0.5) ? accs[0]! : undefined
  if (early !== undefined) {
    // One more for the last, so that nothing of the first is younger.
    const isLast = attempt(() => (issue(gen, last), true)) === true
    wait(gen, isLast ? 1 : 0)
    read(early)
  }
  wait(gen, 0)
  for (const acc of accs) if (gen.draw.chance(0.8)) read(acc)
}
const typeOf = ({ dtype, shape }: Aval): Aval => ({ dtype, shape })

/** A burst on one or two accumulators: those in scope, or some of its own. */
export const matrix = (gen: Gen, meanwhile: () => void): void => {
  gen.budget -= 3
  const known = gen.roles.filter(({ role }) => role?.kind === "accumulator")
  if (known.length > 0 && gen.draw.chance(0.7))
    return burst(gen, gen.draw.shuffled(known).slice(0, gen.draw.between(1, 2)), meanwhile)
  const own = Array.from({ length: gen.draw.between(1, 2) }, () => accumulatorScratch(gen))
  within(gen, own, () => burst(gen, own, meanwhile))
}
