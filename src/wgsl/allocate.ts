/** Gives every value that is kept, and every scratch, its memory; what is no longer read gives its memory to others. */
import type * as DType from "../DType.ts"
import type { Memory } from "../ir/lowered.ts"
import { placementOf } from "../ir/placement.ts"
import type { Scratch, Var } from "../ir/program.ts"
import type { Decided } from "../Schedule.ts"
import * as Shape from "../Shape.ts"
import type { Facts } from "./facts.ts"
import type { Layouts } from "./layouts.ts"
import { lifetimes } from "./lifetimes.ts"
import type { Namer } from "./names.ts"

/** Bytes that are kept free for the partial states of reductions. */
const reserve = (workgroupSize: number): number => 16 * workgroupSize + 64

type Placed = Memory["placement"]
/** Where elements of scratch lie, if they lie in workgroup memory and not in row-major order. */
const placementIn = (ref: Scratch): Placed => {
  const declared = placementOf(ref)
  const plain = Object.keys(declared).length === 0 || Shape.size(ref.shape) === 0
  return plain ? undefined : { ...declared, shape: ref.shape }
}
/** A placement is part of a memory: only what is placed alike may share it. */
const isPlaced = (memory: Memory, placement: Placed): boolean =>
  memory.space !== "workgroup" || JSON.stringify(memory.placement) === JSON.stringify(placement)

/** What memory is like besides dtype and size. */
interface Kind {
  readonly atomic?: boolean
  /** May take what is kept free for reductions. */
  readonly urgent?: boolean
  readonly placement?: Placed
}

/** Workgroup memory while it lasts, then a share of the spill buffer. */
export class Arena {
  readonly memories: Array<Memory> = []
  private bytes = 0
  spillWords = 0
  private readonly names: Namer
  private readonly schedule: Decided
  constructor(names: Namer, schedule: Decided) {
    this.names = names
    this.schedule = schedule
  }
  get workgroupBytes(): number {
    return this.bytes
  }
  private add(memory: Memory): Memory {
    this.memories.push(memory)
    return memory
  }
  /** Memory that the whole workgroup sees. */
  shared(
    hint: string,
    dtype: DType.Name,
    elements: number,
    { atomic = false, placement, urgent = false }: Kind = {}
  ): Memory {
    const length = Math.max(1, elements)
    const kept = urgent ? 0 : reserve(this.schedule.workgroupSize)
    const fits = this.bytes + 4 * length + kept <= this.schedule.workgroupBytes
    const common = { name: this.names.fresh(hint), dtype, length, writable: true, atomic }
    if (!fits) {
      const offset = this.spillWords
      this.spillWords += length
      return this.add({ ...common, space: "spill", offset })
    }
    this.bytes += 4 * length
    const placed = placement === undefined ? {} : { placement }
    return this.add({ ...common, ...placed, space: "workgroup", offset: 0 })
  }
  registers(hint: string, dtype: DType.Name, elements: number): Memory {
    const length = Math.max(1, Math.ceil(elements / this.schedule.workgroupSize))
    return this.add({
      name: this.names.fresh(hint),
      space: "register",
      dtype,
      length,
      offset: 0,
      writable: true,
      atomic: false
    })
  }
}

export interface Allocation {
  readonly arena: Arena
  /** Memory of kept values, by the id of the variable. */
  readonly places: ReadonlyMap<number, Memory>
  readonly scratch: ReadonlyMap<string, Memory>
}

/** Scratch that each invocation can keep for itself: always taken whole, so that each looks only at its own elements. */
const inRegisters = (facts: Facts, schedule: Decided, ref: Scratch): boolean => {
  const fact = facts.refs.get(ref.name)
  const size = Shape.size(ref.shape)
  return fact !== undefined && !fact.partial && Math.ceil(size / schedule.workgroupSize) <= schedule.registerWords
}

interface Wish {
  readonly start: number
  readonly end: number
  readonly take: () => Memory
  readonly give: (memory: Memory) => void
  readonly fits: (memory: Memory) => boolean
}

const wishes = (
  facts: Facts,
  layouts: Layouts,
  schedule: Decided,
  arena: Arena,
  out: { places: Map<number, Memory>; scratch: Map<string, Memory> }
) => {
  const lifetime = lifetimes(facts, layouts)
  const wanted: Array<Wish> = []
  const wish = (
    hint: string,
    of: { dtype: DType.Name; shape: Shape.Shape },
    own: boolean,
    life: { start: number; end: number },
    give: Wish["give"],
    { atomic = false, placement }: Kind = {}
  ) => {
    const size = Shape.size(of.shape)
    const words = own ? Math.max(1, Math.ceil(size / schedule.workgroupSize)) : Math.max(1, size)
    wanted.push({
      ...life,
      give,
      take: () =>
        own ? arena.registers(hint, of.dtype, size) : arena.shared(hint, of.dtype, size, { atomic, placement }),
      fits: (m) =>
        m.dtype === of.dtype &&
        m.atomic === atomic &&
        isPlaced(m, placement) &&
        (m.space === "register") === own &&
        m.length >= words &&
        m.length <= 2 * words
    })
  }
  const place = (variable: Var, vars: ReadonlyArray<Var>): void => {
    const layout = layouts.of(variable)
    if (layout !== "Register" && layout !== "Shared") return
    wish(`t${variable.id}`, variable, layout === "Register", lifetime(variable), (m) =>
      vars.forEach((v) => out.places.set(v.id, m))
    )
  }
  for (const { end, ref, start } of facts.scratch) {
    const fact = facts.refs.get(ref.name)
    const give = (m: Memory) => out.scratch.set(ref.name, m)
    if (fact === undefined) continue
    // Bits that are no numbers survive as words alone.
    const of = fact.recast && ref.dtype === "f32" ? ({ dtype: "u32", shape: ref.shape } as const) : ref
    const kind = { atomic: fact.contended, placement: placementIn(ref) }
    wish(ref.name, of, inRegisters(facts, schedule, ref), { start, end }, give, kind)
  }
  const placed = new Set<unknown>()
  for (const site of facts.sites) {
    if (!layouts.isLive(site)) continue
    for (const r of site.eqn.results) {
      const carry = facts.carries.get(r.id)
      if (carry === undefined) place(r, [r])
      else if (!placed.has(carry)) {
        placed.add(carry)
        place(carry.head, carry.vars)
      }
    }
  }
  return wanted.sort((a, b) => a.start - b.start)
}

export const allocate = (facts: Facts, layouts: Layouts, schedule: Decided, names: Namer): Allocation => {
  const arena = new Arena(names, schedule)
  const out = { places: new Map<number, Memory>(), scratch: new Map<string, Memory>() }
  let busy: Array<{ readonly end: number; readonly memory: Memory }> = []
  const free: Array<Memory> = []
  for (const w of wishes(facts, layouts, schedule, arena, out)) {
    for (const b of busy) if (b.end < w.start) free.push(b.memory)
    busy = busy.filter((b) => b.end >= w.start)
    const found = free.findIndex(w.fits)
    const memory = found < 0 ? w.take() : free.splice(found, 1)[0]!
    w.give(memory)
    busy.push({ end: w.end, memory })
  }
  return { arena, ...out }
}
