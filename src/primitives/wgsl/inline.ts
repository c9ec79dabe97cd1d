/**
 * WGSL of inline primitives.
 *
 * Elementwise: the text is the body of a function of the arguments' names, `f32`, `i32`, `u32` or `bool` (f16 comes as
 * `f32` and is rounded after), which returns the result; with several results it returns `<inline>_result(first, …)`, a
 * structure with the results' names.
 *
 * Block: the text is statements that every invocation of the workgroup runs, in a block of their own, with
 * - `lane: u32`, this invocation's number, and `lanes: u32`, how many there are;
 * - for each argument that is a tile or may be read `<arg>_load(i: i32)`, and for each that may be written and each result
 *   `<arg>_store(i: i32, value)`, where `i` is the row-major position in the tile or in what the ref's view shows; reads
 *   outside give 0, writes outside are dropped; f16 is `f32`, rounded when stored.
 * Barriers stand before and after. The text may call `workgroupBarrier()` and `storageBarrier()` in uniform control flow.
 */
import * as E from "../../ir/expr.ts"
import type { InlineOperand } from "../../ir/lowered.ts"
import type { AccessRule, BlockContext, Element, WgslRule } from "../../ir/primitive.ts"
import type { Aval, Eqn, InlineDef } from "../../ir/program.ts"
import * as View from "../../ir/view.ts"
import * as Shape from "../../Shape.ts"
import { cell, shown } from "./address.ts"

const inPlace: AccessRule = () => "same"
const elementwise: WgslRule = {
  _tag: "Element",
  access: inPlace,
  costly: true,
  at: (ctx, eqn, element) =>
    E.apply(
      "inline",
      eqn.operands.at(-1)?.dtype ?? "f32",
      eqn.results[0]!.dtype,
      eqn.operands.map((o) => ctx.same(o, element)),
      eqn.params
    )
}
/** Several results: each is a member of what the function returns. */
const several: WgslRule = {
  _tag: "Block",
  owned: true,
  access: inPlace,
  emit: (ctx, eqn) => {
    const { results } = ctx.inline(eqn.params.inline as string)
    const value = (k: number, element: Element) =>
      E.apply(
        "inline",
        "f32",
        eqn.results[k]!.dtype,
        eqn.operands.map((o) => ctx.same(o, element)),
        { ...eqn.params, member: results[k]!.name }
      )
    const shape = eqn.results[0]!.shape
    const one: Element = {
      shape,
      coords: () => shape.map(() => E.integer(0)),
      linear: () => E.integer(0),
      slot: undefined,
      key: "0"
    }
    if (Shape.size(shape) === 1) eqn.results.forEach((r, k) => ctx.bind(r, value(k, one)))
    else
      ctx.each(shape, (element) =>
        eqn.results.forEach((r, k) => ctx.isUsed(r) && ctx.result(r, element, value(k, element)))
      )
  }
}

type Place = Pick<InlineOperand, "memory" | "index" | "inside">
const operand = (
  ctx: BlockContext,
  name: string,
  mode: InlineOperand["mode"],
  on: Aval,
  place: (element: Element) => Place
): InlineOperand => {
  const i = ctx.name("i")
  const position = E.local("i32", i)
  let at: Place | undefined
  let inside = E.constant("bool", 1)
  const body = ctx.block(() => {
    const coords = View.delinearise(ctx.algebra, on.shape, position)
    at = place({ shape: on.shape, coords: () => coords, linear: () => position, slot: undefined, key: i })
    inside = E.all([ctx.inside(position, Shape.size(on.shape)), at.inside])
  })
  return { name, dtype: on.dtype, mode, memory: at!.memory, element: i, body, index: at!.index, inside }
}
const inTile =
  (memory: string) =>
  (element: Element): Place => ({ memory, index: element.linear(), inside: E.constant("bool", 1) })

const operands = (ctx: BlockContext, eqn: Eqn, def: InlineDef): ReadonlyArray<InlineOperand> => {
  let tile = 0
  let ref = 0
  return def.args.map((arg) => {
    if (arg.kind === "tile") {
      const atom = eqn.operands[tile++]!
      return operand(ctx, arg.name, "read", atom, inTile(ctx.placed(atom).name))
    }
    const use = eqn.refs[ref++]!
    return operand(ctx, arg.name, arg.kind, shown(eqn, use.view, ctx.aval(use.name)), (element) => {
      const { index, inside, memory } = cell(ctx, eqn, use, element)
      return { memory: memory.name, index, inside }
    })
  })
}
const block: WgslRule = {
  _tag: "Block",
  owned: false,
  placed: true,
  reaches: () => true,
  access: (_, k) => (k < 0 ? "same" : "any"),
  emit: (ctx, eqn) => {
    const def = ctx.inline(eqn.params.inline as string)
    const results = def.results.map(({ name }, k) =>
      operand(ctx, name, "write", eqn.results[k]!, inTile(ctx.placed(eqn.results[k]!).name))
    )
    ctx.emit({ _tag: "Inline", inline: def.name, operands: [...operands(ctx, eqn, def), ...results] })
  }
}

export const inline: WgslRule = {
  _tag: "Choose",
  of: (eqn, definition) => {
    const { grain } = definition(eqn.params.inline as string)
    return grain === "block" ? block : eqn.results.length === 1 ? elementwise : several
  }
}
