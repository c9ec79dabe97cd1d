/** One mistake is one finding, whatever follows from it. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Barrier, Control, i32, Kernel, MemRef, Scratch, Simulator } from "../../src/index.ts"

const schedules = [
  { schedule: "inOrder", flying: "late" },
  { schedule: "reversed", flying: "eager" },
  ...[1, 2, 3].map((seed) => ({ schedule: { seed }, flying: "random" }) as const)
] as const
const found = async (kernel: Kernel.Any, how: (typeof schedules)[number]): Promise<ReadonlyArray<string>> => {
  const options = { schedules: [how], smallest: false }
  const report = await Effect.runPromise(Simulator.check(kernel as never, {} as never, options))
  return (report as Simulator.Report).findings.map((f) => ("misuse" in f ? f.misuse : f._tag))
}

const twice = Kernel.make(
  "twice",
  {
    grid: [2],
    refs: { o: MemRef.out(i32, [2], { block: [1], index: (i) => [i] }) },
    scratch: { gate: Barrier.scratch({ arrivals: 1 }) }
  },
  function* ({ gate, o }) {
    yield* Barrier.arrive(gate)
    yield* Barrier.arrive(gate)
    yield* Barrier.wait(gate)
    yield* Barrier.wait(gate)
    yield* MemRef.store(o, 1)
  }
)
const apart = Kernel.make("apart", { grid: [6], threads: 2, refs: { o: MemRef.out(i32, [6, 2]) } }, function* ({ o }) {
  const [program, thread] = [yield* Control.programId(0), yield* Control.threadId()]
  yield* Control.cond(thread.eq(0), Barrier.sync, Barrier.sync)
  yield* MemRef.store(MemRef.at(o, [program, thread]), 1)
})
const lost = Kernel.make(
  "lost",
  {
    grid: [1],
    threads: 2,
    refs: { o: MemRef.out(i32, [2]) },
    scratch: {
      never: Barrier.scratch({ arrivals: 2 }),
      ready: Barrier.scratch({ arrivals: 1 }),
      hand: Scratch.workgroup(i32, [2])
    }
  },
  function* ({ hand, never, o, ready }) {
    const thread = yield* Control.threadId()
    yield* Control.when(thread.eq(0), function* () {
      yield* Barrier.arrive(never)
      yield* Barrier.wait(never)
      yield* MemRef.store(hand, 1)
      yield* Barrier.arrive(ready)
    })
    yield* Control.when(thread.eq(1), function* () {
      yield* Barrier.wait(ready)
      yield* MemRef.store(o, yield* MemRef.load(hand))
    })
  }
)

describe.each(schedules)("Under the schedule $schedule, $flying", (how) => {
  it("a phase that is complete too early is told where it completes, and not again where it is waited for", async () => {
    expect(await found(twice, how)).toEqual(["overArrival"])
  })
  it("threads that meet at two places are told once, whichever came first", async () => {
    expect(await found(apart, how)).toEqual(["divergence"])
  })
  it("what threads do after a deadlock, when they go on in vain, tells nothing new", async () => {
    expect(await found(lost, how)).toEqual(["Stuck"])
  })
})
