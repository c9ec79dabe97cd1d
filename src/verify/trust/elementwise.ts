/** Trust in the results of elementwise primitives. */
import * as DType from "../../DType.ts"
import type { ArrayValue } from "../../ir/array.ts"
import type { Elementwise, Primitive } from "../../ir/primitive.ts"
import type { Params } from "../../ir/program.ts"
import { boundOf, ulp } from "./floats.ts"
import { anything, best, exact, isNormal, note, recast, type Trust, trustAt, trustOf } from "./trust.ts"

/** Whose result moves no further than an operand does. */
const steady = new Set(["neg", "abs", "min", "max", "clamp"])

interface Op {
  readonly record: Primitive
  readonly scalar: ReturnType<Elementwise["scalar"]>
  /** Dtype of the operands that decides. */
  readonly from: DType.Name
  readonly to: DType.Name
}

const same = (a: number, b: number): boolean => a === b || (Number.isNaN(a) && Number.isNaN(b))
/** The operation looks at the sign of a zero, which is not defined. */
const seesZero = ({ scalar }: Op, args: ReadonlyArray<number>, high: number): boolean =>
  args.some((x, k) => x === 0 && !same(high, scalar(...args.map((y, i) => (i === k ? -y : y)))))

/** Sums of doubles may round where sums of the dtype are exact in neither. */
const isSumExact = ({ record }: Op, [a, b]: ReadonlyArray<number>, high: number): boolean =>
  record.name === "add"
    ? high - a! === b && high - b! === a
    : record.name === "sub"
      ? a! - high === b && high + b! === a
      : true

const isInside = (record: Primitive, args: ReadonlyArray<number>): boolean => {
  const domain = record.generate.domain
  return domain === undefined || args.every((x) => x >= domain[0] && x <= domain[1])
}
/** Division is defined for divisors between these, and for those that are not finite. */
const isDivisor = (x: number): boolean =>
  x !== 0 && (Math.abs(x) === Infinity || (Math.abs(x) >= 2 ** -126 && Math.abs(x) <= 2 ** 126))

const boundedTrust = (op: Op, args: ReadonlyArray<number>, y: number): number => {
  const { record, to } = op
  if (record.name === "div" && !isDivisor(args[1]!)) return Number.isNaN(y) ? exact : anything
  // What infinities give is defined everywhere, but need not be a number that the dtype has: atan(∞) is π/2.
  if (args.every(Number.isFinite) && !isInside(record, args)) return anything
  return boundOf(record.accuracy, args, y, to) + (to === "f16" ? ulp("f16", y) : 0)
}

/** Trust in a float result of operands that are all known. */
const floatTrust = (op: Op, args: ReadonlyArray<number>, y: number): number => {
  const { from, record, scalar, to } = op
  const high = scalar(...args)
  if (seesZero(op, args, high)) return anything
  const special = args.some((x) => !Number.isFinite(x))
  if (Number.isNaN(y)) return exact
  if (!Number.isFinite(y)) return special || args.includes(0) ? exact : anything
  if (args.some((x) => !isNormal(from, x)) || !isNormal(to, y)) return anything
  if ((special && y === high) || record.accuracy._tag === "Exact") return exact
  if (record.accuracy._tag === "Bounded") return boundedTrust(op, args, y)
  return y === high && isSumExact(op, args, high) ? exact : ulp(to as DType.Float, y)
}

const resultTrust = (op: Op, args: ReadonlyArray<number>, trusts: ReadonlyArray<number>, y: number): number => {
  const { from, record, to } = op
  if (record.name === "bitcast") return recast(trusts[0]!, from, to, args[0]!)
  const worst = Math.max(...trusts)
  if (worst > exact) return steady.has(record.name) ? worst : anything
  if (DType.isFloat(to)) return floatTrust(op, args, y)
  return args.every((x) => isNormal(from, x)) ? best(to) : anything
}

const at = (value: ArrayValue, i: number): number => (value.shape.length === 0 ? 0 : i)

/** `select` moves one of its operands, as its condition says. */
const selected = (operands: ReadonlyArray<ArrayValue>, trusts: ReadonlyArray<Trust | undefined>, i: number): number => {
  const [condition] = operands
  if (trustAt(trusts[0], at(condition!, i)) > exact) return anything
  const k = condition!.data[at(condition!, i)] ? 1 : 2
  return trustAt(trusts[k], at(operands[k]!, i))
}

export const elementwiseTrust = (
  record: Primitive,
  params: Params,
  operands: ReadonlyArray<ArrayValue>,
  result: ArrayValue
): ArrayValue => {
  const trusts = operands.map(trustOf)
  const floats = [...operands, result].some((o) => DType.isFloat(o.dtype))
  if (!floats && trusts.every((t) => t === undefined)) return result
  const from = operands.at(-1)!.dtype
  const op: Op = { record, from, to: result.dtype, scalar: record.elementwise!.scalar(from, params) }
  const trust = Float64Array.from(result.data, (y, i) =>
    record.name === "select"
      ? selected(operands, trusts, i)
      : resultTrust(
          op,
          operands.map((o) => o.data[at(o, i)]!),
          operands.map((o, k) => trustAt(trusts[k], at(o, i))),
          y
        )
  )
  return note(result, trust)
}
