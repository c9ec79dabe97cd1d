/** How a device is acquired and watched; the same for browsers, Dawn and the application's own device. */
import { Deferred, Effect, type Scope } from "effect"
import { DeviceLost, GpuUnavailable } from "../Errors.ts"
import { largestSubgroup } from "../wgsl/subgroups.ts"
import type { Adapter, AdapterInfo, AdapterOptions, Device, Gpu, Limits } from "./webgpu.ts"

/** What the service `GpuDevice` holds. */
export interface Service {
  readonly device: Device
  /** Vendor, architecture and description of the adapter. */
  readonly description: string
  /** Whether a CPU emulates the device. */
  readonly software: boolean
  readonly limits: Limits
  /** Lanes of the largest subgroup that a kernel may run with; 0 if the device was made without the feature. */
  readonly subgroup: number
  /** Waits until the device is lost, or destroyed. */
  readonly lost: Effect.Effect<DeviceLost>
  /** The same, without waiting. */
  readonly isLost: () => DeviceLost | undefined
}

const software = /swiftshader|llvmpipe|lavapipe|softpipe|basic render|\bwarp\b|software/i

/** Whether a CPU emulates the adapter, by WebGPU's own flag or by the name of a software driver. */
export const isSoftware = (info: AdapterInfo | undefined): boolean =>
  info !== undefined && (info.isFallbackAdapter === true || software.test(describe(info)))

/** The names that an adapter gives itself, each once. */
export const describe = (info: AdapterInfo | undefined): string => {
  const names = info === undefined ? [] : [info.vendor, info.architecture, info.description]
  return [...new Set(names.filter((name) => name !== undefined && name !== ""))].join(" ") || "unnamed adapter"
}

const subgroups = "subgroups"
/** The service of a device that somebody else owns. */
export const watch = (device: Device, info: AdapterInfo | undefined): Service => {
  const waiting = Deferred.makeUnsafe<DeviceLost>()
  let lost: DeviceLost | undefined
  device.lost.then(({ message, reason }) => {
    lost = new DeviceLost({ detail: message || reason || "no reason given" })
    Deferred.doneUnsafe(waiting, Effect.succeed(lost))
  })
  return {
    device,
    description: describe(info),
    software: isSoftware(info),
    limits: device.limits,
    // Where the implementation does not tell, any size that WebGPU knows must do.
    subgroup: device.features?.has(subgroups) === true ? (info?.subgroupMaxSize ?? largestSubgroup) : 0,
    lost: Deferred.await(waiting),
    isLost: () => lost
  }
}

const detailOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** An adapter of `gpu`; fails with `hint` if there is none. */
export const requestAdapter = (
  gpu: Gpu,
  options: AdapterOptions,
  hint: string
): Effect.Effect<Adapter, GpuUnavailable> =>
  Effect.tryPromise({
    try: () => gpu.requestAdapter(options),
    catch: (cause) => new GpuUnavailable({ detail: `requestAdapter failed: ${detailOf(cause)}`, hint })
  }).pipe(
    Effect.flatMap((adapter) =>
      adapter === null
        ? Effect.fail(new GpuUnavailable({ detail: "WebGPU found no adapter", hint }))
        : Effect.succeed(adapter)
    )
  )

const wanted = [
  "maxStorageBuffersPerShaderStage",
  "maxStorageBufferBindingSize",
  "maxBufferSize",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupsPerDimension"
] as const

/** A device with all that the adapter allows kernels to use; destroyed when the scope closes. */
export const requestDevice = Effect.fnUntraced(function* (
  adapter: Adapter
): Effect.fn.Return<Service, GpuUnavailable, Scope.Scope> {
  const requiredLimits = Object.fromEntries(wanted.map((name) => [name, adapter.limits[name]]))
  const requiredFeatures = adapter.features?.has(subgroups) === true ? [subgroups] : []
  const device = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => adapter.requestDevice({ requiredLimits, requiredFeatures }),
      catch: (cause) =>
        new GpuUnavailable({
          detail: `${describe(adapter.info)} gave no device: ${detailOf(cause)}`,
          hint: "ask again: an adapter gives one device, and none after its GPU was reset"
        })
    }),
    (device) => Effect.sync(() => device.destroy())
  )
  const service = watch(device, adapter.info)
  yield* Effect.logDebug(`GPU device: ${service.description}${service.software ? " (software)" : ""}`)
  return service
})
