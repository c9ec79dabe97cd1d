/** Simpler programs near a program, the boldest cuts first. They type; whether they still fail is for a law to say. */
import { check, type Lookup } from "../../ir/check.ts"
import { print } from "../../ir/print.ts"
import {
  type Atom,
  type Eqn,
  equations,
  isVar,
  literal,
  type Program,
  type Region,
  type Scratch
} from "../../ir/program.ts"
import * as Shape from "../../Shape.ts"
import { type Edit, type Edits, keep, rebuild } from "../../passes/rebuild.ts"
import { fewerThreads, smallerGrids, smallerRefs, smallerTiles } from "./sizes.ts"
import { simplerViews } from "./views.ts"

const only =
  (target: Eqn, edit: Edit) =>
  (eqn: Eqn): Edit =>
    eqn === target ? edit : keep

const change = (to: Eqn): Edit => ({ _tag: "Change", to })

/** Without runs of equations: halves, quarters, down to single ones. */
function* cuts(eqns: ReadonlyArray<Eqn>): Generator<Edits> {
  for (let length = Math.ceil(eqns.length / 2); length >= 1; length = length === 1 ? 0 : Math.ceil(length / 2))
    for (let from = 0; from < eqns.length; from += length) {
      const gone = new Set(eqns.slice(from, from + length))
      yield { eqn: (eqn) => (gone.has(eqn) ? { _tag: "Drop" } : keep) }
    }
}

/** Copies, which must be started and waited for: without both, or with a load and a store in their place. */
function* copies(eqns: ReadonlyArray<Eqn>): Generator<Edits> {
  for (const start of eqns.filter((eqn) => eqn.primitive === "copyStart")) {
    const token = start.results[0]!
    const wait = eqns.find(
      ({ operands: [of], primitive }) => primitive === "copyWait" && of && isVar(of) && of.id === token.id
    )
    if (wait === undefined) continue
    yield { eqn: (eqn) => (eqn === start || eqn === wait ? { _tag: "Drop" } : keep) }
    const other = start.operands.length === 0 ? [] : [literal(token.dtype, 0)]
    const load: Eqn = { ...start, primitive: "load", params: {}, operands: [...start.operands, ...other] }
    for (const primitive of wait.params["op"] === "add" ? ["store", "accumulate"] : ["store"]) {
      const write: Eqn = { ...wait, primitive, params: {} }
      yield { eqn: (eqn) => (eqn === start ? change(load) : eqn === wait ? change(write) : keep) }
    }
  }
}

/** Without conversions of what is loaded: the ref is of the type that is wanted. */
function* convertedRefs({ body, refs }: Program, eqns: ReadonlyArray<Eqn>): Generator<Edits> {
  const uses = [...equations(body)].flatMap((eqn) => eqn.refs.map((use) => use.name))
  for (const eqn of eqns.filter(({ primitive }) => primitive === "convert")) {
    const [value] = eqn.operands
    const load = eqns.find(({ primitive, results }) => primitive === "load" && results[0] === value)
    const ref = refs.find((r) => r.access === "in" && r.name === load?.refs[0]?.name)
    if (ref === undefined || uses.filter((name) => name === ref.name).length > 1) continue
    const { dtype } = eqn.results[0]!
    yield {
      refs: refs.map((r) => (r === ref ? { ...r, dtype } : r)),
      eqn: only(eqn, { _tag: "Replace", by: [value!] })
    }
  }
}

/** In place of an equation, one of its operands, or what stands in one of its regions, once. */
function* collapses(eqn: Eqn): Generator<Edit> {
  if (eqn.results.length === 1)
    for (const o of eqn.operands) if (o.dtype === eqn.results[0]!.dtype) yield { _tag: "Replace", by: [o] }
  const { operands, primitive, regions } = eqn
  if (primitive === "fori") yield { _tag: "Splice", region: regions[0]!, args: [operands[0]!, ...operands.slice(2)] }
  else if (primitive === "while") yield { _tag: "Splice", region: regions[1]!, args: operands }
  else for (const region of regions) yield { _tag: "Splice", region, args: region.params.length === 0 ? [] : operands }
}

/** A store, of an earlier value as it is, to a ref that becomes of its type. */
function* earlierOutputs(program: Program, region: Region): Generator<Edits> {
  const uses = [...equations(program.body)].flatMap((eqn) => eqn.refs.map((use) => use.name))
  const grid = program.grid.map((axis) => ({ ...axis, size: Math.min(axis.size, 1) }))
  for (const [k, eqn] of region.eqns.entries()) {
    if (eqn.primitive !== "inline") for (const inner of eqn.regions) yield* earlierOutputs(program, inner)
    const ref = program.refs.find((r) => r.name === eqn.refs[0]?.name)
    if (eqn.primitive !== "store" || ref === undefined || uses.filter((name) => name === ref.name).length > 1) continue
    for (const value of region.eqns.slice(0, k).flatMap((e) => e.results)) {
      const refs = program.refs.map((r) => (r === ref ? { ...r, dtype: value.dtype, shape: value.shape } : r))
      const to: Eqn = { ...eqn, operands: [value], indices: [], refs: [{ name: ref.name, view: [] }] }
      const edit: Edits = { refs, eqn: only(eqn, change(to)) }
      // All of a ref is one program instance's to store: several would race.
      if (program.grid.some((axis) => axis.size > 1)) yield { ...edit, grid }
      yield edit
    }
  }
}

const withAt = <A>(items: ReadonlyArray<A>, k: number, item: A): ReadonlyArray<A> =>
  items.map((x, i) => (i === k ? item : x))
/** Equations that may change; what an inline means must stay what its text does. */
const changeable = (region: Region): ReadonlyArray<Eqn> =>
  region.eqns.flatMap((eqn) => [eqn, ...(eqn.primitive === "inline" ? [] : eqn.regions.flatMap(changeable))])
const isMemory = (eqn: Eqn): boolean => ["load", "store", "swap", "accumulate"].includes(eqn.primitive)
const numbers = (atom: Atom): ReadonlyArray<Atom> =>
  isVar(atom) ? [literal(atom.dtype, 1)] : atom.value === 0 || atom.value === 1 ? [] : [literal(atom.dtype, 1)]

function* simplerOperands(eqn: Eqn): Generator<Eqn> {
  if (isMemory(eqn) && eqn.operands.length > 1)
    yield { ...eqn, operands: eqn.primitive === "load" ? [] : eqn.operands.slice(0, 1) }
  if (eqn.primitive === "scoped" && eqn.params["collective"] !== undefined) yield { ...eqn, params: {} }
  if (["swap", "accumulate", "atomic"].includes(eqn.primitive)) yield { ...eqn, primitive: "store", params: {} }
  for (const [k, atom] of eqn.operands.entries())
    for (const simpler of numbers(atom)) yield { ...eqn, operands: withAt(eqn.operands, k, simpler) }
  for (const [k, atom] of eqn.primitive === "inline" ? [] : eqn.indices.entries())
    if (isVar(atom) && atom.shape.length === 0) yield { ...eqn, indices: withAt(eqn.indices, k, literal("i32", 0)) }
}
function* simplerUses(eqn: Eqn): Generator<Eqn> {
  for (const [k, use] of eqn.primitive === "inline" ? [] : eqn.refs.entries())
    for (const view of simplerViews(use.view, eqn.indices))
      yield { ...eqn, refs: withAt(eqn.refs, k, { ...use, view }) }
}
function* simplerEqns(eqn: Eqn): Generator<Eqn> {
  yield* simplerOperands(eqn)
  yield* simplerUses(eqn)
}

/** Scratch without a layout, which changes no result. */
const plain = ({ swizzle: _, tiling: __, ...ref }: Scratch): Scratch => ref
function* edits(program: Program): Generator<Edits> {
  const eqns = changeable(program.body)
  yield { scratch: plain }
  yield* cuts(eqns)
  yield* copies(eqns)
  yield* fewerThreads(program)
  yield* smallerGrids(program)
  for (const eqn of eqns) for (const edit of collapses(eqn)) yield { eqn: only(eqn, edit) }
  yield* earlierOutputs(program, program.body)
  yield* convertedRefs(program, eqns)
  yield* smallerRefs(program)
  yield* smallerTiles(program)
  for (const eqn of eqns) for (const to of simplerEqns(eqn)) yield { eqn: only(eqn, change(to)) }
}

const unused = (program: Program): Program => {
  const used = new Set([...equations(program.body)].flatMap((eqn) => eqn.refs.map((use) => use.name)))
  return { ...program, body: { ...program.body, refs: program.body.refs.filter((ref) => used.has(ref.name)) } }
}

/** How much there is to read and to run; what this makes smaller is simpler. */
export const cost = (program: Program): number => {
  const eqns = [...equations(program.body)].length
  const cells = program.grid.reduce((sum, axis) => sum + axis.size, 0)
  const sizes = program.refs.reduce((sum, ref) => sum + Shape.size(ref.shape), 0)
  return 200 * eqns + print(program, { positions: false }).length + 5 * (cells + (program.threads ?? 0)) + sizes
}

/** Simpler programs, each well typed. */
export function* simpler(program: Program, lookup: Lookup): Generator<Program> {
  const before = cost(program)
  for (const edit of edits(program)) {
    const rebuilt = rebuild(program, edit, lookup)
    if (rebuilt === undefined) continue
    const candidate = unused(rebuilt)
    if (cost(candidate) < before && check(candidate, lookup) === undefined) yield candidate
  }
}
