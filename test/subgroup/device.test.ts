/** What a device and a schedule must have for operations of subgroups, and what is told where they have it not. */
import { Effect, Layer, Result } from "effect"
import { describe, expect, it } from "vitest"
import {
  Discharge,
  f32,
  Gpu,
  GpuDevice,
  i32,
  Interpreter,
  Kernel,
  MemRef,
  NotImplemented,
  Subgroup,
  type Tile
} from "../../src/index.ts"
import type { Program } from "../../src/ir/program.ts"
import { softwareAdapter } from "../../src/node/dawn.ts"
import { GpuDevice as NodeDevice } from "../../src/node.ts"
import { makeRuntime } from "../../src/gpu/runtime.ts"
import { compile } from "../../src/wgsl/compile.ts"
import { areFull, sizesModule } from "../../src/wgsl/subgroups.ts"
import { failure, pointedAt, single } from "../support/kernels.ts"

const kernel = single({ x: MemRef.in(i32, [6]), o: MemRef.out(i32, [6]) }, function* ({ o, x }) {
  yield* MemRef.store(o, yield* Subgroup.sum(yield* MemRef.load(x)))
})
const args = { x: Int32Array.of(1, 2, 3, 4, 5, 6) }
const run = Kernel.run(kernel, args) as Effect.Effect<any, any, any>
const plain = single({ o: MemRef.out(f32, [2]) }, function* ({ o }) {
  yield* MemRef.store(o, 1)
})

/** Runs on the device of an application, made of SwiftShader's adapter. */
const onDevice = <A, E>(features: ReadonlyArray<string>, effect: Effect.Effect<A, E, any>): Promise<A> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const adapter = yield* softwareAdapter
      const device = yield* Effect.promise(() => adapter.requestDevice({ requiredFeatures: [...features] }))
      const layer = Gpu.layer.pipe(Layer.provide(GpuDevice.fromDevice(device)))
      return yield* Effect.provide(effect, layer as Layer.Layer<any>)
    }) as Effect.Effect<A>
  )

describe("a device without subgroups", () => {
  it("refuses a kernel that needs them, when it is compiled: what is missing, what to do, where it stands", async () => {
    const error = await onDevice([], Effect.flip((Kernel.compile as any)(kernel) as Effect.Effect<any, any, any>))
    expect(error.reason).toMatchObject({ _tag: "Unsupported", primitive: "subgroupReduce", interpreter: "Gpu" })
    expect(error.reason.detail).toContain('"subgroups"')
    expect(error.reason.hint).toContain("requiredFeatures")
    expect(error.reason.hint).toContain("Tile.sum")
    expect(pointedAt(error.reason)).toContain("Subgroup.sum")
  })
  it("runs all others", async () => {
    expect([...(await onDevice([], Kernel.run(plain, {}) as Effect.Effect<any, any, any>)).o]).toEqual([1, 1])
  })
})
describe("a device with subgroups", () => {
  it("may be the application's", async () => {
    expect([...(await onDevice(["subgroups"], run)).o]).toEqual([10, 10, 10, 10, 11, 11])
  })
  it("is what layers ask the adapter for, and they know its largest size", async () => {
    const { subgroup } = await Effect.runPromise(Effect.provide(GpuDevice.GpuDevice, NodeDevice.layerSoftware))
    expect(subgroup).toBe(4)
  })
  it("that does not tell its largest size may have any that WebGPU knows", async () => {
    const device = { limits: {}, features: new Set(["subgroups"]), lost: new Promise(() => {}) } as any
    const subgroup = (info: any) =>
      Effect.runPromise(
        Effect.map(
          Effect.provide(GpuDevice.GpuDevice, GpuDevice.fromDevice({ ...device, adapterInfo: info })),
          (d) => d.subgroup
        )
      )
    expect(await subgroup(undefined)).toBe(128)
    expect(await subgroup({ vendor: "", architecture: "", device: "", description: "", subgroupMaxSize: 64 })).toBe(64)
  })
})

describe("whether subgroups fill a workgroup", () => {
  it("is looked at on the device", () =>
    Effect.gen(function* () {
      const { execute } = yield* makeRuntime(yield* GpuDevice.GpuDevice)
      for (const workgroupSize of [4, 16, 64]) {
        const sizes = (yield* execute(sizesModule("k", workgroupSize), new Map())).get("sizes")!
        expect([...sizes]).toEqual(Array.from({ length: 4 * workgroupSize }, () => 4))
        expect(areFull(sizes, workgroupSize)).toBe(true)
      }
    }).pipe(Effect.scoped, Effect.provide(NodeDevice.layerSoftware), Effect.runPromise))
  it("is not so if a number is missing, sizes differ, or do not divide the workgroup", () => {
    expect(areFull([8, 8, 8, 8, 8, 8, 8, 8], 8)).toBe(true)
    expect(areFull([8, 8, 8, 8, 0, 0, 0, 0], 8)).toBe(false)
    expect(areFull([4, 4, 4, 4, 2, 2, 2, 2], 8)).toBe(false)
    expect(areFull([16, 16, 16, 16, 16, 16, 16, 16], 8)).toBe(false)
    expect(areFull([], 8)).toBe(false)
  })
  it("fails a kernel that needs it where it is not so, and no other", async () => {
    const failed = await Effect.gen(function* () {
      const { device } = yield* GpuDevice.GpuDevice
      const native = device as any
      /** In the module that looks, tells another number than the size. */
      const createShaderModule = ({ code }: { readonly code: string }) =>
        device.createShaderModule({ code: code.replace("= ek_subgroup_size; }", "= ek_subgroup_lane; }") })
      const lying = new Proxy(native, {
        get: (_, key) =>
          key === "createShaderModule"
            ? createShaderModule
            : typeof native[key] === "function"
              ? native[key].bind(native)
              : native[key]
      })
      const layer = Gpu.layer.pipe(Layer.provide(GpuDevice.fromDevice(lying))) as Layer.Layer<any>
      const both = Effect.all([Effect.flip(run), Kernel.run(plain, {}) as Effect.Effect<any, any, any>])
      return yield* Effect.provide(both, layer)
    }).pipe(Effect.scoped, Effect.provide(NodeDevice.layerSoftware), (e) => Effect.runPromise(e as Effect.Effect<any>))
    expect(failed[0].reason).toMatchObject({ _tag: "Unsupported", interpreter: "Gpu" })
    expect(failed[0].message).toContain("do not fill a workgroup of 8")
    expect([...failed[1].o]).toEqual([1, 1])
  })
})

describe("a workgroup", () => {
  const module = async (options: Parameters<typeof compile>[1]) =>
    compile(await Effect.runPromise(kernel.trace as Effect.Effect<Program>), options)
  it("is filled by the largest subgroup", async () => {
    for (const subgroup of [4, 8, 32, 64, 128])
      expect(Result.getOrThrow(await module({ subgroup })).workgroupSize).toBe(Math.max(8, subgroup))
    expect(Result.getOrThrow(await module({})).workgroupSize).toBe(128)
  })
  it("that is not is refused", async () => {
    for (const schedule of [{ workgroupSize: 8 }, { workgroupSize: 48 }]) {
      const error = Result.getOrThrow(Result.flip(await module({ subgroup: 32, schedule }))) as any
      expect(error.reason).toMatchObject({ _tag: "InvalidKernel" })
      expect(error.message).toContain("subgroups of up to 32")
    }
  })
  it("of kernels without subgroups is as it was", async () => {
    const program = await Effect.runPromise(plain.trace as Effect.Effect<Program>)
    const { code, workgroupSize } = Result.getOrThrow(compile(program, { subgroup: 32 }))
    expect(workgroupSize).toBe(1)
    expect(code.replace(/\/\/.*/g, "")).not.toContain("subgroup")
    expect(Result.getOrThrow(compile(program, { subgroup: 0 })).code).toBe(code)
  })
})

describe("Discharge", () => {
  it("has no rule, and says what to use", async () => {
    const error = (await failure(run.pipe(Interpreter.provide(Discharge.layer)) as any)) as NotImplemented
    expect(error).toBeInstanceOf(NotImplemented)
    expect(error).toMatchObject({ primitive: "subgroupReduce", interpreter: "Discharge", kernel: "case" })
    expect(error.reason).toContain("subgroup size of a device")
    expect(error.hint).toContain("Tile.sum")
    expect(pointedAt(error)).toContain("Subgroup.sum")
  })
  it("has none for any of them, also inside loops", async () => {
    const bodies: ReadonlyArray<(v: Tile.Tile<"i32", [6]>) => Effect.Effect<unknown, never, any>> = [
      () => Subgroup.size(),
      () => Subgroup.lane([6]),
      (v) => Subgroup.inclusiveSum(v),
      (v) => Subgroup.shuffle(v, 1),
      (v) => Subgroup.ballot(v.eq(1)),
      (v) => Subgroup.max(v)
    ]
    for (const body of bodies) {
      const k = single({ x: MemRef.in(i32, [6]), o: MemRef.out(i32, [6]) }, function* ({ o, x }) {
        yield* body(yield* MemRef.load(x))
        yield* MemRef.store(o, 1)
      })
      const error = (await failure(
        (Kernel.run(k, args) as any).pipe(Interpreter.provide(Discharge.layer))
      )) as NotImplemented
      expect(error.primitive).toMatch(/^subgroup/)
    }
  })
  it("leaves them where it rewrites some refs only", async () => {
    const only = await Effect.runPromise(Discharge.discharge(kernel, { only: ["o"] }) as Effect.Effect<Program>)
    expect(only.body.eqns.map((eqn) => eqn.primitive)).toEqual(["load", "subgroupReduce", "viewPut"])
  })
  it("leaves kernels to a device that can run them", async () => {
    const device = Gpu.layer.pipe(Layer.provide(NodeDevice.layerSoftware))
    const either = Interpreter.orElse(Discharge.layer, device)
    expect([...((await Effect.runPromise(Effect.provide(run, either as Layer.Layer<any>))) as any).o]).toEqual([
      10, 10, 10, 10, 11, 11
    ])
  })
})
