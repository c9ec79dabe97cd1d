/** Discharge of primitives with regions: what a region writes becomes a result of it, and a carry of a loop. */
import type { Discharged, DischargeContext, DischargeRule } from "../../ir/primitive.ts"
import { type Atom, type Eqn, literal, type Region, type Scratch, type Var } from "../../ir/program.ts"

/** Values of `refs` in their order, as a region left them. */
const valuesOf = (ctx: DischargeContext, refs: ReadonlyArray<string>, out: Discharged): ReadonlyArray<Atom> =>
  refs.map((name) => out.refs.get(name) ?? ctx.value(name))
const zip = (refs: ReadonlyArray<string>, values: ReadonlyArray<Atom>): Map<string, Atom> =>
  new Map(refs.map((name, k) => [name, values[k]!]))
/** Splits what an emitted equation gives into the results and the values of `refs`, which stand last. */
const split = (results: ReadonlyArray<Atom>, refs: ReadonlyArray<string>): Discharged => {
  const own = results.length - refs.length
  return { results: results.slice(0, own), refs: zip(refs, results.slice(own)) }
}

/** A region that runs where it stands: its results, then the values of `refs` at exit. */
const branch = (ctx: DischargeContext, region: Region, refs: ReadonlyArray<string>): Region =>
  ctx.build([], () => {
    const out = ctx.inline(region, [])
    return [...out.results, ...valuesOf(ctx, refs, out)]
  })
/** A region of a loop: parameters and results are followed by the values of `refs`. */
const loop = (ctx: DischargeContext, region: Region, refs: ReadonlyArray<string>): Region =>
  ctx.build([...region.params, ...refs.map(ctx.aval)], (params) => {
    const own = region.params.length
    const out = ctx.inline(region, params.slice(0, own), zip(refs, params.slice(own)))
    return [...out.results, ...valuesOf(ctx, refs, out)]
  })

export const dischargeCond: DischargeRule = (ctx, eqn) => {
  const refs = ctx.written(eqn.regions)
  const regions = eqn.regions.map((region) => branch(ctx, region, refs))
  return split(ctx.emit("cond", { operands: eqn.operands, regions }), refs)
}

export const dischargeFori: DischargeRule = (ctx, eqn) => {
  const refs = ctx.written(eqn.regions)
  const operands = [...eqn.operands, ...refs.map(ctx.value)]
  return split(ctx.emit("fori", { operands, regions: [loop(ctx, eqn.regions[0]!, refs)] }), refs)
}

/** The condition only reads: it looks at the carried values. */
const plainWhile = (ctx: DischargeContext, eqn: Eqn, refs: ReadonlyArray<string>): Discharged => {
  const [condition, body] = eqn.regions as [Region, Region]
  const test = loop(ctx, condition, refs)
  const regions = [{ ...test, results: test.results.slice(0, 1) }, loop(ctx, body, refs)]
  return split(ctx.emit("while", { operands: [...eqn.operands, ...refs.map(ctx.value)], regions }), refs)
}

/**
 * The condition writes: it runs once before the loop and again at the end of each turn, on the state that it shares with
 * the body; its answer is carried beside.
 */
const rotatedWhile = (ctx: DischargeContext, eqn: Eqn, refs: ReadonlyArray<string>): Discharged => {
  const [condition, body] = eqn.regions as [Region, Region]
  const own = eqn.operands.length
  const before = ctx.inline(condition, eqn.operands)
  const carried = [...eqn.operands, ...refs.map(ctx.aval), condition.results[0]!]
  const turn = ctx.build(carried, (params) => {
    const after = ctx.inline(body, params.slice(0, own), zip(refs, params.slice(own)))
    const again = ctx.inline(condition, after.results, after.refs)
    return [...after.results, ...valuesOf(ctx, refs, again), again.results[0]!]
  })
  const test = ctx.build(carried, (params) => [params.at(-1)!])
  const operands = [...eqn.operands, ...valuesOf(ctx, refs, before), before.results[0]!]
  return split(ctx.emit("while", { operands, regions: [test, turn] }).slice(0, -1), refs)
}

export const dischargeWhile: DischargeRule = (ctx, eqn) => {
  const refs = ctx.written(eqn.regions)
  return ctx.written([eqn.regions[0]!]).length > 0 ? rotatedWhile(ctx, eqn, refs) : plainWhile(ctx, eqn, refs)
}

const zeroed = (ctx: DischargeContext, scratch: ReadonlyArray<Scratch>): Map<string, Var> =>
  new Map(
    scratch.map((r) => [r.name, ctx.emit("full", { params: { shape: r.shape }, operands: [literal(r.dtype, 0)] })[0]!])
  )

/** Scratch becomes a value that starts as 0; scratch that stays keeps the scope. */
export const dischargeScoped: DischargeRule = (ctx, eqn) => {
  const body = eqn.regions[0]!
  const refs = ctx.written([body])
  const kept = body.refs.filter((r) => !ctx.discharges(r.name))
  const run = (): ReadonlyArray<Atom> => {
    const out = ctx.inline(
      body,
      [],
      zeroed(
        ctx,
        body.refs.filter((r) => ctx.discharges(r.name))
      )
    )
    return [...out.results, ...valuesOf(ctx, refs, out)]
  }
  if (kept.length === 0) return split(run(), refs)
  const region = { ...ctx.build([], run), refs: kept }
  return split(ctx.emit("scoped", { operands: [], params: eqn.params, regions: [region] }), refs)
}
