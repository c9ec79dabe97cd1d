/** Emitted WGSL on the CPU, by the interpreter and the race detector of `wgsl_reflect`. */
import { detectRaces, WgslDebug } from "wgsl_reflect/wgsl_reflect.module.js"
import type { Module } from "../../src/wgsl/module.ts"

/** What it gave, and what it thinks of it. */
export interface Emulated {
  /** The words of the bindings, by name. */
  readonly words: ReadonlyMap<string, Uint32Array<ArrayBuffer>>
  /** Names of variables on which two invocations race. */
  readonly races: ReadonlySet<string>
  /** Barriers that not all invocations reach, and the like. */
  readonly errors: ReadonlyArray<string>
  /** What it says on the console, which is where it tells what it cannot do. */
  readonly logged: ReadonlyArray<string>
}

/**
 * The detector steps into functions and keeps what they return at the call, one value for all invocations. Where it has no
 * calls to step into, it evaluates them as they come; functions hold no barriers.
 */
const collect = WgslDebug.prototype._collectFunctionCalls
const steppingOver = <A>(run: () => A): A => {
  WgslDebug.prototype._collectFunctionCalls = () => {}
  try {
    return run()
  } finally {
    WgslDebug.prototype._collectFunctionCalls = collect
  }
}

/**
 * The loaded value as WGSL defines it: with barriers around. The detector takes them for what they are only as statements.
 */
const plainLoads = (code: string): string =>
  code.replace(
    /let (\w+) = workgroupUniformLoad\(&(\w+)\);/g,
    "workgroupBarrier();\n let $1 = $2;\n workgroupBarrier();"
  )

const silently = <A>(run: () => A): { readonly value: A | undefined; readonly logged: ReadonlyArray<string> } => {
  const { error, warn } = console
  const logged: Array<string> = []
  console.error = console.warn = (...told: ReadonlyArray<unknown>) => void logged.push(told.slice(0, 1).join(" "))
  try {
    return { value: run(), logged }
  } catch (thrown) {
    return { value: undefined, logged: [...logged, String(thrown)] }
  } finally {
    console.error = error
    console.warn = warn
  }
}

/** Runs all workgroups, in order, each by itself: workgroup memory is not cleared between those of one dispatch. */
export const emulate = (module: Module, inputs: ReadonlyMap<string, Uint32Array>): Emulated => {
  const code = plainLoads(module.code)
  const words = new Map(
    module.bindings.map(({ name, words: length }) => {
      const own = new Uint32Array(length)
      const given = inputs.get(name)
      if (given !== undefined) own.set(given.subarray(0, length))
      return [name, own]
    })
  )
  const races = new Set<string>()
  const errors: Array<string> = []
  const logged: Array<string> = []
  const buffers = module.bindings.map(({ name }) => words.get(name)!.buffer as unknown)
  for (let program = 0; program < module.programs; program++) {
    const spill = module.spillWords > 0 ? [new ArrayBuffer(4 * module.spillWords)] : []
    const params = { uniform: new Uint32Array([program, 0, module.programs, 0]).buffer }
    const bound = [...buffers, ...spill, params].map((buffer, k) => [String(k), buffer])
    const groups = { "0": Object.fromEntries(bound) }
    const run = silently(() => steppingOver(() => detectRaces(code, "main", [1, 1, 1], groups)))
    for (const { bufferId } of run.value?.races ?? []) races.add(bufferId)
    errors.push(...(run.value?.errors ?? []))
    logged.push(...run.logged)
  }
  return { words, races, errors, logged }
}
