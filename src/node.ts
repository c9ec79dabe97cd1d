/** What is for Node only: WebGPU devices through Dawn. */
export * as GpuDevice from "./node/GpuDevice.ts"
