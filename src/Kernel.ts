/**
 * Kernels: a grid, refs, and a body that is traced once into a program, which interpreters run.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Discharge, f32, Kernel, MemRef } from "effect-kernels"
 *
 * const saxpy = Kernel.make("saxpy", {
 *   grid: [2],
 *   refs: {
 *     a: MemRef.scalar(f32),
 *     x: MemRef.in(f32, [8], { block: [4], index: (i) => [i] }),
 *     y: MemRef.inout(f32, [8], { block: [4], index: (i) => [i] })
 *   }
 * }, function*({ a, x, y }) {
 *   const v = yield* MemRef.load(x)
 *   yield* MemRef.store(y, v.mul(a).add(yield* MemRef.load(y)))
 * })
 * const run = Kernel.run(saxpy, { a: 2, x: new Float32Array(8).fill(3), y: new Float32Array(8).fill(1) })
 * const { y } = await Effect.runPromise(run.pipe(Effect.provide(Discharge.layer)))
 * console.assert(y.every((v) => v === 7))
 * ```
 */
import { Effect, type Pipeable, Result } from "effect"
import { pipeArguments } from "effect/Pipeable"
import type { AnyEffect, Gives } from "./Control.ts"
import * as Discharge from "./Discharge.ts"
import type * as DType from "./DType.ts"
import type * as Effects from "./Effects.ts"
import {
  type KernelError,
  type NotImplemented,
  InvalidKernel,
  KernelError as KernelFailure,
  type ParseError
} from "./Errors.ts"
import { Interpreter, strictly } from "./Interpreter.ts"
import { check } from "./ir/check.ts"
import * as Codec from "./ir/codec.ts"
import { parse as parseText } from "./ir/parse.ts"
import * as Print from "./ir/print.ts"
import { type GridAxis, type Program, programEffects, type RefDecl, showEffect } from "./ir/program.ts"
import type * as MemRef from "./MemRef.ts"
import { primitive, primitives } from "./primitives/index.ts"
import type * as Scratch from "./Scratch.ts"
import type * as Shape from "./Shape.ts"
import type * as Tile from "./Tile.ts"
import { bind, type Given } from "./trace/arguments.ts"
import { callKernel, defined } from "./trace/call.ts"
import type { Definition } from "./trace/definition.ts"
import { drafted } from "./trace/draft.ts"
import { draftKernel, strict } from "./trace/kernel.ts"
import { memoised } from "./trace/memo.ts"
import { phaseMistake } from "./trace/phases.ts"
import { compile as toWgsl } from "./wgsl/compile.ts"

export const TypeId: TypeId = "~effect-kernels/Kernel"
export type TypeId = "~effect-kernels/Kernel"
export type { Program } from "./ir/program.ts"

type Simplify<T> = { [K in keyof T]: T[K] } & {}
type AnySpec = MemRef.Spec<DType.Name, Shape.Shape, MemRef.Access, boolean>
/** Declarations of refs, by name. */
export type Specs = { readonly [name: string]: AnySpec }
/** Declarations of scratch, by name. */
export type ScratchSpecs = { readonly [name: string]: Scratch.Any }

/**
 * A kernel named `Name` over refs `S`. Tracing its body may fail with `E`; `R` holds the effects of the body and any service
 * that the body asks for while it is traced.
 */
export interface Kernel<out Name extends string, in out S extends Specs, out E, out R> extends Pipeable.Pipeable {
  readonly [TypeId]: TypeId
  readonly name: Name
  readonly grid: ReadonlyArray<GridAxis>
  readonly refs: S
  /** Its program, traced on first use, and each time if the body needs services. */
  readonly trace: Effect.Effect<Program, E | KernelError, Exclude<R, Effects.Any>>
  readonly "~R": R
}
export type Any = Kernel<string, any, any, any>
/** A kernel that was parsed or built from data: its effects are known as data only. */
export type Dynamic = Kernel<string, Specs, never, Effects.Dynamic>
/** The effects of a kernel, as a union of labels. */
export type Effects_<K extends Any> = Extract<K["~R"], Effects.Any>
export type {
  /** The effects of a kernel, as a union of labels. */
  Effects_ as Effects
}
/** The services that a kernel's body needs while it is traced. */
export type Services<K extends Any> = Exclude<K["~R"], Effects.Any>

/** What the body gets: a ref for each declaration, a tile for each scalar parameter. */
export type Refs<S extends Specs> = {
  readonly [K in keyof S & string]: S[K] extends MemRef.Spec<infer D, infer Sh, infer A, infer Scalar>
    ? Scalar extends true
      ? Tile.Scalar<DType.Widened<D>>
      : MemRef.MemRef<K, D, Sh, A>
    : never
}
export type ScratchRefs<T extends ScratchSpecs> = {
  readonly [K in keyof T]: Scratch.RefsOf<T[K]>
}
type ScalarReads<S extends Specs> = {
  [K in keyof S & string]: S[K] extends { readonly scalar: true } | { readonly table: true } ? Effects.Read<K> : never
}[keyof S & string]
/** The effect of declaring threads. */
type Several<Th> = [Th] extends [never] ? never : Effects.Threads
type Argument<Spec extends AnySpec> = Spec["scalar"] extends true
  ? Spec["dtype"]["name"] extends "bool"
    ? boolean | number
    : number
  : Spec["scalar"] extends false
    ? DType.HostArrays[Spec["dtype"]["name"]]
    : DType.HostArray | number | boolean
/** Arguments of a run: host arrays for `in` and `inout` refs, numbers for scalar parameters. */
export type Args<S extends Specs> = Simplify<{
  readonly [K in keyof S as S[K]["access"] extends "out" ? never : K]: Argument<S[K]>
}>
/** Results of a run: host arrays of `out` and `inout` refs. */
export type Outputs<S extends Specs> = Simplify<{
  readonly [K in keyof S as S[K]["access"] extends "in" ? never : K]: DType.HostArrays[S[K]["dtype"]["name"]]
}>

export interface Options<S extends Specs, T extends ScratchSpecs, Th extends number = never> {
  /** Sizes of the axes; parallel, unless made with `Kernel.sequential`. */
  readonly grid: ReadonlyArray<number | GridAxis>
  /**
   * Threads of control of each program instance. All run the body, at their own pace, and share the refs and the workgroup
   * scratch of the kernel; register scratch, and scratch of scopes, each has for itself. It costs `Threads`, even if it is 1.
   */
  readonly threads?: Th
  readonly refs: S
  /** Scratch that keeps its values over the cells of sequential axes. */
  readonly scratch?: T
}

/** An axis of the grid whose cells run in order, inside one program instance. */
export const sequential = (size: number): GridAxis => ({ size, semantics: "sequential" })
/** An axis of the grid whose cells run in any order, or at once. */
export const parallel = (size: number): GridAxis => ({ size, semantics: "parallel" })

const axisOf = (axis: number | GridAxis): GridAxis => (typeof axis === "number" ? parallel(axis) : axis)
const kernel = (
  name: string,
  grid: ReadonlyArray<number | GridAxis>,
  refs: Specs,
  trace: Effect.Effect<Program, any, any>
): any => ({
  [TypeId]: TypeId,
  name,
  grid: Array.isArray(grid) ? grid.map(axisOf) : [],
  refs,
  trace,
  "~R": undefined,
  pipe() {
    return pipeArguments(this, arguments)
  }
})

/**
 * A kernel. The body is a generator of operations over the refs; its effects become those of the kernel.
 *
 * Never throws: mistakes of the declaration or the body fail with a `KernelError` when the kernel is traced.
 */
export const make = <
  const Name extends string,
  const S extends Specs,
  Eff extends AnyEffect,
  A,
  const T extends ScratchSpecs = {},
  const Th extends number = never
>(
  name: Name & Gives<NoInfer<A>, void>,
  options: Options<S, T, Th>,
  body: (refs: Simplify<Refs<S> & ScratchRefs<T>>) => Generator<Eff, A, never>
): Kernel<Name, S, Effect.Error<Eff>, Effects.Scoped<Effect.Services<Eff>> | ScalarReads<S> | Several<Th>> =>
  fromDefinition({
    name,
    grid: options?.grid,
    threads: options?.threads,
    refs: options?.refs as any,
    scratch: (options?.scratch ?? {}) as any,
    body
  })
const fromDefinition = (def: Definition): any => {
  const draft = memoised(draftKernel(def))
  const made = kernel(def.name, def.grid, def.refs as any, Effect.flatMap(draft, strict))
  return drafted(defined(made, def), draft)
}

// --- calling ------------------------------------------------------------------------------------------------------------

type CallArgument<Spec> =
  Spec extends MemRef.Spec<infer D, Shape.Shape, infer A, infer Scalar>
    ? Scalar extends true
      ? number | (D extends "bool" ? boolean : never) | Tile.Scalar<DType.Widened<D>>
      : MemRef.MemRef<string, D, Shape.Shape, A extends "in" ? MemRef.Access : "out" | "inout">
    : never
/** What a kernel is called with inside another: refs to its whole arrays, and numbers or scalar tiles. */
export type CallArgs<S extends Specs> = { readonly [K in keyof S & string]: CallArgument<S[K]> }
/** Names of the refs that are given for the callee's refs `N`. */
type GivenFor<G, N> = N extends keyof G ? (G[N] extends MemRef.Any ? G[N]["name"] : never) : never
/** Effects on the callee's refs as effects on those that it is given. */
type Renamed<R, G> =
  R extends Effects.Read<infer N>
    ? N extends Effects.ScratchName
      ? R
      : Some<GivenFor<G, N>, Effects.Read<GivenFor<G, N>>>
    : R extends Effects.Write<infer N>
      ? Some<GivenFor<G, N>, Effects.Write<GivenFor<G, N>>>
      : R extends Effects.Accum<infer N>
        ? Some<GivenFor<G, N>, Effects.Accum<GivenFor<G, N>>>
        : R
type Some<N, E> = [N] extends [never] ? never : E
type OutNames<S extends Specs> = { [K in keyof S & string]: S[K]["access"] extends "out" ? K : never }[keyof S & string]
type Zeroed<S extends Specs, G> = Some<GivenFor<G, OutNames<S>>, Effects.Write<GivenFor<G, OutNames<S>>>>
/** A kernel that was parsed or built from data: there is no body to call. */
export interface NotCallable {
  readonly "~a kernel from text or data has no body to call": never
}

/**
 * Runs a kernel inside the body of another, over refs of that other: each is a ref to the callee's whole array, which its
 * blocks divide; scalar parameters take numbers or scalar tiles.
 *
 * It means what a run means: `out` refs start as 0, scratch is the callee's own, its grid is its own. The cells of the grid
 * run one after the other, in the program instance that calls: those of parallel axes in row-major order, and for each
 * those of sequential axes. What the callee does to its refs is done to the refs that it is given, and its effects are on
 * these. Fails as tracing the callee does, and with a `KernelError` where a ref does not fit, where the memory of an `out`
 * ref is given a second time, and where a kernel calls itself. A kernel with threads is called by one with as many, and runs
 * in each of them; its refs are no `out` refs then.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Discharge, i32, Kernel, MemRef } from "effect-kernels"
 *
 * const reversed = Kernel.make("reversed", {
 *   grid: [4],
 *   refs: {
 *     x: MemRef.in(i32, [4], { block: [1], index: (i) => [i] }),
 *     o: MemRef.out(i32, [4], { block: [1], index: (i) => [i.neg().add(3)] })
 *   }
 * }, function*({ o, x }) {
 *   yield* MemRef.store(o, yield* MemRef.load(x))
 * })
 * const rows = Kernel.make("rows", {
 *   grid: [2],
 *   refs: {
 *     x: MemRef.in(i32, [2, 4], { block: [null, 4], index: (i) => [i, 0] }),
 *     o: MemRef.out(i32, [2, 4], { block: [null, 4], index: (i) => [i, 0] })
 *   }
 * }, function*({ o, x }) {
 *   yield* Kernel.call(reversed, { x, o })
 * })
 * const run = Kernel.run(rows, { x: Int32Array.of(1, 2, 3, 4, 5, 6, 7, 8) }).pipe(Effect.provide(Discharge.layer))
 * console.assert((await Effect.runPromise(run)).o.join() === "4,3,2,1,8,7,6,5")
 * ```
 */
export const call = <S extends Specs, E, R, const G extends CallArgs<S>>(
  self: Kernel<string, S, E, R> & ([Extract<R, Effects.Dynamic>] extends [never] ? unknown : NotCallable),
  refs: G
): Effect.Effect<void, E, Renamed<R, G> | Zeroed<S, G>> => callKernel(self, refs) as any

// --- running ------------------------------------------------------------------------------------------------------------

type NameIn<R> = R extends Effects.Read<infer N> | Effects.Write<infer N> | Effects.Accum<infer N> ? N : never
type Unknown<R, Names> =
  NameIn<R> extends infer N
    ? N extends string
      ? string extends N
        ? never
        : N extends Names
          ? never
          : N
      : never
    : never
/** A body that touches a ref which the kernel does not have. */
export interface ForeignRef<N> {
  readonly "~the kernel has no ref named": N
}
type Own<R, S extends Specs> = [Unknown<R, keyof S & string>] extends [never]
  ? unknown
  : ForeignRef<Unknown<R, keyof S & string>>

/** The trace of what is a kernel, even if its caller was not type-checked. */
const traceOf = (self: unknown): Effect.Effect<Program, any, any> =>
  typeof self === "object" && self !== null && TypeId in self
    ? (self as unknown as Any).trace
    : Effect.fail(new KernelFailure({ kernel: "?", reason: notAKernel }))
const notAKernel = new InvalidKernel({ detail: "the first argument is no kernel", hint: "make one with Kernel.make" })

/**
 * Runs a kernel; gives the new arrays of its `out` and `inout` refs. Arguments are never changed.
 *
 * Every effect of the kernel must be claimed by the layers that are provided. Fails with `KernelError`, and with what the
 * body fails with.
 */
export const run = <Name extends string, S extends Specs, E, R>(
  self: Kernel<Name, S, E, R> & Own<R, S>,
  args: NoInfer<Args<S>>
): Effect.Effect<Outputs<S>, E | KernelError, Interpreter | R> =>
  strictly(
    Effect.gen(function* () {
      const program = yield* traceOf(self)
      const given = yield* bind(program, args as Given)
      const interpreter = yield* Interpreter
      const compiled = yield* interpreter.compile(program)
      return Object.fromEntries(yield* compiled.run(given))
    })
  ) as any

/** Traces a kernel and makes it ready to run, so that the first run is as fast as the next. */
export const compile = <Name extends string, S extends Specs, E, R>(
  self: Kernel<Name, S, E, R> & Own<R, S>
): Effect.Effect<void, E | KernelError, Interpreter | R> =>
  strictly(
    Effect.gen(function* () {
      const program = yield* traceOf(self)
      const interpreter = yield* Interpreter
      yield* interpreter.compile(program)
    })
  ) as any

// --- looking ------------------------------------------------------------------------------------------------------------

type Traced<A, K extends Any, E = never> = Effect.Effect<A, E | Effect.Error<K["trace"]>, Effect.Services<K["trace"]>>

/** The program as text, which `Kernel.parse` reads. */
export const print = <K extends Any>(self: K, options?: { readonly positions?: boolean }): Traced<string, K> =>
  Effect.map(self.trace, (program: Program) => Print.print(program, options)) as any
/** The WGSL that `Gpu` runs; that of a kernel with subgroups as for a device that may have the largest. */
export const wgsl = <K extends Any>(self: K): Traced<string, K, KernelError | NotImplemented> =>
  Effect.flatMap(self.trace, (program: Program) =>
    Effect.map(Effect.fromResult(toWgsl(program)), (module) => module.code)
  ) as any
/**
 * The pure program that `Discharge` runs, as text; inlines need rules, given with them or in the context. With `only`,
 * only those refs are rewritten, as `Discharge.discharge` does.
 */
export const discharged = <K extends Any>(
  self: K,
  options?: Discharge.DischargeOptions
): Traced<string, K, KernelError | NotImplemented> =>
  Effect.flatMap(self.trace, (program: Program) =>
    Effect.map(Discharge.discharge(program, options), (p) => Print.print(p))
  ) as any
/** What the kernel does, as `Read(x)`. */
export const effects = <K extends Any>(self: K): Traced<ReadonlyArray<string>, K> =>
  Effect.map(self.trace, (program: Program) => programEffects(program).map(showEffect)) as any
/** The program as plain JSON, which `Kernel.fromJson` reads. */
export const toJson = <K extends Any>(self: K): Traced<unknown, K> =>
  Effect.map(self.trace, (program: Program) => Codec.toJson(program)) as any

const dtypeOnly = (decl: RefDecl): AnySpec =>
  ({
    dtype: { name: decl.dtype },
    shape: decl.shape,
    access: decl.access,
    scalar: decl.scalar,
    block: undefined
  }) as unknown as AnySpec

/**
 * A kernel from a program; fails with `InvalidProgram` if the program breaks a rule of the IR, with `Unbalanced` or `Deadlock`
 * if it shows that its barriers are waited for in vain, or not at all.
 */
export const fromProgram = (program: Program): Effect.Effect<Dynamic, KernelError> => {
  const finding = check(program, primitive)
  if (finding !== undefined) return Effect.fail(new KernelFailure({ kernel: program.name, reason: finding }))
  const refs = Object.fromEntries(program.refs.map((r) => [r.name, dtypeOnly(r)]))
  const mistake = phaseMistake(program)
  const judged = strict(mistake === undefined ? { program } : { program, mistake })
  return Effect.map(judged, () => kernel(program.name, program.grid, refs, judged))
}
const known = new Set(primitives.map((p) => p.name))
const read = (parsed: Result.Result<Program, ParseError>): Effect.Effect<Dynamic, KernelError> =>
  Result.isSuccess(parsed)
    ? fromProgram(parsed.success)
    : Effect.fail(new KernelFailure({ kernel: "?", reason: parsed.failure }))
/** A kernel from its text form; fails with `ParseError`, which has the position, or `InvalidProgram`. */
export const parse = (text: string): Effect.Effect<Dynamic, KernelError> =>
  Effect.suspend(() => read(parseText(text, known)))
/** A kernel from JSON; fails with `ParseError`, which has the path, or `InvalidProgram`. */
export const fromJson = (json: unknown): Effect.Effect<Dynamic, KernelError> =>
  Effect.suspend(() => read(Codec.fromJson(json, known)))
