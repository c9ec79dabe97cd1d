/**
 * Layers of the service `GpuDevice` for Node, through Dawn (the package `webgpu`).
 *
 * @example
 * ```ts
 * import { Layer } from "effect"
 * import { Gpu } from "effect-kernels"
 * import { GpuDevice } from "effect-kernels/node"
 *
 * const gpu = Gpu.layer.pipe(Layer.provide(GpuDevice.layer))
 * ```
 */
import { Effect, Layer } from "effect"
import type { GpuUnavailable } from "../Errors.ts"
import { GpuDevice } from "../GpuDevice.ts"
import { requestDevice } from "../gpu/device.ts"
import { bestAdapter, softwareAdapter } from "./dawn.ts"

/**
 * A real GPU if Dawn finds one, else a software adapter: SwiftShader if `@sparticuz/chromium` is installed, else the
 * system's. Which one is in the service's `description` and `software`, and in a log at debug level. Fails with
 * `GpuUnavailable`, whose hint says what to install.
 */
export const layer: Layer.Layer<GpuDevice, GpuUnavailable> = Layer.effect(
  GpuDevice,
  Effect.flatMap(bestAdapter, requestDevice)
)

/**
 * SwiftShader on the CPU, from the packages `webgpu` and `@sparticuz/chromium` alone: the same device on every machine of a
 * team, and in CI without a GPU. Linux on x64. Fails with `GpuUnavailable`, whose hint says what to install.
 */
export const layerSoftware: Layer.Layer<GpuDevice, GpuUnavailable> = Layer.effect(
  GpuDevice,
  Effect.flatMap(softwareAdapter, requestDevice)
)
