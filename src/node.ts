/** What is for Node only: WebGPU devices through Dawn, source files for reports. */
export * as GpuDevice from "./node/GpuDevice.ts"
export * as SourceLines from "./node/SourceLines.ts"
