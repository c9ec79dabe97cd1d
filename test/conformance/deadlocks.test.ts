/** Deadlock (117) where all threads meet, and at semaphores of program instances, as the Simulator sees it. */
import { describe, expect, it } from "vitest"
import { Barrier, Control, i32, Kernel, MemRef, Semaphore } from "../../src/index.ts"
import { finds, isStuck, isSilent, reportOf } from "../support/simulator.ts"

const range = (n: number) => Array.from({ length: n }, (_, i) => i)
const each = (...details: ReadonlyArray<readonly [thread: number, at: string, detail: string]>) =>
  [0, 1].flatMap((program) => details.map(([thread, at, detail]) => `${program}/${thread} at ${at}: ${detail}`))

describe("meetings of all threads", () => {
  const here = function* () {
    yield* Barrier.sync() // here
  }
  const there = function* () {
    yield* Barrier.sync() // there
  }
  it.each([2, 3, 4])("117: %i threads that come to one place go on, one that comes to another is found", async (n) => {
    const all = Kernel.make("together", { grid: [2], threads: n, refs: {} }, function* () {
      for (const _ of range(3)) yield* Barrier.sync()
    })
    await isSilent(all, {})
    for (const other of range(n)) {
      const k = Kernel.make("apart", { grid: [2], threads: n, refs: {} }, function* () {
        yield* Control.cond((yield* Control.threadId()).eq(other), there, here)
      })
      await finds(k, {}, ["BarrierMisuse divergence on : here, there"])
    }
  })
  it.each([2, 3, 4])("117: of %i threads, one has ended: those that wait say so", async (n) => {
    for (const gone of range(n)) {
      const k = Kernel.make("gone", { grid: [2], threads: n, refs: {} }, function* () {
        yield* Control.when((yield* Control.threadId()).ne(gone), here)
      })
      const detail = `all ${n} threads, of which ${n - 1} are here; thread ${gone} has ended`
      const others = range(n).filter((t) => t !== gone)
      await isStuck(k, {}, each(...others.map((t) => [t, "here", detail] as const)))
    }
  })
  it.each([2, 3, 4])("117: %i threads that go round unequal loops with a meeting in each turn", (n) => {
    const k = Kernel.make("loops", { grid: [1], threads: n, refs: {} }, function* () {
      yield* Control.forEach(0, (yield* Control.threadId()).min(1).add(1), () => here())
    })
    const detail = `all ${n} threads, of which ${n - 1} are here; thread 0 has ended`
    return isStuck(
      k,
      {},
      range(n)
        .slice(1)
        .map((t) => `0/${t} at here: ${detail}`)
    )
  })
  it("117: one meets, one waits at a barrier", () => {
    const details = ["all 2 threads, of which 1 are here", "a phase of 1 arrivals, of which there are 0"] as const
    const scratch = { b: Barrier.scratch({ arrivals: 1 }) }
    const k = Kernel.make("both", { grid: [2], threads: 2, refs: {}, scratch }, function* ({ b }) {
      const wait = function* () {
        yield* Barrier.wait(b) // wait
      }
      yield* Control.cond((yield* Control.threadId()).eq(0), here, wait)
    })
    return isStuck(k, {}, each([0, "here", details[0]], [1, "wait", details[1]]))
  })
  it("117: threads that do nothing leave nothing", () =>
    isSilent(
      Kernel.make("nothing", { grid: [2], threads: 2, refs: {} }, function* () {}),
      {}
    ))
})

describe("semaphores that program instances share", () => {
  /** Each but one waits for its semaphore, and then signals that of the next in the order. */
  const chain = (n: number, order: (k: number) => number, lost?: number) =>
    Kernel.make(
      "chain",
      { grid: [n], refs: { s: MemRef.inout(i32, [n]), sum: MemRef.inout(i32, []) } },
      function* ({ s, sum }) {
        const id = yield* Control.programId(0)
        for (const k of range(n))
          yield* Control.when(id.eq(order(k)), function* () {
            if (k > 0) yield* Semaphore.wait(MemRef.at(s, [order(k)])) // wait
            yield* MemRef.store(sum, (yield* MemRef.load(sum)).mul(3).add(k))
            if (k + 1 < n && k !== lost) yield* Semaphore.signal(MemRef.at(s, [order(k + 1)]))
          })
      }
    )
  const given = (n: number) => ({ s: new Int32Array(n), sum: Int32Array.of(0) })
  const sum = (n: number) => range(n).reduce((total, k) => 3 * total + k, 0)
  const orders = { "in order": (k: number) => k, "last to first": (n: number) => (k: number) => n - 1 - k }
  it.each([2, 3, 5])("117: %i in a chain, whichever way it runs: no finding", async (n) => {
    await isSilent(chain(n, orders["in order"]), given(n), { sum: [sum(n)] })
    await isSilent(chain(n, orders["last to first"](n)), given(n), { sum: [sum(n)] })
  })
  it.each([2, 3, 5])("117: %i in a chain, one of which signals nobody: those after it wait forever", async (n) => {
    const detail = "it holds 0 of the 1 that it is waited for"
    for (const lost of range(n - 1))
      for (const order of [orders["in order"], orders["last to first"](n)]) {
        const waiting = range(n)
          .slice(lost + 1)
          .map((k) => `${order(k)}/0 at wait: ${detail}`)
        await isStuck(chain(n, order, lost), given(n), waiting.sort())
      }
  })
  it("117: a later one cannot help where only one is there at a time", async () => {
    const detail = "it holds 0 of the 1 that it is waited for"
    const k = chain(2, orders["last to first"](2))
    const { findings } = await reportOf(k, given(2), {
      resident: 1,
      schedules: [{ schedule: "inOrder", flying: "late" }]
    })
    expect(findings).toMatchObject([{ _tag: "Stuck", waiting: [{ place: { program: [0] }, detail }] }])
  })
})
