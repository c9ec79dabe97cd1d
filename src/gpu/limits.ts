/** Whether a module fits the device, found before WebGPU sees it. */
import { LimitExceeded } from "../Errors.ts"
import type { Module } from "../wgsl/module.ts"
import type { Limits } from "./webgpu.ts"

interface Demand {
  readonly limit: string
  readonly allowed: number
  readonly requested: number
  readonly hint: string
}

const largest = (module: Module): number =>
  4 * Math.max(module.spillWords, ...module.bindings.map((binding) => binding.words))

/** Storage buffers of all kinds. */
const buffers = ({ bindings, records, spillWords }: Module): number =>
  bindings.length + (spillWords > 0 ? 1 : 0) + (records === undefined ? 0 : 1)
const fewerBuffers = ({ records }: Module): string =>
  records === undefined
    ? "use fewer refs: pack several into one array, or split the kernel"
    : "use fewer refs, or leave out prints and assertions, which take one buffer"

const demands = (limits: Limits, module: Module, recordWords: number): ReadonlyArray<Demand> => {
  const demand = (limit: keyof Limits, requested: number, hint: string): Demand => ({
    limit,
    allowed: limits[limit],
    requested,
    hint
  })
  const fewerLanes = "use a smaller workgroup"
  const fewerRecords = "give Gpu.layerWith fewer recordWords"
  const smallerRef = "split the largest ref, or its scratch, over several kernels or several runs"
  return [
    demand("maxStorageBuffersPerShaderStage", buffers(module), fewerBuffers(module)),
    demand("maxComputeInvocationsPerWorkgroup", module.workgroupSize, fewerLanes),
    demand("maxComputeWorkgroupSizeX", module.workgroupSize, fewerLanes),
    demand("maxComputeWorkgroupStorageSize", module.workgroupBytes, "use smaller blocks or less workgroup scratch"),
    demand("maxStorageBufferBindingSize", largest(module), smallerRef),
    demand("maxBufferSize", largest(module), smallerRef),
    demand("maxStorageBufferBindingSize", 4 * recordWords, fewerRecords),
    demand("maxBufferSize", 4 * recordWords, fewerRecords),
    {
      limit: "workgroups, counted in 32 bits",
      allowed: 2 ** 32 - 1,
      requested: module.programs,
      hint: "use larger blocks"
    }
  ]
}

/** The first limit that the module exceeds, with a buffer of `recordWords` for what it records. */
export const exceeded = (limits: Limits, module: Module, recordWords = 0): LimitExceeded | undefined => {
  const first = demands(limits, module, recordWords).find((d) => d.requested > d.allowed)
  return first && new LimitExceeded(first)
}
