/**
 * The part of WebGPU that this library uses, as structural types, so that the published declarations import no types of
 * others and the objects of any browser, of Dawn and of `@webgpu/types` fit. Opaque handles that go back into WebGPU are `any`,
 * because some declarations brand them. Source: https://www.w3.org/TR/webgpu/
 */

/** Limits that decide whether a kernel fits. */
export interface Limits {
  readonly maxStorageBuffersPerShaderStage: number
  readonly maxStorageBufferBindingSize: number
  readonly maxBufferSize: number
  readonly maxComputeWorkgroupStorageSize: number
  readonly maxComputeInvocationsPerWorkgroup: number
  readonly maxComputeWorkgroupSizeX: number
  readonly maxComputeWorkgroupsPerDimension: number
  readonly minUniformBufferOffsetAlignment: number
}
export interface AdapterInfo {
  readonly vendor: string
  readonly architecture: string
  readonly device: string
  readonly description: string
  readonly isFallbackAdapter?: boolean
  /** Lanes of the largest subgroup; absent in older implementations. */
  readonly subgroupMaxSize?: number
}
/** Names of optional features. */
export interface Features {
  has(name: string): boolean
}
export interface AdapterOptions {
  readonly powerPreference?: "low-power" | "high-performance"
  readonly forceFallbackAdapter?: boolean
}
export interface Gpu {
  requestAdapter(options?: AdapterOptions): Promise<Adapter | null>
}
export interface Adapter {
  readonly info: AdapterInfo
  readonly limits: Limits
  readonly features?: Features
  requestDevice(descriptor?: {
    readonly requiredLimits?: Record<string, number>
    readonly requiredFeatures?: Array<any>
  }): Promise<Device>
}
export interface LostInfo {
  readonly reason: string
  readonly message: string
}

export type ErrorFilter = "validation" | "out-of-memory" | "internal"
export interface Device {
  readonly limits: Limits
  readonly features?: Features
  /** Absent in older implementations. */
  readonly adapterInfo?: AdapterInfo
  readonly lost: Promise<LostInfo>
  readonly queue: Queue
  createBuffer(descriptor: { readonly size: number; readonly usage: number }): Buffer
  createShaderModule(descriptor: { readonly code: string }): ShaderModule
  createBindGroupLayout(descriptor: { readonly entries: ReadonlyArray<any> }): object
  createPipelineLayout(descriptor: { readonly bindGroupLayouts: ReadonlyArray<any> }): object
  createComputePipelineAsync(descriptor: {
    readonly layout: any
    readonly compute: { readonly module: any; readonly entryPoint: string }
  }): Promise<object>
  createBindGroup(descriptor: { readonly layout: any; readonly entries: ReadonlyArray<any> }): object
  createCommandEncoder(): CommandEncoder
  pushErrorScope(filter: ErrorFilter): void
  popErrorScope(): Promise<{ readonly message: string } | null>
  destroy(): void
}
export interface Buffer {
  readonly size: number
  mapAsync(mode: number): Promise<unknown>
  getMappedRange(offset?: number, size?: number): ArrayBuffer
  unmap(): void
  destroy(): void
}
export interface Message {
  readonly type: string
  readonly message: string
  /** From 1; 0 where the implementation does not know. */
  readonly lineNum: number
}
export interface ShaderModule {
  getCompilationInfo(): Promise<{ readonly messages: ReadonlyArray<Message> }>
}
export interface CommandEncoder {
  beginComputePass(): ComputePass
  clearBuffer(buffer: any, offset?: number, size?: number): void
  copyBufferToBuffer(source: any, sourceOffset: number, target: any, targetOffset: number, size: number): void
  finish(): object
}
export interface ComputePass {
  setPipeline(pipeline: any): void
  setBindGroup(index: number, group: any, dynamicOffsets?: Array<number>): void
  dispatchWorkgroups(x: number, y?: number, z?: number): void
  end(): void
}
export interface Queue {
  submit(commands: Array<any>): void
  writeBuffer(buffer: any, offset: number, data: any): void
}

/** `GPUBufferUsage`, `GPUMapMode` and `GPUShaderStage` as numbers: Node has no such globals. */
export const Usage = { mapRead: 0x1, copySrc: 0x4, copyDst: 0x8, uniform: 0x40, storage: 0x80 } as const
export const mapModeRead = 1
export const stageCompute = 4
