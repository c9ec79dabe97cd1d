/** Statements that each invocation runs for itself, whatever the others do. */
import type { Expr, Stmt } from "../../ir/lowered.ts"
import { type Kind, kindOf, kinds } from "./accesses.ts"
import { evaluation, type Value } from "./expressions.ts"
import { adding, type Change, type Lane, stepping, storing } from "./memory.ts"
import { recast } from "./scalars.ts"
import { type Place, refuse, type Scope } from "./scope.ts"

export type Run = (lane: Lane) => void
type Of<Tag extends Stmt["_tag"]> = Stmt & { readonly _tag: Tag }
/** A statement on its way to being run: where it stands, and its expressions. */
export interface Draft {
  readonly scope: Scope
  readonly site: number
  readonly path: string
  readonly value: (e: Expr) => Value
}

const memoryOf = (place: Place) => (place._tag === "Cells" ? place.cells.memory : place.memory)
const changing = (place: Place, site: number, kind: Kind, next: Change, at: Value, value: Value): Run => {
  if (place._tag === "Cells") {
    const { cells } = place
    return (lane) => void cells.change(at(lane), lane, site, kind, next, value(lane), 0)
  }
  const { memory, number } = place
  return (lane) => {
    const own = lane.registers[number]!
    const slot = memory.length === 1 ? 0 : at(lane)
    own[slot] = next(own[slot]!, value(lane), 0)
  }
}
const store = ({ scope, site, value }: Draft, s: Of<"Store">): Run => {
  const place = scope.place(s.memory)
  return changing(place, site, kinds.write, storing(memoryOf(place)), value(s.index), value(s.value))
}
const add = ({ scope, site, value }: Draft, s: Of<"Add">): Run => {
  const place = scope.place(s.memory)
  const memory = memoryOf(place)
  const kind = memory.atomic ? kinds.add : kinds.write
  return changing(place, site, kind, adding(memory, s.dtype), value(s.index), value(s.value))
}
const atomic = ({ scope, site, value }: Draft, s: Of<"Atomic">): Run => {
  const cells = scope.cells(s.memory)
  const at = value(s.index)
  const [a, b] = s.values.map(value) as [Value, Value | undefined]
  const next = stepping(cells.memory, s.op, s.dtype)
  const kind = kindOf(s.op, s.name !== undefined)
  const change: Value = (lane) => cells.change(at(lane), lane, site, kind, next, a(lane), b === undefined ? 0 : b(lane))
  if (s.name === undefined) return change
  const seen = recast(cells.memory.dtype, s.dtype)
  return naming(scope, s.name, (lane) => seen(change(lane)))
}
const naming = (scope: Scope, name: string, value: Value): Run => {
  const slot = scope.declare(name)
  return (lane) => {
    lane.locals[slot] = value(lane)
  }
}
const branch = ({ path, scope, value }: Draft, s: Of<"If">): Run => {
  const condition = value(s.condition)
  const [yes, no] = [alone(scope, s.then, `${path}.then.`), alone(scope, s.else, `${path}.else.`)]
  return (lane) => (condition(lane) !== 0 ? yes : no)(lane)
}
/** The end is computed at each turn, as WGSL computes it. */
const loop = ({ path, scope, value }: Draft, s: Of<"For">): Run => {
  const from = value(s.from)
  const slot = scope.declare(s.name)
  const to = value(s.to)
  const body = alone(scope, s.body, `${path}.body.`)
  return (lane) => {
    const { locals } = lane
    for (locals[slot] = from(lane); locals[slot]! < to(lane); locals[slot] = locals[slot]! + 1) body(lane)
  }
}
/** There is always room for what is recorded. */
const reserve = ({ scope, value }: Draft, s: Of<"Reserve">): Run => {
  const cell = value(s.cell)
  return naming(scope, s.name, (lane) => {
    cell(lane)
    return 0
  })
}
const record = ({ value }: Draft, s: Of<"Record">): Run => {
  const [index, of] = [value(s.index), value(s.value)]
  return (lane) => {
    index(lane)
    of(lane)
  }
}

/** A statement that stands at `path` and is noted as `site`; `undefined` for those that the whole workgroup runs. */
export const statement = (scope: Scope, s: Stmt, site: number, path: string): Run | undefined => {
  const draft: Draft = { scope, site, path, value: evaluation(scope, site) }
  switch (s._tag) {
    case "Let":
    case "Var":
    case "Assign":
      return naming(scope, s.name, draft.value(s.value))
    case "Store":
      return store(draft, s)
    case "Add":
      return add(draft, s)
    case "Atomic":
      return atomic(draft, s)
    case "If":
      return branch(draft, s)
    case "For":
      return loop(draft, s)
    case "Reserve":
      return reserve(draft, s)
    case "Record":
      return record(draft, s)
    default:
      return undefined
  }
}
/** Statements one after the other. */
export const alone = (scope: Scope, body: ReadonlyArray<Stmt>, prefix: string): Run => {
  const base = scope.enter(body, prefix)
  const runs = body.flatMap((s, k): ReadonlyArray<Run> => {
    if (s._tag === "Comment") return []
    const run = statement(scope, s, base + k, `${prefix}${k}`)
    return [run ?? refuse(s._tag, "it stands where invocations do different things", "lower the program again")]
  })
  if (runs.length === 1) return runs[0]!
  return (lane) => {
    for (const run of runs) run(lane)
  }
}
