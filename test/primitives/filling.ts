/** A rule of definedness against its promise: what undefined elements are filled with does not show in what is defined. */
import { expect } from "vitest"
import * as DType from "../../src/DType.ts"
import type { ArrayValue } from "../../src/ir/array.ts"
import type { DefinedRule, EvalContext, EvalRule } from "../../src/ir/primitive.ts"
import type { Eqn } from "../../src/ir/program.ts"
import type { Origins, Shadowed } from "../../src/ir/shadow.ts"
import type { Draw } from "../../src/verify/generate/draw.ts"
import { randomValue, values } from "./equations.ts"

export interface Rules {
  readonly eqn: Eqn
  readonly ctx: EvalContext
  readonly evaluate: EvalRule
  readonly defined: DefinedRule
}
/** Where results are undefined, as the rule has it. */
export const definedness = (
  { ctx, defined, eqn, evaluate }: Rules,
  operands: ReadonlyArray<Shadowed>
): ReadonlyArray<Origins> => {
  const results = evaluate(
    ctx,
    eqn,
    operands.map((o) => o.value)
  )
  const own = { ...ctx, evaluate: (e: Eqn, given: ReadonlyArray<ArrayValue>) => evaluate(ctx, e, given) }
  return defined(own, eqn, operands, results)
}

/** Fillings of the undefined elements at most, and how many of them are all random. */
const most = 400
const random = 20
const fill = ({ origins, value }: Shadowed, of: (i: number) => number): ArrayValue => {
  if (origins === undefined) return value
  const data = value.data.slice()
  for (let i = 0; i < data.length; i++) if (origins[i] !== 0) data[i] = of(i)
  return { ...value, data }
}
/** Every choice of one value per operand, or some of them. */
const choices = (draw: Draw, pools: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<ReadonlyArray<number>> => {
  const count = pools.reduce((n, pool) => n * pool.length, 1)
  if (count > most) return Array.from({ length: most }, () => pools.map((pool) => draw.of(pool)))
  return pools.reduce<ReadonlyArray<ReadonlyArray<number>>>(
    (all, pool) => all.flatMap((choice) => pool.map((x) => [...choice, x])),
    [[]]
  )
}
const fillings = (draw: Draw, operands: ReadonlyArray<Shadowed>): ReadonlyArray<ReadonlyArray<ArrayValue>> => {
  const pools = operands.map(({ origins, value }) => (origins === undefined ? [0] : values(value.dtype)))
  const alike = choices(draw, pools).map((choice) => operands.map((o, k) => fill(o, () => choice[k]!)))
  const mixed = Array.from({ length: random }, () => operands.map((o, k) => fill(o, () => draw.of(pools[k]!))))
  return [...alike, ...mixed]
}

/** Operands of the equation with random elements, some undefined. */
export const randomOperands = (draw: Draw, eqn: Eqn, mayBe: (k: number) => boolean): ReadonlyArray<Shadowed> => {
  const density = draw.of([0.05, 0.3, 0.7])
  return eqn.operands.map((atom, k) => {
    const value = randomValue(draw, atom)
    if (!mayBe(k) || draw.chance(0.25)) return { value, origins: undefined }
    const origins = Int32Array.from(value.data, () => (draw.chance(density) ? draw.between(1, 99) : 0))
    return { value, origins: origins.some((o) => o !== 0) ? origins : undefined }
  })
}

/** Elements of the results that some filling changes. */
const changed = (draw: Draw, { ctx, eqn, evaluate }: Rules, operands: ReadonlyArray<Shadowed>) => {
  const [first, ...others] = fillings(draw, operands).map((filled) => evaluate(ctx, eqn, filled))
  return first!.map(({ data }, r) => {
    const out = new Uint8Array(data.length)
    for (const other of others)
      for (let i = 0; i < data.length; i++) if (!Object.is(data[i], other[r]!.data[i])) out[i] = 1
    return out
  })
}

/**
 * What a filling changes must be undefined; with `exactly`, nothing else may be. Origins are those of operands, and a result
 * without undefined elements has none.
 */
export const holds = (draw: Draw, rules: Rules, operands: ReadonlyArray<Shadowed>, exactly: boolean): void => {
  const given = new Set(operands.flatMap(({ origins }) => [...(origins ?? [])]))
  const found = definedness(rules, operands)
  const differing = changed(draw, rules, operands)
  expect(found).toHaveLength(differing.length)
  differing.forEach((differs, r) => {
    const origins = found[r]
    if (origins === undefined) return expect(differs).not.toContain(1)
    expect(origins).toHaveLength(differs.length)
    expect(origins.some((o) => o !== 0)).toBe(true)
    differs.forEach((d, i) => {
      const where = () => `${rules.eqn.primitive} ${JSON.stringify(rules.eqn.params)}, element ${i} of result ${r}`
      if (d === 1 && origins[i] === 0) expect.fail(`${where()} is not defined, and counts as defined`)
      if (d === 0 && origins[i] !== 0 && exactly) expect.fail(`${where()} is defined, and counts as undefined`)
      if (origins[i] !== 0 && !given.has(origins[i]!)) expect.fail(`${where()} is undefined from nowhere`)
    })
  })
}

/** Whether all operands have a dtype whose extremes are all among the fillings. */
export const isWhole = (eqn: Eqn): boolean => eqn.operands.every(({ dtype }) => !DType.isFloat(DType.widened(dtype)))
