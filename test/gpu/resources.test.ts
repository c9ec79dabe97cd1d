import { Effect, Exit, Fiber, Scope } from "effect"
import { describe, expect, it } from "vitest"
import { makePipelines } from "../../src/gpu/pipelines.ts"
import { makePool, sizeClass } from "../../src/gpu/pool.ts"
import { makeRuntime } from "../../src/gpu/runtime.ts"
import { GpuDevice } from "../../src/GpuDevice.ts"
import { count, eventually, reason, runtime, slow, slowInput, softwareDevice, withInline } from "./support.ts"

const run = softwareDevice()

describe("interruption", () => {
  it("returns at once, and the buffers come back when the queue is done", () =>
    run(
      Effect.gen(function* () {
        const { execute, stats } = yield* runtime
        yield* execute(slow(), slowInput)
        const idle = stats()
        for (let k = 0; k < 3; k++) {
          const fiber = yield* Effect.forkChild(execute(slow(), slowInput))
          yield* eventually(() => stats().running === 1)
          yield* Fiber.interrupt(fiber)
          // The fiber has ended, and the device has not.
          expect(stats().running).toBe(1)
          yield* eventually(() => stats().running === 0)
          expect(stats()).toEqual(idle)
        }
      })
    ))

  it("of one who waits for a compilation leaves it to the others", () =>
    run(
      Effect.gen(function* () {
        const { compile, stats } = yield* runtime
        const subject = count(1, { note: "shared" })
        const first = yield* Effect.forkChild(compile(subject), { startImmediately: true })
        const second = yield* Effect.forkChild(compile(subject), { startImmediately: true })
        yield* Fiber.interrupt(first)
        expect(yield* Fiber.join(second)).toHaveProperty("pipeline")
        expect(stats().compiles).toBe(1)
      })
    ))
})

describe("a runtime", () => {
  it("holds no buffer once its scope is closed, and then fails with DeviceLost", () =>
    run(
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const gpu = yield* Scope.provide(makeRuntime(yield* GpuDevice), scope)
        yield* gpu.execute(count(100), new Map())
        expect(gpu.stats().pooledBuffers).toBeGreaterThan(0)
        const fiber = yield* Effect.forkChild(reason(gpu.execute(slow(), slowInput)))
        yield* eventually(() => gpu.stats().running === 1)
        yield* Scope.close(scope, Exit.void)
        expect(gpu.stats()).toMatchObject({ buffers: 0, bytes: 0, pooledBuffers: 0, pooledBytes: 0, pipelines: 0 })
        expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "DeviceLost" })
        expect(yield* reason(gpu.execute(count(1), new Map()))).toMatchObject({ _tag: "DeviceLost" })
        yield* eventually(() => gpu.stats().running === 0)
        expect(gpu.stats().buffers).toBe(0)
      })
    ))

  it("reuses buffers and pipelines: a second run makes none", () =>
    run(
      Effect.gen(function* () {
        const { execute, stats } = yield* runtime
        yield* execute(count(100), new Map())
        const after = stats()
        for (let k = 0; k < 5; k++) yield* execute(count(100), new Map())
        expect(stats()).toEqual(after)
        expect(after).toMatchObject({ compiles: 1, pipelines: 1, running: 0 })
        expect(after.buffers).toBe(after.pooledBuffers)
      })
    ))

  it("compiles a text once for all who ask at the same time, and again after it failed", () =>
    run(
      Effect.gen(function* () {
        const { compile, stats } = yield* runtime
        const ask = Array.from({ length: 10 }, () => compile(count(1)))
        const compiled = yield* Effect.all(ask, { concurrency: "unbounded" })
        expect(new Set(compiled).size).toBe(1)
        expect(stats()).toMatchObject({ compiles: 1, pipelines: 1 })
        const bad = withInline("return;")
        yield* reason(compile(bad))
        yield* reason(compile(bad))
        expect(stats()).toMatchObject({ compiles: 3, pipelines: 1 })
      })
    ))

  it("keeps the pipelines that were used last", () =>
    run(
      Effect.gen(function* () {
        const { device } = yield* GpuDevice
        const pipelines = makePipelines(device, 2)
        const get = (note: string) => Effect.promise(() => pipelines.get(count(1, { note })))
        for (const note of ["a", "b", "a", "c", "a"]) yield* get(note)
        expect(pipelines.stats()).toEqual({ pipelines: 2, compiles: 3 })
        yield* get("b")
        expect(pipelines.stats().compiles).toBe(4)
      })
    ))
})

describe("the buffer pool", () => {
  it("rounds sizes up by at most a quarter, monotonically", () => {
    let last = 0
    for (let bytes = 4; bytes < 2 ** 20; bytes = Math.ceil((bytes * 1.01) / 4) * 4 + 4) {
      const size = sizeClass(bytes)
      expect(size).toBeGreaterThanOrEqual(Math.max(bytes, last))
      if (bytes > 256) expect(size).toBeLessThanOrEqual(bytes * 1.25)
      expect(size % 4).toBe(0)
      expect(sizeClass(size)).toBe(size)
      last = size
    }
    expect(sizeClass(2 ** 30)).toBe(2 ** 30)
  })

  it("keeps idle bytes under its capacity and destroys what was idle longest", () =>
    run(
      Effect.gen(function* () {
        const { device } = yield* GpuDevice
        const pool = makePool(device, 1024)
        const [a, b, c] = [pool.take("storage", 512), pool.take("storage", 512), pool.take("storage", 512)]
        for (const pooled of [a, b, c]) pool.put(pooled)
        expect(pool.stats()).toEqual({ buffers: 2, bytes: 1024, pooledBuffers: 2, pooledBytes: 1024 })
        expect([pool.take("storage", 512), pool.take("storage", 512)]).toEqual([c, b])
        expect(pool.take("uniform", 512)).not.toBe(a)
        pool.close()
        pool.put(b)
        expect(pool.stats()).toEqual({ buffers: 0, bytes: 0, pooledBuffers: 0, pooledBytes: 0 })
      })
    ))
})
