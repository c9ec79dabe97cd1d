/** Emitted WGSL on the CPU, by the interpreter and the race detector of `wgsl_reflect`. */
import { detectRaces } from "wgsl_reflect/wgsl_reflect.module.js"
import { recordsLength } from "../../src/gpu/records.ts"
import type { Module } from "../../src/wgsl/module.ts"
import { bounded, type Patch, patched } from "./reflectPatches.ts"

/** What a dispatch of one workgroup leaves in its buffers, and what the detector thinks of it. */
export interface Detected {
  /** Names of variables on which two invocations race. */
  readonly races: ReadonlySet<string>
  /** Barriers that not all invocations reach, and the like. */
  readonly errors: ReadonlyArray<string>
  /** What it says on the console, or throws: that is where it tells what it cannot do. */
  readonly logged: ReadonlyArray<string>
}
/** What it gave for all workgroups. */
export interface Emulated extends Detected {
  /** The words of the bindings, by name. */
  readonly words: ReadonlyMap<string, Uint32Array<ArrayBuffer>>
}
/** How to keep it from mistakes that are known. */
export interface Ways {
  readonly texts: ReadonlyArray<(code: string) => string>
  readonly patches: ReadonlyArray<Patch>
}
export const asItIs: Ways = { texts: [], patches: [] }

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
/** Bindings of group 0, by number: storage, and uniforms in a record of their own. */
export type Bound = ReadonlyArray<ArrayBuffer | { readonly uniform: ArrayBuffer }>

/** Runs a dispatch of its entry point `main`, of one workgroup if nothing is said. */
export const detect = (code: string, bound: Bound, { patches, texts }: Ways, workgroups = 1): Detected => {
  const groups = { "0": Object.fromEntries(bound.map((buffer, k) => [String(k), buffer])) }
  const text = texts.reduce((t, change) => change(t), code)
  const run = silently(() =>
    patched([...patches, bounded], () => detectRaces(text, "main", [workgroups, 1, 1], groups))
  )
  const races = new Set(run.value?.races.map(({ bufferId }) => bufferId))
  return { races, errors: run.value?.errors ?? [], logged: run.logged }
}

/** Words for prints. */
const room = 1024
/** Runs all workgroups, in order, each by itself, as long as nothing is wrong. */
export const emulate = (module: Module, inputs: ReadonlyMap<string, Uint32Array>, ways: Ways): Emulated => {
  const { bindings, code, programs, records, spillWords } = module
  const words = new Map(
    bindings.map(({ name, words: length }) => {
      const own = new Uint32Array(length)
      own.set(inputs.get(name)?.subarray(0, length) ?? [])
      return [name, own]
    })
  )
  const recorded = records === undefined ? [] : [new ArrayBuffer(4 * recordsLength(records, room))]
  const races = new Set<string>()
  const errors: Array<string> = []
  const logged: Array<string> = []
  for (let program = 0; program < programs && logged.length === 0; program++) {
    const spill = spillWords > 0 ? [new ArrayBuffer(4 * spillWords)] : []
    const params = { uniform: new Uint32Array([program, 0, programs, 0]).buffer }
    const buffers = bindings.map(({ name }) => words.get(name)!.buffer)
    const run = detect(code, [...buffers, ...spill, ...recorded, params], ways)
    for (const name of run.races) races.add(name)
    errors.push(...run.errors)
    logged.push(...run.logged)
  }
  return { words, races, errors, logged }
}
