/** WGSL of branches and loops. What they carry has one place, written at once at each turn. */
import type { AccessRule, Carry, WgslRule } from "../../ir/primitive.ts"
import type { Atom, Eqn, Region } from "../../ir/program.ts"

const carriesOf = (
  eqn: Eqn,
  params: (k: number) => Carry["vars"],
  from: (k: number) => ReadonlyArray<Atom>
): ReadonlyArray<Carry> => eqn.results.map((result, k) => ({ vars: [...params(k), result], from: from(k) }))
const inPlace: AccessRule = () => "same"

export const cond: WgslRule = {
  _tag: "Block",
  owned: true,
  access: inPlace,
  carries: (eqn) =>
    carriesOf(
      eqn,
      () => [],
      (k) => eqn.regions.map((r) => r.results[k]!)
    ),
  emit: (ctx, eqn) => {
    const [yes, no] = eqn.regions as unknown as [Region, Region]
    ctx.declare(eqn.results)
    const condition = ctx.uniform(eqn.operands[0]!)
    const branch = (region: Region) =>
      ctx.block(() => {
        ctx.region(region)
        ctx.move(eqn.results, region.results)
      })
    ctx.emit({ _tag: "If", condition, then: branch(yes), else: branch(no) })
  }
}

export const fori: WgslRule = {
  _tag: "Block",
  owned: true,
  loops: true,
  access: inPlace,
  carries: (eqn) =>
    carriesOf(
      eqn,
      (k) => [eqn.regions[0]!.params[k + 1]!],
      (k) => [eqn.operands[k + 2]!, eqn.regions[0]!.results[k]!]
    ),
  emit: (ctx, eqn) => {
    const body = eqn.regions[0]!
    const [lo, hi, ...initial] = eqn.operands as [Atom, Atom, ...Array<Atom>]
    const [i, ...carried] = body.params
    ctx.declare(carried)
    ctx.move(carried, initial)
    ctx.loop("i", ctx.uniform(lo), ctx.uniform(hi), (index) => {
      ctx.bind(i!, index)
      ctx.region(body)
      ctx.move(carried, body.results)
    })
  }
}

const whileRule: WgslRule = {
  _tag: "Block",
  owned: true,
  loops: true,
  access: inPlace,
  carries: (eqn) =>
    carriesOf(
      eqn,
      (k) => eqn.regions.map((r) => r.params[k]!),
      (k) => [eqn.operands[k]!, eqn.regions[1]!.results[k]!]
    ),
  emit: (ctx, eqn) => {
    const [condition, body] = eqn.regions as unknown as [Region, Region]
    ctx.declare(body.params)
    ctx.move(body.params, eqn.operands)
    const turn = ctx.block(() => {
      ctx.region(condition)
      ctx.emit({ _tag: "BreakUnless", condition: ctx.uniform(condition.results[0]!) })
      ctx.region(body)
      ctx.move(body.params, body.results)
    })
    ctx.emit({ _tag: "Loop", body: turn })
  }
}
export { whileRule as while }
