/** Copies and products that something meets in flight, or that nobody waits for. */
import { type Atom, literal } from "../../src/ir/program.ts"
import type { Fault, Kind } from "./fault.ts"
import { accumulator, type Expected, int, ownRef, part, scratch, type Use, type Writer, type Written } from "./write.ts"

const [from, to, acc] = ["source", "goal", "sum"]
const sourcesOf = (all: ReadonlyArray<Written | undefined>) => all.map((written) => written!.source)

// --- copies -------------------------------------------------------------------------------------------------------------

const start = (w: Writer, source: Use = part(from)): Written => w.emit("copyStart", [], [source], { params: { to } })
const wait = (w: Writer, token: Atom, op = "store"): Written =>
  w.emit("copyWait", [token], [part(to)], { params: { op } })
const prepare = (w: Writer): void => {
  for (const name of [from, to]) w.store(part(name), int(w.draw.below(9)))
}

/** Something touches what a copy is about. */
const met = (name: string, access: (w: Writer) => Written, ref: string, by: "start" | "wait"): Kind => ({
  name,
  among: "alone",
  write: (w): Fault => {
    const shape = [w.draw.between(1, 6)]
    const op = w.draw.of(["store", "store", "add"])
    let started: Written | undefined
    let waited: Written | undefined
    let touched: Written | undefined
    return {
      scratch: [scratch(from, "i32", shape), scratch(to, "i32", shape)],
      parts: [
        () => {
          prepare(w)
          started = start(w)
        },
        () => void (touched = access(w)),
        () => void (waited = wait(w, started!.results[0]!, op))
      ],
      expected: () => ({
        tag: "Race",
        ref,
        sources: sourcesOf([by === "start" ? started : waited, touched]),
        more: { among: "copy" }
      })
    }
  }
})
const neverAwaited: Kind = {
  name: "copy that nobody waits for",
  among: "alone",
  write: (w) => {
    let started: Written | undefined
    return {
      scratch: [scratch(from, "i32", [2]), scratch(to, "i32", [2])],
      parts: [() => prepare(w), () => void (started = start(w))],
      expected: () => ({ tag: "Unawaited", ref: to, sources: sourcesOf([started]) })
    }
  }
}

// --- products -----------------------------------------------------------------------------------------------------------

const shape = [2, 2]
const tile = (w: Writer, value: number): Atom => w.value("full", [literal("f32", value)], { shape })
const issue = (w: Writer): Written =>
  w.emit("multiplyAccumulate", [tile(w, 2)], [part(acc), part(from)], {
    params: { a: "ref", b: "tile", transposeA: w.draw.chance(0.5), transposeB: w.draw.chance(0.5) }
  })
const drain = (w: Writer): Written => w.emit("pipelineWait", [], [], { params: { atMost: 0 } })
const factors = [accumulator(acc, shape), scratch(from, "f32", shape)]
const fill = (w: Writer): Written => w.store(part(from), literal("f32", w.draw.below(9)))
const look = (w: Writer): Written => w.emit("accumulatorRead", [], [part(acc)])

const product = (name: string, access: (w: Writer) => Written, ref: string): Kind => ({
  name,
  among: "alone",
  together: true,
  write: (w): Fault => {
    let issued: Written | undefined
    let touched: Written | undefined
    const write = () => {
      fill(w)
      issued = issue(w)
      touched = access(w)
      drain(w)
    }
    return {
      scratch: factors,
      parts: [write],
      expected: () => ({
        tag: "Race",
        ref,
        sources: sourcesOf([issued, touched]),
        more: { among: "multiplyAccumulate" }
      })
    }
  }
})
const productsNeverAwaited: Kind = {
  name: "products that nobody waits for",
  among: "alone",
  together: true,
  mends: (primitive) => primitive === "pipelineWait",
  write: (w) => {
    let issued: Written | undefined
    const write = () => {
      fill(w)
      issued = issue(w)
    }
    return {
      scratch: factors,
      parts: [write],
      expected: () => ({ tag: "Unawaited", ref: acc, sources: sourcesOf([issued]) })
    }
  }
}

// --- waits of another thread --------------------------------------------------------------------------------------------

const wrong = (ref: string, sources: ReadonlyArray<string>): Expected => ({ tag: "WrongThread", ref, sources })
const wrongCopy: Kind = {
  name: "copy that another thread waits for",
  among: "threads",
  together: true,
  write: (w) => {
    const starter = w.draw.below(w.program.threads!)
    const other = (starter + 1) % w.program.threads!
    const out = ownRef(w.program, "taken", "i32", [3])
    let started: Written | undefined
    let loaded: Written | undefined
    const write = () => {
      const thread = w.thread()
      w.onThread(thread, starter, () => prepare(w))
      w.emit("sync")
      started = w.emit("copyStart", [], [part(from)], { params: { to } })
      const token = started.results[0]!
      w.emit("sync")
      // All start one: that of the starter lands in the goal, the others' in scratch of their own.
      const landing = (name: string) => w.emit("copyWait", [token], [part(name)], { params: { op: "store" } })
      w.onThread(thread, other, () => {
        w.emit("scoped", [], [], {
          regions: [w.region(() => void landing("own"), [scratch("own", "i32", [3], { space: "register" })])]
        })
        loaded = w.load(part(to))
        w.store(w.own(out), loaded.results[0]!)
      })
      w.onThread(thread, starter, () => void landing(to))
      for (let k = 0; k < w.program.threads!; k++)
        if (k !== other && k !== starter)
          w.onThread(thread, k, () => {
            const mine = scratch(`mine${k}`, "i32", [3], { space: "register" })
            w.emit("scoped", [], [], { regions: [w.region(() => void landing(mine.name), [mine])] })
          })
    }
    return {
      refs: [out],
      scratch: [from, to].map((name) => scratch(name, "i32", [3])),
      parts: [write],
      expected: () => wrong(to, sourcesOf([started, loaded]))
    }
  }
}
const wrongProducts: Kind = {
  name: "products that another thread waits for",
  among: "threads",
  together: true,
  write: (w) => {
    const starter = w.draw.below(w.program.threads!)
    const other = (starter + 1) % w.program.threads!
    let issued: Written | undefined
    let read: Written | undefined
    const write = () => {
      const thread = w.thread()
      w.onThread(thread, starter, () => {
        fill(w)
        issued = issue(w)
      })
      w.emit("sync")
      w.onThread(thread, other, () => {
        drain(w)
        read = look(w)
      })
      w.emit("sync")
      w.onThread(thread, starter, () => void drain(w))
    }
    return { scratch: factors, parts: [write], expected: () => wrong(acc, sourcesOf([issued, read])) }
  }
}

export const flights: ReadonlyArray<Kind> = [
  met("source of a copy, overwritten in flight", (w) => w.store(part(from), int(7)), from, "start"),
  met("goal of a copy, read in flight", (w) => w.load(part(to)), to, "wait"),
  met("goal of a copy, written in flight", (w) => w.store(part(to), int(7)), to, "wait"),
  neverAwaited,
  product("factor of a product, overwritten in flight", fill, from),
  product("accumulator of a product, read in flight", look, acc),
  productsNeverAwaited,
  wrongCopy,
  wrongProducts
]
