/**
 * Kernels called inside kernels: the body of the callee is traced where the call stands, over the refs that it is given.
 *
 * Its grid becomes loops: over the cells of the parallel axes, and inside, where its scratch lives, of the sequential ones.
 */
import { Effect } from "effect"
import { showType } from "../ir/aval.ts"
import type { GridAxis, Scratch, Source } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import * as Shape from "../Shape.ts"
import { store } from "./access.ts"
import { fori, inScope } from "./control.ts"
import { type Definition, gridOf, type RefSpec, refDecls, scratchDecls } from "./definition.ts"
import { bodyRefs } from "./kernel.ts"
import { standingAt } from "./position.ts"
import { AccessError, isMemRef, type MemRefImpl } from "./ref.ts"
import { scratchRefs } from "./scratch.ts"
import type { TraceState } from "./state.ts"
import { constant, isTile, OperandError, operand, type TileImpl } from "./tile.ts"
import { control, runBody } from "./tracer.ts"

type Given = { readonly [name: string]: TileImpl | MemRefImpl }
type Traced = Effect.Effect<unknown, unknown, unknown>
interface Call {
  readonly state: TraceState
  readonly def: Definition
  readonly given: Given
  readonly source: Source
}

/** The definitions of kernels that have a body. */
const definitions = new WeakMap<object, Definition>()
/** Remembers what a kernel was made of, so that it can be called. */
export const defined = <K extends object>(kernel: K, def: Definition): K => {
  definitions.set(kernel, def)
  return kernel
}

const scalarOf = (name: string, spec: RefSpec, u: unknown, source: Source): TileImpl => {
  const tile = operand("call", u, spec.dtype.name, source)
  if (tile.dtype !== spec.dtype.name || tile.shape.length > 0)
    throw new TypingError(`scalar "${name}" is ${showType(tile)}`, `give ${spec.dtype.name}, a number or a scalar tile`)
  return tile
}
const refOf = (name: string, spec: RefSpec, u: unknown, source: Source): MemRefImpl => {
  if (!isMemRef(u))
    throw new TypingError(
      `"${name}" is ${isTile(u) ? "a tile" : "no ref"}`,
      "give a ref; Control.runState makes them of tiles"
    )
  if (u.dtype !== spec.dtype.name || !Shape.equals(u.shape, spec.shape))
    throw new TypingError(
      `"${name}" is a ref of ${showType(u)}`,
      `the kernel declares ${showType({ dtype: spec.dtype.name, shape: spec.shape })}`
    )
  if (spec.access !== "in" && u.access === "in") throw new AccessError(u.name, source)
  return u
}
/** An `out` ref starts as 0, so no other ref may be all of its memory, or it of theirs. */
const checkApart = (def: Definition, given: Given): void => {
  for (const [name, ref] of Object.entries(given)) {
    if (!isMemRef(ref) || def.refs[name]!.access !== "out") continue
    const same = Object.entries(given).find(
      ([other, r]) =>
        other !== name && isMemRef(r) && r.name === ref.name && (r.steps.length === 0 || ref.steps.length === 0)
    )
    if (same !== undefined)
      throw new TypingError(
        `"${name}" and "${same[0]}" are both ref "${ref.name}"`,
        "give different refs, or declare one inout ref"
      )
  }
}
const argumentsOf = (def: Definition, u: unknown, source: Source): Given => {
  if (typeof u !== "object" || u === null) throw new TypingError("takes a record of refs")
  const extra = Object.keys(u).find((name) => !Object.hasOwn(def.refs, name))
  if (extra !== undefined) throw new TypingError(`kernel "${def.name}" has no ref "${extra}"`)
  const given = Object.fromEntries(
    Object.entries(def.refs).map(([name, spec]) => [
      name,
      (spec.scalar ? scalarOf : refOf)(name, spec, (u as { readonly [name: string]: unknown })[name], source)
    ])
  )
  checkApart(def, given)
  return given
}

/** Threads of the callee are those of the caller. */
const checkThreads = (state: TraceState, def: Definition): void => {
  if (def.threads === undefined) return
  if (def.threads !== state.threads)
    throw new TypingError(
      `kernel "${def.name}" runs as ${def.threads} threads, and its caller as ${state.threads ?? 1}`,
      `declare as many in the caller: threads: ${def.threads}`
    )
  const zeroed = refDecls(def).find(({ access }) => access === "out")
  if (zeroed !== undefined)
    throw new TypingError(
      `each thread would set "${zeroed.name}" of kernel "${def.name}" to 0`,
      "declare it inout, and set it before the call"
    )
}

/** Runs `body` for each cell of the axes, in row-major order; `ids` collects the positions. */
const cells = (
  grid: ReadonlyArray<GridAxis>,
  semantics: GridAxis["semantics"],
  ids: ReadonlyMap<number, TileImpl>,
  body: (ids: ReadonlyMap<number, TileImpl>) => Traced,
  axis = 0
): Traced => {
  if (axis === grid.length) return body(ids)
  const rest = (i?: TileImpl) =>
    cells(grid, semantics, i === undefined ? ids : new Map([...ids, [axis, i]]), body, axis + 1)
  const { semantics: own, size } = grid[axis]!
  if (own !== semantics) return rest()
  return size === 1 ? rest(constant("i32", 0)) : fori(0, size, undefined, (i) => rest(i))
}

/** The body of the callee, at one cell of its grid. */
const cell = (call: Call, ids: ReadonlyMap<number, TileImpl>, scratch: ReadonlyArray<MemRefImpl>): Traced =>
  Effect.suspend(() => {
    const { def, given, state } = call
    const outer = state.frame
    state.frame = { grid: gridOf(def), programIds: new Map(ids), called: [...outer.called, def] }
    const traced = Effect.suspend(() => {
      const memories = Object.fromEntries(
        Object.entries(def.scratch).map(([name, spec], k) => [name, scratchRefs(spec, scratch[k]!)])
      )
      const refs = { ...bodyRefs(state, def, given), ...memories }
      return runBody(state, () => def.body(refs))
    })
    return Effect.ensuring(
      Effect.map(traced, (value) => {
        if (value !== undefined)
          throw new OperandError("call", new TypingError(`the body of "${def.name}" returns a value`), call.source)
      }),
      Effect.sync(() => {
        state.frame = outer
      })
    )
  })

type WithScratch = (scratch: ReadonlyArray<MemRefImpl>) => Traced
/** Gives `body` scratch, if it is any. */
const scoped = (
  state: TraceState,
  decls: ReadonlyArray<Scratch>,
  source: Source,
  shared: boolean,
  body: WithScratch
) =>
  decls.length === 0
    ? body([])
    : inScope(state, decls, source, body as (refs: ReadonlyArray<MemRefImpl>) => any, shared)
/** The callee's scratch, as a kernel has it: what is the workgroup's, its threads share. */
const ownScratch = ({ def, source, state }: Call, body: WithScratch): Traced => {
  const decls = scratchDecls(def)
  const isShared = (s: Scratch): boolean => def.threads !== undefined && s.space === "workgroup"
  const [shared, own] = [decls.filter(isShared), decls.filter((s) => !isShared(s))]
  return scoped(state, shared, source, true, (a) =>
    scoped(state, own, source, false, (b) => {
      const [next, other] = [[...a], [...b]]
      return body(decls.map((s) => (isShared(s) ? next : other).shift()!))
    })
  )
}

const traceCall = (call: Call): Traced =>
  Effect.gen(function* (): Generator<Effect.Effect<any, any, any>, void, any> {
    const { def, given, source } = call
    const grid = gridOf(def)
    for (const { access, name } of refDecls(def))
      if (access === "out") yield* standingAt(source, () => store(given[name], 0, undefined))
    yield* cells(grid, "parallel", new Map(), (ids) =>
      ownScratch(call, (scratch) => cells(grid, "sequential", ids, (all) => cell(call, all, scratch)))
    )
  })

/** Calls a kernel with refs and scalars by name. */
export const callKernel = (kernel: unknown, refs: unknown) =>
  control("call", (state, source) =>
    Effect.suspend(() => {
      const def = definitions.get(kernel as object)
      try {
        if (def === undefined)
          throw new TypingError("this kernel has no body to call", "call kernels that Kernel.make made")
        if (state.frame.called.includes(def)) throw new TypingError(`kernel "${def.name}" calls itself`)
        checkThreads(state, def)
        return traceCall({ state, def, given: argumentsOf(def, refs, source), source })
      } catch (e) {
        throw e instanceof TypingError ? new OperandError("call", e, source) : e
      }
    })
  )
