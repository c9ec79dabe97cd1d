/**
 * The WebGPU device that kernels run on, as a service: the browser's, the application's own, or (from `effect-kernels/node`)
 * Dawn's.
 */
import { Context, Effect, Layer } from "effect"
import { GpuUnavailable } from "./Errors.ts"
import { requestAdapter, requestDevice, type Service, watch } from "./gpu/device.ts"
import type { AdapterOptions, Device, Gpu } from "./gpu/webgpu.ts"

export type { Service } from "./gpu/device.ts"
export type { Adapter, AdapterOptions, Device, Gpu, Limits } from "./gpu/webgpu.ts"

/** A WebGPU device with what is known of it: the adapter's description, whether it is software, limits, loss. */
export class GpuDevice extends Context.Service<GpuDevice, Service>()("effect-kernels/GpuDevice") {}

const noAdapter =
  "enable hardware acceleration, or for headless Chromium pass --enable-unsafe-webgpu; on Node use GpuDevice of effect-kernels/node"

/**
 * A device of any WebGPU entry point (`navigator.gpu`, or what Dawn's `create` returns), with the adapter's full limits.
 * Destroyed when the layer is released. Fails with `GpuUnavailable` if there is no adapter or it gives no device.
 */
export const fromGpu = (gpu: Gpu, options: AdapterOptions = {}): Layer.Layer<GpuDevice, GpuUnavailable> =>
  Layer.effect(GpuDevice, Effect.flatMap(requestAdapter(gpu, options, noAdapter), requestDevice))

/**
 * A device of `navigator.gpu`. Destroyed when the layer is released. Fails with `GpuUnavailable` where there is no WebGPU:
 * a browser without it, a page without a secure context, Node.
 */
export const layer: Layer.Layer<GpuDevice, GpuUnavailable> = Layer.unwrap(
  Effect.suspend(() => {
    const gpu = (globalThis as { readonly navigator?: { readonly gpu?: Gpu } }).navigator?.gpu
    return gpu === undefined
      ? Effect.fail(
          new GpuUnavailable({
            detail: "there is no navigator.gpu",
            hint: "serve the page over https or from localhost in a browser with WebGPU; on Node use GpuDevice of effect-kernels/node"
          })
        )
      : Effect.succeed(fromGpu(gpu, { powerPreference: "high-performance" }))
  })
)

/**
 * The application's own device, with the limits that the application asked for. It is never destroyed here, and its errors
 * stay in error scopes.
 *
 * @example
 * ```ts
 * import { Layer } from "effect"
 * import { Gpu, GpuDevice } from "effect-kernels"
 *
 * const gpuOf = (device: GPUDevice) => Gpu.layer.pipe(Layer.provide(GpuDevice.fromDevice(device)))
 * ```
 */
export const fromDevice = (device: Device): Layer.Layer<GpuDevice> =>
  Layer.sync(GpuDevice, () => watch(device, device.adapterInfo))
