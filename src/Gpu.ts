/**
 * Gpu: programs as WGSL, run on a WebGPU device.
 *
 * @example
 * ```ts
 * import { Layer } from "effect"
 * import { Gpu, GpuDevice } from "effect-kernels"
 *
 * // The browser's device; on Node take GpuDevice from "effect-kernels/node".
 * const gpu = Gpu.layer.pipe(Layer.provide(GpuDevice.layer))
 * ```
 */
import { Effect, Layer } from "effect"
import * as DType from "./DType.ts"
import type * as Effects from "./Effects.ts"
import { KernelError, type NotImplemented, Unsupported } from "./Errors.ts"
import { GpuDevice } from "./GpuDevice.ts"
import { makeRuntime, type Runtime } from "./gpu/runtime.ts"
import { cropped, fromWords, toWords } from "./gpu/words.ts"
import * as Interpreter from "./Interpreter.ts"
import type { Program } from "./ir/program.ts"
import { compile as toWgsl } from "./wgsl/compile.ts"
import * as Shape from "./Shape.ts"
import type { Module } from "./wgsl/module.ts"
import { areFull, sizesModule } from "./wgsl/subgroups.ts"

/** Effects that a GPU interprets. */
export type Claims = Effects.Core | Effects.Pipeline | Effects.Inline<string> | Effects.Subgroup

const execute = (runtime: Runtime, program: Program, module: Module, args: Interpreter.Arrays) =>
  Effect.gen(function* () {
    const bound = new Set(module.bindings.map((b) => b.name))
    const inputs = new Map<string, Uint32Array>()
    for (const ref of program.refs) {
      if (!bound.has(ref.name)) continue
      const array = args.get(ref.name)
      // What is bound and has no argument starts as zeros, also where it is only read.
      inputs.set(ref.name, array === undefined ? new Uint32Array(0) : toWords(ref.dtype, array))
    }
    const outputs = yield* runtime.execute(module, inputs as any)
    return new Map(
      program.refs.filter((r) => r.access !== "in").map((r) => [r.name, result(r, outputs.get(r.name), args)])
    )
  })
/** What a ref holds in the end: what the device wrote, or, if the kernel does not touch it, what it held before. */
const result = (
  ref: Program["refs"][number],
  words: Uint32Array<ArrayBuffer> | undefined,
  args: Interpreter.Arrays
): DType.HostArray => {
  const size = Shape.size(ref.shape)
  if (words !== undefined) return fromWords(ref.dtype, words, size)
  const before = args.get(ref.name)?.slice() as DType.HostArray | undefined
  return before === undefined ? DType.hostArray(ref.dtype, size) : cropped(ref.dtype, before, size)
}

/** Fails where subgroups do not fill a workgroup of that size: then elements would not lie where operations expect them. */
const checkFull = (runtime: Runtime, { kernel, workgroupSize }: Module): Effect.Effect<void, KernelError> =>
  Effect.gen(function* () {
    const outputs = yield* runtime.execute(sizesModule(kernel, workgroupSize), new Map())
    if (areFull(outputs.get("sizes")!, workgroupSize)) return
    const reason = new Unsupported({
      primitive: "operations of subgroups",
      interpreter: "Gpu",
      detail: `the device's subgroups do not fill a workgroup of ${workgroupSize}`,
      hint: "use Tile.sum and its like"
    })
    return yield* new KernelError({ kernel, reason })
  })

export interface Options {
  /**
   * Words of the buffer that holds what a kernel prints until its run has ended, 65536 if left out. A print takes 3 and one
   * per element; those that find no room are lost, and a warning says how many. Failed assertions have places of their own.
   */
  readonly recordWords?: number
}

const service = Effect.fnUntraced(function* (options: Options) {
  const device = yield* GpuDevice
  const runtime = yield* makeRuntime(device, options)
  const lowered = new WeakMap<Program, Module>()
  /** Sizes of workgroups that subgroups fill. */
  const filled = new Set<number>()
  const moduleOf = (program: Program): Effect.Effect<Module, KernelError | NotImplemented> =>
    Effect.suspend(() => {
      const known = lowered.get(program)
      if (known !== undefined) return Effect.succeed(known)
      return Effect.tap(Effect.fromResult(toWgsl(program, { subgroup: device.subgroup })), (module) =>
        Effect.sync(() => lowered.set(program, module))
      )
    })
  return {
    name: "Gpu",
    compile: (program) =>
      Effect.gen(function* () {
        const module = yield* moduleOf(program)
        // An empty grid runs nothing, and WGSL would refuse to divide by its sizes.
        if (module.programs > 0) yield* runtime.compile(module)
        if (module.programs > 0 && module.subgroups === true && !filled.has(module.workgroupSize)) {
          yield* checkFull(runtime, module)
          filled.add(module.workgroupSize)
        }
        return { run: (args) => execute(runtime, program, module, args) }
      })
  } satisfies Interpreter.Service
})

/** As {@link layer}, with options. */
export const layerWith = (options: Options): Interpreter.InterpreterLayer<Claims, never, GpuDevice> =>
  Layer.effect(Interpreter.Interpreter, service(options)) as unknown as Interpreter.InterpreterLayer<
    Claims,
    never,
    GpuDevice
  >
/** Runs kernels on the device; buffers and pipelines are kept until the layer's scope closes. */
export const layer: Interpreter.InterpreterLayer<Claims, never, GpuDevice> = layerWith({})
