/**
 * Runs a discharged program and says how far each result can be trusted.
 *
 * It is the plain evaluator with other records: each evaluates as the primitive's own does, and notes trust beside. So it
 * also finds races between program instances, duplicates in stores, and programs that run too long.
 */
import { Effect, References } from "effect"
import type * as DType from "../../DType.ts"
import { evaluate } from "../../discharge/evaluate.ts"
import type { KernelError } from "../../Errors.ts"
import type { ArrayValue } from "../../ir/array.ts"
import type { Lookup } from "../../ir/check.ts"
import { type EvalContext, type EvalRule, exact as exactly, type Primitive, pure } from "../../ir/primitive.ts"
import { type Atom, type Eqn, isVar, type Program, type RefDecl, type Region } from "../../ir/program.ts"
import { type View, viewAval } from "../../ir/view.ts"
import { equation, vector } from "../../primitives/structural/example.ts"
import { accessOf, foundTrust, stepTrust } from "./atomic.ts"
import { elementwiseTrust } from "./elementwise.ts"
import { dotTrust, reduceTrust } from "./groups.ts"
import { addTrust, getTrust, putTrust, type Watch } from "./memory.ts"
import { moveTrust } from "./moves.ts"
import { anything, best, exact, isTrusted, note, type Trust, trustOf } from "./trust.ts"

/** Why a program says nothing about interpreters: another order, or an endless run, would be as right. */
export type Unfit = "race" | "too long" | "undefined control"
class Stop extends Error {
  readonly unfit: Unfit
  constructor(unfit: Unfit) {
    super(unfit)
    this.unfit = unfit
  }
}

/** What a program gives, and how far it can be trusted. */
export interface Tracked {
  /** What the results are elements of. */
  readonly refs: ReadonlyArray<RefDecl>
  readonly results: ReadonlyMap<string, DType.HostArray>
  /** By the names of the refs; a ref that is missing is trusted to the word. */
  readonly trust: ReadonlyMap<string, Trust>
}

/** Steps that a program may take. */
const patience = 20_000

class Tracker {
  readonly trust = new Map<string, Trust>()
  private readonly lookup: Lookup
  private readonly watch: Watch
  private steps = 0
  /** Variables that something looks at. */
  private readonly looked: ReadonlySet<number>
  constructor(lookup: Lookup, { body, grid }: Program) {
    this.lookup = lookup
    this.looked = usedIn(body)
    this.watch = {
      instance: (ctx) =>
        grid.reduce((n, axis, k) => (axis.semantics === "parallel" ? n * axis.size + ctx.programId(k) : n), 0),
      race: () => {
        throw new Stop("race")
      }
    }
  }

  readonly record = (name: string): Primitive | undefined => {
    if (name === observe) return this.observer
    const found = this.lookup(name)
    if (found?.control !== undefined) return this.control(found)
    return found?.evaluate === undefined ? found : this.plain(found, found.evaluate)
  }

  private step(): void {
    if (++this.steps > patience) throw new Stop("too long")
  }
  private plain(record: Primitive, rule: EvalRule): Primitive {
    const evaluate: EvalRule = (ctx, eqn, operands) => {
      this.step()
      // Whether a run fails must not hang on what is not defined.
      if (record.name === "assert") this.decide(operands[0])
      // Nothing is written in place, so that what is noted for a storage stays true.
      const alone: EvalContext = { ...ctx, mayReuse: () => false }
      const results = rule(alone, eqn, operands)
      return results.map((result, k) => this.judge(record, rule, alone, eqn, operands, result, k))
    }
    return { ...record, evaluate }
  }

  private judge(
    record: Primitive,
    rule: EvalRule,
    ctx: EvalContext,
    eqn: Eqn,
    operands: ReadonlyArray<ArrayValue>,
    result: ArrayValue,
    k: number
  ): ArrayValue {
    if (record.elementwise !== undefined) return elementwiseTrust(record, eqn.params, operands, result)
    if (record.family === "shape") return moveTrust(rule, ctx, eqn, operands, result)
    const shown = () => viewAval(eqn.params["view"] as unknown as View, eqn.operands[0]!, eqn.indices)
    if (record.name === "viewGet") return getTrust(this.watch, ctx, eqn, operands, result, shown())
    if (record.name === "viewPut") return putTrust(this.watch, ctx, eqn, operands, result, shown())
    if (record.name === "viewAdd") return addTrust(this.watch, ctx, eqn, operands, result, shown(), "add")
    if (record.family === "atomic") {
      const access = accessOf(eqn, this.looked.has(eqn.results[1]!.id))
      return k === 0
        ? stepTrust(this.watch, ctx, eqn, operands, result, shown(), access)
        : foundTrust(ctx, eqn, operands, result, access)
    }
    if (record.name === "dot") return dotTrust(record, eqn, operands, result)
    return reduceTrust(record, ctx, eqn, operands[0] ?? result, result) ?? unknown(record, operands, result)
  }

  /** What decides where control goes must be trusted. */
  private decide(value: ArrayValue | undefined): void {
    if (value !== undefined && !isTrusted(trustOf(value))) throw new Stop("undefined control")
  }
  private control(record: Primitive): Primitive {
    const rule = record.control!
    const decide = (value: ArrayValue | undefined) => this.decide(value)
    const step = () => this.step()
    return {
      ...record,
      *control(ctx, eqn, operands) {
        for (const k of record.name === "cond" ? [0] : record.name === "fori" ? [0, 1] : []) decide(operands[k])
        const region: EvalContext["region"] = function* (k, args, lent) {
          step()
          const out = yield* ctx.region(k, args, lent)
          if (record.name === "while" && k === 0) decide(out[0])
          return out
        }
        return yield* rule({ ...ctx, region }, eqn, operands)
      }
    }
  }

  /** Sees what refs hold after each cell of the grid; the last time it is what they hold in the end. */
  private readonly observer: Primitive = {
    name: observe,
    family: "memory",
    doc: "Looks at values.",
    typing: () => [],
    effects: pure,
    accuracy: exactly,
    generate: { weight: 0 },
    example: equation([vector("i32", 1, 2)], [], { names: ["x"] }),
    evaluate: (_, eqn, operands) => {
      const names = eqn.params["names"] as ReadonlyArray<string>
      names.forEach((name, k) => {
        const trust = trustOf(operands[k]!)
        if (trust === undefined) this.trust.delete(name)
        else this.trust.set(name, trust)
      })
      return []
    }
  }
}
const observe = "~observe"

const usedIn = (region: Region, ids = new Set<number>()): ReadonlySet<number> => {
  const use = (atoms: ReadonlyArray<Atom>) => atoms.forEach((a) => isVar(a) && ids.add(a.id))
  use(region.results)
  for (const eqn of region.eqns) {
    use([...eqn.operands, ...eqn.indices])
    for (const inner of eqn.regions) usedIn(inner, ids)
  }
  return ids
}

/** A primitive that this file knows nothing about: exact or not at all. */
const unknown = (record: Primitive, operands: ReadonlyArray<ArrayValue>, result: ArrayValue): ArrayValue => {
  const good = operands.every((o) => isTrusted(trustOf(o))) && record.accuracy._tag === "Exact"
  return note(result, new Float64Array(result.data.length).fill(good ? Math.min(exact, best(result.dtype)) : anything))
}

const observed = (program: Program): Program => {
  const { body, discharged } = program
  const eqn: Eqn = {
    primitive: observe,
    params: { names: discharged },
    operands: body.results,
    indices: [],
    refs: [],
    regions: [],
    results: [],
    effects: [],
    source: undefined
  }
  return { ...program, body: { ...body, eqns: [...body.eqns, eqn] } }
}

/** Runs a discharged program, saying nothing of what it prints; `Unfit` if what it gives is not defined. */
export const track = (
  program: Program,
  args: ReadonlyMap<string, DType.HostArray>,
  lookup: Lookup
): Effect.Effect<Tracked | Unfit, KernelError> =>
  Effect.suspend(() => {
    const tracker = new Tracker(lookup, program)
    return Effect.map(evaluate(observed(program), args, { primitives: tracker.record }), (results) => ({
      refs: program.refs,
      results,
      trust: tracker.trust
    }))
  }).pipe(
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.catchDefect((defect) => (defect instanceof Stop ? Effect.succeed(defect.unfit) : Effect.die(defect)))
  )
