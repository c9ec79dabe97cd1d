/**
 * WebGPU's error scopes. They are a stack of the device, so they are pushed and popped in one synchronous block: whatever
 * runs between in other fibers never sees them.
 */
import { DeviceError, OutOfMemory } from "../Errors.ts"
import type { Device, ErrorFilter } from "./webgpu.ts"

export interface Failure {
  readonly filter: ErrorFilter
  readonly message: string
}
export interface Attempt<A> {
  /** Absent if a call threw. */
  readonly value: A | undefined
  /** The error that explains the others, once the device has looked at the calls. Never rejects. */
  readonly failure: Promise<Failure | undefined>
}

/** Later errors are often consequences: a buffer that got no memory is invalid wherever it is used. */
const byCause: ReadonlyArray<ErrorFilter> = ["out-of-memory", "validation", "internal"]

/** Makes WebGPU calls synchronously and gathers their errors, thrown ones too. */
export const attempt = <A>(device: Device, calls: () => A): Attempt<A> => {
  for (const filter of byCause) device.pushErrorScope(filter)
  let value: A | undefined
  let thrown: Failure | undefined
  try {
    value = calls()
  } catch (cause) {
    thrown = { filter: "validation", message: String(cause) }
  }
  const popped = byCause.map(() => device.popErrorScope().catch(() => null)).reverse()
  const failure = Promise.all(popped).then((errors) => {
    const failures = errors.map((e, k) => (e === null ? undefined : { filter: byCause[k]!, message: e.message }))
    return failures.find((f) => f !== undefined) ?? thrown
  })
  return { value, failure }
}

/** A failure as the reason of a `KernelError`; `bytes` is what was asked for in all. */
export const reasonOf = ({ filter, message }: Failure, stage: string, bytes: number): OutOfMemory | DeviceError =>
  filter === "out-of-memory" ? new OutOfMemory({ bytes, detail: message }) : new DeviceError({ stage, detail: message })
