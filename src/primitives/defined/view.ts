/**
 * Undefined elements that are read and written through views of arrays.
 *
 * What a mask that is not defined lets through is undefined, and so is what it may have written. Outside the array these
 * primitives give 0, which is defined: they are about values, not about memory.
 */
import type { DefinedContext, DefinedRule } from "../../ir/primitive.ts"
import type { Eqn } from "../../ir/program.ts"
import type { Shadowed } from "../../ir/shadow.ts"
import { indicesOf, planOf, stepOf, wanted } from "../structural/access.ts"
import { opOf } from "../structural/atomic.ts"
import { originsOf, packed } from "../structural/defined.ts"
import { words } from "../structural/words.ts"

/** What a mask says of element `e` of the view: its origin, and whether it lets the element through if it is defined. */
interface Mask {
  readonly origin: (e: number) => number
  readonly wanted: (e: number) => boolean
}
const maskOf = (mask: Shadowed | undefined): Mask => {
  const { origins, value } = mask ?? {}
  const by = value === undefined ? 0 : stepOf(value)
  return { origin: origins === undefined ? () => 0 : (e) => origins[e * by]!, wanted: wanted(value) }
}
/** The origin of element `e` of a tile, or of a scalar that stretches. */
const originAt = (operand: Shadowed | undefined): ((e: number) => number) => maskOf(operand).origin

/** Visits the elements that may be let through, with their place in the array and the origin of the mask. */
const visit = (
  ctx: DefinedContext,
  eqn: Eqn,
  { origin, wanted }: Mask,
  each: (e: number, at: number, mask: number) => void
): void =>
  planOf(eqn).locate(indicesOf(ctx, eqn), (element, position, count, step) => {
    for (let i = 0; i < count; i++) {
      const mask = origin(element + i)
      if (mask !== 0 || wanted(element + i)) each(element + i, position + i * step, mask)
    }
  })

export const viewGet: DefinedRule = (ctx, eqn, [array, guard, other], [result]) => {
  const mask = maskOf(guard)
  const otherAt = originAt(other)
  const cells = originsOf(array!)
  const out = new Int32Array(result!.data.length)
  if (guard !== undefined)
    for (let e = 0; e < out.length; e++) {
      const origin = mask.origin(e)
      if (origin !== 0 || !mask.wanted(e)) out[e] = Math.max(origin, otherAt(e))
    }
  visit(ctx, eqn, mask, (e, at) => {
    out[e] = Math.max(out[e]!, cells[at]!)
  })
  return [packed(out)]
}

/** The rule of a write: `change` gives the origin of a cell from its own and that of the value. */
const writing =
  (change: (cell: number, value: number) => number): DefinedRule =>
  (ctx, eqn, [array, value, guard]) => {
    const cells = originsOf(array!).slice()
    const valueAt = originAt(value)
    visit(ctx, eqn, maskOf(guard), (e, at, mask) => {
      cells[at] = mask === 0 ? change(cells[at]!, valueAt(e)) : Math.max(mask, cells[at]!, valueAt(e))
    })
    return [packed(cells)]
  }
export const viewPut: DefinedRule = writing((_, value) => value)
export const viewAdd: DefinedRule = writing(Math.max)

export const viewAtomic: DefinedRule = (ctx, eqn, [array, value, guard], [, found]) => {
  const cells = originsOf(array!).slice()
  const before = new Int32Array(found!.data.length)
  const valueAt = originAt(value)
  const replaces = opOf(eqn) === "exchange"
  visit(ctx, eqn, maskOf(guard), (e, at, mask) => {
    const cell = cells[at]!
    before[e] = Math.max(mask, cell)
    cells[at] = mask === 0 && replaces ? valueAt(e) : Math.max(mask, cell, valueAt(e))
  })
  return [packed(cells), packed(before)]
}

/** Whether a cell is replaced is known where it and what it is compared with are. */
export const viewCompareExchange: DefinedRule = (ctx, eqn, [array, compared, value, guard], [, found]) => {
  const cells = originsOf(array!).slice()
  const before = new Int32Array(found!.data.length)
  const [comparedAt, valueAt] = [originAt(compared), originAt(value)]
  const [saw, wish] = [words(found!.data), words(compared!.value.data)]
  const by = stepOf(compared!.value)
  visit(ctx, eqn, maskOf(guard), (e, at, mask) => {
    const cell = cells[at]!
    before[e] = Math.max(mask, cell)
    const decides = Math.max(mask, cell, comparedAt(e))
    if (decides !== 0) cells[at] = Math.max(decides, valueAt(e))
    else if (saw[e] === wish[e * by]) cells[at] = valueAt(e)
  })
  return [packed(cells), packed(before)]
}
