/**
 * Dawn's WebGPU entry points: one that sees the system's drivers, one that sees SwiftShader only.
 *
 * Dawn crashes the process if an entry point is collected while a device of it lives, so each is made once and kept on
 * `globalThis`, where copies of this module share it.
 */
import { Effect } from "effect"
import { isMainThread } from "node:worker_threads"
import { GpuUnavailable } from "../Errors.ts"
import { isSoftware, requestAdapter } from "../gpu/device.ts"
import type { Adapter, Gpu } from "../gpu/webgpu.ts"
import { importPeer, peers } from "./peer.ts"
import { prepareSwiftShader } from "./swiftshader.ts"

interface Dawn {
  readonly create: (flags: Array<string>) => Gpu
}
type Kind = "system" | "software"
const key = Symbol.for("effect-kernels/dawn")
const shared = globalThis as { [key]?: Map<Kind, Promise<Gpu>> }
const gpus = (shared[key] ??= new Map())

/** The entry point of that kind, made by the first who asks; a failure is forgotten. */
const once = (kind: Kind, make: Effect.Effect<Gpu, GpuUnavailable>): Effect.Effect<Gpu, GpuUnavailable> =>
  Effect.tryPromise({
    try: () => {
      const known = gpus.get(kind)
      if (known !== undefined) return known
      const made = Effect.runPromise(make)
      gpus.set(kind, made)
      made.catch(() => gpus.delete(kind))
      return made
    },
    catch: (cause) =>
      cause instanceof GpuUnavailable
        ? cause
        : new GpuUnavailable({ detail: `Dawn did not start: ${String(cause)}`, hint: `install ${peers.webgpu}` })
  })

const dawn = importPeer<Dawn>(peers.webgpu)

/**
 * An entry point that looks for drivers now: Dawn does so once, at the first request and before that returns, and keeps what
 * it found. So the variable is set for just as long.
 */
const createWith = ({ create }: Dawn, driver: string | undefined): Gpu => {
  const before = process.env["VK_DRIVER_FILES"]
  if (driver !== undefined) process.env["VK_DRIVER_FILES"] = driver
  try {
    const gpu = create([])
    gpu.requestAdapter().catch(() => {})
    return gpu
  } finally {
    if (driver !== undefined) restore(before)
  }
}
const restore = (value: string | undefined): void => {
  if (value === undefined) delete process.env["VK_DRIVER_FILES"]
  else process.env["VK_DRIVER_FILES"] = value
}

const system = once(
  "system",
  Effect.map(dawn, (module) => createWith(module, undefined))
)
const software = once(
  "software",
  Effect.flatMap(dawn, (module) => Effect.map(prepareSwiftShader, (driver) => createWith(module, driver)))
)

const inWorker =
  "a worker thread cannot choose Vulkan drivers: set VK_DRIVER_FILES before Node starts, or use processes (in vitest, pool `forks`)"

/** SwiftShader's adapter. */
export const softwareAdapter: Effect.Effect<Adapter, GpuUnavailable> = Effect.flatMap(software, (gpu) =>
  requestAdapter(
    gpu,
    {},
    isMainThread ? `install ${peers.swiftshader} exactly; Dawn says on stderr what it missed` : inWorker
  )
)

const systemAdapter = Effect.flatMap(system, (gpu) =>
  requestAdapter(gpu, { powerPreference: "high-performance" }, "install a Vulkan, Metal or D3D12 driver")
)

/**
 * The system's adapter if it is a real GPU, else SwiftShader's, which is known to work, else whatever software adapter the
 * system has.
 */
export const bestAdapter: Effect.Effect<Adapter, GpuUnavailable> = Effect.gen(function* () {
  yield* dawn
  const found = yield* Effect.result(systemAdapter)
  if (found._tag === "Success" && !isSoftware(found.success.info)) return found.success
  return yield* Effect.catch(softwareAdapter, (noSoftware) =>
    found._tag === "Success"
      ? Effect.succeed(found.success)
      : Effect.fail(
          new GpuUnavailable({
            detail: `${found.failure.detail}, and no software adapter: ${noSoftware.detail}`,
            hint: `${found.failure.hint}, or ${noSoftware.hint}`
          })
        )
  )
})
