/** Traces the body of a kernel into a program, for all interpreters. */
import { Cause, Effect } from "effect"
import * as Errors from "../Errors.ts"
import { unbalance } from "../ir/balance.ts"
import type { Access, Program, RefDecl, Region, Scratch } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import { blockRef, TableImpl } from "./blocks.ts"
import { checkForm, type Definition, DefinitionError, gridOf, refDecls, scratchDecls } from "./definition.ts"
import type { Draft } from "./draft.ts"
import { phaseMistake } from "./phases.ts"
import { firstForeignFrame } from "./position.ts"
import { AccessError, IndexError, MemRefImpl, scratchRef } from "./ref.ts"
import { scratchRefs } from "./scratch.ts"
import { BalanceError, ForeignError, TraceState } from "./state.ts"
import { isTile, OperandError, TileImpl } from "./tile.ts"
import { tokenMistake } from "./token.ts"
import { runBody, Tracer } from "./tracer.ts"

/** What the body gets for its refs: blocks of the refs given, and tiles for scalar parameters. */
export const bodyRefs = (
  state: TraceState,
  def: Definition,
  given: { readonly [name: string]: TileImpl | MemRefImpl }
): { readonly [name: string]: TileImpl | MemRefImpl } => {
  const scalars = Object.fromEntries(Object.entries(given).filter((entry) => isTile(entry[1]))) as {
    readonly [name: string]: TileImpl
  }
  const refs = Object.entries(given).filter((entry): entry is [string, MemRefImpl] => !isTile(entry[1]))
  const tables = refs.filter(([name]) => def.refs[name]!.table).map(([name, ref]) => [name, new TableImpl(ref)])
  const known = { ...scalars, ...Object.fromEntries(tables) }
  const blocks = refs.map(([name, ref]) => {
    const { access, block } = def.refs[name]!
    return [name, located(name, () => blockRef(state, withAccess(ref, access), block, known))]
  })
  return { ...scalars, ...Object.fromEntries(blocks) }
}
const withAccess = (ref: MemRefImpl, access: Access): MemRefImpl =>
  ref.access === access ? ref : new MemRefImpl(ref.name, ref, access, ref.home, ref.steps)

/** What the body gets: refs, tiles for scalar parameters, scratch. */
const bodyArguments = (
  state: TraceState,
  def: Definition,
  decls: ReadonlyArray<RefDecl>,
  scratch: ReadonlyArray<Scratch>
) => {
  for (const d of [...decls, ...scratch]) state.refs.set(d.name, d)
  const home = { state, block: state.current }
  const given = decls.map((d) => [
    d.name,
    d.scalar
      ? new TileImpl(d, { primitive: "load", refs: [{ name: d.name, view: [] }] })
      : new MemRefImpl(d.name, d, d.access, home)
  ])
  const memories = scratch.map((s) => [s.name, scratchRefs(def.scratch[s.name]!, scratchRef(s, home))])
  return { ...bodyRefs(state, def, Object.fromEntries(given)), ...Object.fromEntries(memories) }
}
const located = <A>(ref: string, f: () => A): A => {
  try {
    return f()
  } catch (e) {
    throw e instanceof TypingError ? new DefinitionError(`ref "${ref}": ${e.detail}`, e.hint) : e
  }
}

const finish = (
  state: TraceState,
  def: Definition,
  refs: ReadonlyArray<RefDecl>,
  scratch: ReadonlyArray<Scratch>,
  value: unknown
): Program => {
  if (value !== undefined) throw new DefinitionError("the body returns a value", "store results to out refs")
  const [lost] = state.pending.values()
  if (lost !== undefined) throw new UnyieldedError(lost.primitive, lost.source.show())
  const body = state.close(state.current, [], scratch)
  const inlines = Object.fromEntries(state.inlines)
  const threads = state.threads === undefined ? {} : { threads: state.threads }
  return { name: def.name, grid: state.grid, ...threads, refs, body, discharged: [], inlines }
}
/** What is wrong where products are in flight when their accumulator is looked at, or ends. */
const productMistake = (body: Region): BalanceError | undefined => {
  const found = unbalance(body)
  if (found === undefined) return undefined
  const { detail, eqn, hint, ref } = found
  return new BalanceError(eqn.primitive, ref, detail, hint, eqn.source)
}
class UnyieldedError extends Error {
  readonly primitive: string
  readonly source: string | undefined
  constructor(primitive: string, source: string | undefined) {
    super(primitive)
    this.primitive = primitive
    this.source = source
  }
}

/** Fields that are there; `undefined` ones are left out. */
const known = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, v]) => v !== undefined)) as any

const unbalancedBy = ({ detail, hint, primitive, ref, source }: BalanceError): Errors.Unbalanced =>
  new Errors.Unbalanced(known({ primitive, ref, detail, hint, source: source?.show() }))
const reasonOf = (e: unknown): Errors.Reason | undefined => {
  if (e instanceof OperandError)
    return new Errors.TypeMismatch(
      known({ primitive: e.primitive, detail: e.typing.detail, hint: e.typing.hint, source: e.source?.show() })
    )
  if (e instanceof IndexError)
    return new Errors.InvalidIndex(known({ ref: e.ref, shape: e.shape, detail: e.detail, source: e.source.show() }))
  if (e instanceof AccessError)
    return new Errors.AccessViolation(known({ ref: e.ref, detail: e.detail, source: e.source.show() }))
  if (e instanceof ForeignError)
    return new Errors.ForeignValue(known({ what: e.what, detail: e.detail, source: e.source?.show() }))
  if (e instanceof BalanceError) return unbalancedBy(e)
  if (e instanceof UnyieldedError) return new Errors.Unyielded(known({ primitive: e.primitive, source: e.source }))
  if (e instanceof DefinitionError) return new Errors.InvalidKernel(known({ detail: e.detail, hint: e.hint }))
  return undefined
}
const shown = (e: unknown): string => (e instanceof Error ? `${e.name}: ${e.message}` : String(e))
const placeOf = (e: unknown): string | undefined => (e instanceof Error ? firstForeignFrame(e.stack ?? "") : undefined)
/** The typed error for what was thrown while a kernel was traced. */
export const traceError = (kernel: string, e: unknown): Errors.KernelError =>
  new Errors.KernelError({
    kernel,
    reason: reasonOf(e) ?? new Errors.InvalidKernel(known({ detail: `the body threw ${shown(e)}`, source: placeOf(e) }))
  })

/** A draft of a kernel; fails with a `KernelError` for a mistake that leaves no program, or with the body's own error. */
export const draftKernel = (def: Definition): Effect.Effect<Draft, unknown, unknown> =>
  Effect.suspend(() => {
    checkForm(def)
    const state = new TraceState(def.name, gridOf(def), def.threads)
    const refs = refDecls(def)
    const scratch = scratchDecls(def)
    const given = bodyArguments(state, def, refs, scratch)
    return runBody(state, () => def.body(given)).pipe(
      Effect.provideService(Tracer, state),
      Effect.map((value) => draft(finish(state, def, refs, scratch, value)))
    )
  }).pipe(
    Effect.catchCause((cause) => Effect.failCause(typedCause(typeof def.name === "string" ? def.name : "?", cause)))
  )

/** A complete program with the first thing that it shows to be wrong with what it waits for. */
const draft = (program: Program): Draft => {
  const lost = productMistake(program.body) ?? tokenMistake(program.body)
  const mistake = lost === undefined ? phaseMistake(program) : unbalancedBy(lost)
  return known({ program, mistake })
}
/** The program of a draft, unless it shows that it cannot run. */
export const strict = ({ mistake, program }: Draft): Effect.Effect<Program, Errors.KernelError> =>
  mistake === undefined
    ? Effect.succeed(program)
    : Effect.fail(new Errors.KernelError({ kernel: program.name, reason: mistake }))

/** Mistakes thrown by host code become typed failures; what the body failed with, and interruption, stay. */
const typedCause = (kernel: string, cause: Cause.Cause<unknown>): Cause.Cause<unknown> => {
  const died = cause.reasons.find(Cause.isDieReason)
  return died === undefined ? cause : Cause.fail(traceError(kernel, died.defect))
}
