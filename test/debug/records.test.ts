/** The buffer of records: what fits is told, what does not is counted, and a failure always has a place. */
import { Effect, Exit, Fiber, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Control, Debug, f32, Gpu, i32, Kernel, MemRef, Scratch, Tile } from "../../src/index.ts"
import { failurePlaces, headWords } from "../../src/wgsl/records.ts"
import { recordsLength, tell } from "../../src/gpu/records.ts"
import { GpuDevice } from "../../src/node.ts"
import { gpu, interpreters, subject } from "../support/interpreters.ts"
import { kernelError, single } from "../support/kernels.ts"
import { i, program } from "../support/ir.ts"
import { type Entry, fails, keeping, outcome, prints } from "./support.ts"

const withRoom = (recordWords: number) =>
  subject("Gpu", Gpu.layerWith({ recordWords }).pipe(Layer.provide(GpuDevice.layerSoftware)))
const none = withRoom(0)
const few = withRoom(20)

const eight = Kernel.make(
  "eight",
  { grid: [8], refs: { o: MemRef.out(i32, [8], { block: [null], index: (i) => [i] }) } },
  function* ({ o }) {
    const i = yield* Control.programId(0)
    yield* Debug.print("i", i)
    yield* MemRef.store(o, i.mul(i))
  }
)

describe("prints that find no room", () => {
  it("are counted in a warning; the others are told, and results are right", async () => {
    const { entries, result } = await outcome(eight, {}, few)
    // Three words and one value each.
    expect(entries.slice(0, 5).map((e) => e.level)).toEqual(Array.from({ length: 5 }, () => "Info"))
    expect(new Set(entries.slice(0, 5).map((e) => e.message)).size).toBe(5)
    expect(entries.slice(5)).toMatchObject([
      { level: "Warn", annotations: { kernel: "eight", interpreter: "Gpu", lost: 3 } }
    ])
    expect(entries[5]!.message).toContain("3 prints were lost, because the buffer of 20 words was full")
    expect(Array.from(result!["o"]!)).toEqual([0, 1, 4, 9, 16, 25, 36, 49])
  })
  it("are all of them where there is no room", async () => {
    const { entries, result } = await outcome(eight, {}, none)
    expect(entries).toMatchObject([{ level: "Warn", annotations: { lost: 8 } }])
    expect(Array.from(result!["o"]!)).toEqual([0, 1, 4, 9, 16, 25, 36, 49])
  })
  it("do not take room from smaller ones", async () => {
    const k = single({ x: MemRef.in(f32, [300]) }, function* ({ x }) {
      yield* Debug.print("small")
      yield* Debug.print("large", yield* MemRef.load(x))
      yield* Debug.print("small again", Tile.ones(i32, [2]))
    })
    const { entries } = await outcome(k, { x: new Float32Array(300) }, few)
    expect(entries.slice(0, 2).map((e) => e.message)).toEqual(["small", "small again: [1, 1]"])
    expect(entries[2]!.message).toContain("1 print was lost")
  })
  it("leave nothing to the next run", async () => {
    await outcome(eight, {}, few)
    const k = single({}, function* () {
      yield* Debug.print("alone")
    })
    expect((await outcome(k, {}, few)).entries.map((e) => e.message)).toEqual(["alone"])
  })
  it("of as many words as 32 bits count are lost like others", async () => {
    const k = single({}, function* () {
      const large = Tile.zeros(i32, [2 ** 30])
      yield* Control.when((yield* Control.numPrograms(0)).gt(0), () => Debug.print("large", large, large, large, large))
      yield* Debug.print("small")
    })
    const { entries } = await outcome(k, {}, few)
    expect(entries.map((e) => e.message.slice(0, 5))).toEqual(["small", "kerne"])
  })
})

describe("records", () => {
  const p = program({ name: "p", grid: [{ size: 2, semantics: "sequential" }, 3], refs: [] }, (b) => {
    b.op("print", [i(0)], { params: { label: "v", names: [] } })
    b.op("assert", [b.one("lt", [i(0), i(0)])], { params: { kind: "assertion", detail: "x" } })
  })
  const records = {
    sites: p.body.eqns.filter((eqn) => eqn.results.length === 0),
    grid: p.grid,
    failureWords: headWords
  }
  /** Instance, cell and value of each print, as they came. */
  const told = async (first: number, ...came: ReadonlyArray<readonly [number, number, number]>) => {
    const words = new Uint32Array(recordsLength(records, 100))
    words.set([4 * came.length, 0, first, 0])
    const area = 4 + failurePlaces * headWords
    came.forEach(([instance, cell, value], k) => words.set([0, instance, cell, value], area + 4 * k))
    const entries: Array<Entry> = []
    await Effect.runPromiseExit(Effect.provide(tell("p", records, words), keeping(entries)))
    return entries.map(({ annotations, message }) => `${annotations["program"]} ${message}`)
  }
  const came = [
    [2, 0, 20],
    [0, 0, 1],
    [1, 0, 10],
    [0, 1, 2],
    [1, 0, 11],
    [2, 1, 21]
  ] as const
  it("are told in the order of instances, and for one as they came, whichever came first", async () => {
    expect(await told(0, ...came)).toEqual(["0,0 v: 1", "1,0 v: 2", "0,1 v: 10", "0,1 v: 11", "0,2 v: 20", "1,2 v: 21"])
  })
  it("of instances after the first that failed are not told", async () => {
    expect(await told(0xffffffff - 1, ...came)).toEqual(["0,0 v: 1", "1,0 v: 2", "0,1 v: 10", "0,1 v: 11"])
    expect(await told(0xffffffff, ...came)).toEqual(["0,0 v: 1", "1,0 v: 2"])
  })
})

describe("a failed assertion", () => {
  const k = (grid: number) =>
    Kernel.make("last", { grid: [grid], refs: {} }, function* () {
      const i = yield* Control.programId(0)
      yield* Debug.print("i", i)
      yield* Debug.assert(i.lt(6), "below six", i)
    })
  it("is told where no print finds room", async () => {
    const { entries, reason } = await outcome(k(8), {}, none)
    expect(reason).toMatchObject({ _tag: "AssertionFailed", detail: "below six", program: [6], values: [6] })
    expect(entries).toMatchObject([{ level: "Warn", annotations: { lost: 8 } }])
  })
  it("is the first of very many", () =>
    fails(
      Kernel.make("many", { grid: [40, 25], refs: {} }, function* () {
        const [a, b] = [yield* Control.programId(0), yield* Control.programId(1)]
        yield* Debug.assert(a.mul(25).add(b).lt(137), "few", a, b)
      }),
      {},
      { program: [5, 12], values: [5, 12] }
    ))
  it("is told though its place was used again", async () => {
    const p = program({ name: "p", grid: [4, 5], refs: [] }, (b) => {
      b.op("assert", [b.one("lt", [b.programId(0), i(0)]), i(7)], { params: { kind: "assertion", detail: "x" } })
    })
    const records = { sites: p.body.eqns.slice(-1), grid: p.grid, failureWords: headWords + 1 }
    const words = new Uint32Array(recordsLength(records, 0))
    words.set([0, 0, 0xffffffff - 13, 100])
    const told = () => Effect.runPromise(Effect.flip(tell("p", records, words)))
    expect(await told()).toMatchObject({ _tag: "AssertionFailed", program: [2, 3], values: [] })
    words.set([0, 13, 0, 7], 4 + (failurePlaces - 1) * 4)
    expect(await told()).toMatchObject({ _tag: "AssertionFailed", detail: "x", program: [2, 3], values: [7] })
  })
})

describe("the buffer", () => {
  it("is one of the device's storage buffers, and limits are told before anything runs", async () => {
    const refs = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, k) => [`r${k}`, MemRef.out(i32, [1])]))
    const k = (n: number): Kernel.Any =>
      single(refs(n), function* (r: any) {
        for (const ref of Object.values(r)) yield* MemRef.store(ref as any, 1)
        yield* Debug.print("full")
      } as any)
    expect((await outcome(k(11), {}, gpu)).entries.map((e) => e.message)).toEqual(["full"])
    const error = await kernelError("LimitExceeded", k(12), {}, gpu)
    expect(error).toMatchObject({ limit: "maxStorageBuffersPerShaderStage", allowed: 12, requested: 13 })
    expect(error.hint).toContain("prints")
  })
  it.each([-1, 0.5, NaN, Infinity])("of %s words is refused, for kernels that print", async (words) => {
    const on = withRoom(words)
    expect((await kernelError("InvalidArgument", eight, {}, on)).ref).toBe("recordWords")
    const silent = single({ o: MemRef.out(i32, [1]) }, function* ({ o }) {
      yield* MemRef.store(o, 5)
    })
    expect((await outcome(silent, {}, on)).reason).toBeUndefined()
  })
  it("larger than the device allows is refused", async () => {
    const error = await kernelError("LimitExceeded", eight, {}, withRoom(2 ** 32))
    expect(error).toMatchObject({ limit: "maxStorageBufferBindingSize", hint: expect.stringContaining("recordWords") })
  })
})

describe("program instances of several dispatches", () => {
  // Each spills so much that eight of them run at once.
  const spilling = Kernel.make(
    "spilling",
    { grid: [5, 2], refs: { limit: MemRef.scalar(i32) }, scratch: { s: Scratch.workgroup(i32, [2 ** 21]) } },
    function* ({ limit, s }) {
      const i = yield* Control.programId(0)
      const at = MemRef.at(s, [i])
      yield* MemRef.store(at, i.add(10))
      const v = yield* MemRef.load(at)
      yield* Debug.print("v", v)
      yield* Debug.assert(v.lt(limit), "small", v)
    }
  )
  const all = [0, 1, 2, 3, 4].flatMap((i) => [`v: ${i + 10}`, `v: ${i + 10}`])
  it("are told like those of one, in order", () => prints(spilling, { limit: 99 }, all))
  it("fail like those of one", () => fails(spilling, { limit: 13 }, { program: [3, 0], values: [13] }, all.slice(0, 7)))
})

describe("interruption", () => {
  it("ends a run on Discharge that would go on for ever, after what it has printed", async () => {
    const endless = single({}, function* () {
      yield* Control.whileLoop(
        Tile.of(i32, 0),
        (n) => Effect.succeed(n.ge(0)),
        function* (n) {
          yield* Debug.print("n", n)
          return n.add(1).rem(1000)
        }
      )
    })
    const entries: Array<Entry> = []
    const [discharge] = interpreters
    const exit = await discharge!.exit(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild((Kernel.run as any)(endless, {}) as Effect.Effect<unknown>)
        yield* Effect.promise(() => expect.poll(() => entries.length, { timeout: 10_000 }).toBeGreaterThan(1500))
        yield* Fiber.interrupt(fiber)
        const told = entries.length
        yield* Effect.sleep(30)
        expect(entries.length).toBe(told)
      }).pipe(Effect.provide(keeping(entries)))
    )
    expect(Exit.isSuccess(exit)).toBe(true)
    entries.forEach((e, k) => expect(e.message).toBe(`n: ${k % 1000}`))
  })
  it("returns at once on Gpu, tells nothing, and leaves nothing to the next run", async () => {
    const slow = Kernel.make("slow", { grid: [64], refs: {} }, function* () {
      const n = yield* Control.fori(0, 200_000, Tile.of(i32, 1), function* (k, n) {
        return n.mul(3).add(k)
      })
      yield* Debug.print("n", n.eq(n))
    })
    await outcome(slow, {}, gpu)
    const entries: Array<Entry> = []
    const exit = await gpu.exit(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild((Kernel.run as any)(slow, {}) as Effect.Effect<unknown>, {
          startImmediately: true
        })
        yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        expect(entries).toEqual([])
      }).pipe(Effect.provide(keeping(entries)))
    )
    expect(Exit.isSuccess(exit)).toBe(true)
    expect((await outcome(slow, {}, gpu)).entries.map((e) => e.message)).toEqual(Array(64).fill("n: true"))
    expect(entries).toEqual([])
  })
})
