/** Gives inlines that a program leaves open the rules that an interpreter was taught. */
import { Effect } from "effect"
import type { KernelError } from "../Errors.ts"
import { type Eqn, equations, type InlineDef, type Program, refTypes, type Region } from "../ir/program.ts"
import { viewAval } from "../ir/view.ts"
import { resultsOf, type Rule } from "./inline.ts"
import { traceError } from "./kernel.ts"
import { MemRefImpl } from "./ref.ts"
import { TraceState } from "./state.ts"
import { bound, type TileImpl } from "./tile.ts"
import { tokenMistake } from "./token.ts"
import { runBody, Tracer } from "./tracer.ts"

const lastVar = (region: Region): number => {
  let last = Math.max(-1, ...region.params.map((v) => v.id))
  for (const eqn of equations(region)) {
    for (const v of eqn.results) last = Math.max(last, v.id)
    for (const inner of eqn.regions) for (const v of inner.params) last = Math.max(last, v.id)
  }
  return last
}
const outer = (state: TraceState, atom: Eqn["operands"][number]): TileImpl =>
  bound(atom, { atom, block: state.current })

/** The operands of a call, by name: parameters for tiles, refs with their views. */
const operandsOf = (
  state: TraceState,
  def: InlineDef,
  eqn: Eqn,
  indices: ReadonlyArray<TileImpl>,
  tiles: ReadonlyArray<TileImpl>
) => {
  let tile = 0
  let ref = 0
  return Object.fromEntries(
    def.args.map((arg) => {
      if (arg.kind === "tile") return [arg.name, tiles[tile++]!]
      const use = eqn.refs[ref++]!
      const aval = viewAval(use.view, state.refs.get(use.name)!, indices)
      const steps = use.view.map((transform) => ({ _tag: "Given" as const, transform, indices }))
      return [
        arg.name,
        new MemRefImpl(use.name, aval, arg.kind === "read" ? "in" : "inout", { state, block: state.current }, steps)
      ]
    })
  )
}

const traceInto = (state: TraceState, def: InlineDef, eqn: Eqn, rule: Rule): Effect.Effect<Region, unknown, unknown> =>
  Effect.suspend(() => {
    const indices = eqn.indices.map((a) => outer(state, a))
    const block = state.open(eqn.operands, "scope")
    const operands = operandsOf(state, def, eqn, indices, state.tiles(block))
    return runBody(state, () => rule(operands)).pipe(
      Effect.provideService(Tracer, state),
      Effect.map((value) => {
        const shapes = eqn.results.map((v) => v.shape)
        const region = state.close(block, resultsOf(def, value, shapes, eqn.source))
        const mistake = tokenMistake(region)
        if (mistake !== undefined) throw mistake
        // What needs no operand was put in front of the block, where nothing is kept.
        return { ...region, eqns: [...state.current.eqns, ...region.eqns] }
      })
    )
  })

interface Work {
  readonly program: Program
  readonly rules: ReadonlyMap<string, Rule>
  next: number
}
const attachEqn = (work: Work, eqn: Eqn): Effect.Effect<Eqn, unknown, unknown> => {
  const rule =
    eqn.primitive === "inline" && eqn.regions.length === 0 ? work.rules.get(String(eqn.params["inline"])) : undefined
  if (rule === undefined)
    return eqn.regions.length === 0
      ? Effect.succeed(eqn)
      : Effect.map(
          Effect.forEach(eqn.regions, (r) => attachRegion(work, r)),
          (regions) => withEffects({ ...eqn, regions })
        )
  return Effect.suspend(() => {
    const state = new TraceState(work.program.name, work.program.grid, work.program.threads, work.next)
    for (const [name, aval] of refTypes(work.program)) state.refs.set(name, aval)
    return Effect.map(traceInto(state, work.program.inlines[String(eqn.params["inline"])]!, eqn, rule), (region) => {
      work.next = Math.max(work.next, lastVar(region) + 1)
      return { ...eqn, regions: [region], effects: eqn.effects.filter((e) => e._tag !== "Inline") }
    })
  })
}
/** Effects of a loop or branch whose regions have lost some: those that none of them has any more. */
const withEffects = (eqn: Eqn): Eqn => {
  const left = new Set(
    eqn.regions.flatMap((r) => r.eqns.flatMap((e) => e.effects.flatMap((f) => (f._tag === "Inline" ? [f.name] : []))))
  )
  return { ...eqn, effects: eqn.effects.filter((e) => e._tag !== "Inline" || left.has(e.name)) }
}
const attachRegion = (work: Work, region: Region): Effect.Effect<Region, unknown, unknown> =>
  Effect.map(
    Effect.forEach(region.eqns, (eqn) => attachEqn(work, eqn)),
    (eqns) => ({ ...region, eqns })
  )

/** The program with the rules traced into it. A rule that does not fit its inline fails with a `KernelError`. */
export const attachRules = (program: Program, rules: ReadonlyMap<string, Rule>): Effect.Effect<Program, KernelError> =>
  rules.size === 0
    ? Effect.succeed(program)
    : (attachRegion({ program, rules, next: lastVar(program.body) + 1 }, program.body).pipe(
        Effect.map((body) => ({ ...program, body })),
        Effect.catchDefect((defect) => Effect.fail(traceError(program.name, defect)))
      ) as Effect.Effect<Program, KernelError>)
