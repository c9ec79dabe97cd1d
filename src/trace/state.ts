/**
 * The state of one trace: the regions that are open, and what has been emitted into them.
 */
import type {
  Atom,
  Aval,
  Effect,
  Eqn,
  GridAxis,
  InlineDef,
  Params,
  RefType,
  RefUse,
  Region,
  Scratch,
  Source,
  Var
} from "../ir/program.ts"
import { isVar } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import type { Scope } from "../ir/primitive.ts"
import { primitive } from "../primitives/index.ts"
import { type Binding, bound, OperandError, type Place, type TileImpl } from "./tile.ts"

/** How often a region runs where it stands: once, any number of times, or once or not at all. */
export type BlockKind = "scope" | "loop" | "branch"
/** A region while it is being traced. */
export interface Block {
  readonly depth: number
  readonly trace: TraceState
  readonly kind: BlockKind
  readonly params: ReadonlyArray<Var>
  readonly eqns: Array<Eqn>
  /** Pure equations that were emitted here, by what they compute. */
  readonly known: Map<string, Binding>
}
/** Where in which grid a body stands. */
export interface Frame {
  readonly grid: ReadonlyArray<GridAxis>
  readonly programIds: Map<number, TileImpl>
  /** The kernels whose bodies are being traced inside the trace's own. */
  readonly called: ReadonlyArray<object>
}
/** A use of a tile or ref where it does not belong. */
export class ForeignError extends Error {
  readonly what: string
  readonly detail: string
  readonly source: Source | undefined
  constructor(what: string, detail: string, source?: Source) {
    super(detail)
    this.name = "ForeignError"
    this.what = what
    this.detail = detail
    this.source = source
  }
}

/** Work in flight that is not waited for once, on every path. */
export class BalanceError extends Error {
  readonly primitive: string
  readonly ref: string
  readonly detail: string
  readonly hint: string
  readonly source: Source | undefined
  constructor(primitive: string, ref: string, detail: string, hint: string, source: Source | undefined) {
    super(detail)
    this.name = "BalanceError"
    this.primitive = primitive
    this.ref = ref
    this.detail = detail
    this.hint = hint
    this.source = source
  }
}

/** The mistake with a place, if it is a foreign value and has none yet. */
export const foreignAt = (e: unknown, source: Source): unknown =>
  e instanceof ForeignError && e.source === undefined ? new ForeignError(e.what, e.detail, source) : e

/** An equation with effects, before it is emitted. */
export interface Operation {
  readonly primitive: string
  readonly params?: Params
  readonly operands?: ReadonlyArray<TileImpl>
  readonly indices?: ReadonlyArray<TileImpl>
  readonly refs?: ReadonlyArray<RefUse>
  readonly regions?: ReadonlyArray<Region>
  readonly source: Source | undefined
}
const none: ReadonlyArray<never> = []

export class TraceState {
  readonly kernel: string
  /** Threads of each program instance, if the kernel declares any. */
  readonly threads: number | undefined
  /** The grid of the kernel whose body is being traced, and its program ids: those of a kernel that is called are others. */
  frame: Frame
  readonly refs = new Map<string, RefType>()
  readonly inlines = new Map<string, InlineDef>()
  /** Operations made inside the body and not run yet. */
  readonly pending = new Map<object, { readonly primitive: string; readonly source: Source }>()
  private readonly stack: Array<Block> = []
  private nextVar: number

  constructor(kernel: string, grid: ReadonlyArray<GridAxis>, threads: number | undefined, nextVar = 0) {
    this.kernel = kernel
    this.threads = threads
    this.frame = { grid, programIds: new Map(), called: [] }
    this.nextVar = nextVar
    this.open([], "scope")
  }

  fresh = (aval: Aval): Var => ({ _tag: "Var", id: this.nextVar++, dtype: aval.dtype, shape: aval.shape })
  get grid(): ReadonlyArray<GridAxis> {
    return this.frame.grid
  }
  get programIds(): Map<number, TileImpl> {
    return this.frame.programIds
  }
  /** The blocks that are open, outer first. */
  get blocks(): ReadonlyArray<Block> {
    return this.stack
  }
  get current(): Block {
    return this.stack.at(-1)!
  }
  open(params: ReadonlyArray<Aval>, kind: BlockKind): Block {
    const block: Block = {
      depth: this.stack.length,
      trace: this,
      kind,
      params: params.map(this.fresh),
      eqns: [],
      known: new Map()
    }
    this.stack.push(block)
    return block
  }
  /** Closes a block into a region that gives these tiles. */
  close(block: Block, results: ReadonlyArray<TileImpl>, refs: ReadonlyArray<Scratch> = []): Region {
    const atoms = results.map((t) => this.atom(t))
    this.abandon(block)
    return { params: block.params, refs, eqns: block.eqns, results: atoms }
  }
  /** Forgets a block and what was opened inside it. */
  abandon(block: Block): void {
    this.stack.length = block.depth
  }
  isOpen(block: Place): boolean {
    return this.stack[block.depth] === block
  }
  tiles(block: Block): ReadonlyArray<TileImpl> {
    return block.params.map((v) => bound(v, { atom: v, block }))
  }

  /** A name that no other ref of the program has. */
  uniqueName(wanted: string): string {
    let name = wanted
    for (let n = 1; this.refs.has(name); n++) name = `${wanted}_${n}`
    return name
  }

  /** The atom of a tile, emitting what makes it where that has not happened yet. */
  atom(tile: TileImpl): Atom {
    const ready = this.find(tile)
    if (ready !== undefined) return ready
    const todo = [tile]
    while (todo.length > 0) {
      const next = todo.at(-1)!
      const missing = next.operands.filter((o) => this.find(o) === undefined)
      if (missing.length > 0) todo.push(...missing)
      else {
        if (this.find(next) === undefined) this.emitPure(next)
        todo.pop()
      }
    }
    return this.find(tile)!
  }

  private find(tile: TileImpl): Atom | undefined {
    if (tile.literal !== undefined) return tile.literal
    if (tile.binding !== undefined) return this.inScope(tile)
    const { emitted } = tile
    return emitted !== undefined && emitted.block.trace === this && this.isOpen(emitted.block)
      ? emitted.atom
      : undefined
  }
  private inScope(tile: TileImpl): Atom {
    const { atom, block } = tile.binding!
    if (block.trace !== this)
      throw new ForeignError(
        `a tile of kernel "${block.trace.kernel}"`,
        "a tile has no value outside the kernel that made it"
      )
    if (!this.isOpen(block))
      throw new ForeignError(
        "a tile",
        "it was made inside a loop, branch or scope that has ended; carry it out as a result"
      )
    return atom
  }

  /** Fails if a tile is made from what this trace does not know. */
  checkOwn(tile: TileImpl): void {
    const seen = new Set<TileImpl>()
    const todo = [tile]
    while (todo.length > 0) {
      const next = todo.pop()!
      if (seen.has(next)) continue
      seen.add(next)
      if (next.binding !== undefined) this.inScope(next)
      todo.push(...next.operands)
    }
  }

  /** Depth of the outermost block where a pure tile may be computed. */
  private depthOf(tile: TileImpl): number {
    // What needs nothing (ids, scalar parameters) is the same everywhere, and dear nowhere.
    if (tile.operands.length === 0 && tile.shape.length === 0) return 0
    let depth = 0
    for (const o of tile.operands) depth = Math.max(depth, this.depthOfValue(o))
    // A branch may not run at all: pure work stays inside, instead of moving out to where its operands are known.
    for (let d = this.stack.length - 1; d > depth; d--) if (this.stack[d]!.kind === "branch") return d
    return depth
  }
  private depthOfValue(tile: TileImpl): number {
    if (tile.literal !== undefined) return 0
    if (tile.binding !== undefined) return tile.binding.block.depth
    return tile.emitted!.block.depth
  }

  private emitPure(tile: TileImpl): void {
    const operands = tile.operands.map((o) => this.find(o)!)
    const block = this.stack[this.depthOf(tile)]!
    const key = pureKey(tile, operands)
    const known = this.known(key)
    if (known !== undefined) return void (tile.emitted = known)
    const result = this.fresh(tile)
    block.eqns.push({
      primitive: tile.primitive!,
      params: tile.params,
      operands,
      indices: none,
      refs: tile.refs,
      regions: none,
      results: [result],
      effects: primitive(tile.primitive!)!.effects(
        { params: tile.params, operands, indices: none, refs: tile.refs, regions: none },
        this.scope
      ),
      source: tile.source
    })
    tile.emitted = { atom: result, block }
    block.known.set(key, tile.emitted)
  }
  private known(key: string): Binding | undefined {
    for (const block of this.stack) {
      const v = block.known.get(key)
      if (v !== undefined) return v
    }
    return undefined
  }

  /** Emits an equation at the place where the trace stands; gives its results as tiles. */
  emit(op: Operation): ReadonlyArray<TileImpl> {
    const block = this.current
    const rule = primitive(op.primitive)!
    const draft = this.placed(op, () => ({
      params: op.params ?? {},
      operands: (op.operands ?? none).map((t) => this.atom(t)),
      indices: (op.indices ?? none).map((t) => this.atom(t)),
      refs: op.refs ?? none,
      regions: op.regions ?? none
    }))
    const results = this.placed(op, () => rule.typing(draft, this.scope)).map(this.fresh)
    const effects: ReadonlyArray<Effect> = rule.effects(draft, this.scope)
    block.eqns.push({ primitive: op.primitive, ...draft, results, effects, source: op.source })
    return results.map((v) => bound(v, { atom: v, block }))
  }
  /** What is wrong with an operation stands where the operation stands. */
  private placed<A>(op: Operation, f: () => A): A {
    try {
      return f()
    } catch (e) {
      if (op.source === undefined) throw e
      throw e instanceof TypingError ? new OperandError(op.primitive, e, op.source) : foreignAt(e, op.source)
    }
  }
  private readonly scope: Scope = {
    ref: (name) => {
      const aval = this.refs.get(name)
      if (aval === undefined) throw new TypingError(`no ref "${name}" in this kernel`)
      return aval
    },
    rank: Number.POSITIVE_INFINITY,
    inline: (name) => this.inlines.get(name)!
  }
}

const pureKey = (tile: TileImpl, operands: ReadonlyArray<Atom>): string => {
  const of = operands.map((a) => (isVar(a) ? `%${a.id}` : `${a.dtype}:${Object.is(a.value, -0) ? "-0" : a.value}`))
  const params = tile.params
  const shown = Object.keys(params).length === 0 ? "" : JSON.stringify(params)
  return `${tile.primitive} ${of.join(" ")} ${shown} ${tile.refs.map((r) => r.name).join(" ")}`
}
