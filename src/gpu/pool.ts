/** Buffers by purpose and size class, kept for reuse up to a number of bytes. A buffer comes back dirty. */
import { type Buffer, type Device, Usage } from "./webgpu.ts"

const usages = {
  storage: Usage.storage | Usage.copySrc | Usage.copyDst,
  uniform: Usage.uniform | Usage.copyDst,
  staging: Usage.mapRead | Usage.copyDst
} as const
export type Purpose = keyof typeof usages

/** A buffer that is in use or idle in the pool. */
export interface Pooled {
  readonly buffer: Buffer
  readonly bytes: number
  readonly key: string
}
export interface Pool {
  /** A buffer of at least that many bytes. */
  readonly take: (purpose: Purpose, bytes: number) => Pooled
  /** Gives back a buffer that the queue is done with. */
  readonly put: (pooled: Pooled) => void
  /** Destroys a buffer that may be invalid. */
  readonly drop: (pooled: Pooled) => void
  /** Destroys all buffers, those in use too, and from now on those that come back. */
  readonly close: () => void
  readonly stats: () => {
    readonly buffers: number
    readonly bytes: number
    readonly pooledBuffers: number
    readonly pooledBytes: number
  }
}

/** The next of four sizes per power of two, so that at most a fifth is waste; at least 256. */
export const sizeClass = (bytes: number): number => {
  if (bytes <= 256) return 256
  const step = 2 ** (Math.floor(Math.log2(bytes - 1)) - 2)
  return Math.ceil(bytes / step) * step
}

/** A pool that holds at most `capacity` idle bytes; what has been idle longest goes first. */
export const makePool = (device: Device, capacity: number): Pool => {
  const live = new Set<Pooled>()
  const idle = new Map<string, Array<Pooled>>()
  /** In the order in which they became idle. */
  const order = new Set<Pooled>()
  let bytes = 0
  let idleBytes = 0
  let closed = false

  const drop = (pooled: Pooled) => {
    if (live.delete(pooled)) bytes -= pooled.bytes
    pooled.buffer.destroy()
  }
  const leave = (pooled: Pooled) => {
    order.delete(pooled)
    idleBytes -= pooled.bytes
  }
  const create = (purpose: Purpose, size: number, key: string): Pooled => {
    const pooled = { buffer: device.createBuffer({ size, usage: usages[purpose] }), bytes: size, key }
    live.add(pooled)
    bytes += size
    return pooled
  }
  const take = (purpose: Purpose, wanted: number): Pooled => {
    const size = Math.min(sizeClass(wanted), Math.max(wanted, device.limits.maxBufferSize))
    const key = `${purpose} ${size}`
    const pooled = idle.get(key)?.pop()
    if (pooled === undefined) return create(purpose, size, key)
    leave(pooled)
    return pooled
  }
  const put = (pooled: Pooled) => {
    if (closed) return drop(pooled)
    const same = idle.get(pooled.key)
    if (same === undefined) idle.set(pooled.key, [pooled])
    else same.push(pooled)
    order.add(pooled)
    idleBytes += pooled.bytes
    for (const oldest of order) {
      if (idleBytes <= capacity) return
      leave(oldest)
      // Within a class the longest idle one stands first.
      idle.get(oldest.key)!.shift()
      drop(oldest)
    }
  }
  const close = () => {
    closed = true
    idle.clear()
    order.clear()
    idleBytes = 0
    for (const pooled of live) drop(pooled)
  }
  const stats = () => ({ buffers: live.size, bytes, pooledBuffers: order.size, pooledBytes: idleBytes })
  return { take, put, drop, close, stats }
}
