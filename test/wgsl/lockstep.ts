/**
 * Runs a lowered kernel on the CPU, all invocations of a workgroup statement by statement, and looks for cells that one
 * invocation writes and another touches with no barrier in between.
 */
import * as DType from "../../src/DType.ts"
import type { Expr, Lowered, Memory, Stmt } from "../../src/ir/lowered.ts"
import { primitive } from "../../src/primitives/index.ts"

interface Cell {
  epoch: number
  writer: number
  adder: boolean
  /** The invocation that read it, −1 for none, −2 for several. */
  reader: number
}
type Locals = Map<string, number>

class Race extends Error {}
const cell = new DataView(new ArrayBuffer(4))
const recast = (from: DType.Name, to: DType.Name, x: number): number => {
  if (from === to) return x
  if (DType.widened(from) === "f32") cell.setFloat32(0, x)
  else cell.setUint32(0, x >>> 0)
  const wide = DType.widened(to)
  return kept(to, wide === "i32" ? cell.getInt32(0) : wide === "u32" ? cell.getUint32(0) : cell.getFloat32(0))
}
/** A value as memory of that dtype keeps it. */
const kept = (dtype: DType.Name, x: number): number => (DType.isStorage(dtype) ? DType.round(dtype)(x) : x)
const index: { readonly [op: string]: (a: number, b: number) => number } = {
  add: (a, b) => (a + b) | 0,
  mul: (a, b) => Math.imul(a, b),
  div: (a, b) => (a < 0 ? NaN : Math.floor(a / b)),
  mod: (a, b) => (a < 0 ? NaN : a % b),
  floorDiv: (a, b) => Math.floor(a / b),
  floorMod: (a, b) => ((a % b) + b) % b
}

const folds: { readonly [op: string]: string } = {
  Add: "add",
  Mul: "mul",
  Max: "max",
  Min: "min",
  And: "and",
  Or: "or",
  Xor: "xor",
  All: "and",
  Any: "or"
}
/** What lane `k` of a subgroup gets, from the values of all and the lane that it reads from. */
const combined = (
  { dtype, op }: Stmt & { readonly _tag: "Subgroup" },
  values: ReadonlyArray<number>,
  from: number | undefined,
  k: number,
  word: number
): number => {
  if (op === "Shuffle") return values[from!] ?? NaN
  if (op === "Ballot") return values.reduce((bits, v, l) => bits + (l >> 5 === word ? v * 2 ** (l & 31) : 0), 0)
  const scan = /^(In|Ex)clusive(.*)$/.exec(op)
  const name = folds[scan?.[2] ?? op]!
  const f = primitive(name)!.elementwise!.scalar(dtype, {})
  const taken = scan === null ? values : values.slice(0, scan[1] === "In" ? k + 1 : k)
  return taken.length === 0 ? Number(name === "mul") : taken.reduce((a, b) => DType.round(dtype)(f(a, b)))
}

/** One workgroup; `storage` is shared by all of them. */
class Workgroup {
  private readonly memories = new Map<string, { memory: Memory; data: Float64Array; cells: Array<Cell | undefined> }>()
  private readonly registers: Array<Map<string, Float64Array>> = []
  private readonly locals: Array<Locals> = []
  private readonly epochs = { workgroup: 0, storage: 0 }
  private readonly lowered: Lowered
  private readonly subgroup: number
  constructor(lowered: Lowered, storage: ReadonlyMap<string, Float64Array>, program: number, subgroup: number) {
    this.lowered = lowered
    this.subgroup = subgroup
    for (const memory of lowered.memories) {
      const data = memory.space === "storage" ? storage.get(memory.name)! : new Float64Array(memory.length)
      this.memories.set(memory.name, { memory, data, cells: [] })
    }
    for (let lane = 0; lane < lowered.workgroupSize; lane++) {
      this.locals.push(
        new Map([
          ["lane", lane],
          ["program", program],
          ["subgroup_size", subgroup],
          ["subgroup_lane", lane % subgroup]
        ])
      )
      const own = lowered.memories.filter((m) => m.space === "register")
      this.registers.push(new Map(own.map((m) => [m.name, new Float64Array(m.length)])))
    }
  }

  private touch(name: string, at: number, lane: number, kind: "read" | "write" | "add"): void {
    const { cells, memory } = this.memories.get(name)!
    if (memory.space === "register" || !memory.writable) return
    const epoch = this.epochs[memory.space === "workgroup" ? "workgroup" : "storage"]
    let c = cells[at]
    if (c === undefined || c.epoch !== epoch) cells[at] = c = { epoch, writer: -1, adder: false, reader: -1 }
    const both = kind === "add" && memory.atomic && c.adder
    if (c.writer !== -1 && c.writer !== lane && !both)
      throw new Race(`${name}[${at}]: ${kind} by ${lane} after a write by ${c.writer}`)
    if (kind !== "read" && c.reader !== -1 && c.reader !== lane)
      throw new Race(`${name}[${at}]: ${kind} by ${lane} after a read by ${c.reader}`)
    if (kind === "read") c.reader = c.reader === -1 || c.reader === lane ? lane : -2
    else {
      c.writer = lane
      c.adder = kind === "add" && memory.atomic
    }
  }
  private load(name: string, at: number, lane: number): number {
    const { data, memory } = this.memories.get(name)!
    if (memory.space === "register") return this.registers[lane]!.get(name)![memory.length === 1 ? 0 : at]!
    if (!(at >= 0 && at < memory.length)) return 0
    this.touch(name, at, lane, "read")
    return data[at]!
  }
  /** `added` is the dtype in which the value is added; without it the value is stored. */
  private store(name: string, at: number, lane: number, value: number, added?: DType.Name): void {
    const { data, memory } = this.memories.get(name)!
    const sum = (of: DType.Name, old: number): number =>
      recast(of, memory.dtype, DType.round(DType.widened(of))(recast(memory.dtype, of, old) + value))
    const next = (old: number): number => kept(memory.dtype, added === undefined ? value : sum(added, old))
    if (memory.space === "register") {
      const own = this.registers[lane]!.get(name)!
      const slot = memory.length === 1 ? 0 : at
      own[slot] = next(own[slot]!)
      return
    }
    if (!(at >= 0 && at < memory.length)) throw new Error(`${name}[${at}] is written and has ${memory.length} elements`)
    if (added !== undefined && !memory.atomic) this.touch(name, at, lane, "read")
    this.touch(name, at, lane, added === undefined ? "write" : "add")
    data[at] = next(data[at]!)
  }

  /** One step on an atomic element; gives what was there before. */
  private atomic(s: Stmt & { readonly _tag: "Atomic" }, lane: number): number {
    const { data, memory } = this.memories.get(s.memory)!
    const at = this.value(s.index, lane)
    if (!memory.atomic) throw new Error(`${s.memory} is not atomic`)
    if (!(at >= 0 && at < memory.length))
      throw new Error(`${s.memory}[${at}] is changed and has ${memory.length} elements`)
    this.touch(s.memory, at, lane, "add")
    const before = recast(memory.dtype, s.dtype, data[at]!)
    const [a, b] = s.values.map((v) => this.value(v, lane)) as [number, number]
    const after = (): number => {
      if (s.op === "exchange") return a
      if (s.op === "compareExchange") return before === a ? b : before
      return DType.round(s.dtype)(primitive(s.op)!.elementwise!.scalar(s.dtype, {})(before, a))
    }
    data[at] = recast(s.dtype, memory.dtype, after())
    return before
  }

  private value(e: Expr, lane: number): number {
    const of = (x: Expr): number => this.value(x, lane)
    switch (e._tag) {
      case "Const":
        return e.value
      case "Local": {
        const known = this.locals[lane]!.get(e.name)
        if (known === undefined) throw new Error(`${e.name} is used before it is named`)
        return known
      }
      case "Index":
        return index[e.op]!(of(e.a), of(e.b))
      case "Inside": {
        const at = of(e.index)
        return at >= 0 && at < e.size ? 1 : 0
      }
      case "All":
        return e.of.every((x) => of(x) !== 0) ? 1 : 0
      case "Select": {
        const [yes, no] = [of(e.yes), of(e.no)]
        return of(e.condition) ? yes : no
      }
      case "Apply": {
        const rule = primitive(e.primitive)!.elementwise!
        return DType.round(e.result)(rule.scalar(e.dtype, e.params)(...e.args.map(of)))
      }
      case "Load":
        return this.load(e.memory, of(e.index), lane)
      case "Bitcast":
        return recast(e.from, e.to, of(e.of))
    }
  }

  /** A value that all invocations agree on. */
  private agreed(e: Expr): number {
    const values = this.locals.map((_, lane) => this.value(e, lane))
    if (values.some((v) => !Object.is(v, values[0]))) throw new Race(`invocations disagree: ${values.join(", ")}`)
    return values[0]!
  }
  /** One statement that each invocation runs for itself. */
  private alone(s: Stmt, lane: number): void {
    const locals = this.locals[lane]!
    switch (s._tag) {
      case "Let":
      case "Var":
      case "Assign":
        locals.set(s.name, this.value(s.value, lane))
        return
      case "Store":
        this.store(s.memory, this.value(s.index, lane), lane, this.value(s.value, lane))
        return
      case "Add":
        this.store(s.memory, this.value(s.index, lane), lane, this.value(s.value, lane), s.dtype)
        return
      case "Atomic": {
        const before = this.atomic(s, lane)
        if (s.name !== undefined) locals.set(s.name, before)
        return
      }
      case "Reserve":
        // There is always room.
        this.value(s.cell, lane)
        locals.set(s.name, 0)
        return
      case "Record":
        this.value(s.index, lane)
        this.value(s.value, lane)
        return
      case "If":
        for (const inner of this.value(s.condition, lane) ? s.then : s.else) this.alone(inner, lane)
        return
      case "For":
        for (let k = this.value(s.from, lane); k < this.value(s.to, lane); k++) {
          locals.set(s.name, k)
          for (const inner of s.body) this.alone(inner, lane)
        }
        return
      case "Comment":
        return
      default:
        throw new Error(`${s._tag} in one invocation`)
    }
  }
  /** Turn after turn, and in each statement after statement, in all invocations. */
  private together(s: Stmt & { readonly _tag: "Each" }): void {
    const w = this.lowered.workgroupSize
    for (let slot = 0; slot * w < s.count; slot++) {
      this.locals.forEach((locals, lane) => locals.set(s.name, slot * w + lane).set(s.slot, slot))
      for (const inner of s.body) {
        if (inner._tag === "Subgroup")
          for (let first = 0; first < w; first += this.subgroup) this.exchange(inner, first)
        else this.everywhere(inner)
      }
    }
  }
  /** An operation of the subgroup that begins with invocation `first`. */
  private exchange(s: Stmt & { readonly _tag: "Subgroup" }, first: number): void {
    const lanes = Array.from({ length: this.subgroup }, (_, k) => first + k)
    const [values, from] = [0, 1].map((k) => lanes.map((lane) => s.values[k] && this.value(s.values[k], lane)))
    lanes.forEach((lane, k) =>
      s.names.forEach((name, word) =>
        this.locals[lane]!.set(name, combined(s, values as Array<number>, from![k], k, word))
      )
    )
  }
  private each(s: Stmt & { readonly _tag: "Each" }): void {
    const w = this.lowered.workgroupSize
    if (s.together === true) return this.together(s)
    for (let el = 0; el < s.count; el++) {
      const lane = el % w
      this.locals[lane]!.set(s.name, el).set(s.slot, Math.floor(el / w))
      for (const inner of s.body) this.alone(inner, lane)
    }
  }
  private everywhere(s: Stmt): void {
    for (let lane = 0; lane < this.locals.length; lane++) this.alone(s, lane)
  }
  private set(name: string, value: number): void {
    for (const locals of this.locals) locals.set(name, value)
  }
  /** Runs statements that all invocations run together; false if a loop ends here. */
  run(body: ReadonlyArray<Stmt>): boolean {
    for (const s of body) {
      if (s._tag === "Each") this.each(s)
      else if (s._tag === "Barrier") {
        if (s.workgroup) this.epochs.workgroup++
        if (s.storage) this.epochs.storage++
      } else if (s._tag === "Uniform") {
        this.set(s.name, this.value(s.value, 0))
        this.epochs.workgroup++
      } else if (s._tag === "BreakUnless") {
        if (!this.agreed(s.condition)) return false
      } else if (s._tag === "Loop") while (this.run(s.body));
      else if (s._tag === "If") {
        if (!this.run(this.agreed(s.condition) ? s.then : s.else)) return false
      } else if (s._tag === "For")
        for (let k = this.agreed(s.from), to = this.agreed(s.to); k < to; k++) {
          this.set(s.name, k)
          if (!this.run(s.body)) return false
        }
      else this.everywhere(s)
    }
    return true
  }
}

/**
 * Runs all workgroups, in order; `storage` holds the bound memories by name, `subgroup` are the lanes of a subgroup. Throws
 * where invocations race.
 */
export const lockstep = (lowered: Lowered, storage: ReadonlyMap<string, Float64Array>, subgroup = 4): void => {
  for (let program = 0; program < lowered.programs; program++)
    new Workgroup(lowered, storage, program, subgroup).run(lowered.body)
}
