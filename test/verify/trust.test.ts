/**
 * What is compared to the bit must be the same on every device that WGSL allows, and everything else must not be trusted.
 *
 * A legal device is played on the CPU: results that are not exact go to either neighbour or anywhere within their bound,
 * zeros get any sign, subnormals are flushed or not, sums run in any order.
 */
import { Effect } from "effect"
import { Verify } from "effect-kernels/verify"
import { describe, expect, it } from "vitest"
import { silently } from "../../property-tests/laws.ts"
import * as DType from "../../src/DType.ts"
import { evaluate } from "../../src/discharge/evaluate.ts"
import type { ArrayValue } from "../../src/ir/array.ts"
import type { EvalRule, Primitive } from "../../src/ir/primitive.ts"
import { primitive, primitives } from "../../src/primitives/index.ts"
import { difference, expected, type Expected } from "../../src/verify/agree.ts"
import { Draw, seeded } from "../../src/verify/generate/draw.ts"
import { ulp } from "../../src/verify/trust/floats.ts"
import { elementwiseTrust } from "../../src/verify/trust/elementwise.ts"
import { exact, trustAt, trustOf } from "../../src/verify/trust/trust.ts"
import { evaluating, samples } from "./support.ts"

const smallestNormal = { f32: 2 ** -126, f16: 2 ** -14 }
/** A float result as some device may give it. */
const somewhere = (draw: Draw, dtype: DType.Float, high: number, y: number, bound: number): number => {
  if (y === 0) return draw.chance(0.5) ? 0 : -0
  if (!Number.isFinite(y)) return y
  if (Math.abs(y) < smallestNormal[dtype]) return draw.chance(0.5) ? 0 : y
  if (bound > 0) return DType.round(dtype)(y + bound * (draw.below(201) / 100 - 1) * 0.999)
  const isBetween = high !== y && draw.chance(0.5)
  return isBetween ? DType.round(dtype)(y + Math.sign(high - y) * ulp(dtype, y)) : y
}

const operandsOf = (operands: ReadonlyArray<ArrayValue>, i: number): ReadonlyArray<number> =>
  operands.map((o) => o.data[o.shape.length === 0 ? 0 : i]!)
const disturbed =
  (draw: Draw, record: Primitive, rule: EvalRule): EvalRule =>
  (ctx, eqn, operands) => {
    const [result] = rule(ctx, eqn, operands) as [ArrayValue]
    const { dtype, shape } = result
    if (!DType.isFloat(dtype) || record.name === "select" || record.name === "bitcast") return [result]
    const scalar = record.elementwise!.scalar(operands.at(-1)!.dtype, eqn.params)
    const data = Float32Array.from(result.data, (y, i) => {
      const args = operandsOf(operands, i)
      const { accuracy } = record
      const special = args.some((x) => !Number.isFinite(x))
      const bound = accuracy._tag === "Bounded" && !special ? accuracy.bound(args, y, dtype) : 0
      return somewhere(draw, dtype, scalar(...args), y, bound)
    })
    return [{ dtype, shape, data }]
  }

const reversed = ({ data, dtype, shape }: ArrayValue): ArrayValue => ({ dtype, shape, data: data.slice().reverse() })
/** Sums and products over all axes, from the end. */
const backwards =
  (rule: EvalRule): EvalRule =>
  (ctx, eqn, operands) => {
    const axes = eqn.params["axes"] as ReadonlyArray<number>
    return rule(ctx, eqn, axes.length === operands[0]!.shape.length ? operands.map(reversed) : operands)
  }
const legalDevice = (draw: Draw) =>
  evaluating(primitive, (record, rule) => {
    if (record.elementwise !== undefined) return disturbed(draw, record, rule)
    return record.name === "reduceSum" || record.name === "reduceProd" ? backwards(rule) : undefined
  })

const runs = async (cases: ReadonlyArray<Verify.Case>): Promise<ReadonlyArray<readonly [Verify.Case, Expected]>> => {
  const out: Array<readonly [Verify.Case, Expected]> = []
  for (const c of cases) {
    const e = await Effect.runPromise(expected(c))
    if (e._tag === "Expected") out.push([c, e])
  }
  return out
}
const wholePrograms = () => samples(250)
const floatPrograms = () =>
  samples(250, { primitives: primitives.filter((p) => ["arithmetic", "math", "reduce", "compare"].includes(p.family)) })

describe("a device that WGSL allows is never blamed", () => {
  it.each([
    ["programs of all kinds", wholePrograms],
    ["programs of float arithmetic", floatPrograms]
  ])("%s", async (_, cases) => {
    const draw = new Draw(seeded(11))
    for (const [c, { args, pure, tracked }] of await runs(cases())) {
      const order = { seed: draw.below(1000) }
      const found = await silently(evaluate(pure, args, { primitives: legalDevice(draw), order }))
      const wrong = difference(tracked, found)
      expect(wrong && `${Verify.showDifference(wrong)}\n${Verify.show(c)}`).toBeUndefined()
    }
  })
})

/** A device whose results are off by a little more than is allowed. */
const sloppy = (name: string) =>
  evaluating(primitive, (record, rule) => {
    if (record.name !== name) return undefined
    return (ctx, eqn, operands) => {
      const [{ data, dtype, shape }] = rule(ctx, eqn, operands) as [ArrayValue]
      if (dtype !== "f32") return [{ data, dtype, shape }]
      const off = (y: number): number => (Number.isFinite(y) ? Math.fround(y + 12 * ulp("f32", y)) : y)
      return [{ dtype, shape, data: Float32Array.from(data, off) }]
    }
  })
describe("a device that WGSL does not allow is blamed", () => {
  it.each(["add", "mul", "div", "exp", "sin", "tanh", "reduceSum", "dot"])("for %s, off by 12 ULP", async (name) => {
    const few = primitives.filter((p) => p.name === name || p.name === "convert")
    const found = []
    for (const [, { args, pure, tracked }] of await runs(samples(100, { primitives: few })))
      found.push(difference(tracked, await silently(evaluate(pure, args, { primitives: sloppy(name) }))))
    expect(found.filter((f) => f !== undefined).length).toBeGreaterThan(0)
  })
})

describe("what infinities give", () => {
  it.each([
    ["tanh", [Infinity], exact],
    ["exp", [-Infinity], exact],
    ["atan2", [-Infinity, -Infinity], ulp("f16", 3)],
    ["atan", [Infinity], ulp("f16", 1)]
  ] as const)("%s of %j is trusted as far as the dtype has it", (name, args, least) => {
    const value = (x: number): ArrayValue => ({ dtype: "f16", shape: [1], data: Float32Array.of(x) })
    const record = primitive(name)!
    const y = DType.round("f16")(record.elementwise!.scalar("f16", {})(...args))
    const trust = trustAt(trustOf(elementwiseTrust(record, {}, args.map(value), value(y))), 0)
    if (least === exact) expect(trust).toBe(exact)
    else expect(trust).toBeGreaterThanOrEqual(least)
    expect(trust).toBeLessThan(0.1)
  })
})

/** Share of the elements that are compared bit for bit, and of those that are not compared at all. */
const coverage = ({
  tracked
}: Expected): { readonly elements: number; readonly exact: number; readonly open: number } => {
  const sum = { elements: 0, exact: 0, open: 0 }
  const count = (array: DType.HostArray, trust: Float64Array | undefined): void => {
    for (let k = 0; k < array.length; k++) {
      sum.elements++
      if (trustAt(trust, k) <= exact) sum.exact++
      else if (trustAt(trust, k) === Infinity) sum.open++
    }
  }
  for (const [ref, array] of tracked.results) count(array, tracked.trust.get(ref))
  return sum
}

describe("little is left open", () => {
  it("most elements are compared to the bit, one of twenty at most not at all", async () => {
    const sum = { elements: 0, exact: 0, open: 0 }
    for (const [, e] of await runs(wholePrograms())) {
      const one = coverage(e)
      sum.elements += one.elements
      sum.exact += one.exact
      sum.open += one.open
    }
    expect(sum.exact / sum.elements).toBeGreaterThan(0.85)
    expect(sum.open / sum.elements).toBeLessThan(0.05)
  })
})
