/** What a device can do to a run: not be there, be too small, be lost, be interrupted; and two interpreters in one layer. */
import { Deferred, Duration, Effect, Fiber, Layer, Option } from "effect"
import { describe, expect, it } from "vitest"
import {
  Control,
  Discharge,
  f32,
  Gpu,
  GpuDevice,
  GpuUnavailable,
  i32,
  Inline,
  Kernel,
  MemRef,
  Scratch,
  Tile
} from "../../src/index.ts"
import { GpuDevice as NodeDevice } from "../../src/node.ts"
import { gpu, interpreters } from "../support/interpreters.ts"
import { failure, onEach, single } from "../support/kernels.ts"

const run = (k: Kernel.Any, args: any = {}) => (Kernel.run as any)(k, args) as Effect.Effect<any, any, any>
const compile = (k: Kernel.Any) => (Kernel.compile as any)(k) as Effect.Effect<void, any, any>
const one = single({ o: MemRef.out(i32, [2]) }, function* ({ o }) {
  yield* MemRef.store(o, 1)
})
/** Takes some seconds on a software adapter. */
const slow = single({ n: MemRef.scalar(i32), o: MemRef.out(i32, []) }, function* ({ n, o }) {
  yield* Control.forEach(0, n, function* (i) {
    yield* MemRef.store(o, (yield* MemRef.load(o)).mul(1664525).add(i))
  })
})
const endless = single({ o: MemRef.out(i32, []) }, function* ({ o }) {
  yield* Control.whileLoop(
    Tile.of(i32, 0),
    function* (i) {
      return i.ge(0)
    },
    function* (i) {
      yield* MemRef.accumulate(o, 1)
      return i
    }
  )
})

describe("no adapter", () => {
  const from = (layer: Layer.Layer<GpuDevice.GpuDevice, GpuUnavailable>) =>
    Effect.provide(run(one), Gpu.layer.pipe(Layer.provide(layer))) as Effect.Effect<unknown, unknown>
  it("is GpuUnavailable where there is no navigator.gpu, and the hint says what to do", async () => {
    const error = (await failure(from(GpuDevice.layer))) as GpuUnavailable
    expect(error).toBeInstanceOf(GpuUnavailable)
    expect(error.message).toContain("there is no navigator.gpu")
    expect(error.hint).toContain("effect-kernels/node")
  })
  it("is GpuUnavailable where the entry point has none, throws, or rejects", async () => {
    const entries: ReadonlyArray<any> = [
      { requestAdapter: async () => null },
      { requestAdapter: () => Promise.reject(new Error("blocked")) },
      {
        requestAdapter: () => {
          throw new Error("no gpu process")
        }
      }
    ]
    for (const entry of entries) {
      const error = (await failure(from(GpuDevice.fromGpu(entry)))) as GpuUnavailable
      expect(error).toBeInstanceOf(GpuUnavailable)
      expect(error.hint).not.toBe("")
    }
  })
})

describe("a limit of the device that a kernel exceeds", () => {
  const told = async (k: Kernel.Any) => (await failure(compile(k), gpu)) as any
  it("115: is LimitExceeded for a ref that no binding can hold: which, what is allowed, what is asked, what to do", async () => {
    const error = await told(
      single({ o: MemRef.out(f32, [2 ** 30]) }, function* ({ o }) {
        yield* MemRef.store(MemRef.at(o, [0]), 1)
      })
    )
    expect(error).toMatchObject({ kernel: "case", reason: { _tag: "LimitExceeded", requested: 2 ** 32 } })
    expect(error.reason.allowed).toBeLessThan(2 ** 32)
    expect(error.message).toContain(
      `${error.reason.limit}: the device allows ${error.reason.allowed}, the kernel needs 4294967296`
    )
    expect(error.message).toContain("split the largest ref")
  })
  it("is LimitExceeded for more programs than can be counted", async () => {
    const k = Kernel.make("many", { grid: [65536, 65536, 4], refs: { o: MemRef.out(i32, [1]) } }, function* ({ o }) {
      yield* MemRef.accumulate(o, 1)
    })
    expect(await told(k)).toMatchObject({ kernel: "many", reason: { _tag: "LimitExceeded", requested: 2 ** 34 } })
  })
  it("is LimitExceeded for scratch that even a buffer cannot hold", async () => {
    const k = Kernel.make(
      "scratchy",
      { grid: [1], refs: { o: MemRef.out(f32, []) }, scratch: { s: Scratch.workgroup(f32, [2 ** 30]) } },
      function* ({ o, s }) {
        yield* MemRef.store(MemRef.at(s, [yield* Control.programId(0)]), 1)
        yield* MemRef.store(o, yield* MemRef.load(MemRef.at(s, [5])))
      }
    )
    expect(await told(k)).toMatchObject({ kernel: "scratchy", reason: { _tag: "LimitExceeded" } })
  })
})

describe("a device that is lost", () => {
  it("124: during a run fails it with DeviceLost, and every later one", async () => {
    const program = Effect.gen(function* () {
      const { device } = yield* GpuDevice.GpuDevice
      const own = Gpu.layer.pipe(Layer.provide(GpuDevice.fromDevice(device)))
      return yield* Effect.gen(function* () {
        yield* run(one)
        yield* compile(slow)
        const running = yield* Effect.forkChild(Effect.flip(run(slow, { n: 300_000 })))
        yield* Effect.sleep(Duration.millis(20))
        device.destroy()
        return [yield* Fiber.join(running), yield* Effect.flip(run(one))]
      }).pipe(Effect.provide(own as Layer.Layer<any>))
    }).pipe(Effect.provide(Layer.fresh(NodeDevice.layerSoftware)))
    for (const error of await Effect.runPromise(program as Effect.Effect<ReadonlyArray<any>, any>)) {
      expect(error).toMatchObject({ _tag: "KernelError", kernel: "case", reason: { _tag: "DeviceLost" } })
      expect(error.message).toContain("the GPU device was lost")
    }
  })
})

/** A device that counts the buffers that are not destroyed. */
const counting = (device: any) => {
  let alive = 0
  const made = new Set<unknown>()
  const createBuffer = (descriptor: unknown) => {
    const buffer = device.createBuffer(descriptor)
    const destroy = buffer.destroy.bind(buffer)
    made.add(buffer)
    alive++
    buffer.destroy = () => {
      if (made.delete(buffer)) alive--
      destroy()
    }
    return buffer
  }
  const proxy = new Proxy(device, {
    get(target, key) {
      if (key === "createBuffer") return createBuffer
      const value = target[key]
      return typeof value === "function" ? value.bind(target) : value
    }
  })
  return { device: proxy, alive: () => alive }
}

describe("interruption in mid-run", () => {
  it.each(interpreters)("returns at once on $name, and the next run works", async ({ exit }) => {
    const started = performance.now()
    // An endless run would never leave the device's queue.
    const [n, wait] = exit === gpu.exit ? [300_000, 1] : [50_000_000, 100]
    const subject = Effect.timeoutOption(run(slow, { n }), Duration.millis(wait))
    const ended = await exit(subject)
    expect(ended).toMatchObject({ _tag: "Success", value: Option.none() })
    expect(performance.now() - started).toBeLessThan(5000)
    expect(await exit(run(one))).toMatchObject({ _tag: "Success", value: { o: Int32Array.of(1, 1) } })
  })
  it("ends an endless loop of Discharge", async () => {
    const program = Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(Effect.andThen(Deferred.succeed(begun, undefined), run(endless)))
      yield* Deferred.await(begun)
      yield* Effect.sleep(Duration.millis(50))
      yield* Fiber.interrupt(fiber)
      return "ended"
    })
    expect(await Effect.runPromise(Effect.provide(program, Discharge.layer) as Effect.Effect<string>)).toBe("ended")
  })
  it("leaks no buffer on Gpu: when the interpreter's scope closes, none is alive, and the application's device lives", async () => {
    const program = Effect.gen(function* () {
      const given = yield* GpuDevice.GpuDevice
      const { alive, device } = counting(given.device)
      const own = Gpu.layer.pipe(Layer.provide(GpuDevice.fromDevice(device)))
      const most = yield* Effect.gen(function* () {
        for (let time = 0; time < 5; time++) yield* Effect.timeoutOption(run(slow, { n: 100_000 }), Duration.millis(5))
        yield* run(one)
        return alive()
      }).pipe(Effect.provide(own as Layer.Layer<any>))
      const reused = yield* Effect.provide(run(one), Gpu.layer.pipe(Layer.provide(GpuDevice.fromDevice(device))) as any)
      return { most, left: alive(), reused }
    }).pipe(Effect.provide(NodeDevice.layerSoftware))
    const { left, most, reused } = (await Effect.runPromise(program as Effect.Effect<any, any>)) as any
    expect(most).toBeGreaterThan(0)
    expect(left).toBe(0)
    expect([...reused.o]).toEqual([1, 1])
  })
})

describe("two interpreters in one layer", () => {
  const inline = Inline.elementwise("merged", { args: { x: f32 }, result: f32, wgsl: "return x + 1.0;" })
  const k = single({ x: MemRef.in(f32, [2]), o: MemRef.out(f32, [2]) }, function* ({ o, x }) {
    yield* MemRef.store(o, yield* inline(yield* MemRef.load(x)))
  })
  const onGpu = Gpu.layer.pipe(Layer.provide(NodeDevice.layerSoftware))
  const args = { x: Float32Array.of(1, 2) }
  it("keep the last: what only the first could run is a typed error that names orElse", async () => {
    const error: any = await failure(Effect.provide(run(k, args), Layer.merge(onGpu, Discharge.layer) as any))
    expect(error).toMatchObject({
      _tag: "KernelError",
      reason: { _tag: "Unsupported", primitive: "merged", interpreter: "Discharge" }
    })
    expect(error.message).toContain("where two interpreters were merged, only one remains: use Interpreter.orElse")
  })
  it("keep the last: the other way round it runs", async () => {
    await onEach(
      k,
      args,
      { o: [2, 3] },
      {
        on: [
          {
            name: "merged",
            exit: (e) =>
              Effect.runPromiseExit(Effect.provide(e, Layer.merge(Discharge.layer, onGpu) as any) as any) as any
          }
        ]
      }
    )
  })
})
