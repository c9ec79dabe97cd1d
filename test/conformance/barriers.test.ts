/** Barrier misuse and deadlock at barriers, as the Simulator sees them: 112, 114, 116, 117. */
import { describe, it } from "vitest"
import { Barrier, Control, Kernel, Scratch } from "../../src/index.ts"
import { finds, isSilent, isStuck } from "../support/simulator.ts"

const range = (n: number) => Array.from({ length: n }, (_, i) => i)
type Refs = { readonly b: Barrier.Ref<[]>; readonly done: Barrier.Ref<[]> }
type Body = (refs: Refs) => Generator<any, void, any>
const arrivals = [1, 2, 3]
/** A kernel whose threads do one thing each; with one body there is one thread, which is not declared. */
const kernel = (arrivals: number, ...bodies: ReadonlyArray<Body>) =>
  Kernel.make(
    "k",
    {
      grid: [2],
      ...(bodies.length === 1 ? {} : { threads: bodies.length }),
      refs: {},
      scratch: { b: Barrier.scratch({ arrivals }), done: Barrier.scratch({ arrivals: 1 }) }
    },
    function* (refs: any) {
      if (bodies.length === 1) return yield* bodies[0]!(refs)
      for (const [thread, body] of bodies.entries())
        yield* Control.when((yield* Control.threadId()).eq(thread), () => body(refs))
    } as any
  ) as Kernel.Any
const arrive = function* ({ b }: Refs, times = 1) {
  for (const _ of range(times)) yield* Barrier.arrive(b) // arrive
}
const arriveAgain = function* ({ b }: Refs, times = 1) {
  for (const _ of range(times)) yield* Barrier.arrive(b) // again
}
const wait = function* ({ b }: Refs) {
  yield* Barrier.wait(b) // wait
}
const tell = function* ({ done }: Refs) {
  yield* Barrier.arrive(done)
}
const listen = function* ({ done }: Refs) {
  yield* Barrier.wait(done)
}
const inTurn = (...bodies: ReadonlyArray<Body>): Body =>
  function* (refs) {
    for (const body of bodies) yield* body(refs)
  }
const each = (...details: ReadonlyArray<readonly [thread: number, at: string, detail: string]>) =>
  [0, 1].flatMap((program) => details.map(([thread, at, detail]) => `${program}/${thread} at ${at}: ${detail}`))

describe("phases that nobody waits for in between", () => {
  it.each(arrivals)("112: one thread, %i arrivals: a phase completes twice before a wait", async (n) => {
    const twice = inTurn(
      (refs) => arrive(refs, n),
      (refs) => arriveAgain(refs, n)
    )
    const found = ["BarrierMisuse overArrival on b: again, arrive"]
    for (const waits of range(3)) await finds(kernel(n, inTurn(twice, ...range(waits).map(() => wait))), {}, found)
    const inBetween = inTurn(
      (refs) => arrive(refs, n),
      wait,
      (refs) => arriveAgain(refs, n),
      wait
    )
    await isSilent(kernel(n, inBetween), {})
  })
  it.each(arrivals)("112: one of two threads completes %i arrivals twice, the other waits twice", async (n) => {
    const twice = inTurn(
      (refs) => arrive(refs, n),
      (refs) => arriveAgain(refs, n)
    )
    const found = ["BarrierMisuse overArrival on b: again, arrive"]
    await finds(kernel(n, twice, inTurn(wait, wait)), {}, found)
    await finds(kernel(n, inTurn(wait, wait), twice), {}, found)
    const answered = inTurn(
      (refs) => arrive(refs, n),
      listen,
      (refs) => arriveAgain(refs, n)
    )
    await isSilent(kernel(n, answered, inTurn(wait, tell, wait)), {})
  })
  it.each([2, 3])("112: %i threads arrive twice each, and nobody waits in between", async (n) => {
    const twice = inTurn(arrive, arriveAgain)
    await finds(kernel(n, ...range(n).map(() => twice)), {}, ["BarrierMisuse overArrival on b: again, arrive"])
    const right = inTurn(arrive, wait, arriveAgain, wait)
    await isSilent(kernel(n, ...range(n).map(() => right)), {})
  })
})

describe("a first wait after the second phase", () => {
  const twoPhases = (n: number) =>
    inTurn(
      (refs) => arrive(refs, n),
      wait,
      (refs) => arriveAgain(refs, n),
      wait
    )
  it.each(arrivals)("114: of a thread that was told so, %i arrivals: it has missed a phase", async (n) => {
    const late = inTurn(listen, wait)
    await finds(kernel(n, inTurn(twoPhases(n), tell), late), {}, ["BarrierMisuse missed on b: again, wait"])
    await finds(kernel(n, late, inTurn(twoPhases(n), tell)), {}, ["BarrierMisuse missed on b: again, wait"])
    await isSilent(kernel(n, inTurn(twoPhases(n), tell), listen), {})
  })
  it.each(arrivals)("114: of a thread that may come in time, %i arrivals: the second comes too early", (n) =>
    finds(kernel(n, twoPhases(n), wait), {}, ["BarrierMisuse overArrival on b: again, arrive"])
  )
  it.each(arrivals)("114: of the only thread, %i arrivals: the second phase comes too early", (n) =>
    finds(
      kernel(
        n,
        inTurn(
          (refs) => arrive(refs, n),
          (refs) => arriveAgain(refs, n),
          wait
        )
      ),
      {},
      ["BarrierMisuse overArrival on b: again, arrive"]
    )
  )
})

describe("phases that are left when the scope of a barrier ends", () => {
  const partial = (n: number) => arrivals.flatMap((all) => (n < all ? [[n, all] as const] : []))
  const cases = range(3).flatMap(partial)
  it.each(cases)("116: %i of %i arrivals: a phase is left, unless there are none", async (n, all) => {
    const found = n === 0 ? [] : ["BarrierMisuse partial on b: arrive"]
    await finds(
      kernel(all, (refs) => arrive(refs, n)),
      {},
      found
    )
    await finds(
      kernel(all, (refs) => arrive(refs, n), tell, listen),
      {},
      found
    )
    const split = range(n).map(() => arrive)
    await finds(kernel(all, ...split, tell, listen), {}, found)
  })
  it.each(arrivals)("116: all of %i arrivals, and nobody waits: a phase is not observed", async (n) => {
    const found = ["BarrierMisuse unobserved on b: arrive"]
    await finds(
      kernel(n, (refs) => arrive(refs, n)),
      {},
      found
    )
    await finds(kernel(n, ...range(n).map(() => arrive), tell, listen), {}, found)
  })
  it("116: arrivals at two places: the last in the program is named", () =>
    finds(kernel(3, arriveAgain, arrive), {}, ["BarrierMisuse partial on b: arrive"]))

  /** Threads that share a barrier in a scope, or have one each. */
  const scoped = (threads: number, collective: boolean, all: number) =>
    Kernel.make("scoped", { grid: [1], threads, refs: {} }, function* () {
      yield* Scratch.scoped(
        Barrier.scratch({ arrivals: all }),
        function* (b) {
          yield* Barrier.arrive(b) // arrive
          if (all === (collective ? threads : 1)) yield* Barrier.wait(b)
        },
        { collective }
      )
    })
  it.each([1, 2, 3])("116: in a scope of %i threads, which share its barrier or not", async (threads) => {
    for (const collective of [false, true])
      for (const all of [1, 2, 3, 4]) {
        const count = collective ? threads : 1
        const unobserved = count > all ? ["BarrierMisuse unobserved on barrier: arrive"] : []
        if (count % all !== 0)
          await finds(scoped(threads, collective, all), {}, ["BarrierMisuse partial on barrier: arrive", ...unobserved])
        else if (count === all) await isSilent(scoped(threads, collective, all), {})
      }
  })
})

describe("waits for what nobody will do", () => {
  const cases = arrivals.flatMap((all) => range(all).map((n) => [n, all] as const))
  it.each(cases)("117: with %i of %i arrivals, in one thread or two", async (n, all) => {
    const of = `a phase of ${all} arrivals, of which there are ${n}`
    await isStuck(
      kernel(
        all,
        inTurn((refs) => arrive(refs, n), wait)
      ),
      {},
      each([0, "wait", of])
    )
    await isStuck(
      kernel(all, (refs) => arrive(refs, n), wait),
      {},
      each([1, "wait", of])
    )
    await isStuck(
      kernel(
        all,
        wait,
        inTurn((refs) => arrive(refs, n), wait)
      ),
      {},
      each([0, "wait", of], [1, "wait", of])
    )
  })
  it.each(arrivals)("117: a second wait for one phase, %i arrivals", (n) =>
    isStuck(
      kernel(
        n,
        inTurn((refs) => arrive(refs, n), wait, wait)
      ),
      {},
      each([0, "wait", `a phase of ${n} arrivals, of which there are 0`])
    )
  )
  it("117: two threads that wait for each other", () => {
    const waitsForDone = function* ({ done }: Refs) {
      yield* Barrier.wait(done) // other wait
    }
    const none = "a phase of 1 arrivals, of which there are 0"
    const k = kernel(1, inTurn(wait, tell), inTurn(waitsForDone, arrive))
    return isStuck(k, {}, each([0, "wait", none], [1, "other wait", none]))
  })
})
