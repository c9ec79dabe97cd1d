/** Accesses that nothing orders: of program instances, and of threads. */
import type { Entry } from "../../src/ir/view.ts"
import type { Draw } from "../../src/verify/generate/draw.ts"
import type { Fault, Kind } from "./fault.ts"
import { cellsAlong } from "./place.ts"
import {
  barrier,
  type Expected,
  int,
  ownRef,
  part,
  point,
  range,
  scratch,
  sharedRef,
  type Use,
  type Writer,
  type Written
} from "./write.ts"
import { literal } from "../../src/ir/program.ts"

/** Two different ones of the first `n` numbers. */
const two = (draw: Draw, n: number): readonly [number, number] => {
  const a = draw.below(n)
  return [a, (a + draw.between(1, n - 1)) % n]
}
const size = 24
interface Stretch {
  readonly entry: Entry
  readonly elements: ReadonlyArray<number>
}
const stretch = (draw: Draw): Stretch => {
  const [start, stride] = [draw.below(size), draw.between(1, 4)]
  const count = draw.between(1, Math.floor((size - 1 - start) / stride) + 1)
  return { entry: range(start, count, stride), elements: Array.from({ length: count }, (_, k) => start + k * stride) }
}
/** Two strided parts of `size` elements that have elements in common; one, if `once`. */
const overlap = (draw: Draw, once: boolean): readonly [Stretch, Stretch, ReadonlyArray<number>] => {
  for (let tries = 0; tries < 200; tries++) {
    const [a, b] = [stretch(draw), stretch(draw)]
    const common = a.elements.filter((e) => b.elements.includes(e))
    if (once ? common.length === 1 && a.elements.length > 1 && b.elements.length > 1 : common.length > 0)
      return [a, b, common]
  }
  const [a, b] = [
    { entry: range(0, 8, 3), elements: [0, 3, 6, 9, 12, 15, 18, 21] },
    { entry: range(1, 2, 5), elements: [1, 6] }
  ]
  return [a, b, [6]]
}

// --- program instances --------------------------------------------------------------------------------------------------

const shared = "fault"
type Access = (writer: Writer, to: Use) => Written
const load: Access = (w, to) => w.load(to)
const store: Access = (w, to) => w.store(to, int(w.draw.below(9)))
const accumulate: Access = (w, to) => w.emit("accumulate", [int(w.draw.between(1, 9))], [to])

/** One program instance does the first, another the second, to parts that overlap. */
const between = (name: string, first: Access, second: Access, once = false): Kind => ({
  name,
  among: "instances",
  write: (w): Fault => {
    const instances = two(w.draw, cellsAlong(w.program, "parallel"))
    const [a, b, common] = overlap(w.draw, once)
    const done: Array<Written> = []
    const parts = [
      () => w.onInstance(instances[0], () => void done.push(first(w, part(shared, a.entry)))),
      () => w.onInstance(instances[1], () => void done.push(second(w, part(shared, b.entry))))
    ]
    return {
      refs: [sharedRef(shared, "i32", [size])],
      instances,
      parts: w.draw.chance(0.5) ? parts : parts.toReversed(),
      expected: () => ({
        tag: "Race",
        ref: shared,
        sources: done.map((d) => d.source),
        more: { among: "programs", ...(once ? { element: common } : {}) }
      })
    }
  }
})
/** All program instances store to one element. */
const everyone: Kind = {
  name: "race of all program instances",
  among: "instances",
  write: (w) => {
    let stored: Written | undefined
    return {
      refs: [sharedRef(shared, "f32", [])],
      instances: two(w.draw, cellsAlong(w.program, "parallel")),
      parts: [() => void (stored = w.store(part(shared), literal("f32", 1)))],
      expected: () => ({
        tag: "Race",
        ref: shared,
        sources: [stored!.source, stored!.source],
        more: { among: "programs" }
      })
    }
  }
}
/** Steps of two instances whose order shows. */
const ordered = (name: string, dtype: "f32" | "i32", steps: readonly [Access, Access]): Kind => ({
  name,
  among: "instances",
  write: (w): Fault => {
    const instances = two(w.draw, cellsAlong(w.program, "parallel"))
    const done: Array<Written> = []
    return {
      refs: [sharedRef(shared, dtype, [4])],
      instances,
      parts: steps.map((step, k) => () => {
        w.onInstance(instances[k]!, () => void done.push(step(w, part(shared, range(k, 2)))))
      }),
      expected: () => ({ tag: "OrderShows", ref: shared, sources: done.map((d) => d.source), more: { element: [1] } })
    }
  }
})
const adds =
  (value: number): Access =>
  (w, to) =>
    w.emit("accumulate", [literal("f32", value)], [to])
const steps =
  (op: string): Access =>
  (w, to) =>
    w.emit("atomic", [int(w.draw.between(1, 9))], [to], { params: { op } })

// --- threads ------------------------------------------------------------------------------------------------------------

const hole = "hole"
const amongThreads = (sources: ReadonlyArray<string>): Expected => ({
  tag: "Race",
  ref: hole,
  sources,
  more: { among: "threads" }
})
/** One thread stores and another loads; `around` writes what should order them, and does not. */
const handedOver = (
  name: string,
  around: { readonly [K in "before" | "after"]?: (w: Writer, who: "producer" | "consumer") => void },
  barriers = 0
): Kind => ({
  name,
  among: "threads",
  together: true,
  write: (w): Fault => {
    const [producer, consumer] = two(w.draw, w.program.threads!)
    const n = w.draw.between(1, 4)
    const out = ownRef(w.program, "taken", "i32", [n])
    let stored: Written | undefined
    let loaded: Written | undefined
    const write = () => {
      const thread = w.thread()
      w.onThread(thread, producer, () => {
        around.before?.(w, "producer")
        stored = w.store(part(hole), int(w.draw.below(9)))
        around.after?.(w, "producer")
      })
      w.onThread(thread, consumer, () => {
        around.before?.(w, "consumer")
        loaded = w.load(part(hole))
        w.store(w.own(out), loaded.results[0]!)
        around.after?.(w, "consumer")
      })
    }
    return {
      refs: [out],
      scratch: [scratch(hole, "i32", [n]), ...(barriers === 0 ? [] : [barrier("gate", 1, [barriers])])],
      parts: [write],
      expected: () => amongThreads([stored!.source, loaded!.source])
    }
  }
})
const gate = (k: number) => part("gate", point(k))
const threadsAtOnce: Kind = {
  name: "race of all threads",
  among: "threads",
  together: true,
  write: (w) => {
    let stored: Written | undefined
    return {
      scratch: [scratch(hole, "i32", [3])],
      parts: [() => void (stored = w.store(part(hole, range(0, w.draw.between(1, 3))), w.thread()))],
      expected: () => amongThreads([stored!.source, stored!.source])
    }
  }
}

export const races: ReadonlyArray<Kind> = [
  between("stores of two program instances", store, store),
  between("load and store of two program instances", load, store),
  between("step and store of two program instances", accumulate, store),
  between("step and load of two program instances", accumulate, load),
  between("strided views that share one element", store, store, true),
  everyone,
  ordered("float sum whose order shows", "f32", [adds(2 ** 24), adds(0.5)]),
  ordered("steps of two kinds", "i32", [steps("add"), steps("max")]),
  handedOver("threads without a barrier between", {}),
  handedOver(
    "threads with a barrier of another element",
    {
      before: (w, who) =>
        who === "producer" ? w.emit("barrierArrive", [], [gate(0)]) : w.emit("barrierWait", [], [gate(0)]),
      after: (w, who) =>
        who === "producer" ? w.emit("barrierArrive", [], [gate(1)]) : w.emit("barrierWait", [], [gate(1)])
    },
    2
  ),
  threadsAtOnce
]
