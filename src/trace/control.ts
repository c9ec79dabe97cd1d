/** Loops, branches and scopes, as the trace emits them. */
import { Effect } from "effect"
import type { Aval, Region, Scratch, Source } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import { scopedParams } from "../primitives/structural/scoped.ts"
import * as Shape from "../Shape.ts"
import { bounded } from "./affine.ts"
import { type MemRefImpl, scratchRef } from "./ref.ts"
import { memoryOf, scratchRefs, type ScratchRefs, type ScratchSpec, type UnionSpec } from "./scratch.ts"
import { type Block, type BlockKind, foreignAt, type Operation, type TraceState } from "./state.ts"
import { withoutSteady } from "./steady.ts"
import { constant, isTile, OperandError, operand, refuse, TileImpl } from "./tile.ts"
import { formOf, handOn, isToken, over, type TokenImpl } from "./token.ts"
import { type Body, control, operation, runBody } from "./tracer.ts"

/** What loops carry and branches give: a tile, a copy in flight, nothing, or a record of these. */
type Tree = TileImpl | TokenImpl | undefined | { readonly [name: string]: Tree }
type AnyBody = Body<unknown, unknown, unknown> | unknown

const leaves = (tree: Tree, into: Array<TileImpl> = []): Array<TileImpl> => {
  if (tree === undefined || tree === null) return into
  if (isTile(tree)) into.push(tree)
  else if (isToken(tree)) into.push(...handOn(tree))
  else if (typeof tree === "object") for (const key of Object.keys(tree).sort()) leaves((tree as any)[key], into)
  else
    throw new TypingError(
      `a ${typeof tree} cannot be carried`,
      "carry tiles or records of tiles; make a number one with Tile.of"
    )
  return into
}
/** A tree of the same form over other tiles, taken from the front of `tiles`. */
const rebuild = (tree: Tree, tiles: Array<TileImpl>): Tree => {
  if (tree === undefined || tree === null) return tree
  if (isTile(tree)) return tiles.shift()!
  if (isToken(tree)) return over(tree, () => tiles.shift()!)
  return Object.fromEntries(
    Object.keys(tree)
      .sort()
      .map((key) => [key, rebuild((tree as any)[key], tiles)])
  )
}
const form = (tree: Tree): string =>
  tree === undefined || tree === null
    ? "nothing"
    : isTile(tree)
      ? `${tree.dtype}${Shape.show(tree.shape)}`
      : isToken(tree)
        ? formOf(tree)
        : `{ ${Object.keys(tree)
            .sort()
            .map((key) => `${key}: ${form((tree as any)[key])}`)
            .join(", ")} }`

/** The types of what is carried, as messages show them. */
export const showForm = (u: unknown): string =>
  u === undefined || u === null || typeof u === "object" ? form(u as Tree) : `a ${typeof u}`

const attempt = <A>(name: string, source: Source, f: () => A): A => {
  try {
    return f()
  } catch (e) {
    throw e instanceof TypingError ? new OperandError(name, e, source) : foreignAt(e, source)
  }
}

/** Traces a body into a region; what it opened is forgotten if it fails. */
const region = (
  state: TraceState,
  params: ReadonlyArray<Aval>,
  kind: BlockKind,
  body: (block: Block) => AnyBody
): Effect.Effect<{ readonly block: Block; readonly value: unknown }, unknown, unknown> =>
  Effect.suspend(() => {
    const block = state.open(params, kind)
    return runBody(state, () => body(block)).pipe(
      Effect.map((value) => ({ block, value })),
      Effect.onError(() => Effect.sync(() => state.abandon(block)))
    )
  })

const closeAs = (state: TraceState, block: Block, name: string, source: Source, expected: Tree, got: unknown): Region =>
  attempt(name, source, () => {
    const results = leaves(got as Tree)
    if (form(got as Tree) !== form(expected))
      throw new TypingError(
        `the body gives ${form(got as Tree)}, the carry is ${form(expected)}`,
        "a carry keeps its dtype and shape"
      )
    return state.close(block, results)
  })

/** Which of the leaves of a tree are carried beside the data of a copy. */
const beside = (tree: Tree): ReadonlyArray<boolean> => {
  if (tree === undefined || tree === null) return []
  if (isTile(tree)) return [false]
  if (isToken(tree)) return handOn(tree).map((_, k) => k > 0)
  return Object.keys(tree)
    .sort()
    .flatMap((key) => beside((tree as any)[key]))
}
/** Emits a loop over its carries, and gives these as it leaves them. */
const emitLoop = (state: TraceState, loop: Operation, init: Tree, carried: ReadonlyArray<TileImpl>): Tree => {
  const atoms = attempt(loop.primitive, loop.source!, () => carried.map((t) => state.atom(t)))
  const { regions, steady } = withoutSteady({ init: atoms, regions: loop.regions! }, beside(init))
  const operands = [...(loop.operands ?? []), ...carried.filter((_, k) => !steady[k])]
  const left = [...state.emit({ ...loop, operands, regions })]
  return rebuild(
    init,
    carried.map((t, k) => (steady[k] ? t : left.shift()!))
  )
}

export const fori = (lo: unknown, hi: unknown, init: Tree, body: (i: TileImpl, carry: Tree) => AnyBody) =>
  control("fori", (state, source) => {
    const [from, to] = attempt("fori", source, () => [
      operand("fori", lo, "i32", source),
      operand("fori", hi, "i32", source)
    ]) as [TileImpl, TileImpl]
    const carried = attempt("fori", source, () => leaves(init))
    attempt("fori", source, () => carried.forEach((t) => state.atom(t)))
    return region(state, [{ dtype: "i32", shape: [] }, ...carried], "loop", (block) => {
      const [i, ...carry] = state.tiles(block)
      return body(inRange(i!, from, to), rebuild(init, carry))
    }).pipe(
      Effect.map(({ block, value }) => {
        const traced = closeAs(state, block, "fori", source, init, value)
        return emitLoop(state, { primitive: "fori", operands: [from, to], regions: [traced], source }, init, carried)
      })
    )
  })
const inRange = (i: TileImpl, from: TileImpl, to: TileImpl): TileImpl =>
  from.literal?._tag === "Literal" && to.literal?._tag === "Literal"
    ? bounded(i, from.literal.value, Math.max(from.literal.value, to.literal.value - 1))
    : i

export const whileLoop = (init: Tree, condition: (carry: Tree) => AnyBody, body: (carry: Tree) => AnyBody) =>
  control("while", (state, source) =>
    Effect.gen(function* () {
      const carried = attempt("while", source, () => leaves(init))
      const test = yield* region(state, carried, "loop", (block) => condition(rebuild(init, [...state.tiles(block)])))
      const tested = closeTest(state, test.block, source, test.value)
      const step = yield* region(state, carried, "loop", (block) => body(rebuild(init, [...state.tiles(block)])))
      const stepped = closeAs(state, step.block, "while", source, init, step.value)
      return emitLoop(state, { primitive: "while", regions: [tested, stepped], source }, init, carried)
    })
  )
const closeTest = (state: TraceState, block: Block, source: Source, value: unknown): Region =>
  attempt("while", source, () => {
    if (!isTile(value) || value.dtype !== "bool" || value.shape.length > 0)
      throw new TypingError(
        `the condition gives ${isTile(value) ? form(value) : typeof value}`,
        "a condition is a bool scalar"
      )
    return state.close(block, [value])
  })

export const cond = (name: string, predicate: unknown, onTrue: () => AnyBody, onFalse: () => AnyBody) =>
  control(name, (state, source) =>
    Effect.gen(function* () {
      const test = checkPredicate(name, source, predicate)
      const yes = yield* region(state, [], "branch", onTrue)
      const shape = yes.value as Tree
      const then = attempt(name, source, () => state.close(yes.block, leaves(shape)))
      const no = yield* region(state, [], "branch", onFalse)
      const otherwise = closeBranch(state, no.block, name, source, shape, no.value)
      return rebuild(shape, [
        ...state.emit({ primitive: "cond", operands: [test], regions: [then, otherwise], source })
      ])
    })
  )
const checkPredicate = (name: string, source: Source, u: unknown): TileImpl =>
  attempt(name, source, () => {
    const test = operand(name, u, "bool", source)
    if (test.dtype !== "bool" || test.shape.length > 0)
      throw new TypingError(
        `the condition is ${form(test)}`,
        "branch on a bool scalar; for a tile of conditions use Tile.select"
      )
    return test
  })
const closeBranch = (
  state: TraceState,
  block: Block,
  name: string,
  source: Source,
  expected: Tree,
  got: unknown
): Region =>
  attempt(name, source, () => {
    if (form(got as Tree) !== form(expected))
      throw new TypingError(
        `one branch gives ${form(expected)}, the other ${form(got as Tree)}`,
        "branches give the same types"
      )
    return state.close(block, leaves(got as Tree))
  })

const checkCollective = (collective: unknown, source: Source): boolean =>
  typeof collective === "boolean"
    ? collective
    : refuse("scoped", source, `\`collective\` is ${String(collective)}`, "give true or false")
/** Scratch that lives as long as the body runs. */
export const scoped = (
  spec: ScratchSpec | UnionSpec,
  body: (refs: ScratchRefs) => AnyBody,
  options: { readonly collective?: unknown } = {}
) =>
  control("scoped", (state, source) => {
    const collective = checkCollective(options.collective ?? false, source)
    const name = state.uniqueName(("role" in spec && spec.role?.kind) || "scratch")
    const memory = attempt("scoped", source, () => memoryOf(name, spec))
    return inScope(state, [{ name, ...memory }], source, ([ref]) => body(scratchRefs(spec, ref!)), collective)
  })
/**
 * Runs a body with several scratch refs in one scope, which get names that nothing else has. Threads share them if they are
 * collective.
 */
export const inScope = (
  state: TraceState,
  decls: ReadonlyArray<Scratch>,
  source: Source,
  body: (refs: ReadonlyArray<MemRefImpl>) => AnyBody,
  collective = false
): Effect.Effect<unknown, unknown, unknown> =>
  Effect.suspend(() => {
    const scratch = decls.map((decl): Scratch => {
      const named = { ...decl, name: state.uniqueName(decl.name) }
      state.refs.set(named.name, named)
      return named
    })
    const traced = region(state, [], "scope", (block) =>
      body(scratch.map((s) => scratchRef(s, { state, block }) as MemRefImpl))
    )
    return Effect.map(traced, ({ block, value }) => {
      const tree = value as Tree
      const closed = attempt("scoped", source, () => state.close(block, leaves(tree), scratch))
      const params = scopedParams(collective)
      return rebuild(tree, [...state.emit({ primitive: "scoped", params, regions: [closed], source })])
    })
  })
const gridAxis = (state: TraceState, name: string, axis: number): number => {
  if (!Number.isInteger(axis) || axis < 0 || axis >= state.grid.length)
    throw new TypingError(`${name}(${axis}) in a grid of ${state.grid.length} axes`)
  return axis
}
/** The program id of an axis as a tile; the same tile each time, so that index forms know it again. */
export const programIdTile = (state: TraceState, axis: number): TileImpl => {
  let tile = state.programIds.get(axis)
  if (tile === undefined) {
    tile = new TileImpl({ dtype: "i32", shape: [] }, { primitive: "programId", params: { axis } })
    state.programIds.set(axis, bounded(tile, 0, Math.max(0, state.grid[axis]!.size - 1)))
  }
  return tile
}
export const programId = (axis: number) =>
  operation("programId", (state, source) =>
    attempt("programId", source, () => programIdTile(state, gridAxis(state, "programId", axis)))
  )
export const threadId = () =>
  operation("threadId", (state, source) => {
    const [id] = state.emit({ primitive: "threadId", source })
    return bounded(id!, 0, (state.threads ?? 1) - 1)
  })
export const numPrograms = (axis: number) =>
  operation("numPrograms", (state, source) =>
    attempt("numPrograms", source, () => constant("i32", state.grid[gridAxis(state, "numPrograms", axis)]!.size))
  )
