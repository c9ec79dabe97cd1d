/**
 * Statements that a workgroup runs, one after the other in all invocations.
 *
 * Invocations that a condition sends elsewhere, or that a loop has let go, take no part; whoever takes part in a barrier must
 * be the whole workgroup.
 */
import type { Stmt } from "../../ir/lowered.ts"
import { alone, type Draft, statement } from "./alone.ts"
import { evaluation, type Value } from "./expressions.ts"
import type { Lane } from "./memory.ts"
import { refuse, type Scope } from "./scope.ts"
import { combined } from "./subgroup.ts"

export type Lanes = ReadonlyArray<Lane>
/** Runs in these invocations, and gives those that the innermost loop still holds. */
export type Step = (lanes: Lanes) => Lanes
type Of<Tag extends Stmt["_tag"]> = Stmt & { readonly _tag: Tag }
/** Turns of one loop that are followed. */
const mostTurns = 100_000

/** All invocations must be there. */
const meeting = ({ scope, site }: Draft, lanes: Lanes): void => {
  const { size, turn, workgroup } = scope.clock
  if (lanes.length === size) return
  const arrived = lanes.map(({ id }) => id)
  const missing = Array.from({ length: size }, (_, id) => id).filter((id) => !arrived.includes(id))
  scope.findings.divergence(site, turn, workgroup, arrived, missing)
}
const barrier =
  (draft: Draft, { storage, workgroup }: Of<"Barrier">): Step =>
  (lanes) => {
    const { epochs } = draft.scope.clock
    meeting(draft, lanes)
    if (workgroup) epochs.workgroup++
    if (storage) epochs.storage++
    return lanes
  }
/** The first invocation's value, which all others get after a barrier. */
const uniform = (draft: Draft, s: Of<"Uniform">): Step => {
  const of = draft.value(s.value)
  const slot = draft.scope.declare(s.name)
  return (lanes) => {
    meeting(draft, lanes)
    const value = of(lanes.find(({ id }) => id === 0) ?? lanes[0]!)
    for (const { locals } of lanes) locals[slot] = value
    draft.scope.clock.epochs.workgroup++
    return lanes
  }
}
const subgroup = (draft: Draft, s: Of<"Subgroup">): Step => {
  const { scope } = draft
  const [value, from] = s.values.map(draft.value) as [Value, Value | undefined]
  const slots = s.names.map((name) => scope.declare(name))
  return (lanes) => {
    meeting(draft, lanes)
    for (let first = 0; first < scope.clock.size; first += scope.subgroup) {
      const isIn = ({ id }: Lane): boolean => id >= first && id < first + scope.subgroup
      const group = lanes.filter(isIn).sort((a, b) => a.id - b.id)
      const values = group.map(value)
      const sources = group.map((lane) => from?.(lane))
      group.forEach(({ locals }, k) =>
        slots.forEach((slot, word) => (locals[slot] = combined(s, values, sources[k], k, word)))
      )
    }
    return lanes
  }
}
const each = ({ path, scope }: Draft, s: Of<"Each">): Step => {
  const { size } = scope.clock
  const [name, slot] = [scope.declare(s.name), scope.declare(s.slot)]
  const begin = ({ id, locals }: Lane, turn: number): void => {
    locals[name] = turn * size + id
    locals[slot] = turn
  }
  if (s.together === true) {
    const body = together(scope, s.body, `${path}.body.`)
    return (lanes) => {
      for (let turn = 0; turn * size < s.count; turn++) {
        for (const lane of lanes) begin(lane, turn)
        body(lanes)
      }
      return lanes
    }
  }
  const body = alone(scope, s.body, `${path}.body.`)
  return (lanes) => {
    for (let turn = 0; turn * size < s.count; turn++)
      for (const lane of lanes) {
        if (turn * size + lane.id >= s.count) continue
        begin(lane, turn)
        body(lane)
      }
    return lanes
  }
}
const branch = ({ path, scope, value }: Draft, s: Of<"If">): Step => {
  const condition = value(s.condition)
  const [yes, no] = [together(scope, s.then, `${path}.then.`), together(scope, s.else, `${path}.else.`)]
  return (lanes) => {
    const taken = lanes.map((lane) => condition(lane) !== 0)
    if (taken.every((t) => t)) return yes(lanes)
    if (!taken.includes(true)) return no(lanes)
    const left = new Set([...yes(lanes.filter((_, k) => taken[k])), ...no(lanes.filter((_, k) => !taken[k]))])
    return lanes.filter((lane) => left.has(lane))
  }
}
const endless = ({ scope, site }: Draft): Lanes => {
  scope.findings.endless(site, scope.clock.workgroup)
  return []
}
/** The end is computed at each turn, as WGSL computes it. */
const counted = (draft: Draft, s: Of<"For">): Step => {
  const { path, scope, value } = draft
  const from = value(s.from)
  const slot = scope.declare(s.name)
  const to = value(s.to)
  const body = together(scope, s.body, `${path}.body.`)
  const within = (lanes: Lanes): Lanes => {
    const isIn = lanes.map((lane) => lane.locals[slot]! < to(lane))
    return isIn.every((t) => t) ? lanes : lanes.filter((_, k) => isIn[k])
  }
  return (lanes) => {
    for (const lane of lanes) lane.locals[slot] = from(lane)
    let turns = 0
    for (let on = within(lanes); on.length > 0; on = within(on)) {
      on = turns++ < mostTurns ? body(on) : endless(draft)
      for (const { locals } of on) locals[slot] = locals[slot]! + 1
    }
    return lanes
  }
}
const repeated = (draft: Draft, s: Of<"Loop">): Step => {
  const body = together(draft.scope, s.body, `${draft.path}.body.`)
  return (lanes) => {
    let turns = 0
    for (let on = lanes; on.length > 0; turns++) on = turns < mostTurns ? body(on) : endless(draft)
    return lanes
  }
}
const breaking = ({ value }: Draft, s: Of<"BreakUnless">): Step => {
  const condition = value(s.condition)
  return (lanes) => lanes.filter((lane) => condition(lane) !== 0)
}
const everywhere = ({ path, scope, site }: Draft, s: Stmt): Step => {
  const run = statement(scope, s, site, path) ?? refuse(s._tag, "it cannot be followed", "lower the program again")
  return (lanes) => {
    for (const lane of lanes) run(lane)
    return lanes
  }
}

const step = (draft: Draft, s: Stmt): Step => {
  switch (s._tag) {
    case "Barrier":
      return barrier(draft, s)
    case "Uniform":
      return uniform(draft, s)
    case "Subgroup":
      return subgroup(draft, s)
    case "Each":
      return each(draft, s)
    case "If":
      return branch(draft, s)
    case "For":
      return counted(draft, s)
    case "Loop":
      return repeated(draft, s)
    case "BreakUnless":
      return breaking(draft, s)
    case "Inline":
      return refuse(
        `inline "${s.inline}"`,
        "inline text cannot be followed",
        "check the kernel with what the inline means in its place"
      )
    default:
      return everywhere(draft, s)
  }
}
/** Statements one after the other, in those invocations that are still there. */
export const together = (scope: Scope, body: ReadonlyArray<Stmt>, prefix: string): Step => {
  const base = scope.enter(body, prefix)
  const steps = body.flatMap((s, k): ReadonlyArray<Step> => {
    if (s._tag === "Comment") return []
    const site = base + k
    return [step({ scope, site, path: `${prefix}${k}`, value: evaluation(scope, site) }, s)]
  })
  return (lanes) => {
    for (const run of steps) {
      if (lanes.length === 0) return lanes
      scope.clock.turn++
      lanes = run(lanes)
    }
    return lanes
  }
}
