/** One run of a compiled module: buffers in, dispatches, buffers out. It ends by itself, whoever still waits for it. */
import { Result } from "effect"
import { DeviceError, DeviceLost, type Reason } from "../Errors.ts"
import { type Module, paramsBytes } from "../wgsl/module.ts"
import { type Dispatch, dispatchCap, planDispatches } from "./dispatches.ts"
import type { Compiled } from "./pipelines.ts"
import type { Pool, Pooled, Purpose } from "./pool.ts"
import { attempt, reasonOf } from "./scopes.ts"
import { type Buffer, type CommandEncoder, type Device, mapModeRead } from "./webgpu.ts"

export type Inputs = ReadonlyMap<string, Uint32Array>
export type Outputs = Map<string, Uint32Array<ArrayBuffer>>

/** Where the words of a read_write binding can be read when the queue is done. */
interface Readback {
  readonly name: string
  readonly words: number
  readonly buffer: Buffer
  readonly mapped: Promise<unknown>
}
/** Takes a buffer for the time of the run. */
type Take = (purpose: Purpose, bytes: number) => Buffer

/** An input that does not fit its binding: a mistake of the caller, which WebGPU would not always see. */
export const badInput = (module: Module, inputs: Inputs): DeviceError | undefined => {
  for (const { access, name, words } of module.bindings) {
    const given = inputs.get(name)?.length
    if (given === undefined ? access === "read" : given > words)
      return new DeviceError({ stage: `input "${name}"`, detail: `${words} words, got ${given ?? "none"}` })
  }
  return undefined
}

/** What a run of no workgroups gives: the inputs, and zeros. */
export const unchanged = (module: Module, inputs: Inputs): Outputs => {
  const outputs: Outputs = new Map()
  for (const { access, name, words } of module.bindings) {
    if (access === "read") continue
    const output = new Uint32Array(words)
    output.set(inputs.get(name) ?? [])
    outputs.set(name, output)
  }
  return outputs
}

const bind = (device: Device, encoder: CommandEncoder, module: Module, inputs: Inputs, take: Take) =>
  module.bindings.map(({ access, name, words }) => {
    const buffer = take("storage", words * 4)
    const input = inputs.get(name)
    const given = input?.length ?? 0
    if (input !== undefined && given > 0) device.queue.writeBuffer(buffer, 0, input)
    // Buffers come dirty from the pool.
    if (given < words) encoder.clearBuffer(buffer, given * 4, (words - given) * 4)
    return { access, name, words, buffer }
  })

/** The uniforms of all dispatches in one buffer, `stride` bytes apart. */
const params = (device: Device, module: Module, plan: ReadonlyArray<Dispatch>, stride: number, take: Take): Buffer => {
  const buffer = take("uniform", plan.length * stride)
  const data = new Uint32Array((plan.length * stride) / 4)
  plan.forEach(({ base }, k) => data.set([base, 0, module.programs, 0], (k * stride) / 4))
  device.queue.writeBuffer(buffer, 0, data)
  return buffer
}

/** Where the words of outputs, and of the records if there are any, can be read when the queue is done. */
interface Readbacks {
  readonly outputs: ReadonlyArray<Readback>
  readonly records: Readback | undefined
}
/** What a run leaves. */
export interface Results {
  readonly outputs: Outputs
  /** The words of the buffer of records. */
  readonly records: Uint32Array
}

/** Copies a buffer to where it can be read. */
const stage = (encoder: CommandEncoder, take: Take, buffer: Buffer, words: number): Buffer => {
  const staging = take("staging", words * 4)
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, words * 4)
  return staging
}
/** Starts reading. */
const readback = (name: string, words: number, buffer: Buffer): Readback => {
  const mapped = buffer.mapAsync(mapModeRead)
  // Looked at later, when the error scopes have been.
  mapped.catch(() => {})
  return { name, words, buffer, mapped }
}

const encode = (
  device: Device,
  compiled: Compiled,
  module: Module,
  inputs: Inputs,
  recordWords: number,
  take: Take
): Readbacks => {
  const encoder = device.createCommandEncoder()
  const plan = planDispatches(
    module.programs,
    device.limits.maxComputeWorkgroupsPerDimension,
    dispatchCap(module.spillWords * 4)
  )
  const bound = bind(device, encoder, module, inputs, take)
  const spillBytes = plan[0]!.x * plan[0]!.y * module.spillWords * 4
  const spill = spillBytes === 0 ? undefined : take("storage", spillBytes)
  const stride = Math.max(paramsBytes, device.limits.minUniformBufferOffsetAlignment)
  const resources: Array<{ buffer: Buffer; size: number }> = bound.map(({ buffer, words }) => ({
    buffer,
    size: words * 4
  }))
  if (spill !== undefined) resources.push({ buffer: spill, size: spillBytes })
  const records = recordWords === 0 ? undefined : take("storage", recordWords * 4)
  if (records !== undefined) {
    encoder.clearBuffer(records, 0, recordWords * 4)
    resources.push({ buffer: records, size: recordWords * 4 })
  }
  resources.push({ buffer: params(device, module, plan, stride, take), size: paramsBytes })
  const group = device.createBindGroup({
    layout: compiled.layout,
    entries: resources.map((resource, binding) => ({ binding, resource }))
  })
  plan.forEach(({ x, y }, k) => {
    // Spilled scratch reads as 0 when it is fresh, like workgroup memory.
    if (spill !== undefined) encoder.clearBuffer(spill, 0, spillBytes)
    const pass = encoder.beginComputePass()
    pass.setPipeline(compiled.pipeline)
    pass.setBindGroup(0, group, [k * stride])
    pass.dispatchWorkgroups(x, y)
    pass.end()
  })
  const outputs = bound.filter(({ access }) => access === "read_write")
  const staged = outputs.map(({ buffer, name, words }) => ({
    name,
    words,
    buffer: stage(encoder, take, buffer, words)
  }))
  const recorded = records && stage(encoder, take, records, recordWords)
  device.queue.submit([encoder.finish()])
  return {
    outputs: staged.map(({ buffer, name, words }) => readback(name, words, buffer)),
    records: recorded && readback("records", recordWords, recorded)
  }
}

const wordsOf = async ({ buffer, mapped, words }: Readback): Promise<Uint32Array<ArrayBuffer>> => {
  await mapped
  const read = new Uint32Array(buffer.getMappedRange(0, words * 4).slice(0))
  buffer.unmap()
  return read
}
const read = async (readbacks: Readbacks): Promise<Results> => {
  const outputs: Outputs = new Map()
  for (const output of readbacks.outputs) outputs.set(output.name, await wordsOf(output))
  return { outputs, records: readbacks.records === undefined ? new Uint32Array(0) : await wordsOf(readbacks.records) }
}

/** A mapping is aborted when its device is lost, or its buffer destroyed because the runtime was closed. */
const readFailure = (cause: unknown): Reason =>
  cause instanceof Error && cause.name === "OperationError"
    ? new DeviceError({ stage: "readback", detail: cause.message })
    : new DeviceLost({ detail: cause instanceof Error ? cause.message : String(cause) })

/**
 * Submits the run at once, with a buffer of `recordWords` for what it records, and gives its outputs when the queue is done. Never rejects. The buffers return to the pool when
 * the promise resolves, whether or not anybody waits for it.
 */
export const run = async (
  device: Device,
  pool: Pool,
  compiled: Compiled,
  module: Module,
  inputs: Inputs,
  recordWords: number
): Promise<Result.Result<Results, Reason>> => {
  const taken: Array<Pooled> = []
  const take: Take = (purpose, bytes) => {
    const pooled = pool.take(purpose, bytes)
    taken.push(pooled)
    return pooled.buffer
  }
  const failed = (reason: Reason) => {
    for (const pooled of taken) pool.drop(pooled)
    return Result.fail(reason)
  }
  const { failure, value } = attempt(device, () => encode(device, compiled, module, inputs, recordWords, take))
  const told = await failure
  if (told !== undefined)
    return failed(
      reasonOf(
        told,
        "dispatch",
        taken.reduce((sum, { bytes }) => sum + bytes, 0)
      )
    )
  try {
    const results = await read(value!)
    for (const pooled of taken) pool.put(pooled)
    return Result.succeed(results)
  } catch (cause) {
    return failed(readFailure(cause))
  }
}
