/** A user of the entry for Node, who has not installed Dawn's types. */
import type { Layer } from "effect"
import type { GpuDevice } from "effect-kernels"
import { GpuDevice as Node } from "effect-kernels/node"

export const best: Layer.Layer<GpuDevice.GpuDevice, unknown> = Node.layer
export const software: Layer.Layer<GpuDevice.GpuDevice, unknown> = Node.layerSoftware
