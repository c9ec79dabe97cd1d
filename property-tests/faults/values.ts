/** Values that nobody has written, elements that no ref has, and loops without an end. */
import type { Atom } from "../../src/ir/program.ts"
import * as A from "../../src/verify/generate/affine.ts"
import type { Fault, Kind } from "./fault.ts"
import {
  type Expected,
  int,
  ownRef,
  part,
  point,
  range,
  scratch,
  type Use,
  type Writer,
  type Written
} from "./write.ts"

const [hole, given, taken] = ["hole", "given", "taken"]
const size = 5

/** Element `at` of what this program instance has of a ref; `at` is known only at run time. */
const elementAt = (w: Writer, ref: Parameters<Writer["own"]>[0], at: Atom): Use => {
  const { indices, use } = w.own(ref, A.point(A.sum(0, [[1, w.program.grid.length]])))
  return { use, indices: [...indices, at] }
}

/** Loads scratch of which an element is not written. */
const uninitialised = (
  reaches: "result" | "condition" | "index",
  use: (w: Writer, value: Atom) => Written,
  whole: boolean
): Kind => ({
  name: `uninitialised scratch that reaches ${reaches === "index" ? "an index" : `a ${reaches}`}`,
  among: "alone",
  write: (w): Fault => {
    const missing = w.draw.below(size)
    let loaded: Written | undefined
    let used: Written | undefined
    return {
      refs: [ownRef(w.program, given, "i32", [size]), ownRef(w.program, taken, "i32", [size])],
      scratch: [scratch(hole, "i32", [size], { space: w.draw.of(["workgroup", "register"] as const) })],
      parts: [
        () => {
          if (missing > 0) w.store(part(hole, range(0, missing)), int(3))
          if (missing + 1 < size) w.store(part(hole, range(missing + 1, size - missing - 1)), int(4))
        },
        () => void (loaded = w.load(whole ? part(hole) : part(hole, point(missing)))),
        () => void (used = use(w, w.value("add", [loaded!.results[0]!, int(1)])))
      ],
      expected: () => ({
        tag: "Uninitialised",
        ref: hole,
        sources: [loaded!.source, used!.source],
        more: { origin: "scratch", reaches, element: [missing] }
      })
    }
  }
})
const refOf = (w: Writer, name: string) => ownRef(w.program, name, "i32", [size])
const conditions: ReadonlyArray<(w: Writer, value: Atom) => Written> = [
  (w, value) => w.when(w.value("gt", [value, int(0)]), () => undefined),
  (w, value) => w.emit("store", [int(1), w.value("gt", [value, int(0)])], [w.own(refOf(w, taken))]),
  (w, value) => {
    const turn = w.builder.region([{ dtype: "i32", shape: [] }], () => [])
    return w.emit("fori", [int(0), value], [], { regions: [turn] })
  },
  (w, value) =>
    w.emit("assert", [w.value("gt", [value, int(0)])], [], { params: { kind: "assertion", detail: "it is positive" } })
]

const neverWritten: Kind = {
  name: "output that is never written",
  among: "alone",
  write: (w) => ({
    refs: [ownRef(w.program, taken, "i32", [size], "out")],
    parts: [() => void w.store(w.own(refOf(w, taken), range(0, w.draw.between(1, size - 1))), int(2))],
    expected: (): Expected => ({
      tag: "Uninitialised",
      ref: taken,
      sources: [],
      more: { origin: "output", reaches: "result" }
    })
  })
}
const outside = (w: Writer): Atom => int(w.draw.chance(0.5) ? size + w.draw.below(3) : -1 - w.draw.below(3))
const readOutside: Kind = {
  name: "read outside of a ref that reaches a result",
  among: "alone",
  write: (w) => {
    let loaded: Written | undefined
    let stored: Written | undefined
    return {
      refs: [given, taken].map((name) => refOf(w, name)),
      parts: [
        () => void (loaded = w.load(elementAt(w, refOf(w, given), outside(w)))),
        () => void (stored = w.store(w.own(refOf(w, taken)), loaded!.results[0]!))
      ],
      expected: () => ({
        tag: "OutOfBounds",
        ref: given,
        sources: [loaded!.source, stored!.source],
        more: { access: "read" }
      })
    }
  }
}
/** A block that reaches over the edge of its ref. */
const padding: Kind = {
  name: "padding of a block that reaches a result",
  among: "alone",
  write: (w) => {
    const start = w.draw.between(1, size - 1)
    let loaded: Written | undefined
    let stored: Written | undefined
    return {
      refs: [given, taken].map((name) => refOf(w, name)),
      parts: [
        () => {
          const block = A.padded(A.range(A.fixed(start), size), w.draw.of([true, "wholly"] as const))
          loaded = w.load(w.own(refOf(w, given), block))
        },
        () => void (stored = w.store(w.own(refOf(w, taken)), loaded!.results[0]!))
      ],
      expected: () => ({
        tag: "Uninitialised",
        ref: given,
        sources: [loaded!.source, stored!.source],
        more: { origin: "padding", reaches: "result" }
      })
    }
  }
}
const writtenOutside: Kind = {
  name: "write outside of a ref",
  among: "alone",
  write: (w) => {
    let stored: Written | undefined
    return {
      refs: [refOf(w, taken)],
      parts: [() => void (stored = w.store(elementAt(w, refOf(w, taken), outside(w)), int(1)))],
      expected: () => ({ tag: "OutOfBounds", ref: taken, sources: [stored!.source], more: { access: "write" } })
    }
  }
}
const duplicates: Kind = {
  name: "store that writes an element twice",
  among: "alone",
  write: (w) => {
    let stored: Written | undefined
    const write = () => {
      const n = w.draw.between(2, size)
      const all = w.value("iota", [], { dtype: "i32", shape: [n], axis: 0 })
      const twice = w.value("rem", [all, int(n - 1)])
      const { indices, use } = w.own(refOf(w, taken), A.gather(w.program.grid.length))
      stored = w.store({ use, indices: [...indices, twice] }, all)
    }
    return {
      refs: [refOf(w, taken)],
      parts: [write],
      expected: () => ({ tag: "DuplicateStore", ref: taken, sources: [stored!.source] })
    }
  }
}
const endless: Kind = {
  name: "loop without an end",
  among: "alone",
  options: { turns: 100 },
  write: (w) => {
    let loop: Written | undefined
    const write = () => {
      const i = { dtype: "i32", shape: [] } as const
      const condition = w.builder.region([i], ([k]) => [w.value("ge", [k!, int(0)])])
      const turn = w.builder.region([i], ([k]) => [w.value("add", [k!, int(1)])])
      loop = w.emit("while", [int(w.draw.below(9))], [], { regions: [condition, turn] })
    }
    return { parts: [write], expected: () => ({ tag: "Endless", ref: "", sources: [loop!.source] }) }
  }
}

export const values: ReadonlyArray<Kind> = [
  uninitialised("result", (w, value) => w.store(w.own(refOf(w, taken)), value), true),
  uninitialised("condition", (w, value) => w.draw.of(conditions)(w, value), false),
  uninitialised("index", (w, value) => w.load(elementAt(w, refOf(w, given), value)), false),
  neverWritten,
  padding,
  readOutside,
  writtenOutside,
  duplicates,
  endless
]
