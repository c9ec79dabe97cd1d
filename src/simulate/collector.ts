/** Collects what is found in a run: each cause once, with how often it was seen. */
import * as Findings from "../Findings.ts"
import { printEqn } from "../ir/print.ts"
import { type Eqn, equations, type Program } from "../ir/program.ts"
import * as Shape from "../Shape.ts"
import type { Access } from "./actors.ts"
import type { Memory } from "./memory.ts"

/** What one place in the code does to the same refs has one cause, however many equations it makes there. */
const keyOf = ({ primitive, refs, source }: Eqn): string | undefined => {
  const at = source?.show()
  return at === undefined ? undefined : JSON.stringify([at, primitive, ...refs.map(({ name }) => name)])
}
const numbersOf = (program: Program): ReadonlyMap<Eqn, number> => {
  const numbers = new Map<Eqn, number>()
  const known = new Map<string, number>()
  for (const eqn of equations(program.body)) {
    const key = keyOf(eqn)
    const number = (key === undefined ? undefined : known.get(key)) ?? numbers.size
    if (key !== undefined) known.set(key, number)
    numbers.set(eqn, number)
  }
  return numbers
}

/** Who stood where: an access, or what may become one. */
export type Stand = Pick<Access, "actor" | "eqn" | "program"> & Partial<Pick<Access, "kind">>
type Counted<F> = F extends Findings.Finding ? Omit<F, "count" | "_tag" | "toString"> : never
type Fields<T extends Findings.Finding["_tag"]> = Counted<Extract<Findings.Finding, { readonly _tag: T }>>

const accessOf = (kind: Access["kind"]): "read" | "write" | "update" =>
  kind === "read" || kind === "write" ? kind : kind === "look" ? "read" : "update"
export const placeOf = ({ actor, eqn, kind, program }: Stand): Findings.Place => {
  const source = eqn.source?.show()
  return new Findings.Place({
    primitive: eqn.primitive,
    equation: printEqn(eqn),
    program: [...program],
    thread: actor.thread,
    by: actor.by,
    ...(kind === undefined ? {} : { access: accessOf(kind) }),
    ...(source === undefined ? {} : { source })
  })
}

interface Entry {
  readonly make: (count: number) => Findings.Finding
  /** The equation and ref of an access that a race explains, if there is one. */
  readonly cause?: Cause | undefined
  count: number
}
/** An access to a ref, for what was found of it. */
export interface Cause {
  readonly ref: string
  readonly eqn: Eqn
}
/** Races on one ref that share a place have one cause. */
interface Cluster {
  readonly ref: string
  readonly among: Findings.Race["among"]
  readonly numbers: Set<number>
  readonly entry: Entry
}

export class Collector {
  private readonly entries = new Map<string, Entry>()
  private clusters: ReadonlyArray<Cluster> = []
  private readonly program: Program
  private numbers: ReadonlyMap<Eqn, number> | undefined
  private isClosed = false
  constructor(program: Program) {
    this.program = program
  }

  /** The number of the first equation of the program that is the same to its author. */
  numberOf(eqn: Eqn): number {
    this.numbers ??= numbersOf(this.program)
    return this.numbers.get(eqn)!
  }
  element(memory: Memory, cell: number): ReadonlyArray<number> {
    return Shape.coordinates(memory.type.shape, cell)
  }

  /** Notes a finding of the cause that `key` tells from others; `make` is asked once. A race of `cause` explains it. */
  add<T extends Findings.Finding["_tag"]>(
    tag: T,
    key: ReadonlyArray<string | number>,
    make: () => Fields<T>,
    cause?: Cause
  ): void {
    const name = JSON.stringify([tag, ...key])
    const known = this.entries.get(name)
    if (known !== undefined) return void known.count++
    if (this.isClosed) return
    this.entries.set(name, this.entryOf(tag, make(), cause))
  }
  private entryOf<T extends Findings.Finding["_tag"]>(tag: T, fields: Fields<T>, cause?: Cause): Entry {
    const Class = Findings[tag] as unknown as new (fields: object) => Findings.Finding
    return { make: (count) => new Class({ ...fields, count }), count: 1, cause }
  }

  /** What is found from now on follows from what is known. */
  close(): void {
    this.isClosed = true
  }

  race(fields: () => Fields<"Race">, ref: string, among: Cluster["among"], eqns: readonly [Eqn, Eqn]): void {
    if (this.isClosed) return
    const numbers = eqns.map((eqn) => this.numberOf(eqn))
    const own = (c: Cluster): boolean => c.ref === ref && c.among === among && numbers.some((n) => c.numbers.has(n))
    const [first, ...more] = this.clusters.filter(own)
    if (first === undefined) {
      const entry = this.entryOf("Race", fields())
      this.clusters = [...this.clusters, { ref, among, numbers: new Set(numbers), entry }]
      return
    }
    for (const n of numbers) first.numbers.add(n)
    first.entry.count++
    if (more.length === 0) return
    for (const other of more) {
      for (const n of other.numbers) first.numbers.add(n)
      first.entry.count += other.entry.count
    }
    this.clusters = this.clusters.filter((c) => !more.includes(c))
  }

  get findings(): ReadonlyArray<Findings.Finding> {
    const others = [...this.entries.values()].filter(({ cause }) => cause === undefined || !this.isRaced(cause))
    const all = [...this.clusters.map((c) => c.entry), ...others]
    return all.map(({ count, make }) => make(count))
  }
  /** Numbers of the equations that each race of the findings is about; races come first, in the order of their clusters. */
  racing(findings: ReadonlyArray<Findings.Finding>): ReadonlyMap<Findings.Finding, ReadonlySet<number>> {
    return new Map(this.clusters.map((c, k) => [findings[k]!, c.numbers]))
  }
  /** Who reads too early, and for that reason what is not there yet, makes one mistake. */
  private isRaced({ eqn, ref }: Cause): boolean {
    const number = this.numberOf(eqn)
    return this.clusters.some((c) => c.among !== "programs" && c.ref === ref && c.numbers.has(number))
  }
}
