/** Loads, stores, swaps and accumulations. */
import * as DType from "../../DType.ts"
import { sameType } from "../../ir/aval.ts"
import type { Atom, Aval, Params, Scratch } from "../../ir/program.ts"
import { toParam } from "../../ir/viewText.ts"
import { steps } from "../trust/races.ts"
import type { Gen, RefPlan } from "./state.ts"
import * as Tiles from "./tiles.ts"
import { type Seen, view, wholeView } from "./views.ts"

const emit = (gen: Gen, primitive: string, seen: Seen, operands: ReadonlyArray<Atom>, params: Params = {}): void => {
  gen.budget--
  const used = operands.map((o) => gen.use(o))
  const results = gen.builder.emit(primitive, used, { refs: [seen.use], indices: seen.indices, params })
  for (const result of results) gen.add(result)
}
const masks = (gen: Gen, { shape }: Aval): ReadonlyArray<Atom> =>
  gen.draw.chance(0.25) ? [Tiles.mask(gen, shape)] : []

export const load = (gen: Gen, ref: RefPlan): void => {
  const seen = view(gen, ref, false)
  const guard = masks(gen, seen.aval)
  emit(gen, "load", seen, guard.length === 0 ? [] : [...guard, Tiles.stretching(gen, Tiles.shown(seen.aval))])
}

const hasAtomics = (dtype: DType.Name): boolean => ["f32", "i32", "u32"].includes(dtype)
/** What may be written to a ref that only this instance touches. */
const writes = ({ seen: { dtype } }: RefPlan): ReadonlyArray<string> => [
  "store",
  "store",
  "swap",
  ...(dtype === "bool" ? [] : ["accumulate"]),
  ...(hasAtomics(dtype) ? ["atomic"] : []),
  ...(dtype === "i32" || dtype === "u32" ? ["compareExchange"] : [])
]
const operations = [...steps, "exchange"]

/** Adds, or does another step, to what all instances do it to; what the steps find depends on their order. */
const step = (gen: Gen, ref: RefPlan): void => {
  const op = ref.step ?? "add"
  const plain = op === "add" && (!hasAtomics(ref.seen.dtype) || gen.draw.chance(0.6))
  const seen = plain ? view(gen, ref, false) : gen.draw.chance(0.3) ? wholeView(gen, ref) : view(gen, ref, false)
  if (seen.aval.dtype === "bool") return
  // Float sums of several instances round, in an order that is open.
  if (gen.isCareful && op === "add" && DType.isFloat(DType.widened(seen.aval.dtype))) return
  // The least of numbers with a sign and the least of those without one do not commute.
  if (gen.isCareful && (op === "max" || op === "min") && seen.aval.dtype !== ref.seen.dtype) return
  gen.budget--
  const operands = [Tiles.stretching(gen, Tiles.shown(seen.aval)), ...masks(gen, seen.aval)].map((o) => gen.use(o))
  const params = plain ? {} : { op }
  gen.builder.emit(plain ? "accumulate" : "atomic", operands, { refs: [seen.use], indices: seen.indices, params })
}
/** Writes a value, or what comes to hand, through a view. */
export const write = (gen: Gen, ref: RefPlan): void => {
  if (ref.policy === "accumulate") return step(gen, ref)
  const primitive = gen.draw.of(writes(ref))
  // Float sums round, and then it shows in which order duplicates are added.
  const seen = view(gen, ref, primitive !== "accumulate" || gen.isCareful)
  if (primitive === "accumulate" && seen.aval.dtype === "bool") return
  const compared = primitive === "compareExchange" ? [Tiles.stretching(gen, Tiles.shown(seen.aval))] : []
  const operands = [...compared, Tiles.stretching(gen, Tiles.shown(seen.aval)), ...masks(gen, seen.aval)]
  emit(gen, primitive, seen, operands, primitive === "atomic" ? { op: gen.draw.of(operations) } : {})
}

/** What loads, writes and atomic steps are discharged to, on a value of this dtype. */
const pureAccesses = (dtype: DType.Name): ReadonlyArray<string> => [
  "viewGet",
  "viewPut",
  "viewAdd",
  ...(hasAtomics(dtype) ? ["viewAtomic"] : []),
  ...(dtype === "i32" || dtype === "u32" ? ["viewCompareExchange"] : [])
]
/** Reads and writes of values: what those of refs are discharged to. */
export const array = (gen: Gen): void => {
  const { draw } = gen
  const of = Tiles.anyTile(gen, DType.computeNames)
  const ref: RefPlan = { name: "", dtype: of.dtype, policy: "free", base: [], indices: [], seen: of }
  const primitive = draw.of(pureAccesses(of.dtype))
  const seen = view(gen, ref, primitive !== "viewGet" && primitive !== "viewAdd")
  const guard = masks(gen, seen.aval)
  const value = () => Tiles.stretching(gen, Tiles.shown(seen.aval))
  const more =
    primitive === "viewGet"
      ? guard.flatMap((m) => [m, value()])
      : [...(primitive === "viewCompareExchange" ? [value()] : []), value(), ...guard]
  gen.budget--
  const operands = [of, ...more].map((o) => gen.use(o))
  const params = { view: toParam(seen.use.view), ...(primitive === "viewAtomic" ? { op: draw.of(operations) } : {}) }
  for (const result of gen.builder.emit(primitive, operands, { params, indices: seen.indices })) gen.add(result)
}

/** A load or a write, whatever some ref in scope allows. */
export const memory = (gen: Gen): void => {
  const readable = gen.refs.filter((r) => r.policy !== "accumulate")
  const writable = gen.refs.filter((r) => r.policy !== "read")
  const writing = writable.length > 0 && gen.draw.chance(0.5)
  const ref = gen.draw.maybe(writing ? writable : readable)
  if (ref !== undefined) (writing ? write : load)(gen, ref)
}

/** What the data of a copy may do where it lands in a ref that only this instance touches. */
const landingsIn = ({ dtype }: Aval): ReadonlyArray<string> => [
  "store",
  "store",
  ...(dtype === "bool" ? [] : ["add"]),
  ...(["i32", "u32", "f32"].includes(dtype) ? ["min", "max"] : []),
  ...(dtype === "i32" || dtype === "u32" ? ["and", "or", "xor"] : [])
]
/** A view of some ref that may be read, of this type; else what is given. */
const alike = (gen: Gen, to: Seen): Seen => {
  const readable = gen.refs.filter((r) => r.policy !== "accumulate")
  for (let tries = 0; tries < 6; tries++) {
    const ref = gen.draw.maybe(readable)
    const seen = ref === undefined ? to : gen.draw.chance(0.5) ? wholeView(gen, ref) : view(gen, ref, false)
    if (sameType(seen.aval, to.aval)) return seen
  }
  return to
}
/** A copy to a ref, with something else to do while it is in flight. */
export const copy = (gen: Gen, meanwhile: () => void): void => {
  const ref = gen.draw.maybe(gen.refs.filter((r) => r.policy === "own" || r.policy === "free"))
  if (ref === undefined) return
  const to = view(gen, ref, true)
  const from = alike(gen, to)
  const mask = masks(gen, to.aval).map((m) => gen.use(m))
  const op = gen.draw.of(landingsIn(to.aval))
  gen.budget -= 2
  const start = { params: { to: ref.name }, refs: [from.use], indices: from.indices }
  const token = gen.builder.emit("copyStart", mask, start)[0]!
  meanwhile()
  if (gen.draw.chance(0.2)) gen.builder.emit("fence", [], {})
  gen.builder.emit("copyWait", [token, ...mask], { params: { op }, refs: [to.use], indices: to.indices })
}

/** Fresh scratch, where it must not be read as it is, gets a value everywhere. */
export const initialise = (gen: Gen, fresh: ReadonlyArray<Scratch>): void => {
  if (!gen.isCareful) return
  for (const { dtype, name, role } of fresh) {
    if (role !== undefined) continue
    const value = gen.use(Tiles.scalar(gen, DType.widened(dtype)))
    gen.builder.emit("store", [value], { refs: [{ name, view: [] }] })
  }
}
/** Lets a value that nothing has used go into a ref. */
export const drain = (gen: Gen, ref: RefPlan, value: Atom): void => {
  if (ref.policy === "accumulate" && ref.step !== "add") return step(gen, ref)
  const primitive = ref.policy === "accumulate" ? "accumulate" : "store"
  const seen = gen.isCareful || gen.draw.chance(0.6) ? wholeView(gen, ref) : view(gen, ref, primitive === "store")
  emit(gen, primitive, seen, [Tiles.adapt(gen, value, Tiles.shown(seen.aval))])
}
