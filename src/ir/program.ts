/**
 * The one IR: SSA equations with regions, over typed refs.
 *
 * Everything here is immutable data. Values are variables or literals; memory is named by refs and reached through views;
 * what an equation may do is in its `effects`, which `check` recomputes. A region may use the variables around it.
 */
import type * as DType from "../DType.ts"
import type { Shape } from "../Shape.ts"
import type { Aval } from "./aval.ts"
import type { Placement } from "./placement.ts"
import type { View } from "./view.ts"

export type { Aval } from "./aval.ts"
/** A value that an equation, a region or a program binds; ids are unique in a program. */
export interface Var extends Aval {
  readonly _tag: "Var"
  readonly id: number
}
/** A number that is known, of rank 0; bool is 0 or 1. */
export interface Literal extends Aval {
  readonly _tag: "Literal"
  readonly value: number
}
export type Atom = Var | Literal

/** Parameters of an equation: plain data. */
export type Param = string | number | boolean | null | ReadonlyArray<Param> | { readonly [key: string]: Param }
export type Params = { readonly [key: string]: Param }

/** Effects on nothing that has a name. */
export type PlainEffect = "Memory" | "Pipeline" | "Debug" | "Semaphore" | "Subgroup" | "Threads"
export const plainEffects: ReadonlyArray<PlainEffect> = [
  "Memory",
  "Pipeline",
  "Debug",
  "Semaphore",
  "Subgroup",
  "Threads"
]

/** What an equation does besides computing its results. `ref` is the name of the ref, `name` that of the inline. */
export type Effect =
  | { readonly _tag: "Read" | "Write" | "Accum"; readonly ref: string }
  | { readonly _tag: PlainEffect }
  | { readonly _tag: "Inline"; readonly name: string }

/** A ref as an equation uses it. */
export interface RefUse {
  readonly name: string
  readonly view: View
}

/** Equations with parameters and results: the body of a loop, a branch, a scope, an index map. */
export interface Region {
  readonly params: ReadonlyArray<Var>
  /** Refs that live as long as the region runs. */
  readonly refs: ReadonlyArray<Scratch>
  readonly eqns: ReadonlyArray<Eqn>
  readonly results: ReadonlyArray<Atom>
}

/** Where an equation was written; formatted only when somebody looks. */
export interface Source {
  readonly show: () => string | undefined
}

export interface Eqn {
  readonly primitive: string
  readonly params: Params
  readonly operands: ReadonlyArray<Atom>
  /** Scalars and integer tiles that the views of `refs` index with. */
  readonly indices: ReadonlyArray<Atom>
  readonly refs: ReadonlyArray<RefUse>
  readonly regions: ReadonlyArray<Region>
  readonly results: ReadonlyArray<Var>
  readonly effects: ReadonlyArray<Effect>
  readonly source: Source | undefined
}

export type Access = "in" | "out" | "inout"
/**
 * What scratch is for, where it is no plain memory: only primitives of that role take it.
 *
 * A barrier counts, in each of its i32 elements, the arrivals that no wait has observed; `arrivals` of them are a phase.
 * An accumulator holds sums of products, some of which may be in flight.
 */
export type Role = BarrierRole | { readonly kind: "accumulator" }
export interface BarrierRole {
  readonly kind: "barrier"
  readonly arrivals: number
}
/** Memory that one program instance owns. */
export interface Scratch extends Placement {
  readonly name: string
  readonly dtype: DType.Name
  readonly shape: Shape
  readonly space: "workgroup" | "register"
  readonly role?: Role
}
/** What is known of a ref by its name; only scratch has a space. */
export interface RefType extends Aval {
  readonly space?: Scratch["space"]
  readonly role?: Role
}
/** A ref of the kernel's interface; a scalar parameter is an `in` ref of rank 0. */
export interface RefDecl {
  readonly name: string
  readonly dtype: DType.Name
  readonly shape: Shape
  readonly access: Access
  readonly scalar: boolean
}
export interface GridAxis {
  readonly size: number
  readonly semantics: "parallel" | "sequential"
}

/** A whole kernel. */
export interface Program {
  readonly name: string
  readonly grid: ReadonlyArray<GridAxis>
  /**
   * Threads of control of each program instance, if it declares any. All run the body, each with register scratch and scratch
   * of scopes of its own; the kernel's workgroup scratch is theirs together.
   */
  readonly threads?: number
  readonly refs: ReadonlyArray<RefDecl>
  /**
   * The body of one grid cell; its `refs` are the kernel's scratch, which lives as long as the program instance. Before
   * discharge it has no parameters. After it, it has one parameter and one result per discharged ref, in the order of
   * `discharged`: the value of the whole ref before and after the cell.
   */
  readonly body: Region
  /** Names of the refs (and scratch) that have been rewritten to values; empty in a traced program. */
  readonly discharged: ReadonlyArray<string>
  /** Definitions of the inline primitives that the body uses, by name. */
  readonly inlines: { readonly [name: string]: InlineDef }
}

/** An inline WGSL primitive as data. */
export interface InlineDef {
  readonly name: string
  readonly grain: "elementwise" | "block"
  readonly args: ReadonlyArray<InlineArg>
  readonly results: ReadonlyArray<{ readonly name: string; readonly dtype: DType.Name; readonly shape: Shape | null }>
  readonly wgsl: string
  readonly source: string | null
}
/** An operand of an inline: a tile (`shape` null means any), or a ref with declared access. */
export interface InlineArg {
  readonly name: string
  readonly kind: "tile" | "read" | "write" | "readwrite"
  readonly dtype: DType.Name
  readonly shape: Shape | null
}

export const literal = (dtype: DType.Name, value: number): Literal => ({ _tag: "Literal", dtype, shape: [], value })
export const isVar = (atom: Atom): atom is Var => atom._tag === "Var"
export const isPure = (eqn: Eqn): boolean => eqn.effects.length === 0
/** Whether an equation changes no memory: it computes its results, and at most reports. */
export const onlyReports = (eqn: Eqn): boolean => eqn.effects.every((e) => e._tag === "Debug")

export const read = (ref: string): Effect => ({ _tag: "Read", ref })
export const write = (ref: string): Effect => ({ _tag: "Write", ref })
export const accum = (ref: string): Effect => ({ _tag: "Accum", ref })
export const memory: Effect = { _tag: "Memory" }
export const pipeline: Effect = { _tag: "Pipeline" }
export const debug: Effect = { _tag: "Debug" }
export const semaphore: Effect = { _tag: "Semaphore" }
export const subgroup: Effect = { _tag: "Subgroup" }
export const threads: Effect = { _tag: "Threads" }

/** `Read(x)`, as programs and messages print it. */
export const showEffect = (e: Effect): string =>
  "ref" in e ? `${e._tag}(${e.ref})` : "name" in e ? `${e._tag}(${e.name})` : e._tag

/** The effects without repetition, in a fixed order. */
export const joinEffects = (effects: Iterable<Effect>): ReadonlyArray<Effect> => {
  const byName = new Map<string, Effect>()
  for (const e of effects) byName.set(showEffect(e), e)
  return [...byName.keys()].sort().map((k) => byName.get(k)!)
}

/** Effects of a region as seen from outside: those on the region's own refs become `Memory`. */
export const regionEffects = (region: Region): ReadonlyArray<Effect> => {
  const own = new Set(region.refs.map((r) => r.name))
  const out: Array<Effect> = own.size > 0 ? [memory] : []
  for (const eqn of region.eqns) for (const e of eqn.effects) out.push("ref" in e && own.has(e.ref) ? memory : e)
  return joinEffects(out)
}

/** Effects of the whole program, on its refs. */
export const programEffects = (program: Program): ReadonlyArray<Effect> =>
  joinEffects([...regionEffects(program.body), ...(program.threads === undefined ? [] : [threads])])

/** Every equation of a region, those of nested regions included, outer first. */
export function* equations(region: Region): Generator<Eqn> {
  for (const eqn of region.eqns) {
    yield eqn
    for (const inner of eqn.regions) yield* equations(inner)
  }
}

/** Types of all refs and scratch of a program, by name. */
export const refTypes = (program: Program): ReadonlyMap<string, RefType> => {
  const types = new Map<string, RefType>()
  const add = (of: ReadonlyArray<RefType & { readonly name: string }>) => of.forEach((r) => types.set(r.name, r))
  add(program.refs)
  add(program.body.refs)
  for (const eqn of equations(program.body)) for (const region of eqn.regions) add(region.refs)
  return types
}
