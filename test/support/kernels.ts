/** Runs kernels on every interpreter, and looks at the errors with which they fail. */
import { readFileSync } from "node:fs"
import { Cause, type Effect, Exit } from "effect"
import { expect } from "vitest"
import { type DType, type Effects, Kernel, KernelError, MemRef, type Tile } from "../../src/index.ts"
import type { Reason } from "../../src/Errors.ts"
import { discharge, interpreters, type Subject } from "./interpreters.ts"

export type Numbers = { readonly [ref: string]: ArrayLike<number> }
export type Args = { readonly [ref: string]: ArrayLike<number> | number | boolean }
export interface Comparison {
  /** How far results may lie apart, relative to the larger of 1 and what is expected; 0, if left out. */
  readonly within?: number
  /** The interpreters to run on; all, if left out. */
  readonly on?: ReadonlyArray<Subject>
}

const close = (actual: number, expected: number, within: number): boolean =>
  Object.is(actual, expected) ||
  actual === expected ||
  Math.abs(actual - expected) <= within * Math.max(1, Math.abs(expected))

/** NaN equals NaN; the sign of zero is not compared. */
const compare = (what: string, actual: ArrayLike<number>, expected: ArrayLike<number>, within: number): void => {
  const [got, wanted] = [Array.from(actual), Array.from(expected)]
  const same = got.length === wanted.length && got.every((x, i) => close(x, wanted[i]!, within))
  if (!same) expect(got, what).toEqual(wanted)
}

/** The results of a run, or a test failure that shows what went wrong. */
export const results = async (kernel: Kernel.Any, args: Args, on: Subject = discharge): Promise<Numbers> => {
  const exit = await on.exit((Kernel.run as any)(kernel, args) as Effect.Effect<Numbers, KernelError>)
  if (Exit.isSuccess(exit)) return exit.value
  throw new Error(`on ${on.name}: ${Cause.pretty(exit.cause)}`)
}

/** A kernel of one program instance. */
export const single = <const S extends Kernel.Specs, Eff extends Effect.Effect<any, any, any>>(
  refs: S,
  body: (refs: Kernel.Refs<S>) => Generator<Eff, void, never>
) => Kernel.make("case", { grid: [1], refs }, body as any) as unknown as Kernel.Kernel<"case", S, never, Effects.Any>

/** A kernel that stores `f` of the tile `x`, of shape `[n]`. */
export const mapping = <D extends DType.Compute, D2 extends DType.Compute>(
  from: DType.DType<D>,
  to: DType.DType<D2>,
  n: number,
  f: (x: Tile.Tile<D, [number]>) => Tile.Tile<D2, any>,
  size = n
) =>
  single({ x: MemRef.in(from, [n]), o: MemRef.out(to, [size]) }, function* ({ o, x }) {
    yield* MemRef.store(o, f((yield* MemRef.load(x)) as any) as any)
  })

/** Every interpreter gives these results. */
export const onEach = async (
  kernel: Kernel.Any,
  args: Args,
  expected: Numbers,
  { on = interpreters, within = 0 }: Comparison = {}
): Promise<void> => {
  for (const subject of on) {
    const actual = await results(kernel, args, subject)
    for (const [ref, values] of Object.entries(expected))
      compare(`"${ref}" of kernel "${kernel.name}" on ${subject.name}`, actual[ref] ?? [], values, within)
  }
}

/** The typed error of an effect; a success, a defect and an interruption fail the test. */
export const failure = async <A, E>(effect: Effect.Effect<A, E, any>, on: Subject = discharge): Promise<E> => {
  const exit = await on.exit(effect)
  if (Exit.isSuccess(exit)) throw new Error(`expected a failure, got ${JSON.stringify(exit.value)}`)
  const [first, ...others] = exit.cause.reasons
  if (first === undefined || others.length > 0 || !Cause.isFailReason(first))
    throw new Error(`expected one typed failure, got ${Cause.pretty(exit.cause)}`)
  return first.error as E
}

/** The `KernelError` with which a kernel cannot be run (or traced), from a reason of that tag. */
export const kernelError = async <Tag extends Reason["_tag"]>(
  tag: Tag,
  kernel: Kernel.Any,
  args: Args = {},
  on: Subject = discharge
): Promise<Extract<Reason, { _tag: Tag }> & { readonly shown: string }> => {
  const error = await failure((Kernel.run as any)(kernel, args) as Effect.Effect<unknown, unknown>, on)
  expect(error, String(error)).toBeInstanceOf(KernelError)
  const { kernel: name, message: shown, reason } = error as KernelError
  expect(reason._tag, shown).toBe(tag)
  const own = (kernel as Kernel.Any | undefined)?.name ?? "?"
  expect(name).toBe(own)
  expect(shown).toContain(`kernel "${own}": `)
  return Object.assign(Object.create(reason) as any, { shown })
}

/** The line of the test that the position of an error points to. */
export const pointedAt = ({ source }: { readonly source?: string | undefined }): string => {
  const [, file, line] = /^(.*):(\d+):\d+$/.exec(source ?? "") ?? expect.fail(`no position in ${String(source)}`)
  return readFileSync(file!, "utf8").split("\n")[Number(line) - 1]!.trim()
}

/** A kernel cannot be run: the reason has this tag, the message says all of `says`, the position points at `at`. */
export const refused = async (
  tag: Reason["_tag"],
  kernel: Kernel.Any,
  args: Args,
  { at, on, says }: { readonly says: ReadonlyArray<string>; readonly at?: string; readonly on?: Subject }
): Promise<void> => {
  const error = await kernelError(tag, kernel, args, on)
  for (const part of says) expect(error.shown).toContain(part)
  if (at !== undefined) expect(pointedAt(error as any)).toContain(at)
}
