/**
 * Evaluates regions: compiles each once into steps over numbered places, and keeps count of who holds which storage.
 *
 * A storage that is held by one place, which nothing looks at again, may be written in place. All other values never
 * change. Counts stand on the storage itself, because several values can share one (a reshape, a tile that is a whole ref).
 */
import { type ArrayValue, type Data, scalar } from "../ir/array.ts"
import type { EvalContext, EvalControl, EvalRule, Primitive } from "../ir/primitive.ts"
import { type Atom, type Eqn, isVar, type Region, type Var } from "../ir/program.ts"
import { ends, freeVariables } from "./liveness.ts"

/** Runs to the end, yielding wherever it may be interrupted. */
export type Running<A> = Generator<void, A>
type Read = () => ArrayValue
export type Runner = (args: ReadonlyArray<ArrayValue>) => Running<ReadonlyArray<ArrayValue>>

type Held = Data & { holders?: number }
const hold = ({ data }: ArrayValue): void => {
  const held: Held = data
  held.holders = (held.holders ?? 0) + 1
}
const drop = ({ data }: ArrayValue): void => {
  const held: Held = data
  held.holders = (held.holders ?? 1) - 1
}
const isOnlyHolder = (value: ArrayValue): boolean => (value.data as Held).holders === 1

/** A step is run at once, or, if it has regions, with interruptions. */
type Step = { readonly run: () => void } | { readonly loop: () => Running<void> }

/** A region, in places: `leaving` are those of results that are its own. */
interface Compiled {
  readonly params: ReadonlyArray<number | undefined>
  readonly steps: ReadonlyArray<Step>
  readonly results: ReadonlyArray<Read>
  readonly leaving: ReadonlySet<number>
}
/** An equation with regions, in places: those of operands that it takes over, and those of all that ends with it. */
interface Control {
  readonly operands: ReadonlyArray<Read>
  readonly handed: ReadonlyArray<number>
  readonly dead: ReadonlyArray<number>
  readonly results: ReadonlyArray<readonly [result: number, place: number]>
  readonly start: Runner
}

/** What a run tells its rules: where it stands, and how it ends early. */
export type Grid = Pick<EvalContext, "programId" | "numPrograms" | "program" | "fail" | "report">

export class Machine {
  private readonly lookup: (eqn: Eqn) => Primitive
  private readonly grid: Grid
  private readonly places: Array<ArrayValue | undefined> = []
  private readonly placeOf = new Map<number, number>()
  private readonly literals = new Map<Atom, ArrayValue>()

  constructor(lookup: (eqn: Eqn) => Primitive, grid: Grid) {
    this.lookup = lookup
    this.grid = grid
  }

  /** Compiles a region; `borrowed` are variables of enclosing regions that may end inside. */
  compile(region: Region, borrowed: ReadonlySet<number> = new Set()): Runner {
    const { dies, unused } = ends(region, borrowed)
    const free = freeVariables(region)
    const leaves = (v: Var): boolean => !free.has(v.id) || borrowed.has(v.id)
    const compiled: Compiled = {
      params: region.params.map((p) => (unused.has(p.id) ? undefined : this.place(p.id))),
      steps: region.eqns.map((eqn, k) => this.step(eqn, dies[k]!)),
      results: region.results.map((atom) => this.reader(atom)),
      leaving: new Set(
        region.results
          .filter(isVar)
          .filter(leaves)
          .map((v) => this.place(v.id))
      )
    }
    return (args) => this.run(compiled, args)
  }

  private *run(
    { leaving, params, results, steps }: Compiled,
    args: ReadonlyArray<ArrayValue>
  ): Running<ReadonlyArray<ArrayValue>> {
    params.forEach((place, k) => place !== undefined && this.put(place, args[k]!))
    for (const step of steps)
      if ("run" in step) step.run()
      else yield* step.loop()
    const out = results.map((read) => read())
    for (const place of leaving) this.clear(place)
    return out
  }

  private place(id: number): number {
    let place = this.placeOf.get(id)
    if (place === undefined) this.placeOf.set(id, (place = this.placeOf.size))
    return place
  }
  private put(place: number, value: ArrayValue): void {
    this.places[place] = value
    hold(value)
  }
  private clear(place: number): void {
    const value = this.places[place]
    if (value === undefined) return
    this.places[place] = undefined
    drop(value)
  }
  private value(atom: Atom): ArrayValue {
    if (isVar(atom)) return this.places[this.place(atom.id)]!
    const known = this.literals.get(atom)
    if (known !== undefined) return known
    const value = scalar(atom.dtype, atom.value)
    hold(value)
    this.literals.set(atom, value)
    return value
  }
  private reader(atom: Atom): Read {
    if (!isVar(atom)) {
      const value = this.value(atom)
      return () => value
    }
    const place = this.place(atom.id)
    return () => this.places[place]!
  }

  private step(eqn: Eqn, dies: ReadonlySet<number>): Step {
    const record = this.lookup(eqn)
    return record.control === undefined
      ? { run: this.plain(eqn, record.evaluate!, dies) }
      : { loop: this.control(eqn, record.control, record.once ?? false, dies) }
  }

  private plain(eqn: Eqn, rule: EvalRule, dies: ReadonlySet<number>): () => void {
    const operands = eqn.operands.map((atom) => this.reader(atom))
    const ctx = this.context(eqn, dies, [])
    const dead = [...dies].map((id) => this.place(id))
    const results = this.resultPlaces(eqn, dies)
    return () => {
      const values = rule(
        ctx,
        eqn,
        operands.map((read) => read())
      )
      for (const place of dead) this.clear(place)
      for (const [k, place] of results) this.put(place, values[k]!)
    }
  }

  private control(eqn: Eqn, rule: EvalControl, once: boolean, dies: ReadonlySet<number>): () => Running<void> {
    const operands = eqn.operands.map((atom) => this.reader(atom))
    const given = new Set(eqn.operands.filter(isVar).map((v) => v.id))
    const inner = new Set(eqn.regions.flatMap((r) => [...freeVariables(r)]))
    const borrowed = new Set(once ? [...dies].filter((id) => inner.has(id) && !given.has(id)) : [])
    const regions = eqn.regions.map((region) => this.compile(region, borrowed))
    const ctx = this.context(eqn, new Set(), regions)
    // What dies and is only an operand is handed over; what the regions use as well ends with the equation.
    const handed = [...dies].filter((id) => given.has(id) && !inner.has(id)).map((id) => this.place(id))
    const dead = [...dies].map((id) => this.place(id))
    const results = this.resultPlaces(eqn, dies)
    return () => this.runControl({ operands, handed, dead, results, start: (values) => rule(ctx, eqn, values) })
  }

  private *runControl({ dead, handed, operands, results, start }: Control): Running<void> {
    const values = operands.map((read) => read())
    for (const place of handed) this.clear(place)
    const out = yield* start(values)
    for (const place of dead) this.clear(place)
    for (const [k, place] of results) this.put(place, out[k]!)
  }

  /** Places of the results that something looks at. */
  private resultPlaces(eqn: Eqn, dies: ReadonlySet<number>): ReadonlyArray<readonly [number, number]> {
    return eqn.results.flatMap((r, k) => (dies.has(r.id) ? [] : [[k, this.place(r.id)] as const]))
  }

  private context(eqn: Eqn, dies: ReadonlySet<number>, regions: ReadonlyArray<Runner>): EvalContext {
    const looked = [...eqn.operands, ...eqn.indices].filter(isVar).map((v) => v.id)
    const last = eqn.operands.map(
      (atom) => isVar(atom) && dies.has(atom.id) && looked.filter((id) => id === atom.id).length === 1
    )
    return {
      ...this.grid,
      region: (k, args, lent = false) => (lent ? lend(regions[k]!, args) : regions[k]!(args)),
      value: (atom) => this.value(atom),
      mayReuse: (k) => last[k]! && isOnlyHolder(this.value(eqn.operands[k]!))
    }
  }
}

/** Runs a region while somebody else holds its arguments too. */
function* lend(run: Runner, args: ReadonlyArray<ArrayValue>): Running<ReadonlyArray<ArrayValue>> {
  args.forEach(hold)
  const out = yield* run(args)
  args.forEach(drop)
  return out
}
