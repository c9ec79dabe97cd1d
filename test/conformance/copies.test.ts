/**
 * Copies and products in flight, as the Simulator sees them: 104, 106, 108.
 *
 * A copy has one wait, after which both its sides are done.
 */
import { describe, it } from "vitest"
import { Barrier, Control, Copy, f32, i32, Kernel, MemRef, Pipeline, Scratch } from "../../src/index.ts"
import { finds, isSilent } from "../support/simulator.ts"

const range = (n: number) => Array.from({ length: n }, (_, i) => i)
const first = (refs: { readonly [ref: string]: ArrayLike<number> }) =>
  Object.fromEntries(Object.entries(refs).map(([name, values]) => [name, Int32Array.from(values)]))

describe("waits that allow some copies to be outstanding", () => {
  const refs = { a: MemRef.inout(i32, [2]), b: MemRef.inout(i32, [2]), c: MemRef.inout(i32, [2]) }
  const args = first({ a: [0, 0], b: [0, 0], c: [0, 0] })
  const names = ["a", "b", "c"] as const
  /** Starts copies, waits, and then touches one of the destinations, or what is copied there. */
  const kernel = (copies: number, allowed: ReadonlyArray<number>, which: number, touch: "read" | "overwrite") =>
    Kernel.make(
      "outstanding",
      { grid: [1], refs: { ...refs, o: MemRef.out(i32, []) }, scratch: { s: Scratch.workgroup(i32, [3, 2]) } },
      function* ({ o, s, ...to }) {
        yield* MemRef.store(s, 5)
        yield* MemRef.store(o, 0)
        for (const [i, name] of names.slice(0, copies).entries()) {
          yield* Copy.start(MemRef.at(s, [i]), to[name] as typeof to.a) // copy
          yield* Copy.commit()
        }
        for (const n of allowed) yield* Copy.waitGroups(n)
        if (touch === "read")
          yield* MemRef.store(o, yield* MemRef.load(MemRef.at(to[names[which]!], [1]))) // touch
        else yield* MemRef.store(MemRef.at(s, [which]), 7) // touch
        yield* Copy.waitGroups(0) // land
      }
    )
  const cases = [1, 2, 3].flatMap((copies) =>
    [[0], [1], [2], [3], [1, 2], [2, 1], [3, 0]].flatMap((allowed) =>
      range(copies).map((which) => [copies, allowed.join(" then "), which, allowed] as const)
    )
  )
  it.each(cases)(
    "104: of %i copies at most %s are outstanding; a look at number %i",
    async (copies, _, which, allowed) => {
      const isLanded = which < copies - Math.min(...allowed)
      const read = kernel(copies, allowed, which, "read")
      if (isLanded) await isSilent(read, args, { o: [5] })
      else await finds(read, args, [`Race among copy on ${names[which]}: land, touch`])
      const written = kernel(copies, allowed, which, "overwrite")
      await finds(written, args, isLanded ? [] : ["Race among copy on s: copy, touch"])
    }
  )
})

describe("waits of another thread", () => {
  const shared = { started: Barrier.scratch({ arrivals: 1 }), landed: Barrier.scratch({ arrivals: 1 }) }
  const scratch = { s: Scratch.workgroup(i32, [2]), d: Scratch.workgroup(i32, [2]), ...shared }
  const make = (body: (refs: any) => Generator<any, any, any>) =>
    Kernel.make("waits", { grid: [1], threads: 2, refs: { o: MemRef.out(i32, [2]) }, scratch }, function* (refs: any) {
      yield* MemRef.store(MemRef.at(refs.o, [yield* Control.threadId()]), 1)
      yield* body(refs)
    } as any) as Kernel.Any
  const sides = ["source", "destination"] as const
  const overwrite = (side: string, { d, s }: any) => MemRef.store(side === "source" ? s : d, 7) // overwrite
  const raced = (side: string) => `among copy on ${side === "source" ? "s: copy, overwrite" : "d: land, overwrite"}`

  const handedOver = (side: string, waits: "of its own" | "for the other") =>
    make(function* (refs) {
      const { d, landed, s, started } = refs
      yield* Control.cond(
        (yield* Control.threadId()).eq(0),
        function* () {
          yield* MemRef.store(s, 5)
          const token = yield* Copy.start(s, d) // copy
          yield* Barrier.arrive(started)
          yield* Copy.wait(token) // land
          yield* Barrier.arrive(landed)
        },
        function* () {
          yield* Barrier.wait(started)
          if (waits === "of its own") yield* Copy.waitGroups(0)
          else yield* Barrier.wait(landed)
          yield* overwrite(side, refs)
          if (waits === "of its own") yield* Barrier.wait(landed)
        }
      )
    })
  it.each(sides)("106: it has no copies of its own to wait for, and overwrites the %s: a race", async (side) => {
    await finds(handedOver(side, "of its own"), {}, [`Race ${raced(side)}`])
    await isSilent(handedOver(side, "for the other"), {}, { o: [1, 1] })
  })

  /** Only the first thread copies; both wait, and the second overwrites before the first can have told that it has. */
  const bothWait = (side: string, told: "started" | "nothing", order: "waits first" | "overwrites first") =>
    make(function* (refs) {
      const { d, s, started } = refs
      const isFirst = (yield* Control.threadId()).eq(0)
      yield* Control.when(isFirst, () => MemRef.store(s, 5))
      const token = yield* Copy.start(s, d, { when: isFirst }) // copy
      yield* Control.when(isFirst, () => Barrier.arrive(started))
      if (told === "started") yield* Control.when(isFirst.not(), () => Barrier.wait(started))
      if (order === "waits first") yield* Copy.wait(token) // land
      yield* Control.when(isFirst.not(), () => overwrite(side, refs))
      if (order === "overwrites first") yield* Copy.wait(token) // land
      if (told === "nothing") yield* Control.when(isFirst.not(), () => Barrier.wait(started))
    })
  it.each(sides)("106: it waits where nothing is its own, knowing of the copy, and overwrites the %s", (side) =>
    finds(bothWait(side, "started", "waits first"), {}, [
      `WrongThread on ${side === "source" ? "s" : "d"}: copy, overwrite`
    ])
  )
  it.each(sides)("106: it overwrites the %s before it waits: a race like any", (side) =>
    finds(bothWait(side, "started", "overwrites first"), {}, [`Race ${raced(side)}`])
  )
  it("106: it waits, while nothing has told it that a copy was started: a race like any", () =>
    finds(bothWait("destination", "nothing", "waits first"), {}, [`Race ${raced("destination")}`]))

  const products = (waits: "waits" | "does not", told: "started" | "done") =>
    Kernel.make(
      "products",
      {
        grid: [1],
        threads: 2,
        refs: { x: MemRef.in(f32, [2, 2]), o: MemRef.out(f32, [2, 2]) },
        scratch: { s: Scratch.workgroup(f32, [2, 2]), acc: Pipeline.accumulator(f32, [2, 2]), ...shared }
      },
      function* ({ acc, landed, o, s, started, x }) {
        yield* Control.cond(
          (yield* Control.threadId()).eq(0),
          function* () {
            yield* MemRef.store(s, yield* MemRef.load(x))
            yield* Pipeline.multiplyAccumulate(acc, s, x) // product
            yield* Barrier.arrive(started)
            yield* Pipeline.wait()
            yield* Barrier.arrive(landed)
            yield* MemRef.store(o, yield* Pipeline.read(acc))
          },
          function* () {
            yield* Barrier.wait(started)
            if (waits === "waits") yield* Pipeline.wait()
            if (told === "done") yield* Barrier.wait(landed)
            yield* MemRef.store(s, 0) // overwrite
            if (told !== "done") yield* Barrier.wait(landed)
          }
        )
      }
    )
  it("106: the products of another thread are waited for by that thread", async () => {
    const x = Float32Array.of(1, 2, 3, 4)
    const sides = "on s: overwrite, product"
    await finds(products("waits", "started"), { x }, [`WrongThread ${sides}`])
    await finds(products("does not", "started"), { x }, [`Race among multiplyAccumulate ${sides}`])
    await isSilent(products("does not", "done"), { x }, { o: [7, 10, 15, 22] })
    await isSilent(products("waits", "done"), { x }, { o: [7, 10, 15, 22] })
  })
})

describe("work that nobody waits for", () => {
  const refs = { x: MemRef.in(i32, [2]), o: MemRef.inout(i32, [2]) }
  const args = first({ x: [1, 2], o: [0, 0] })
  const copies = (threads: number, waits: (thread: number) => boolean) =>
    Kernel.make(
      "copies",
      { grid: [1], threads, refs: { x: MemRef.in(i32, [2]), o: MemRef.inout(i32, [4, 2]) } },
      function* ({ o, x }) {
        for (const thread of range(threads))
          yield* Control.when((yield* Control.threadId()).eq(thread), function* () {
            const token = yield* Copy.start(x, MemRef.at(o, [thread])) // copy
            if (waits(thread)) yield* Copy.wait(token)
          })
      }
    )
  it.each([1, 2, 4])(
    "108: %i threads: each copy that its thread does not wait for is found, others are not",
    async (n) => {
      const given = { x: args["x"]!, o: new Int32Array(8) }
      for (const lost of range(n))
        await finds(
          copies(n, (t) => t !== lost),
          given,
          ["Unawaited on o: copy"]
        )
      await isSilent(
        copies(n, () => true),
        given
      )
    }
  )
  it("108: in a kernel that declares no threads, and which others refuse", async () => {
    const k = Kernel.make("alone", { grid: [1], refs }, function* ({ o, x }) {
      yield* Copy.start(x, o) // copy
    })
    await finds(k, args, ["Unawaited on o: copy"])
  })
  it.each([0, 1, 2, 3])("108: of three products, at most %i in flight when the kernel ends", async (atMost) => {
    const k = Kernel.make(
      "products",
      { grid: [1], refs: { x: MemRef.in(f32, [2, 2]) }, scratch: { acc: Pipeline.accumulator(f32, [2, 2]) } },
      function* ({ acc, x }) {
        for (const _ of range(3)) yield* Pipeline.multiplyAccumulate(acc, x, x) // product
        yield* Pipeline.wait(atMost)
      }
    )
    const x = Float32Array.of(1, 2, 3, 4)
    await finds(k, { x }, atMost === 0 ? [] : ["Unawaited on acc: product"])
  })
  it.each(["observed", "never"] as const)(
    "108: a copy that arrives at a barrier, which is %s waited for",
    async (how) => {
      const k = Kernel.make(
        "arriving",
        { grid: [1], threads: 2, refs, scratch: { b: Barrier.scratch({ arrivals: 1 }) } },
        function* ({ b, o, x }) {
          yield* Control.cond(
            (yield* Control.threadId()).eq(0),
            function* () {
              yield* Copy.start(x, o, { barrier: b }) // copy
            },
            function* () {
              if (how === "observed") yield* Barrier.wait(b)
            }
          )
        }
      )
      if (how === "observed") await isSilent(k, args, { o: [1, 2] })
      else await finds(k, args, ["Unawaited on o: copy"])
    }
  )
})
