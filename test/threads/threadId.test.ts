/** The number of a thread. */
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Control, Discharge, Gpu, i32, Interpreter, Kernel, MemRef, NotImplemented } from "../../src/index.ts"
import { equations, type Program } from "../../src/ir/program.ts"
import { GpuDevice } from "../../src/node.ts"
import { failure } from "../support/kernels.ts"

const refs = { o: MemRef.out(i32, [4]) }
const traced = (kernel: Kernel.Any): Promise<Program> => Effect.runPromise(kernel.trace as Effect.Effect<Program>)
const numbered = (threads: number | undefined) =>
  Kernel.make("numbered", { grid: [1], refs, ...(threads === undefined ? {} : { threads }) }, function* ({ o }) {
    const thread = yield* Control.threadId()
    yield* MemRef.store(MemRef.at(o, [thread]), thread)
  })
const silent = Kernel.make("silent", { grid: [1], refs, threads: 2 }, function* ({ o }) {
  yield* MemRef.store(o, 1)
})

describe("threadId", () => {
  it("is an equation with the effect Threads, each time it is asked for", async () => {
    const twice = Kernel.make("twice", { grid: [1], refs, threads: 2 }, function* ({ o }) {
      yield* MemRef.store(o, (yield* Control.threadId()).add(yield* Control.threadId()))
    })
    const asked = [...equations((await traced(twice)).body)].filter((eqn) => eqn.primitive === "threadId")
    expect(asked).toHaveLength(2)
    for (const eqn of asked) expect(eqn).toMatchObject({ effects: [{ _tag: "Threads" }], results: [{ dtype: "i32" }] })
  })
  it("stands where it is asked for, in a branch or loop", async () => {
    const inside = Kernel.make("inside", { grid: [1], refs, threads: 2 }, function* ({ o }) {
      yield* Control.forEach(0, 2, function* (i) {
        yield* MemRef.store(MemRef.at(o, [i]), yield* Control.threadId())
      })
    })
    const program = await traced(inside)
    expect(program.body.eqns.map((eqn) => eqn.primitive)).toEqual(["fori"])
    expect(program.body.eqns[0]!.effects).toContainEqual({ _tag: "Threads" })
  })
  it("survives text and JSON", async () => {
    const program = await traced(numbered(4))
    const text = await Effect.runPromise(Kernel.print(numbered(4)))
    expect(text).toContain("%0: i32[] = threadId ! Threads")
    const again = await Effect.runPromise(Kernel.parse(text))
    expect(await Effect.runPromise(Kernel.print(again))).toBe(text)
    const json = await Effect.runPromise(Kernel.toJson(numbered(4)))
    const read = await Effect.runPromise(Kernel.fromJson(JSON.parse(JSON.stringify(json))))
    expect(await Effect.runPromise(Kernel.print(read))).toBe(text)
    expect(program.threads).toBe(4)
  })
  it("has the effect in a kernel without threads too", async () => {
    expect(await Effect.runPromise(Kernel.effects(numbered(undefined)))).toContain("Threads")
  })
})

const missing = async (kernel: Kernel.Any, layer: Layer.Layer<any, any>): Promise<NotImplemented> => {
  const run = (Kernel.run as any)(kernel, {}) as Effect.Effect<unknown, unknown>
  const error = await failure(run.pipe(Interpreter.provide(layer) as any) as Effect.Effect<unknown, unknown>)
  expect(error).toBeInstanceOf(NotImplemented)
  return error as NotImplemented
}
const layers = [
  ["Discharge", Discharge.layer as Layer.Layer<any, any>],
  ["Gpu", Gpu.layer.pipe(Layer.provide(GpuDevice.layerSoftware)) as Layer.Layer<any, any>]
] as const

describe.each(layers)("%s", (interpreter, layer) => {
  const answer = {
    interpreter,
    reason: expect.stringContaining("one thread"),
    hint: expect.stringContaining("Simulator")
  }
  it.each([
    ["with a threadId", numbered(4)],
    ["without any", silent],
    ["of one thread", numbered(1)]
  ])("runs no kernel that declares threads, %s", async (_, kernel) =>
    expect(await missing(kernel as Kernel.Any, layer)).toMatchObject({ primitive: "threads", ...answer })
  )
  it("has no rule for threadId alone, and says where it stands", async () => {
    const error = await missing(numbered(undefined) as Kernel.Any, layer)
    expect(error).toMatchObject({ primitive: "threadId", ...answer })
    expect(error.source).toContain("threadId.test.ts")
  })
})

describe("looking at a kernel with threads", () => {
  it("as WGSL or as a pure program is NotImplemented, be it in part", async () => {
    for (const look of [
      Kernel.wgsl(silent),
      Kernel.discharged(silent),
      Discharge.discharge(silent, { only: [] }) as Effect.Effect<unknown, unknown>
    ])
      expect(await failure(look as Effect.Effect<unknown, unknown>)).toMatchObject({
        _tag: "NotImplemented",
        primitive: "threads"
      })
  })
})
