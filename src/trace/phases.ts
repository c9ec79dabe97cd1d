/**
 * What a program shows about the phases of its barriers: waits that nothing can satisfy, phases that nobody observes.
 *
 * The program is followed with what is known before it runs: numbers, positions on sequential axes, loops and branches that
 * these decide. Of all else (branches, loops of unknown length) only that is known which they leave as it was.
 */
import * as DType from "../DType.ts"
import { Deadlock, type Reason, Unbalanced } from "../Errors.ts"
import {
  type Atom,
  type BarrierRole,
  type Eqn,
  equations,
  isVar,
  type Program,
  programEffects,
  type Region,
  type Scratch
} from "../ir/program.ts"
import * as View from "../ir/view.ts"
import { decidingDtype, resultDtype } from "../primitives/elementwise.ts"
import { primitive } from "../primitives/index.ts"
import * as Shape from "../Shape.ts"

/** Arrivals that no wait has observed, by element; NaN where that is not known. */
type Counts = Map<string, ReadonlyArray<number>>
interface Barrier {
  readonly scratch: Scratch
  readonly arrivals: number
}
/** Carries a mistake out of the walk. */
class Found {
  readonly reason: Reason
  constructor(reason: Reason) {
    this.reason = reason
  }
}
/** The program is too long to be followed. */
class TooLong {}
const mostSteps = 100_000

const wrapped = (n: number): number => (Number.isNaN(n) ? NaN : n | 0)
const numbers: View.Algebra<number> = {
  constant: (n) => n,
  add: (a, b) => wrapped(a + b),
  mul: (a, n) => (Number.isNaN(a) ? NaN : Math.imul(a, n)),
  div: (a, n) => Math.floor(a / n),
  mod: (a, n) => a - n * Math.floor(a / n)
}
const sameCounts = (a: Counts, b: Counts): boolean =>
  [...a].every(([name, of]) => of.every((n, k) => Object.is(n, b.get(name)![k])))
const positionOf = (eqn: Eqn | undefined): { readonly source?: string } => {
  const source = eqn?.source?.show()
  return source === undefined ? {} : { source }
}

class Walk {
  private readonly program: Program
  private readonly barriers = new Map<string, Barrier>()
  private counts: Counts = new Map()
  /** Values of variables that are known at this step. */
  private readonly known = new Map<number, number>()
  private readonly at: Array<number | undefined>
  private readonly arrived = new Map<string, Eqn>()
  private steps = 0
  constructor(program: Program) {
    this.program = program
    this.at = program.grid.map((axis) => (axis.size === 1 ? 0 : undefined))
  }

  run(): void {
    const { body, grid } = this.program
    const axes = grid.flatMap((axis, k) => (axis.semantics === "sequential" ? [k] : []))
    const shape = axes.map((k) => grid[k]!.size)
    this.scope(body, () => {
      for (let cell = 0; cell < Shape.size(shape); cell++) {
        Shape.coordinates(shape, cell).forEach((c, d) => (this.at[axes[d]!] = c))
        this.walk(body)
      }
    })
  }

  private value(atom: Atom): number | undefined {
    return isVar(atom) ? this.known.get(atom.id) : atom.value
  }
  private bind(id: number, value: number | undefined): void {
    if (value === undefined) this.known.delete(id)
    else this.known.set(id, value)
  }

  // --- control ----------------------------------------------------------------------------------------------------------

  private scope(region: Region, body: () => void): void {
    const own = region.refs.filter(isBarrier)
    for (const scratch of own) {
      this.barriers.set(scratch.name, { scratch, arrivals: scratch.role.arrivals })
      this.counts.set(scratch.name, new Array<number>(Shape.size(scratch.shape)).fill(0))
    }
    body()
    for (const { name } of own) {
      this.end(name)
      this.counts.delete(name)
    }
  }
  private walk(region: Region): void {
    for (const eqn of region.eqns) {
      if (++this.steps > mostSteps) throw new TooLong()
      this.step(eqn)
    }
  }
  private step(eqn: Eqn): void {
    if (eqn.primitive === "barrierArrive") this.arrive(eqn)
    else if (eqn.primitive === "barrierWait") this.wait(eqn)
    else if (eqn.regions.length === 0) this.compute(eqn)
    else {
      for (const r of eqn.results) this.known.delete(r.id)
      if (eqn.regions.some(touches)) this.control(eqn)
    }
  }
  private control(eqn: Eqn): void {
    const [first] = eqn.regions as [Region]
    if (eqn.primitive === "scoped") this.scope(first, () => this.walk(first))
    else if (eqn.primitive === "fori") this.loop(eqn, first)
    else if (eqn.primitive === "cond") {
      const test = this.value(eqn.operands[0]!)
      if (test === undefined) this.perhaps(eqn.regions)
      else this.walk(eqn.regions[test === 0 ? 1 : 0]!)
    } else this.perhaps(eqn.regions)
  }
  private loop(eqn: Eqn, body: Region): void {
    const [from, to, ...init] = eqn.operands.map((o) => this.value(o))
    if (from === undefined || to === undefined) return this.perhaps(eqn.regions)
    const [i, ...carried] = body.params
    let carries: ReadonlyArray<number | undefined> = init
    for (let n = from; n < to; n++) {
      this.known.set(i!.id, n)
      carried.forEach((p, k) => this.bind(p.id, carries[k]))
      this.walk(body)
      carries = body.results.map((r) => this.value(r))
    }
    eqn.results.forEach((r, k) => this.bind(r.id, carries[k]))
  }
  /** Regions that run never, once or often. */
  private perhaps(regions: ReadonlyArray<Region>): void {
    for (const p of regions.flatMap((r) => r.params)) this.known.delete(p.id)
    const before = this.counts
    const unchanged = regions.every((r) => this.leaves(r, before))
    this.counts = new Map(before)
    if (unchanged) return
    const names = new Set(regions.flatMap((r) => [...equations(r)].flatMap((eqn) => eqn.refs.map((use) => use.name))))
    for (const [name, of] of before)
      if (names.has(name))
        this.counts.set(
          name,
          of.map(() => NaN)
        )
    const after = this.counts
    for (const r of regions) {
      this.counts = new Map(after)
      this.walk(r)
    }
    this.counts = after
  }
  /** Whether a region finds the barriers as they must be, and leaves them so. */
  private leaves(region: Region, before: Counts): boolean {
    this.counts = new Map(before)
    try {
      this.walk(region)
      return sameCounts(before, this.counts)
    } catch (e) {
      if (e instanceof Found) return false
      throw e
    }
  }

  // --- values -----------------------------------------------------------------------------------------------------------

  private compute(eqn: Eqn): void {
    const [result] = eqn.results
    if (result === undefined || result.shape.length > 0) return
    if (eqn.primitive === "programId") return this.bind(result.id, this.at[Number(eqn.params["axis"])])
    this.bind(result.id, this.elementwise(eqn))
  }
  private elementwise(eqn: Eqn): number | undefined {
    const record = primitive(eqn.primitive)?.elementwise
    const operands = eqn.operands.map((o) => this.value(o))
    if (record === undefined || operands.includes(undefined)) return undefined
    const value = record.scalar(decidingDtype(eqn.operands), eqn.params)(...(operands as ReadonlyArray<number>))
    return DType.round(resultDtype(record, eqn.operands, eqn.params))(Number(value))
  }

  // --- barriers ---------------------------------------------------------------------------------------------------------

  /** The element that the equation shows; `undefined` if there is none there, NaN if it is not known which. */
  private element(eqn: Eqn, { scratch }: Barrier): number | undefined {
    const scalar = (k: number): number => this.value(eqn.indices[k]!) ?? NaN
    const indices = { scalar, element: scalar, rank: () => 0 }
    const { coords, guards } = View.address(numbers, indices, eqn.refs[0]!.view, scratch, eqn.indices, [])
    if (guards.some((g) => g.index < 0 || g.index >= g.size)) return undefined
    return View.linearise(numbers, scratch.shape, coords)
  }
  /** Replaces the count of what the equation shows by what `next` makes of it. */
  private change(eqn: Eqn, next: (count: number, barrier: Barrier) => number): void {
    const { name } = eqn.refs[0]!
    const barrier = this.barriers.get(name)
    const before = this.counts.get(name)
    if (barrier === undefined || before === undefined) return
    const at = this.element(eqn, barrier)
    if (at === undefined) next(0, barrier)
    else
      this.counts.set(
        name,
        before.map((n, k) => (Number.isNaN(at) ? NaN : k === at ? (Number.isNaN(n) ? n : next(n, barrier)) : n))
      )
  }
  private arrive(eqn: Eqn): void {
    this.arrived.set(eqn.refs[0]!.name, eqn)
    this.change(eqn, (count, { arrivals }) => {
      if (count + 1 >= 2 * arrivals)
        this.unbalanced(
          eqn,
          "a phase completes while the one before has not been waited for",
          "wait in between, or take two barriers in turn"
        )
      return count + 1
    })
  }
  private wait(eqn: Eqn): void {
    this.change(eqn, (count, { arrivals, scratch }) => {
      if (count >= arrivals) return count - arrivals
      const detail = `it waits for a phase of ${arrivals} arrivals, of which there are ${count}`
      const program = this.program.grid.map((_, axis) => this.at[axis] ?? 0)
      throw new Found(new Deadlock({ ref: scratch.name, detail, program, values: [], ...positionOf(eqn) }))
    })
    for (const r of eqn.results) this.known.delete(r.id)
  }
  private end(name: string): void {
    const { arrivals } = this.barriers.get(name)!
    const left = this.counts.get(name)!.find((n) => n > 0)
    if (left === undefined) return
    const detail =
      left >= arrivals
        ? "a phase is complete when its scope ends, and nothing has waited for it"
        : `its scope ends with ${left} of the ${arrivals} arrivals of a phase`
    this.unbalanced(this.arrived.get(name)!, detail, "make each phase complete, and wait for each")
  }
  private unbalanced(eqn: Eqn, detail: string, hint: string): never {
    const ref = eqn.refs[0]!.name
    throw new Found(new Unbalanced({ primitive: eqn.primitive, ref, detail, hint, ...positionOf(eqn) }))
  }
}

const isBarrier = (s: Scratch): s is Scratch & { readonly role: BarrierRole } => s.role?.kind === "barrier"
const hasBarrier = (region: Region): boolean => region.refs.some(isBarrier)
const known = new WeakMap<Region, boolean>()
/** Whether anything in a region has to do with barriers. */
const touches = (region: Region): boolean => {
  let found = known.get(region)
  if (found === undefined) {
    found = hasBarrier(region) || region.eqns.some((e) => e.primitive.startsWith("barrier") || e.regions.some(touches))
    known.set(region, found)
  }
  return found
}

/** Threads arrive for one another, in an order that no walk through the program shows. */
const hasThreads = (program: Program): boolean => programEffects(program).some((e) => e._tag === "Threads")

/** Why a program cannot run as it is, as far as it shows. */
export const phaseMistake = (program: Program): Reason | undefined => {
  if (!touches(program.body) || hasThreads(program) || program.grid.some((axis) => axis.size === 0)) return undefined
  try {
    new Walk(program).run()
    return undefined
  } catch (e) {
    if (e instanceof Found) return e.reason
    if (e instanceof TooLong) return undefined
    throw e
  }
}
