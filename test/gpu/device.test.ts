import { Effect, Exit, Layer, Scope } from "effect"
import { describe, expect, expectTypeOf, it } from "vitest"
import { describe as describeAdapter, isSoftware } from "../../src/gpu/device.ts"
import { makeRuntime } from "../../src/gpu/runtime.ts"
import type { AdapterInfo } from "../../src/gpu/webgpu.ts"
import * as GpuDevice from "../../src/GpuDevice.ts"
import * as NodeGpuDevice from "../../src/node/GpuDevice.ts"
import { count, softwareDevice } from "./support.ts"

const run = softwareDevice()

/** Builds a layer in a scope of its own; `close` releases it. */
const build = <E>(layer: Layer.Layer<GpuDevice.GpuDevice, E>) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const device = yield* Effect.provide(GpuDevice.GpuDevice, yield* Layer.buildWithScope(Layer.fresh(layer), scope))
    return { device, close: Scope.close(scope, Exit.void) }
  })

/** Something that stands for `navigator.gpu`. */
const entry = (requestAdapter: GpuDevice.Gpu["requestAdapter"]): GpuDevice.Gpu => ({ requestAdapter })
const failure = <A>(layer: Layer.Layer<A, unknown>) => Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(layer))))
const withNavigator = async (gpu: GpuDevice.Gpu | undefined, use: () => Promise<unknown>) => {
  const before = Object.getOwnPropertyDescriptor(globalThis, "navigator")
  Object.defineProperty(globalThis, "navigator", { value: { gpu }, configurable: true })
  await use().finally(() => {
    if (before === undefined) Reflect.deleteProperty(globalThis, "navigator")
    else Object.defineProperty(globalThis, "navigator", before)
  })
}

describe("GpuDevice.layer", () => {
  it("fails with GpuUnavailable and a hint where there is no navigator.gpu", () =>
    withNavigator(undefined, async () =>
      expect(await failure(GpuDevice.layer)).toMatchObject({
        _tag: "GpuUnavailable",
        detail: expect.stringContaining("navigator.gpu"),
        hint: expect.stringContaining("effect-kernels/node")
      })
    ))

  it("fails with GpuUnavailable and a hint where there is no adapter", () =>
    withNavigator(
      entry(async () => null),
      async () =>
        expect(await failure(GpuDevice.layer)).toMatchObject({
          _tag: "GpuUnavailable",
          detail: expect.stringContaining("no adapter"),
          hint: expect.stringContaining("--enable-unsafe-webgpu")
        })
    ))

  it("uses navigator.gpu", () =>
    run(
      Effect.gen(function* () {
        const { device } = yield* GpuDevice.GpuDevice
        const adapter = {
          info: device.adapterInfo!,
          limits: device.limits,
          requestDevice: async () => ({ ...fake(device), destroy: () => {} })
        }
        yield* Effect.promise(() =>
          withNavigator(
            entry(async () => adapter),
            async () => {
              const got = await Effect.runPromise(Effect.provide(GpuDevice.GpuDevice, GpuDevice.layer))
              expect(got.description).toContain("SwiftShader")
            }
          )
        )
      })
    ))
})
/** A device that is only looked at. */
const fake = (device: GpuDevice.Device): GpuDevice.Device =>
  ({ limits: device.limits, lost: new Promise(() => {}) }) as GpuDevice.Device

describe("GpuDevice.fromGpu", () => {
  it("fails with GpuUnavailable when the request for an adapter, or for a device, is refused", async () => {
    const info = { vendor: "acme", architecture: "", device: "", description: "One" }
    const refused = () => Promise.reject(new Error("not today"))
    expect(await failure(GpuDevice.fromGpu(entry(refused)))).toMatchObject({
      _tag: "GpuUnavailable",
      detail: expect.stringContaining("not today")
    })
    const adapter = { info, limits: {} as GpuDevice.Limits, requestDevice: refused }
    expect(await failure(GpuDevice.fromGpu(entry(async () => adapter)))).toMatchObject({
      _tag: "GpuUnavailable",
      detail: "acme One gave no device: not today"
    })
  })
})

describe("a device of a layer", () => {
  it("has the adapter's full limits", () =>
    run(
      Effect.gen(function* () {
        const { limits } = yield* GpuDevice.GpuDevice
        expect(limits.maxStorageBuffersPerShaderStage).toBe(12)
        expect(limits.maxStorageBufferBindingSize).toBe(2 ** 30)
        expect(limits.maxBufferSize).toBe(2 ** 30)
        expect(limits.maxComputeWorkgroupStorageSize).toBe(32768)
      })
    ))

  it("is destroyed when the layer is released", () =>
    run(
      Effect.gen(function* () {
        const { close, device } = yield* build(NodeGpuDevice.layerSoftware)
        expect(device.isLost()).toBeUndefined()
        yield* close
        expect(yield* device.lost).toMatchObject({ _tag: "DeviceLost" })
      })
    ))
})

describe("GpuDevice.fromDevice", () => {
  it("takes the types of the platform", () => {
    expectTypeOf<GPUDevice>().toExtend<GpuDevice.Device>()
    expectTypeOf<GPU>().toExtend<GpuDevice.Gpu>()
  })

  it("never destroys the application's device, and leaves no error on it", () =>
    run(
      Effect.gen(function* () {
        const { device } = yield* GpuDevice.GpuDevice
        device.pushErrorScope("validation")
        const { close, device: service } = yield* build(GpuDevice.fromDevice(device))
        const { execute } = yield* makeRuntime(service)
        expect([...(yield* execute(count(3), new Map())).get("o")!]).toEqual([1, 2, 3])
        yield* Effect.flip(execute({ ...count(3), code: "nonsense" }, new Map()))
        expect(yield* Effect.promise(() => device.popErrorScope())).toBeNull()
        yield* close
        expect([...(yield* execute(count(3), new Map())).get("o")!]).toEqual([1, 2, 3])
        expect(service).toMatchObject({ software: true, description: expect.stringContaining("SwiftShader") })
      })
    ))
})

describe("the description", () => {
  const info = (change: Partial<AdapterInfo>): AdapterInfo => ({
    vendor: "nvidia",
    architecture: "hopper",
    device: "",
    description: "",
    ...change
  })
  it("holds each name once, and something when there is none", () => {
    expect(describeAdapter(info({ description: "hopper" }))).toBe("nvidia hopper")
    expect(describeAdapter(info({ vendor: "", architecture: "" }))).toBe("unnamed adapter")
    expect(describeAdapter(undefined)).toBe("unnamed adapter")
  })
  it("tells software adapters from GPUs", () => {
    expect(isSoftware(info({}))).toBe(false)
    expect(isSoftware(undefined)).toBe(false)
    expect(isSoftware(info({ isFallbackAdapter: true }))).toBe(true)
    for (const description of ["SwiftShader driver", "llvmpipe (LLVM 15)", "Microsoft Basic Render Driver"])
      expect(isSoftware(info({ description }))).toBe(true)
  })
})
