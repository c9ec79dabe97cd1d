/**
 * Loops that only another program instance can end.
 *
 * WebGPU may hold back a workgroup until another is done, so a loop that waits for one may never end. Refused are loops of
 * which that can be shown: run alone, they are in one state for good after a few turns, because the condition depends on
 * nothing but values that stay and reads of shared memory which the loop does not change, or changes only by steps that do
 * nothing a second time (take a lock by compare-and-exchange with fixed values, say). A loop that tries again with what
 * it has just read is not among them: it ends by its own doing.
 */
import { Unsupported } from "../Errors.ts"
import { type Atom, type Eqn, equations, isPure, isVar, type Program, type Region } from "../ir/program.ts"
import { decidingDtype } from "../primitives/elementwise.ts"
import { primitive } from "../primitives/index.ts"
import { fail } from "./failure.ts"
import { programsOf } from "./lower.ts"

const reads = new Set(["load", "semaphoreRead", "atomic", "compareExchange"])
/** Atomic operations that, with the same operands, change nothing the second time. */
const settling = new Set(["exchange", "max", "min", "and", "or"])
const settles = (eqn: Eqn): boolean =>
  eqn.primitive === "compareExchange" || (eqn.primitive === "atomic" && settling.has(String(eqn.params["op"])))
const writes = (eqn: Eqn, ref: string): boolean =>
  eqn.effects.some((e) => (e._tag === "Write" || e._tag === "Accum") && e.ref === ref)

/** What is known of a value: that it is a number, or that it is not. */
type Fact = { readonly is: number } | { readonly isNot: number } | undefined

class Loop {
  private readonly test: Region
  private readonly body: Region
  private readonly own: ReadonlyArray<Eqn>
  private readonly definitions = new Map<number, Eqn>()
  private readonly carries = new Map<number, number>()
  /** Refs that the condition depends on. */
  private readonly looked = new Set<string>()
  private readonly done = new Set<number>()
  private readonly open = new Set<number>()
  constructor(eqn: Eqn) {
    const [test, body] = eqn.regions as [Region, Region]
    this.test = test
    this.body = body
    this.own = [...test.eqns, ...body.eqns]
    for (const e of this.own) for (const r of e.results) this.definitions.set(r.id, e)
    for (const region of eqn.regions) region.params.forEach((p, k) => this.carries.set(p.id, k))
  }

  /** Whether only what others do to the refs of `shared` can end the loop, once it has gone round. */
  waits(shared: ReadonlySet<string>): boolean {
    const condition = this.test.results[0]!
    if (!this.settles(condition) || ![...this.looked].some((name) => shared.has(name))) return false
    if (![...this.looked].every((name) => this.stays(name, shared))) return false
    const last = this.fact(condition)
    return !(last !== undefined && "is" in last && last.is === 0)
  }

  /** Whether a carry holds one value as long as the loop runs. */
  private isFixed(atom: Atom): boolean {
    if (!isVar(atom)) return true
    const k = this.carries.get(atom.id)
    if (k === undefined) return !this.definitions.has(atom.id)
    const next = this.body.results[k]!
    return isVar(next) && this.carries.get(next.id) === k
  }
  /** Whether a value depends on nothing that goes on changing of itself; notes the refs that it depends on. */
  private settles(atom: Atom): boolean {
    if (!isVar(atom) || this.isFixed(atom) || this.done.has(atom.id)) return true
    if (this.open.has(atom.id)) return false
    this.open.add(atom.id)
    const holds = this.settlesInside(atom.id)
    this.open.delete(atom.id)
    if (holds) this.done.add(atom.id)
    return holds
  }
  private settlesInside(id: number): boolean {
    const k = this.carries.get(id)
    if (k !== undefined) return this.settles(this.body.results[k]!)
    const eqn = this.definitions.get(id)!
    if (eqn.regions.length > 0 || !(isPure(eqn) || reads.has(eqn.primitive))) return false
    for (const { name } of eqn.refs) this.looked.add(name)
    return [...eqn.operands, ...eqn.indices].every((a) => this.settles(a))
  }
  /** Whether the loop leaves a ref alone, or does to it, always alike, what has no effect the second time. */
  private stays(ref: string, shared: ReadonlySet<string>): boolean {
    const changes = [...equations(this.test), ...equations(this.body)].filter((e) => writes(e, ref))
    const [change, ...more] = changes
    if (change === undefined) return true
    if (!shared.has(ref) || more.length > 0 || !this.own.includes(change)) return false
    return settles(change) && [...change.operands, ...change.indices].every((a) => this.isFixed(a))
  }

  /** What is known of a value when nothing changes any more. */
  private fact(atom: Atom): Fact {
    if (!isVar(atom)) return { is: atom.value }
    if (this.isFixed(atom)) return undefined
    const k = this.carries.get(atom.id)
    return k === undefined ? this.factOf(this.definitions.get(atom.id)!) : this.fact(this.body.results[k]!)
  }
  private factOf(eqn: Eqn): Fact {
    const [a, b] = eqn.operands.map((o) => this.fact(o))
    const fixed = (f: Fact): number | undefined => (f !== undefined && "is" in f ? f.is : undefined)
    if (eqn.primitive === "atomic") return eqn.params["op"] === "exchange" && eqn.operands.length === 1 ? a : undefined
    if (eqn.primitive === "compareExchange") {
      const [compared, value] = [fixed(a), fixed(b)]
      const isApart = eqn.operands.length === 2 && compared !== undefined && value !== undefined && compared !== value
      return isApart ? { isNot: compared } : undefined
    }
    const record = primitive(eqn.primitive)?.elementwise
    if (record === undefined) return undefined
    if ((eqn.primitive === "eq" || eqn.primitive === "ne") && this.areApart(a, b))
      return { is: eqn.primitive === "ne" ? 1 : 0 }
    const values = eqn.operands.map((o) => fixed(this.fact(o)))
    if (eqn.primitive === "and" && values.includes(0)) return { is: 0 }
    if (values.includes(undefined)) return undefined
    const value = record.scalar(decidingDtype(eqn.operands), eqn.params)(...(values as ReadonlyArray<number>))
    return { is: Number(value) }
  }
  private areApart(a: Fact, b: Fact): boolean {
    const one = (x: Fact, y: Fact): boolean =>
      x !== undefined && y !== undefined && "isNot" in x && "is" in y && x.isNot === y.is
    return one(a, b) || one(b, a)
  }
}

/** Refs of the interface that the program writes. */
const sharedBy = (program: Program): ReadonlySet<string> => {
  const all = [...equations(program.body)]
  return new Set(program.refs.map((r) => r.name).filter((name) => all.some((eqn) => writes(eqn, name))))
}

/** Fails at a loop that waits for another program instance. */
export const checkProgress = (program: Program): void => {
  if (programsOf(program) < 2) return
  const shared = sharedBy(program)
  for (const eqn of equations(program.body)) {
    if (eqn.primitive !== "while" || !new Loop(eqn).waits(shared)) continue
    const source = eqn.source?.show()
    fail(
      program.name,
      new Unsupported({
        primitive: "while",
        interpreter: "Gpu",
        detail:
          "only another program instance can end this loop, and WebGPU guarantees no forward progress between workgroups",
        hint: "end the kernel there and go on in a second one, or run it on Discharge",
        ...(source === undefined ? {} : { source })
      })
    )
  }
}
