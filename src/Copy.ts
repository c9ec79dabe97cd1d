/**
 * Asynchronous copies: data leaves its source when a copy starts, and is in its destination once it was waited for.
 *
 * The source is read when the copy starts: what is written to it afterwards is not copied. The destination changes when the
 * copy is waited for: until then a load still gives what was there before. On Gpu the loads are issued at the start, into
 * registers or memory of the workgroup, and stored at the wait, so that they overlap with what is computed in between.
 *
 * Where copies take a way of their own to memory, as on other devices, a source that is overwritten and a destination that is
 * touched before the wait are races: the Simulator reports them.
 *
 * Every copy is waited for exactly once, on every path, or the kernel is refused (`Unbalanced`). Its token can be carried
 * through loops and handed out of branches and scopes, as tiles can; a loop or `cond` hands on tokens of copies to the same
 * ref, through views of the same form, whose indices are carried along.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Control, Copy, Discharge, i32, Kernel, MemRef, Scratch, Tile } from "effect-kernels"
 *
 * // Sums rows; the next row is on its way while one is added.
 * const sums = Kernel.make("sums", {
 *   grid: [1],
 *   refs: { x: MemRef.in(i32, [3, 4]), o: MemRef.out(i32, [3]) },
 *   scratch: { rows: Scratch.workgroup(i32, [2, 4]) }
 * }, function*({ x, o, rows }) {
 *   const first = yield* Copy.start(MemRef.at(x, [0]), MemRef.at(rows, [0]))
 *   const last = yield* Control.fori(0, 3, first, function*(i, row) {
 *     const next = i.add(1)
 *     const later = yield* Copy.start(MemRef.at(x, [next]), MemRef.at(rows, [next.rem(2)]), { when: next.lt(3) })
 *     yield* Copy.wait(row)
 *     const sum = Tile.sum(yield* MemRef.load(MemRef.at(rows, [i.rem(2)])))
 *     yield* MemRef.store(MemRef.at(o, [i]), sum)
 *     return later
 *   })
 *   yield* Copy.wait(last)
 * })
 * const x = Int32Array.from({ length: 12 }, (_, k) => k)
 * const run = Kernel.run(sums, { x }).pipe(Effect.provide(Discharge.layer))
 * console.assert((await Effect.runPromise(run)).o.join() === "6,22,38")
 * ```
 */
import type { Effect } from "effect"
import type * as Barrier from "./Barrier.ts"
import type * as DType from "./DType.ts"
import type { Accum, Memory, Read, Write } from "./Effects.ts"
import type * as MemRef from "./MemRef.ts"
import type * as Shape from "./Shape.ts"
import type * as Tile from "./Tile.ts"
import * as Impl from "./trace/copy.ts"
import { calledAt } from "./trace/position.ts"
import * as Token_ from "./trace/token.ts"

type S_ = Shape.Shape
export const TypeId: TypeId = Token_.TypeId
export type TypeId = typeof Token_.TypeId

/** A copy in flight: what is on its way, and the effects `E` of its landing. */
export interface Token<out D extends DType.Name, out S extends S_, out E> {
  readonly [TypeId]: TypeId
  readonly dtype: D
  readonly shape: S
  readonly "~lands"?: E
}
export type AnyToken = Token<DType.Name, S_, any>

/** How elements of a dtype may land: in place of what is there, or combined with it. */
export type Landing<D extends DType.Name> =
  | "store"
  | (D extends DType.Numeric | DType.Storage ? "add" : never)
  | (D extends "i32" | "u32" | "f32" ? "min" | "max" : never)
  | (D extends "i32" | "u32" ? "and" | "or" | "xor" : never)
/** The effects of a landing in the ref named `N`. */
export type Lands<N extends string, Op> = Op extends "store"
  ? Write<N>
  : Op extends "add"
    ? Accum<N>
    : Read<N> | Write<N>

export interface UnequalShapes<S extends S_, V extends S_> {
  readonly "~shapes are not equal": readonly [S, V]
}
/** `unknown` if shapes are equal, as far as types know them. */
type Same<S extends S_, V extends S_> = S extends V ? unknown : V extends S ? unknown : UnequalShapes<S, V>

export interface Options<Op> {
  /** Whether anything is copied at all. */
  readonly when?: Tile.Scalar<"bool"> | boolean
  /** Where it is false, nothing is copied. */
  readonly mask?: Tile.Tile<"bool", S_>
  /** How the data lands; `"store"`, if left out. */
  readonly op?: Op
}

/**
 * Starts a copy between refs, or views of refs, of the same dtype and shape.
 *
 * What is outside the source arrives as 0, what is outside the destination is dropped. With `op`, the data is combined with
 * what is there: `add` and the others change each element in one step, which program instances may share, duplicates of a
 * gather included. Fails with `TypeMismatch` where types do not fit, with `AccessViolation` at an `in` destination.
 *
 * With `barrier`, there is no token: the copy lands, and arrives at the barrier, when that is waited for next (it must be the
 * same barrier by the same index). Until then `Barrier.test` does not see it. In a kernel that declares threads, it lands and
 * arrives some time after it was started, and any thread may wait for that.
 */
export const start: {
  <
    N extends string,
    M extends string,
    D extends DType.Name,
    S extends S_,
    V extends S_,
    const Op extends Landing<D> = "store"
  >(
    src: MemRef.MemRef<N, D, S, MemRef.Access>,
    dst: MemRef.Writable<M, NoInfer<D>, V> & Same<S, V>,
    options: Options<Op> & { readonly barrier: Barrier.Ref<[]> }
  ): Effect.Effect<void, never, Read<N> | Lands<M, Op> | Memory>
  <
    N extends string,
    M extends string,
    D extends DType.Name,
    S extends S_,
    V extends S_,
    const Op extends Landing<D> = "store"
  >(
    src: MemRef.MemRef<N, D, S, MemRef.Access>,
    dst: MemRef.Writable<M, NoInfer<D>, V> & Same<S, V>,
    options?: Options<Op>
  ): Effect.Effect<Token<DType.Widened<D>, S, Lands<M, Op>>, never, Read<N> | Memory>
} = (src: unknown, dst: unknown, options?: object): any => calledAt(start, () => Impl.start(src, dst, options)) as any
/** Waits for a copy: its data is in its destination afterwards. Each token is used once. */
export const wait = <E>(token: Token<DType.Name, S_, E>): Effect.Effect<void, never, E | Memory> =>
  calledAt(wait, () => Impl.wait(token)) as any

/** Closes a group of the copies that were started in this body, loop, branch or scope since the last one was closed. */
export const commit = (): Effect.Effect<void, never, Memory> => calledAt(commit, () => Impl.commit()) as any
/**
 * Waits for groups, oldest first, until at most `n` are left; nothing, if there are no more.
 *
 * Groups are counted while the kernel is traced, so one that was started outside of a loop or branch cannot be waited for
 * inside: carry its tokens. It may write to any ref that a copy goes to, which its type does not know by name.
 */
export const waitGroups = (n: number): Effect.Effect<void, never, Lands<string, Landing<"i32">> | Memory> =>
  calledAt(waitGroups, () => Impl.waitGroups(n)) as any
/**
 * Lets copies that are started later see what was stored before, and stores that follow come after it.
 *
 * Every interpreter runs a program instance in order, so that it changes no result; where copies take a way of their own to
 * memory, it is needed between a store and a copy of what was stored.
 */
export const fence = (): Effect.Effect<void, never, Memory> => calledAt(fence, () => Impl.fence()) as any
