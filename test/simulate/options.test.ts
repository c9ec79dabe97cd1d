/** What users are promised of the options of the Simulator. */
import { Effect, Exit, Fiber, type Layer, Logger } from "effect"
import { describe, expect, it } from "vitest"
import {
  Atomic,
  Block,
  Control,
  Copy,
  i32,
  Kernel,
  KernelError,
  MemRef,
  Scratch,
  Simulator,
  Subgroup,
  Tile
} from "../../src/index.ts"
import { failure, single } from "../support/kernels.ts"
import { finds, isSilent, reportOf, verdictOf } from "../support/simulator.ts"

type Args = { readonly [ref: string]: any }
const run = (k: Kernel.Any, args: Args, layer: Layer.Layer<any, any, any>): Effect.Effect<any, any> =>
  Effect.provide((Kernel.run as any)(k, args), layer as any) as any
/** Results under options, whatever is found. */
const results = (k: Kernel.Any, args: Args, options: Simulator.LayerOptions): Promise<any> =>
  Effect.runPromise(run(k, args, Simulator.layer({ findings: "ignore", ...options })))

const contested = Kernel.make("contested", { grid: [4], refs: { o: MemRef.inout(i32, []) } }, function* ({ o }) {
  yield* MemRef.store(o, (yield* Control.programId(0)).add(1))
})
const zero = { o: Int32Array.of(0) }

describe("schedule", () => {
  it("says which program instance comes last, where that shows", async () => {
    expect((await results(contested, zero, {})).o).toEqual(Int32Array.of(4))
    expect((await results(contested, zero, { schedule: "inOrder" })).o).toEqual(Int32Array.of(4))
    expect((await results(contested, zero, { schedule: "reversed" })).o).toEqual(Int32Array.of(1))
    const seeds = Array.from({ length: 20 }, (_, seed) => seed)
    const last = await Promise.all(seeds.map((seed) => results(contested, zero, { schedule: { seed } })))
    expect(new Set(last.map(({ o }) => o[0])).size).toBeGreaterThan(1)
  })
  it("by seed is the same every time", async () => {
    for (const seed of [1, 2, 3]) {
      const [a, b] = [0, 1].map(() => results(contested, zero, { schedule: { seed } }))
      expect(await a).toEqual(await b)
    }
  })
})

describe("flying", () => {
  const overwritten = single({ x: MemRef.inout(i32, []), o: MemRef.out(i32, []) }, function* ({ o, x }) {
    const token = yield* Copy.start(x, o)
    yield* MemRef.store(x, 2)
    yield* Copy.wait(token)
  })
  it("says when a copy reads, where that shows: eager if left out", async () => {
    const args = { x: Int32Array.of(1) }
    expect((await results(overwritten, args, {})).o).toEqual(Int32Array.of(1))
    expect((await results(overwritten, args, { flying: "late" })).o).toEqual(Int32Array.of(2))
    expect((await results(overwritten, args, { flying: "eager" })).o).toEqual(Int32Array.of(1))
    const seen = new Set<number>()
    for (let seed = 0; seed < 20; seed++)
      seen.add((await results(overwritten, args, { flying: "random", schedule: { seed } })).o[0])
    expect([...seen].sort()).toEqual([1, 2])
  })
})

describe("resident", () => {
  /** Bug 89: the second spins until the first has set a flag. */
  const spin = Kernel.make("spin", { grid: [2], refs: { flag: MemRef.inout(i32, []) } }, function* ({ flag }) {
    yield* Control.cond(
      (yield* Control.programId(0)).eq(0),
      function* () {
        yield* Atomic.exchange(flag, 1)
      },
      function* () {
        yield* Control.whileLoop(
          Tile.of(i32, 0),
          function* (seen) {
            return seen.eq(0)
          },
          () => Atomic.or(flag, 0) // spin
        )
      }
    )
  })
  const args = { flag: Int32Array.of(0) }
  it("of 1 finds that a program instance spins on one that has no place to run", async () => {
    const { findings } = await reportOf(spin, args, { resident: 1 })
    expect(findings).toMatchObject([{ _tag: "Stuck", waiting: [{ place: { program: [1] } }] }])
  })
  it("of 1 works by luck in order, and of 2, or any number, in every order", async () => {
    const inOrder = { schedule: "inOrder", flying: "late" } as const
    expect((await reportOf(spin, args, { resident: 1, schedules: [inOrder] })).findings).toEqual([])
    await isSilent(spin, args, { flag: [1] }, { resident: 2 })
    await isSilent(spin, args, { flag: [1] })
  })
})

describe("turns", () => {
  const loop = (n: number) =>
    single({ n: MemRef.scalar(i32), o: MemRef.inout(i32, []) }, function* ({ n: by, o }) {
      yield* Control.forEach(0, by.mul(n), () => MemRef.accumulate(o, 1)) // loop
    })
  it("is how many a loop may take: one more is Endless, and ends the run", async () => {
    await isSilent(loop(10), { n: 1, ...zero }, { o: [10] }, { turns: 10 })
    const found = await reportOf(loop(11), { n: 1, ...zero }, { turns: 10 })
    expect(found.findings.map(({ _tag }) => _tag)).toEqual(["Endless"])
    const error: any = await failure(
      run(loop(11), { n: 1, ...zero }, Simulator.layer({ turns: 10, findings: "ignore" }))
    )
    expect(error.reason._tag).toBe("Faulty")
  })
  it("counts for each run of a loop", async () => {
    const nested = single({ o: MemRef.inout(i32, []) }, function* ({ o }) {
      yield* Control.forEach(0, 8, () => Control.forEach(0, 8, () => MemRef.accumulate(o, 1)))
    })
    await isSilent(nested, zero, { o: [64] }, { turns: 8 })
  })
  it("ends a loop that only says that it will end", async () => {
    const forever = single({ o: MemRef.inout(i32, []) }, function* ({ o }) {
      yield* Control.whileLoop(
        Tile.of(i32, 0),
        function* (i) {
          return i.ge(0)
        },
        function* (i) {
          yield* MemRef.accumulate(o, 1)
          return i.add(1).rem(8)
        }
      )
    })
    const { findings } = await reportOf(forever, zero, { turns: 50 })
    expect(findings.map(({ _tag }) => _tag)).toEqual(["Endless"])
  })
})

describe("trusted", () => {
  const unwritten = single({ o: MemRef.out(i32, [2]) }, function* ({ o }) {
    yield* MemRef.store(MemRef.at(o, [0]), 1)
  })
  const fresh = Kernel.make(
    "fresh",
    { grid: [1], refs: { o: MemRef.out(i32, []) }, scratch: { s: Scratch.workgroup(i32, []) } },
    function* ({ o, s }) {
      yield* MemRef.store(o, yield* MemRef.load(s))
    }
  )
  const padded = Kernel.make(
    "padded",
    { grid: [2], refs: { x: MemRef.in(i32, [3], { block: [2], index: (i) => [i] }), o: MemRef.out(i32, [2]) } },
    function* ({ o, x }) {
      yield* MemRef.store(MemRef.at(o, [yield* Control.programId(0)]), Tile.sum(yield* MemRef.load(x)))
    }
  )
  const outside = Kernel.make(
    "outside",
    {
      grid: [1],
      refs: { x: MemRef.in(i32, [3], { block: [Block.element(2)], index: () => [5] }), o: MemRef.out(i32, [2]) }
    },
    function* ({ o, x }) {
      yield* MemRef.store(o, yield* MemRef.load(x))
    }
  )
  const x = Int32Array.of(1, 2, 3)
  const cases: ReadonlyArray<readonly [Simulator.Zeros, Kernel.Any, Args, string]> = [
    ["output", unwritten, {}, "Uninitialised output reaches result on o"],
    ["scratch", fresh, {}, "Uninitialised scratch reaches result on s"],
    ["padding", padded, { x }, "Uninitialised padding reaches result on x"],
    ["outOfBounds", outside, { x }, "OutOfBounds read on x"]
  ]
  it.each(cases)("%s: these zeros are meant, and no others", async (zeros, k, args, found) => {
    for (const [other] of cases) {
      const { findings } = await reportOf(k, args, { trusted: [other] })
      expect(findings.map((f) => verdictOf(f).split(":")[0])).toEqual(other === zeros ? [] : [found])
    }
  })
})

describe("asyncProxy, atomics and subgroupSize", () => {
  it("asyncProxy asks for a fence between a write and a copy of it; it is not asked for if left out", async () => {
    const k = Kernel.make(
      "proxy",
      { grid: [1], refs: { o: MemRef.out(i32, []) }, scratch: { s: Scratch.workgroup(i32, []) } },
      function* ({ o, s }) {
        yield* MemRef.store(s, 1) // write
        yield* Copy.wait(yield* Copy.start(s, o)) // copy
      }
    )
    await isSilent(k, {})
    await isSilent(k, {}, { o: [1] }, { asyncProxy: false })
    await finds(k, {}, ["Race among copy on s: copy, write"], { asyncProxy: true })
  })
  it("atomics order what is around them, if they acquire and release; not if relaxed, or left out", async () => {
    const k = Kernel.make(
      "message",
      { grid: [2], refs: { flag: MemRef.inout(i32, []), data: MemRef.inout(i32, []), o: MemRef.inout(i32, []) } },
      function* ({ data, flag, o }) {
        yield* Control.cond(
          (yield* Control.programId(0)).eq(1),
          function* () {
            yield* MemRef.store(data, 7) // write
            yield* Atomic.exchange(flag, 1)
          },
          function* () {
            const isThere = (yield* Atomic.or(flag, 0)).eq(1)
            yield* Control.when(isThere, function* () {
              yield* MemRef.store(o, yield* MemRef.load(data)) // read
            })
          }
        )
      }
    )
    const args = { flag: Int32Array.of(0), data: Int32Array.of(0), ...zero }
    const reversed = [{ schedule: "reversed", flying: "late" }] as const
    const found = async (options: Simulator.CheckOptions) =>
      (await reportOf(k, args, { schedules: reversed, ...options })).findings.map(verdictOf)
    const race = ["Race among programs on data: read, write"]
    expect(await found({ atomics: "acquireRelease" })).toEqual([])
    expect(await found({ atomics: "relaxed" })).toEqual(race)
    expect(await found({})).toEqual(race)
  })
  it("subgroupSize is how many lanes a subgroup has: 32 if left out", async () => {
    const k = single({ o: MemRef.out(i32, []) }, function* ({ o }) {
      yield* MemRef.store(o, yield* Subgroup.size())
    })
    expect((await results(k, {}, {})).o).toEqual(Int32Array.of(32))
    for (const subgroupSize of [4, 8, 64]) expect((await results(k, {}, { subgroupSize })).o[0]).toBe(subgroupSize)
  })
})

describe("options of a check", () => {
  it("schedules are those that are run; in order, reversed and one at random if left out", async () => {
    const ran = async (options: Simulator.CheckOptions) => (await reportOf(contested, zero, options)).ran.schedules
    expect(await ran({})).toEqual(["in order, late", "reversed, eager", "seed 1, random"])
    expect(await ran({ schedules: [{ schedule: { seed: 9 }, flying: "eager" }] })).toEqual(["seed 9, eager"])
  })
  it("smallest asks for the smallest sizes: it does if left out", async () => {
    const sizes = async (options: Simulator.CheckOptions) => {
      const { findings } = await Effect.runPromise(Simulator.check(contested, zero, options))
      return findings.map((f) => f.smallest?.grid)
    }
    expect(await sizes({})).toEqual([[2]])
    expect(await sizes({ smallest: true })).toEqual([[2]])
    expect(await sizes({ smallest: false })).toEqual([undefined])
  })
  it("what depends on the schedule is noted", async () => {
    expect((await reportOf(contested, zero, {})).notes.join()).toContain("o holds in the end depends on the schedule")
  })
})

describe("findings of the layer", () => {
  const logged = async (findings: Simulator.LayerOptions["findings"]) => {
    const messages: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => messages.push(String(message)))])
    const options = findings === undefined ? {} : { findings }
    const exit = await Effect.runPromise(
      Effect.exit(Effect.provide(run(contested, zero, Simulator.layer(options)), logger))
    )
    return { messages, exit }
  }
  it.each([undefined, "fail"] as const)("%s: the run fails with Faulty, and names the race", async (findings) => {
    const { exit, messages } = await logged(findings)
    expect(Exit.isFailure(exit)).toBe(true)
    expect(messages).toEqual([])
    const error: any = await failure(run(contested, zero, Simulator.layer()))
    expect(error).toBeInstanceOf(KernelError)
    expect(error.reason).toMatchObject({ _tag: "Faulty", findings: [{ _tag: "Race", ref: "o" }] })
    expect(error.message).toContain('Race of "o"')
  })
  it("log: the run succeeds, and its report is a warning", async () => {
    const { exit, messages } = await logged("log")
    expect(Exit.isSuccess(exit)).toBe(true)
    expect(messages).toHaveLength(1)
    expect(messages[0]).toContain("contested")
  })
  it("ignore: the run succeeds, and nothing is said", async () => {
    const { exit, messages } = await logged("ignore")
    expect(Exit.isSuccess(exit)).toBe(true)
    expect(messages).toEqual([])
  })
})

describe("a long simulation", () => {
  const endless = single({ n: MemRef.scalar(i32), o: MemRef.inout(i32, []) }, function* ({ n, o }) {
    yield* Control.forEach(0, n, () => MemRef.accumulate(o, 1))
  })
  const given = { n: 2 ** 31 - 1, ...zero }
  const turns = 2 ** 31
  it.each([
    ["run", () => run(endless, given, Simulator.layer({ turns }))],
    ["check", () => (Simulator.check as any)(endless, given, { turns }) as Effect.Effect<unknown>]
  ] as const)(
    "is given up at once when its %s is interrupted",
    async (_, start) => {
      const exit = await Effect.runPromise(
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(start())
          yield* Effect.sleep("20 millis")
          yield* Fiber.interrupt(fiber)
          return yield* Fiber.await(fiber)
        })
      )
      expect(Exit.hasInterrupts(exit)).toBe(true)
    },
    5_000
  )
})
