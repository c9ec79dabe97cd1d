/** Typing and evaluation of atomic changes: element after element, each step sees what the one before left. */
import { isStorage } from "../../DType.ts"
import type * as DType from "../../DType.ts"
import { storage } from "../../ir/array.ts"
import type { Draft, EvalRule } from "../../ir/primitive.ts"
import type { Aval } from "../../ir/program.ts"
import { TypingError } from "../../ir/typing.ts"
import { add, max, min } from "../arithmetic.ts"
import { and, or, xor } from "../bitwise.ts"
import { indicesOf, owned, planOf, seenAs, stepOf, wanted } from "./access.ts"
import { checkWrite } from "./memory.ts"
import { words } from "./words.ts"

/** The elementwise primitives that combine an element with a value. */
const combining = { add, max, min, and, or, xor } as const
/** `exchange` takes the value, whatever was there. */
export type Op = keyof typeof combining | "exchange"
const integers: ReadonlyArray<DType.Name> = ["i32", "u32"]
const numbers: ReadonlyArray<DType.Name> = [...integers, "f32"]
/** Dtypes that each operation has, as WGSL's atomics and a compare-and-swap loop grant them. */
const dtypes: { readonly [K in Op | "compare-and-exchange"]: ReadonlyArray<DType.Name> } = {
  add: numbers,
  max: numbers,
  min: numbers,
  exchange: numbers,
  and: integers,
  or: integers,
  xor: integers,
  "compare-and-exchange": integers
}
const isOp = (u: unknown): u is Op => typeof u === "string" && (u === "exchange" || Object.hasOwn(combining, u))

/** The operation of an equation. */
export const opOf = (eqn: Pick<Draft, "params">): Op => {
  const { op } = eqn.params
  if (!isOp(op)) throw new TypingError(`there is no atomic ${String(op)}`)
  return op
}
const checkDtype = (op: keyof typeof dtypes, { dtype }: Aval): void => {
  if (!dtypes[op].includes(dtype))
    throw new TypingError(
      `${dtype} has no atomic ${op}`,
      `use ${dtypes[op].join(" or ")}${isStorage(dtype) ? ": elements that share a word have no atomics" : ""}`
    )
}

/** Operands are a value and perhaps a mask. */
export const checkUpdate = (eqn: Pick<Draft, "params">, operands: ReadonlyArray<Aval>, view: Aval): Aval => {
  checkDtype(opOf(eqn), view)
  return checkWrite(operands, view)
}
/** Operands are what is compared, a value and perhaps a mask. */
export const checkExchange = ([compared, ...rest]: ReadonlyArray<Aval>, view: Aval): Aval => {
  checkDtype("compare-and-exchange", view)
  if (compared === undefined || rest.length === 0)
    throw new TypingError("takes what is compared, a value and perhaps a mask")
  checkWrite([compared], view)
  return checkWrite(rest, view)
}

/** What is done to the element at `at` of the array for element `e` of the view. */
type Change = (at: number, e: number) => void
/** Evaluation by a change per element; `make` gets the array's storage as the view sees it, and the other operands. */
const evaluate =
  (
    make: (...args: Parameters<EvalRule>) => { readonly data: ReturnType<typeof owned>; readonly change: Change },
    mask: number
  ): EvalRule =>
  (ctx, eqn, operands) => {
    const plan = planOf(eqn)
    const before = eqn.results[1]!
    const old = storage(before.dtype, plan.size)
    const { change, data } = make(ctx, eqn, operands)
    const [from, to] = [words(data), words(old)]
    const isWanted = wanted(operands[mask])
    plan.locate(indicesOf(ctx, eqn), (element, position, count, step) => {
      for (let i = 0; i < count; i++) {
        if (!isWanted(element + i)) continue
        const at = position + i * step
        to[element + i] = from[at]!
        change(at, element + i)
      }
    })
    const { dtype, shape } = operands[0]!
    return [
      { dtype, shape, data },
      { dtype: before.dtype, shape: before.shape, data: old }
    ]
  }

export const atomicEvaluate = evaluate((ctx, eqn, [array, value]) => {
  const op = opOf(eqn)
  const { dtype } = planOf(eqn)
  const data = owned(ctx, array!)
  const by = stepOf(value!)
  if (op === "exchange") {
    const [to, from] = [words(data), words(value!.data)]
    return { data, change: (at, e) => (to[at] = from[e * by]!) }
  }
  const to = seenAs(data, array!.dtype, dtype)
  const from = value!.data
  const combine = combining[op].elementwise!.scalar(dtype, {})
  return { data, change: (at, e) => (to[at] = combine(to[at]!, from[e * by]!)) }
}, 2)

export const exchangeEvaluate = evaluate((ctx, _, [array, compared, value]) => {
  const data = owned(ctx, array!)
  const [to, wish, from] = [words(data), words(compared!.data), words(value!.data)].map(
    (w) => new Int32Array(w.buffer, w.byteOffset, w.length)
  )
  const [byWish, by] = [stepOf(compared!), stepOf(value!)]
  return {
    data,
    change: (at, e) => {
      if (to![at] === wish![e * byWish]) to![at] = from![e * by]!
    }
  }
}, 3)
