/**
 * How a program is laid out on a device, apart from what it means: no schedule changes a result.
 *
 * Leaf module.
 */

/** What a schedule decides; what is left out, the compiler chooses. */
export interface Schedule {
  /** Invocations of a workgroup, a power of two; chosen by the largest tile if left out. */
  readonly workgroupSize?: number
  /** Bytes of workgroup memory that a kernel may use; larger tiles go to a buffer. */
  readonly workgroupBytes?: number
  /** Words that one tile may take in the registers of an invocation. */
  readonly registerWords?: number
}
/** A schedule with everything decided. */
export type Decided = Required<Schedule>

/** What every WebGPU device has. */
export const defaults: Omit<Decided, "workgroupSize"> = { workgroupBytes: 16384, registerWords: 32 }
/** The largest workgroup that the compiler chooses by itself. */
export const preferredWorkgroupSize = 64
