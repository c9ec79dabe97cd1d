/** Runs the equations of one thread, region by region. */
import { type ArrayValue, scalar } from "../ir/array.ts"
import type { DefinedRule, EvalContext, EvalRule, Primitive } from "../ir/primitive.ts"
import { type Atom, type Eqn, isVar, type Params, type Region, type Scratch } from "../ir/program.ts"
import type { Origins, Shadowed } from "../ir/shadow.ts"
import type { SimulateContext, Simulation } from "../ir/simulate.ts"
import { stop } from "../discharge/stop.ts"
import { primitive } from "../primitives/index.ts"
import { definedOf } from "../primitives/structural/defined.ts"
import type { Work } from "./hands.ts"
import { Memory } from "./memory.ts"
import type { Thread, World } from "./world.ts"

const literals = new WeakMap<Atom, Shadowed>()
const literalOf = (atom: Atom & { readonly _tag: "Literal" }): Shadowed => {
  let known = literals.get(atom)
  if (known === undefined) literals.set(atom, (known = { value: scalar(atom.dtype, atom.value), origins: undefined }))
  return known
}
const isDefined = ({ origins }: Shadowed): boolean => origins === undefined
const valueOf = ({ value }: Shadowed): ArrayValue => value
const defined = (value: ArrayValue): Shadowed => ({ value, origins: undefined })
/** Equations between two pauses in which others may stop the run. */
const breath = 1024

export class Machine {
  readonly owner: Thread
  private readonly world: World
  private readonly grid: EvalContext
  private readonly inPlace: EvalContext
  private readonly works = new Map<Eqn, Work>()
  private readonly context: (machine: Machine, eqn: Eqn) => SimulateContext
  private run = 0
  constructor(owner: Thread, context: (machine: Machine, eqn: Eqn) => SimulateContext) {
    this.owner = owner
    this.context = context
    this.world = owner.home.world
    const { program } = this.world
    this.grid = {
      programId: (axis) => owner.at[axis]!,
      numPrograms: (axis) => program.grid[axis]!.size,
      program: () => owner.at,
      fail: (reason) => stop(program.name, reason),
      report: () => undefined,
      region: () => {
        throw new Error("a primitive with regions has a rule")
      },
      value: (atom) => this.value(atom).value,
      mayReuse: () => false
    }
    this.inPlace = { ...this.grid, mayReuse: () => true }
  }

  value(atom: Atom): Shadowed {
    return isVar(atom) ? this.owner.values.get(atom.id)! : literalOf(atom)
  }
  /** What hands work on at an equation, where its values are those of the moment. */
  workOf(eqn: Eqn): Work {
    let work = this.works.get(eqn)
    if (work === undefined)
      this.works.set(
        eqn,
        (work = {
          world: this.world,
          eqn,
          memory: (ref) => this.memory(eqn.refs[ref]!.name),
          value: this.valueOf,
          evaluation: this.inPlace
        })
      )
    return work
  }
  private readonly valueOf = (atom: Atom): Shadowed => this.value(atom)
  private memory(name: string): Memory {
    return this.owner.refs.get(name) ?? this.owner.home.shared.get(name) ?? this.world.globals.get(name)!
  }

  // --- equations --------------------------------------------------------------------------------------------------------

  *region(region: Region, args: ReadonlyArray<Shadowed>): Simulation<ReadonlyArray<Shadowed>> {
    const { values } = this.owner
    for (let k = 0; k < region.params.length; k++) values.set(region.params[k]!.id, args[k]!)
    for (const eqn of region.eqns) {
      if (++this.run % breath === 0) yield undefined
      const record = primitive(eqn.primitive)!
      const operands = eqn.operands.map(this.valueOf)
      let results: ReadonlyArray<Shadowed>
      if (record.simulate === undefined) results = this.evaluate(record, eqn, operands)
      else {
        if (this.world.policy.interleaves && eqn.effects.length > 0) yield undefined
        this.owner.eqn = eqn
        results = yield* record.simulate(this.context(this, eqn), eqn, operands)
      }
      for (let k = 0; k < eqn.results.length; k++) values.set(eqn.results[k]!.id, results[k]!)
    }
    return region.results.map(this.valueOf)
  }

  private evaluate(record: Primitive, eqn: Eqn, operands: ReadonlyArray<Shadowed>): ReadonlyArray<Shadowed> {
    const lanes = record.lanes?.(this.world.settings.subgroupSize)
    const evaluate = lanes?.evaluate ?? record.evaluate!
    const results = evaluate(this.grid, eqn, operands.map(valueOf))
    const origins = this.defined(lanes?.defined ?? definedOf(record), evaluate, eqn, operands, results)
    return origins === undefined ? results.map(defined) : results.map((value, k) => ({ value, origins: origins[k] }))
  }
  private defined(
    rule: DefinedRule,
    evaluate: EvalRule,
    eqn: Eqn,
    operands: ReadonlyArray<Shadowed>,
    results: ReadonlyArray<ArrayValue>
  ): ReadonlyArray<Origins> | undefined {
    if (operands.every(isDefined)) return undefined
    return rule({ ...this.grid, evaluate: (over, values) => evaluate(this.grid, over, values) }, eqn, operands, results)
  }
  /** What a pure primitive gives, as part of another. */
  pure(name: string, operands: ReadonlyArray<Shadowed>, params: Params): Shadowed {
    const record = primitive(name)!
    const draft = {
      params,
      operands: operands.map(({ value: { dtype, shape } }) => ({ _tag: "Var", id: -1, dtype, shape }) as const),
      indices: [],
      refs: [],
      regions: []
    }
    const never = (): never => {
      throw new Error("a pure primitive looks at no ref")
    }
    const types = record.typing(draft, { ref: never, rank: Infinity, inline: never })
    const results = types.map((aval) => ({ _tag: "Var", id: -1, ...aval }) as const)
    const eqn: Eqn = { ...draft, primitive: name, results, effects: [], source: undefined }
    return this.evaluate(record, eqn, operands)[0]!
  }

  // --- scratch ----------------------------------------------------------------------------------------------------------

  /** Runs the body of a scope with its scratch, which is the thread's, or that of all threads that come to it. */
  *scope(eqn: Eqn, collective: boolean): Simulation<ReadonlyArray<Shadowed>> {
    const [region] = eqn.regions as [Region]
    const { home, refs } = this.owner
    const scope = collective ? home.scope(this.owner, eqn, () => allocate(region)) : undefined
    const own = scope?.refs ?? allocate(region)
    for (const [name, memory] of own) refs.set(name, memory)
    const results = yield* this.region(region, [])
    for (const name of own.keys()) refs.delete(name)
    if (scope === undefined || --scope.left === 0) home.end([...own.values()])
    return results
  }
}
const fresh = (scratch: Scratch): Memory => new Memory(scratch.name, scratch, "scratch")
const allocate = (region: Region): ReadonlyMap<string, Memory> => new Map(region.refs.map((r) => [r.name, fresh(r)]))
