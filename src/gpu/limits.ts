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

const demands = (limits: Limits, module: Module): ReadonlyArray<Demand> => {
  const demand = (limit: keyof Limits, requested: number, hint: string): Demand => ({
    limit,
    allowed: limits[limit],
    requested,
    hint
  })
  const fewerLanes = "use a smaller workgroup"
  const smallerRef = "split the largest ref, or its scratch, over several kernels or several runs"
  return [
    demand(
      "maxStorageBuffersPerShaderStage",
      module.bindings.length + (module.spillWords > 0 ? 1 : 0),
      "use fewer refs: pack several into one array, or split the kernel"
    ),
    demand("maxComputeInvocationsPerWorkgroup", module.workgroupSize, fewerLanes),
    demand("maxComputeWorkgroupSizeX", module.workgroupSize, fewerLanes),
    demand("maxComputeWorkgroupStorageSize", module.workgroupBytes, "use smaller blocks or less workgroup scratch"),
    demand("maxStorageBufferBindingSize", largest(module), smallerRef),
    demand("maxBufferSize", largest(module), smallerRef),
    {
      limit: "workgroups, counted in 32 bits",
      allowed: 2 ** 32 - 1,
      requested: module.programs,
      hint: "use larger blocks"
    }
  ]
}

/** The first limit that the module exceeds. */
export const exceeded = (limits: Limits, module: Module): LimitExceeded | undefined => {
  const first = demands(limits, module).find((d) => d.requested > d.allowed)
  return first && new LimitExceeded(first)
}
