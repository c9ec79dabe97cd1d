/**
 * WGSL of the matrix pipeline: a multiply-accumulate happens where it is issued, so that there is nothing to wait for.
 *
 * Each invocation sums the elements that it owns; factors that are refs are read where they lie.
 */
import type { BlockContext, Element, WgslRule } from "../../ir/primitive.ts"
import type { Eqn } from "../../ir/program.ts"
import { type Factor as Source, factorAval, factorsOf } from "../structural/matrix.ts"
import { cell, read } from "./address.ts"
import { type Factor, product, tileFactor } from "./dot.ts"
import type { Target } from "./fold.ts"
import { load, standing, store } from "./memory.ts"

export const accumulatorSet: WgslRule = store
export const accumulatorRead: WgslRule = load

const factor = (ctx: BlockContext, eqn: Eqn, source: Source): Factor => {
  if (source._tag === "Tile") return tileFactor(ctx, source.tile)
  const aval = factorAval(source, eqn, ctx.aval)
  return { aval, at: (coords) => read(cell(ctx, eqn, source.use, standing(ctx, aval.shape, coords))) }
}
/** Adds to the elements of the accumulator, in the invocations that own them. */
const toAccumulator = (ctx: BlockContext, eqn: Eqn): Target => {
  const [acc] = eqn.refs
  const memory = ctx.memory(acc!.name)
  const { dtype, shape } = ctx.aval(acc!.name)
  return {
    each: (body: (element: Element) => void) => ctx.eachOf(memory, shape, body),
    put: (element, value) => {
      const { index } = cell(ctx, eqn, acc!, element)
      ctx.emit({ _tag: "Add", memory: memory.name, index, value, dtype })
    }
  }
}

export const multiplyAccumulate: WgslRule = {
  _tag: "Block",
  owned: true,
  reaches: (k) => k > 0,
  access: () => "many",
  emit: (ctx, eqn) => {
    const [a, b] = factorsOf(eqn)
    const acc = ctx.aval(eqn.refs[0]!.name)
    product(ctx, acc, [factor(ctx, eqn, a), factor(ctx, eqn, b)], eqn.params, toAccumulator(ctx, eqn))
  }
}

export const pipelineWait: WgslRule = { _tag: "Block", owned: true, access: () => "same", emit: () => {} }
