/** Expressions of the lowered form as functions of an invocation. */
import * as DType from "../../DType.ts"
import type { Expr } from "../../ir/lowered.ts"
import { primitive } from "../../primitives/index.ts"
import type { Lane } from "./memory.ts"
import { indexOps, recast } from "./scalars.ts"
import { refuse, type Scope } from "./scope.ts"

export type Value = (lane: Lane) => number
type Of<Tag extends Expr["_tag"]> = Expr & { readonly _tag: Tag }

const index = ({ a, b, op }: Of<"Index">, value: (e: Expr) => Value): Value => {
  const [x, y, f] = [value(a), value(b), indexOps[op]]
  if (op === "add") return (lane) => (x(lane) + y(lane)) | 0
  return (lane) => f(x(lane), y(lane))
}
const inside = ({ index, size }: Of<"Inside">, value: (e: Expr) => Value): Value => {
  const at = value(index)
  return (lane) => {
    const i = at(lane)
    return i >= 0 && i < size ? 1 : 0
  }
}
/** Both values are computed, as WGSL computes them; what the one that is dropped has read does not matter to others. */
const select = (scope: Scope, { condition, no, yes }: Of<"Select">, value: (e: Expr) => Value): Value => {
  const [x, y, c] = [value(yes), value(no), value(condition)]
  const { clock } = scope
  return (lane) => {
    const [taken, dropped] = c(lane) !== 0 ? [x, y] : [y, x]
    clock.dropping++
    dropped(lane)
    clock.dropping--
    return taken(lane)
  }
}
const apply = (scope: Scope, e: Of<"Apply">, value: (e: Expr) => Value): Value => {
  const args = e.args.map(value)
  const round = DType.round(e.result)
  const rule = primitive(e.primitive)?.elementwise
  const f =
    e.primitive === "inline"
      ? scope.inline(e.params.inline as string, e.params.member as string | undefined)
      : (rule ?? refuse(e.primitive, "it is no function of scalars", "lower the program again")).scalar(
          e.dtype,
          e.params
        )
  const [x, y] = args
  if (args.length === 1) return (lane) => round(f(x!(lane)))
  if (args.length === 2) return (lane) => round(f(x!(lane), y!(lane)))
  return (lane) => round(f(...args.map((a) => a(lane))))
}
const load = (scope: Scope, e: Of<"Load">, site: number, value: (e: Expr) => Value): Value => {
  const at = value(e.index)
  const place = scope.place(e.memory)
  if (place._tag === "Register") {
    const { memory, number } = place
    return memory.length === 1 ? (lane) => lane.registers[number]![0]! : (lane) => lane.registers[number]![at(lane)]!
  }
  const { cells } = place
  return (lane) => cells.load(at(lane), lane, site)
}

/** What a statement's expression gives an invocation; its reads are noted as the statement's. */
export const evaluation = (scope: Scope, site: number): ((e: Expr) => Value) => {
  const value = (e: Expr): Value => {
    switch (e._tag) {
      case "Const":
        return () => e.value
      case "Local": {
        const slot = scope.slot(e.name)
        return (lane) => lane.locals[slot]!
      }
      case "Index":
        return index(e, value)
      case "Inside":
        return inside(e, value)
      case "All": {
        const of = e.of.map(value)
        return (lane) => (of.every((x) => x(lane) !== 0) ? 1 : 0)
      }
      case "Select":
        return select(scope, e, value)
      case "Apply":
        return apply(scope, e, value)
      case "Load":
        return load(scope, e, site, value)
      case "Bitcast": {
        const [of, f] = [value(e.of), recast(e.from, e.to)]
        return (lane) => f(of(lane))
      }
    }
  }
  return value
}
