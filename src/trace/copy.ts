/** Asynchronous copies, as the trace emits them. */
import type { Effect } from "effect"
import { showType } from "../ir/aval.ts"
import { isVar, type Source } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import { Collector } from "./affine.ts"
import { checkLanding, type Landing, landings } from "../primitives/structural/copy.ts"
import * as Shape from "../Shape.ts"
import { masked, writable } from "./access.ts"
import { checkedRef, isRoleRef, type MemRefImpl, use } from "./ref.ts"
import { BalanceError, type Block, ForeignError, type Frame, type TraceState } from "./state.ts"
import { lift, OperandError, operand, refuse, type TileImpl } from "./tile.ts"
import { isToken, TokenImpl } from "./token.ts"
import { operation } from "./tracer.ts"

export interface Options {
  readonly barrier?: unknown
  readonly when?: unknown
  readonly mask?: unknown
  readonly op?: unknown
}

const attempt = <A>(source: Source, f: () => A): A => {
  try {
    return f()
  } catch (e) {
    throw e instanceof TypingError ? new OperandError("copyStart", e, source) : e
  }
}

const checkSame = (from: MemRefImpl, to: MemRefImpl, source: Source): void => {
  if (from.dtype !== to.dtype)
    refuse(
      "copyStart",
      source,
      `"${from.name}" is ${from.dtype}, "${to.name}" is ${to.dtype}`,
      "load, convert and store"
    )
  if (!Shape.equals(from.shape, to.shape))
    refuse(
      "copyStart",
      source,
      `"${from.name}" shows ${showType(from)}, "${to.name}" ${showType(to)}`,
      "copy between views of equal shape"
    )
}
const landingIn = (op: unknown, to: MemRefImpl, source: Source): Landing => {
  const landing =
    landings.find((known) => known === (op ?? "store")) ??
    refuse("copyStart", source, `a copy cannot land by ${String(op)}`, `use ${landings.join(", ")}`)
  attempt(source, () => checkLanding(landing, to))
  return landing
}
const predicate = (when: unknown, source: Source): TileImpl | undefined => {
  if (when === undefined) return undefined
  const tile = operand("copyStart", when, "bool", source)
  return tile.dtype === "bool" && tile.shape.length === 0
    ? tile
    : refuse(
        "copyStart",
        source,
        `\`when\` is ${showType(tile)}`,
        "give a bool scalar; for a tile of conditions use mask"
      )
}
/** Where the data is copied, as operands. */
const where = (when: TileImpl | undefined, mask: TileImpl | undefined): ReadonlyArray<TileImpl> =>
  mask === undefined ? (when === undefined ? [] : [when]) : [when === undefined ? mask : lift("and", [mask, when])]

/**
 * Copies that were started in a block: those that arrive at a barrier, by which of them, those since the last commit, and the
 * groups that were committed.
 */
interface Queue {
  arriving: Array<{ readonly at: string; readonly token: TokenImpl }>
  open: Array<TokenImpl>
  groups: Array<{ readonly frame: Frame; readonly tokens: ReadonlyArray<TokenImpl> }>
}
const queues = new WeakMap<Block, Queue>()
const queueOf = (block: Block): Queue => {
  let queue = queues.get(block)
  if (queue === undefined) queues.set(block, (queue = { arriving: [], open: [], groups: [] }))
  return queue
}

/** What is copied where, and how. */
const checked = (source: Source, src: unknown, dst: unknown, options: Options) => {
  const from = checkedRef("copyStart", src, source)
  const to = writable("copyStart", dst, source)
  checkSame(from, to, source)
  const op = landingIn(options.op, to, source)
  const when = predicate(options.when, source)
  const [mask] = masked("copyStart", from, options, source)
  return { from, to, op, when, mask }
}
/** Starts a copy, which no group knows yet. */
export const launch = (
  state: TraceState,
  source: Source,
  src: unknown,
  dst: unknown,
  options: Options = {}
): TokenImpl => {
  const { from, mask, op, to, when } = checked(source, src, dst, options)
  // The destination must be in reach, though nothing looks at it yet.
  use(state, to, source)
  const { indices, use: view } = use(state, from, source)
  const operands = where(when, mask)
  const params = { to: to.name }
  const [data] = state.emit({ primitive: "copyStart", params, operands, indices, refs: [view], source })
  return new TokenImpl({ data: data!, to, op, when, mask, source })
}
/** A copy that lands on its own, and arrives at a barrier where any thread may wait for it. */
const arrive = (state: TraceState, source: Source, src: unknown, dst: unknown, options: Options): void => {
  const { from, mask, op, to, when } = checked(source, src, dst, options)
  const into = new Collector()
  const refs = [from, to, barrierOf(options.barrier, source)].map((ref) => use(state, ref, source, into).use)
  state.emit({
    primitive: "copyArrive",
    params: { op },
    operands: where(when, mask),
    indices: into.tiles,
    refs,
    source
  })
}
export const start = (src: unknown, dst: unknown, options: Options = {}): Effect.Effect<TokenImpl | undefined> =>
  operation("copyStart", (state, source) => {
    if (options.barrier !== undefined && state.threads !== undefined)
      return void arrive(state, source, src, dst, options)
    const token = launch(state, source, src, dst, options)
    const { arriving, open } = queueOf(state.current)
    if (options.barrier === undefined) open.push(token)
    else arriving.push({ at: placeOf(state, options.barrier, source), token })
    return options.barrier === undefined ? token : undefined
  })

const barrierOf = (barrier: unknown, source: Source): MemRefImpl =>
  isRoleRef(barrier) && barrier.role.kind === "barrier"
    ? barrier.ref
    : refuse("copyStart", source, "`barrier` is no barrier", "declare one with Barrier.scratch")
/** Which barrier it is, as far as the trace knows. */
const placeOf = (state: TraceState, barrier: unknown, source: Source): string => {
  const { indices, use: view } = use(state, barrierOf(barrier, source), source)
  const atoms = indices.map((tile) => state.atom(tile)).map((a) => (isVar(a) ? `%${a.id}` : a.value))
  return JSON.stringify([state.frame.called.length, view, atoms])
}
/** Lets the copies land that arrive at a barrier, oldest first; gives how many there are. */
export const landAt = (state: TraceState, barrier: unknown, source: Source): number => {
  const at = placeOf(state, barrier, source)
  const all = state.blocks.flatMap((block) =>
    queueOf(block).arriving.flatMap((a) => (a.at === at ? [{ block, token: a.token }] : []))
  )
  for (const { block, token } of all) checkReach("barrierWait", state, block, token, source)
  for (const { block, token } of all) {
    const queue = queueOf(block)
    queue.arriving = queue.arriving.filter((a) => a.token !== token)
    land(state, token, source)
  }
  return all.length
}

/** Lets what a copy sent on its way land. */
export const land = (state: TraceState, token: TokenImpl, source: Source): void => {
  const { data, mask, op, to, when } = token.flight
  const { block } = data.binding!
  if (block.trace !== state || !state.isOpen(block))
    throw new ForeignError(
      `the copy to "${to.name}"`,
      block.trace === state
        ? "it was started, or carried, inside a loop, branch or scope that has ended; hand it out as a result"
        : `it belongs to kernel "${block.trace.kernel}"`,
      source
    )
  token.taken = true
  const { indices, use: view } = use(state, to, source)
  const operands = [data, ...where(when, mask)]
  state.emit({ primitive: "copyWait", params: { op }, operands, indices, refs: [view], source })
}
export const wait = (token: unknown): Effect.Effect<void> =>
  operation("copyWait", (state, source) => {
    if (!isToken(token)) return refuse("copyWait", source, "what it waits for is no token", "give what Copy.start gave")
    land(state, token, source)
  })

export const commit = (): Effect.Effect<void> =>
  operation("commit", (state) => {
    const queue = queueOf(state.current)
    queue.groups.push({ frame: state.frame, tokens: queue.open })
    queue.open = []
  })

/** Fails where the block of a group does not run exactly as often as the place where the trace stands. */
const checkReach = (primitive: string, state: TraceState, block: Block, token: TokenImpl, source: Source): void => {
  const between = state.blocks.slice(block.depth + 1).find(({ kind }) => kind !== "scope")
  if (between !== undefined)
    throw new BalanceError(
      primitive,
      token.flight.to.name,
      `a copy that was started outside of a ${between.kind} is waited for inside`,
      `carry its token through the ${between.kind} and use Copy.wait, or wait for it before`,
      source
    )
}
/** Waits for the oldest groups of the kernel's body until `n` are left. */
export const waitGroups = (n: number): Effect.Effect<void> =>
  operation("waitGroups", (state, source) => {
    if (!Number.isInteger(n) || n < 0)
      refuse("waitGroups", source, `${String(n)} groups`, "give a whole number of at least 0")
    const all = state.blocks.flatMap((block) =>
      queueOf(block)
        .groups.filter((group) => group.frame === state.frame)
        .map((group) => ({ block, group }))
    )
    for (const { block, group } of all.slice(0, Math.max(0, all.length - n))) {
      const waiting = group.tokens.filter((token) => !token.taken)
      for (const token of waiting) checkReach("waitGroups", state, block, token, source)
      for (const token of waiting) land(state, token, source)
      const queue = queueOf(block)
      queue.groups = queue.groups.filter((other) => other !== group)
    }
  })

export const fence = (): Effect.Effect<void> =>
  operation("fence", (state, source) => void state.emit({ primitive: "fence", source }))
