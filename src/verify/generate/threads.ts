/**
 * Programs whose instances have threads: in each phase one thread runs statements and hands a result on, through workgroup
 * scratch, to the others, which write it to elements of their own. A meeting of all or a barrier stands between.
 */
import type * as DType from "../../DType.ts"
import type { Aval, GridAxis, RefDecl, RefUse, Scratch, Var } from "../../ir/program.ts"
import { type Atom, literal } from "../../ir/program.ts"
import type { Transform } from "../../ir/view.ts"
import * as A from "./affine.ts"
import type { Gen } from "./state.ts"
import * as Tiles from "./tiles.ts"

/** How a phase hands its result on. */
type Way = "sync" | "barrier" | "copy"
interface Phase {
  readonly producer: number
  readonly way: Way
  /** What the result is handed on in, and, if a copy brings it there, where that takes it from. */
  readonly hand: Scratch
  readonly from: Scratch
  /** What each thread writes it to. */
  readonly to: RefDecl
}
export interface Threads {
  readonly count: number
  readonly phases: ReadonlyArray<Phase>
  /** A barrier for each phase, complete with one arrival. */
  readonly ready: Scratch
}

const handed: ReadonlyArray<DType.Name> = ["f32", "i32", "u32", "f16", "bool"]
const phase = (gen: Gen, grid: ReadonlyArray<GridAxis>, count: number): Phase => {
  const { draw } = gen
  const aval: Aval = { dtype: draw.of(handed), shape: Array.from({ length: draw.below(3) }, () => draw.between(1, 4)) }
  const shape = [...grid.map((axis) => axis.size), count, ...aval.shape]
  const scratch = (hint: string): Scratch => ({ name: gen.name(hint), ...aval, space: "workgroup" })
  return {
    producer: draw.below(count),
    way: draw.of(["sync", "barrier", "copy"] as const),
    hand: scratch("h"),
    from: scratch("f"),
    to: { name: gen.name("u"), dtype: aval.dtype, shape, access: "inout", scalar: false }
  }
}
/** What the threads of a program are to do, at most `most` of them. */
export const plan = (gen: Gen, grid: ReadonlyArray<GridAxis>, most: number): Threads => {
  const count = gen.draw.between(2, most)
  const phases = Array.from({ length: gen.draw.between(1, 3) }, () => phase(gen, grid, count))
  const role = { kind: "barrier", arrivals: 1 } as const
  const ready: Scratch = { name: gen.name("b"), dtype: "i32", shape: [phases.length], space: "workgroup", role }
  return { count, phases, ready }
}
export const scratchOf = ({ phases, ready }: Threads): ReadonlyArray<Scratch> => [
  ...phases.flatMap(({ from, hand, way }) => (way === "copy" ? [from, hand] : [hand])),
  ready
]

const when = (gen: Gen, condition: Var, body: () => void): void => {
  const [yes, no] = [body, () => undefined].map((write) =>
    gen.scope(() =>
      gen.builder.region([], () => {
        write()
        return []
      })
    )
  )
  gen.builder.emit("cond", [condition], { regions: [yes!, no!] })
}
/** Something in the view of all of it. */
const whole = (name: string): RefUse => ({ name, view: [] })
const at = (name: string, k: number): RefUse => ({ name, view: [{ _tag: "Index", at: [A.point(A.fixed(k))] }] })

const handOn = (gen: Gen, { ready }: Threads, k: number, { from, hand, way }: Phase): void => {
  const value = gen.use(Tiles.tile(gen, { dtype: hand.dtype, shape: hand.shape }))
  gen.builder.emit("store", [value], { refs: [whole(way === "copy" ? from.name : hand.name)] })
  const refs = [whole(from.name), whole(hand.name), at(ready.name, k)]
  if (way === "copy") gen.builder.emit("copyArrive", [], { params: { op: "store" }, refs })
  if (way === "barrier") gen.builder.emit("barrierArrive", [], { refs: [at(ready.name, k)] })
}
/** Takes the result and writes it, or some function of it, to what is this thread's. */
const receive = (gen: Gen, thread: Atom, { hand, to }: Phase): void => {
  const [got] = gen.builder.emit("load", [], { refs: [whole(hand.name)] })
  const value = gen.draw.chance(0.5) || hand.dtype === "bool" ? got! : gen.builder.op("add", [got!, got!])
  const place = gen.place.map((_, d) => A.point(A.sum(0, [[1, d]])))
  const own: Transform = {
    _tag: "Index",
    at: [...place, A.point(A.sum(0, [[1, gen.place.length]])), ...hand.shape.map((n) => A.range(A.fixed(0), n))]
  }
  const indices = [...gen.place, thread]
  gen.builder.emit("store", [value], { refs: [{ name: to.name, view: [own] }], indices })
}

/** Writes all phases. `body` writes the statements of phase `k`, which one thread runs. */
export const phases = (gen: Gen, threads: Threads, body: (k: number) => void): void => {
  const { builder, draw } = gen
  const [thread] = builder.emit("threadId", [])
  threads.phases.forEach((p, k) => {
    when(gen, builder.op("eq", [thread!, literal("i32", p.producer)]), () => {
      body(k)
      handOn(gen, threads, k, p)
    })
    if (p.way === "sync") {
      builder.emit("sync", [])
      return receive(gen, thread!, p)
    }
    const refs = [at(threads.ready.name, k)]
    // Who has stored it sees it without waiting, but not what a copy has brought.
    const waits = () => {
      builder.emit("barrierWait", [], { refs })
      receive(gen, thread!, p)
    }
    if (p.way === "copy" || draw.chance(0.4)) waits()
    else when(gen, builder.op("ne", [thread!, literal("i32", p.producer)]), waits)
  })
  // The next cell of a sequential axis has the same scratch.
  builder.emit("sync", [])
}
