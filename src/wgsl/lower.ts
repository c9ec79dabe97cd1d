/** From the IR to the lowered form, for layouts that have been decided. */
import * as E from "../ir/expr.ts"
import { type Expr, type Lowered, type Memory, programIndex } from "../ir/lowered.ts"
import type { Program, Region } from "../ir/program.ts"
import * as View from "../ir/view.ts"
import type { Decided } from "../Schedule.ts"
import type * as Shape from "../Shape.ts"
import type { Allocation } from "./allocate.ts"
import { Block } from "./block.ts"
import { Builder } from "./builder.ts"
import { comment } from "./comments.ts"
import { slotIn, type State } from "./elements.ts"
import type { Facts, Site } from "./facts.ts"
import type { Layouts } from "./layouts.ts"
import type { Namer } from "./names.ts"

export interface Plan {
  readonly program: Program
  readonly schedule: Decided
  readonly facts: Facts
  readonly layouts: Layouts
  readonly allocation: Allocation
  readonly names: Namer
  /** Bound refs, in order. */
  readonly refs: ReadonlyMap<string, Memory>
  /** Whether comments say where equations were written. */
  readonly positions: boolean
}

const emitEqn = (state: State, block: Block, site: Site): void => {
  const { eqn, rule } = site
  if (rule._tag === "Block") rule.emit(block, eqn)
  else {
    const result = eqn.results[0]!
    const layout = state.layouts.of(result)
    if (layout === "Lazy") return
    if (layout === "Splat") {
      const zeros = result.shape.map(() => E.integer(0))
      const at = { shape: result.shape, coords: () => zeros, linear: () => E.integer(0), slot: E.integer(0), key: "0" }
      state.splats.set(result.id, block.let(`v${result.id}`, block.compute(site, at)))
    } else block.each(result.shape, (element) => block.result(result, element, block.compute(site, element)))
  }
  block.release()
}

/** Fresh scratch reads as 0. */
const zero = (block: Block, memory: Memory, shape: Shape.Shape): void =>
  block.eachOf(memory, shape, (element) =>
    block.emit({
      _tag: "Store",
      memory: memory.name,
      index: memory.space === "register" ? slotIn(memory, element)! : element.linear(),
      value: E.zero(memory.dtype)
    })
  )

const emitRegion = (state: State, block: Block, region: Region, positions: boolean): void => {
  for (const eqn of region.eqns) {
    const site = state.facts.siteOf.get(eqn)!
    if (state.layouts.isLive(site))
      state.builder.commented(
        () => comment(eqn, positions),
        () => emitEqn(state, block, site)
      )
  }
}
const zeroRefs = (state: State, block: Block, region: Region, fresh: (memory: Memory) => boolean): void => {
  for (const ref of region.refs) {
    const memory = state.refs.get(ref.name)
    if (memory !== undefined && !fresh(memory)) zero(block, memory, ref.shape)
  }
}

/** Runs `body` in loops over the sequential axes; `ids` gets each axis' coordinate. */
const cells = (builder: Builder, block: Block, program: Program, ids: Array<Expr>, body: () => void): void => {
  const parallel = program.grid.filter((a) => a.semantics === "parallel").map((a) => a.size)
  const free = [...View.delinearise(builder.algebra, parallel, programIndex)]
  program.grid.forEach((a, axis) => {
    if (a.semantics === "parallel") ids[axis] = free.shift()!
  })
  const step = (axis: number): void => {
    const a = program.grid[axis]
    if (a === undefined) body()
    else if (a.semantics === "parallel") step(axis + 1)
    else
      block.loop("turn", E.integer(0), E.integer(a.size), (id) => {
        ids[axis] = id
        step(axis + 1)
      })
  }
  step(0)
}

/** Number of the sequential cell that stands at these coordinates. */
const cellAt = (builder: Builder, program: Program, ids: ReadonlyArray<Expr>): Expr => {
  const axes = program.grid.flatMap((a, axis) => (a.semantics === "sequential" ? [axis] : []))
  return View.linearise(
    builder.algebra,
    axes.map((axis) => program.grid[axis]!.size),
    axes.map((axis) => ids[axis]!)
  )
}

export const programsOf = (program: Program): number =>
  program.grid.reduce((n, a) => (a.semantics === "parallel" ? n * a.size : n), 1)

/** Spilled memory is one buffer: if some of its elements are atomic, all are. */
const spilledAlike = (memories: ReadonlyArray<Memory>): ReadonlyArray<Memory> => {
  const atomic = memories.some((m) => m.space === "spill" && m.atomic)
  return memories.map((m) => (m.space === "spill" ? { ...m, atomic } : m))
}

export const lower = (plan: Plan): Lowered => {
  const { allocation, program, refs } = plan
  const builder = new Builder(plan.names)
  const programs = programsOf(program)
  builder.bound("program", { lo: 0, hi: Math.max(0, programs - 1) })
  const programId: Array<Expr> = []
  const state: State = {
    program,
    facts: plan.facts,
    layouts: plan.layouts,
    allocation,
    builder,
    refs: new Map([...refs, ...allocation.scratch]),
    programId,
    splats: new Map(),
    workgroupSize: plan.schedule.workgroupSize,
    cell: () => cellAt(builder, program, programId),
    sites: []
  }
  const block: Block = new Block(state, (region) => {
    zeroRefs(state, block, region, () => false)
    emitRegion(state, block, region, plan.positions)
  })
  const body = builder.block(() => {
    zeroRefs(state, block, program.body, (memory) => memory.space !== "spill")
    cells(builder, block, program, programId, () => emitRegion(state, block, program.body, plan.positions))
  })
  return {
    name: program.name,
    workgroupSize: plan.schedule.workgroupSize,
    programs,
    memories: [...refs.values(), ...spilledAlike(allocation.arena.memories)],
    body,
    sites: state.sites
  }
}
