/** Loads, stores, swaps and accumulations. */
import * as DType from "../../DType.ts"
import type { Atom, Aval } from "../../ir/program.ts"
import { toParam } from "../../ir/viewText.ts"
import type { Gen, RefPlan } from "./state.ts"
import * as Tiles from "./tiles.ts"
import { type Seen, view, wholeView } from "./views.ts"

const emit = (gen: Gen, primitive: string, seen: Seen, operands: ReadonlyArray<Atom>): void => {
  gen.budget--
  const atomic = primitive === "atomic"
  const results = gen.builder.emit(
    primitive,
    operands.map((o) => gen.use(o)),
    { refs: [seen.use], indices: seen.indices, params: atomic ? { op: "add" } : {} }
  )
  // What an atomic finds depends on the order of program instances: nothing may look at it.
  if (!atomic) for (const result of results) gen.add(result)
}
const masks = (gen: Gen, { shape }: Aval): ReadonlyArray<Atom> =>
  gen.draw.chance(0.25) ? [Tiles.mask(gen, shape)] : []

export const load = (gen: Gen, ref: RefPlan): void => {
  const seen = view(gen, ref, false)
  const guard = masks(gen, seen.aval)
  emit(gen, "load", seen, guard.length === 0 ? [] : [...guard, Tiles.stretching(gen, seen.aval)])
}

const hasAtomics = (dtype: DType.Name): boolean => dtype !== "f16" && dtype !== "bool"
/** What may be written to a ref without a race. */
const writes = (ref: RefPlan): ReadonlyArray<string> =>
  ref.policy === "read"
    ? []
    : ref.policy === "accumulate"
      ? ["accumulate", "accumulate", ...(hasAtomics(ref.seen.dtype) ? ["atomic"] : [])]
      : ["store", "store", "swap", ...(ref.seen.dtype === "bool" ? [] : ["accumulate"])]

/** Writes `value`, or what comes to hand, through a view. */
export const write = (gen: Gen, ref: RefPlan): void => {
  const primitive = gen.draw.of(writes(ref))
  const adding = primitive === "accumulate" || primitive === "atomic"
  const seen = view(gen, ref, !adding)
  if (adding && seen.aval.dtype === "bool") return
  const guard = masks(gen, seen.aval)
  emit(gen, primitive, seen, [Tiles.stretching(gen, seen.aval), ...guard])
}

/** Reads and writes of values: what loads and stores are discharged to. */
export const array = (gen: Gen): void => {
  const { draw } = gen
  const of = Tiles.anyTile(gen, DType.names)
  const ref: RefPlan = { name: "", dtype: of.dtype, policy: "free", base: [], indices: [], seen: of }
  const primitive = draw.of(["viewGet", "viewPut", "viewAdd"])
  const seen = view(gen, ref, primitive === "viewPut")
  const guard = masks(gen, seen.aval)
  const more =
    primitive === "viewGet"
      ? guard.flatMap((m) => [m, Tiles.stretching(gen, seen.aval)])
      : [Tiles.stretching(gen, seen.aval), ...guard]
  gen.budget--
  const operands = [of, ...more].map((o) => gen.use(o))
  const rest = { params: { view: toParam(seen.use.view) }, indices: seen.indices }
  for (const result of gen.builder.emit(primitive, operands, rest)) gen.add(result)
}

/** A load or a write, whatever some ref in scope allows. */
export const memory = (gen: Gen): void => {
  const readable = gen.refs.filter((r) => r.policy !== "accumulate")
  const writable = gen.refs.filter((r) => r.policy !== "read")
  const writing = writable.length > 0 && gen.draw.chance(0.5)
  const ref = gen.draw.maybe(writing ? writable : readable)
  if (ref !== undefined) (writing ? write : load)(gen, ref)
}

/** Lets a value that nothing has used go into a ref. */
export const drain = (gen: Gen, ref: RefPlan, value: Atom): void => {
  const primitive = ref.policy === "accumulate" ? "accumulate" : "store"
  const seen = gen.draw.chance(0.6) ? wholeView(gen, ref) : view(gen, ref, primitive === "store")
  emit(gen, primitive, seen, [Tiles.adapt(gen, value, seen.aval)])
}
