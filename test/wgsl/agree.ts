/** Runs programs on the device and, discharged, on the CPU, and says where they differ. */
import { Effect, Result } from "effect"
import * as DType from "../../src/DType.ts"
import { discharge } from "../../src/discharge/discharge.ts"
import { evaluate } from "../../src/discharge/evaluate.ts"
import type { Runtime } from "../../src/gpu/runtime.ts"
import { fromWords, toWords } from "../../src/gpu/words.ts"
import { elements, toHost, zeros } from "../../src/ir/array.ts"
import { print } from "../../src/ir/print.ts"
import type { Program, RefDecl } from "../../src/ir/program.ts"
import type { Schedule } from "../../src/Schedule.ts"
import * as Shape from "../../src/Shape.ts"
import { compile, prepare } from "../../src/wgsl/compile.ts"
import { lockstep } from "./lockstep.ts"
import type { Random } from "./random.ts"

export type Arrays = ReadonlyMap<string, DType.HostArray>

/** Small whole numbers for every ref. */
export const anyArrays = (r: Random, program: Program): Arrays => {
  const one = (dtype: DType.Name): number =>
    dtype === "bool" ? r.below(2) : DType.widened(dtype) === "u32" ? r.below(6) : r.between(-4, 5)
  return new Map(
    program.refs.map((ref) => {
      const array = zeros(ref)
      for (let k = 0; k < array.data.length; k++) array.data[k] = one(ref.dtype)
      return [ref.name, toHost(array)]
    })
  )
}

/** What each ref holds in the end, on the device. */
export const onDevice = (runtime: Runtime, program: Program, args: Arrays, schedule: Schedule) =>
  Effect.gen(function* () {
    const module = Result.getOrThrow(compile(program, { schedule }))
    const declared = new Map(program.refs.map((ref) => [ref.name, ref]))
    const inputs = new Map<string, Uint32Array>()
    for (const { name } of module.bindings) {
      const ref = declared.get(name)!
      if (ref.access !== "out") inputs.set(name, toWords(ref.dtype, args.get(name)!))
    }
    const outputs = yield* runtime.execute(module, inputs)
    return new Map(
      program.refs
        .filter((ref) => ref.access !== "in")
        .map((ref) => {
          const words = outputs.get(ref.name)
          const size = Shape.size(ref.shape)
          return [ref.name, words === undefined ? untouched(ref, args) : fromWords(ref.dtype, words, size)] as const
        })
    )
  })
/** The same by running the lowered form on the CPU, which finds races that a device may hide. */
export const inLockstep = (program: Program, args: Arrays, schedule: Schedule, subgroup = 4): Arrays => {
  const { lowered, refOf } = prepare(program, { schedule, subgroup })
  const storage = new Map<string, Float64Array>()
  const held = new Map<string, Float64Array>()
  for (const memory of lowered.memories.filter((m) => m.space === "storage")) {
    const ref = program.refs.find((r) => r.name === refOf(memory))!
    const data = new Float64Array(memory.length)
    if (ref.access !== "out") data.set(elements(ref, args.get(ref.name)!))
    storage.set(memory.name, data)
    held.set(ref.name, data)
  }
  lockstep(lowered, storage, subgroup)
  return new Map(
    program.refs
      .filter((ref) => ref.access !== "in")
      .map((ref) => {
        const data = held.get(ref.name)
        if (data === undefined) return [ref.name, untouched(ref, args)]
        const out = zeros(ref)
        for (let k = 0; k < out.data.length; k++) out.data[k] = data[k]!
        return [ref.name, toHost(out)]
      })
  )
}
const untouched = (ref: RefDecl, args: Arrays): DType.HostArray =>
  ref.access === "out" ? DType.hostArray(ref.dtype, Shape.size(ref.shape)) : args.get(ref.name)!

const close = (dtype: DType.Name, got: number, expected: number): boolean =>
  got === expected ||
  (Number.isNaN(got) && Number.isNaN(expected)) ||
  (DType.isFloat(DType.widened(dtype)) &&
    Math.abs(got - expected) <=
      (dtype === "f16" ? 1e-2 : dtype === "bf16" ? 3e-2 : 1e-4) * Math.max(1, Math.abs(expected)))

/** The first difference between device (or the lowered form in lockstep) and what is meant; `undefined` where they agree. */
export const difference = (runtime: Runtime | undefined, program: Program, args: Arrays, schedule: Schedule) =>
  Effect.gen(function* () {
    const expected = yield* Effect.flatMap(discharge(program), (pure) => evaluate(pure, args))
    const actual =
      runtime === undefined ? inLockstep(program, args, schedule) : yield* onDevice(runtime, program, args, schedule)
    for (const ref of program.refs) {
      const { dtype, name } = ref
      if (expected.get(name) === undefined) continue
      const [wanted, got] = [elements(ref, expected.get(name)!), elements(ref, actual.get(name)!)]
      for (let k = 0; k < wanted.length; k++)
        if (!close(dtype, Number(got[k]), Number(wanted[k])))
          return `${name}[${k}] is ${got[k]}, not ${wanted[k]}, with ${JSON.stringify(schedule)}, in\n${print(program)}`
    }
    return undefined
  })
