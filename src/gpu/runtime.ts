/** Compiles and runs modules on a device; owns the pipelines and buffers of one scope. */
import { Effect, type Result, type Scope } from "effect"
import { DeviceLost, KernelError, type Reason } from "../Errors.ts"
import type { Module } from "../wgsl/module.ts"
import type { Service } from "./device.ts"
import { exceeded } from "./limits.ts"
import { type Compiled, makePipelines } from "./pipelines.ts"
import { makePool } from "./pool.ts"
import { badRoom, defaultRecordWords, recordsLength, tell } from "./records.ts"
import { badInput, type Inputs, type Outputs, run, unchanged } from "./run.ts"

/** Idle buffers are kept up to this many bytes. */
const poolCapacity = 256 * 2 ** 20
/** Pipelines that are kept. */
const pipelineCapacity = 512

/** Counts of what the runtime holds. */
export interface Stats {
  /** Buffers that exist, idle ones included, and their bytes. */
  readonly buffers: number
  readonly bytes: number
  readonly pooledBuffers: number
  readonly pooledBytes: number
  readonly pipelines: number
  /** Compilations that were started since the beginning. */
  readonly compiles: number
  /** Runs that the queue is not done with. */
  readonly running: number
}
export interface Runtime {
  /** Checks the limits and compiles; the same text is compiled once. */
  readonly compile: (module: Module) => Effect.Effect<Compiled, KernelError>
  /**
   * Runs a module on inputs by the names of its bindings and gives the words of each read_write binding. One without input,
   * and what an input is too short for, starts as zeros. What was printed is logged when the run has ended; a failed assertion
   * fails. Interruption returns at once; the buffers come back when the queue
   * is done with them.
   */
  readonly execute: (module: Module, inputs: Inputs) => Effect.Effect<Outputs, KernelError>
  readonly stats: () => Stats
}

/** Waits for a promise that never rejects, unless the device is lost first. Abandons it when interrupted. */
const waitFor = <A>(device: Service, start: () => Promise<Result.Result<A, Reason>>): Effect.Effect<A, Reason> => {
  const done = Effect.callback<A, Reason>((resume) => {
    start().then((outcome) => resume(Effect.fromResult(outcome)))
  })
  return Effect.raceFirst(done, Effect.flatMap(device.lost, Effect.fail))
}

export interface RuntimeOptions {
  /** Words of the buffer for prints. */
  readonly recordWords?: number | undefined
}

/** A runtime on the device; when the scope closes, all its buffers are destroyed. */
export const makeRuntime = Effect.fnUntraced(function* (
  device: Service,
  options: RuntimeOptions = {}
): Effect.fn.Return<Runtime, never, Scope.Scope> {
  const pipelines = makePipelines(device.device, pipelineCapacity)
  const pool = makePool(device.device, poolCapacity)
  let running = 0
  let closed = false
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      closed = true
      pipelines.clear()
      pool.close()
    })
  )
  const room = options.recordWords ?? defaultRecordWords
  const recordWords = ({ records }: Module): number => (records === undefined ? 0 : recordsLength(records, room))
  const unusable = (): DeviceLost | undefined =>
    closed ? new DeviceLost({ detail: "the scope of its interpreter was closed" }) : device.isLost()

  const usable = Effect.suspend((): Effect.Effect<void, Reason> => {
    const lost = unusable()
    return lost === undefined ? Effect.void : Effect.fail(lost)
  })
  const compile = Effect.fnUntraced(function* (module: Module): Effect.fn.Return<Compiled, Reason> {
    const bad = module.records && badRoom(room)
    if (bad !== undefined) return yield* Effect.fail(bad)
    const limit = exceeded(device.limits, module, recordWords(module))
    if (limit !== undefined) return yield* Effect.fail(limit)
    yield* usable
    return yield* waitFor(device, () => pipelines.get(module))
  })
  const execute = Effect.fnUntraced(function* (module: Module, inputs: Inputs): Effect.fn.Return<Outputs, Reason> {
    const bad = badInput(module, inputs)
    if (bad !== undefined) return yield* Effect.fail(bad)
    if (module.programs === 0) return unchanged(module, inputs)
    const compiled = yield* compile(module)
    yield* usable
    const { outputs, records } = yield* waitFor(device, () => {
      running++
      return run(device.device, pool, compiled, module, inputs, recordWords(module)).finally(() => running--)
    })
    if (module.records !== undefined) yield* tell(module.kernel, module.records, records)
    return outputs
  })
  const inKernel = <A>(module: Module, effect: Effect.Effect<A, Reason>): Effect.Effect<A, KernelError> =>
    Effect.mapError(effect, (reason) => new KernelError({ kernel: module.kernel, reason: unusable() ?? reason }))
  return {
    compile: (module) => inKernel(module, compile(module)),
    execute: (module, inputs) => inKernel(module, execute(module, inputs)),
    stats: () => ({ ...pool.stats(), ...pipelines.stats(), running })
  }
})
