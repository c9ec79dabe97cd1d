/**
 * What a primitive is: one record with its typing, its effects and one rule per interpreter, as plain data.
 *
 * Rule types live here so that a record needs no interpreter; a rule gets what it needs from the context it is called with.
 * An interpreter without a rule for a primitive answers `NotImplemented`, with the record's `gaps` entry as the reason.
 */
import type * as DType from "../DType.ts"
import type { Shape } from "../Shape.ts"
import type { ArrayValue } from "./array.ts"
import type { Expr, Memory, Stmt } from "./lowered.ts"
import type { Atom, Aval, Effect, Eqn, InlineDef, Params, Region, Var } from "./program.ts"

export type Family =
  | "arithmetic"
  | "math"
  | "compare"
  | "convert"
  | "shape"
  | "reduce"
  | "dot"
  | "memory"
  | "grid"
  | "control"
  | "scratch"
  | "inline"

/** An equation before its results are known. */
export type Draft = Pick<Eqn, "params" | "operands" | "indices" | "refs" | "regions">
/** What a typing rule may look up. */
export interface Scope {
  /** Type of a ref in scope. */
  readonly ref: (name: string) => Aval
  readonly rank: number
  readonly inline: (name: string) => InlineDef
}
/** Result types of an equation; throws `TypingError` where it has none. */
export type TypeRule = (eqn: Draft, scope: Scope) => ReadonlyArray<Aval>

// --- discharge ----------------------------------------------------------------------------------------------------------

/** What a discharge rule works with. */
export interface DischargeContext {
  /** The value that a ref holds now. */
  readonly value: (ref: string) => Atom
  /** Whether this ref is being rewritten; one that is not stays a ref. */
  readonly discharges: (ref: string) => boolean
  /** Emits a pure equation and gives its results. */
  readonly emit: (primitive: string, draft: Partial<Draft> & { readonly operands: ReadonlyArray<Atom> }) => ReadonlyArray<Var>
  /** The refs that are being rewritten among those that a region may write. */
  readonly written: (regions: ReadonlyArray<Region>) => ReadonlyArray<string>
  readonly aval: (ref: string) => Aval
  /** A fresh variable. */
  readonly fresh: (aval: Aval) => Var
  /**
   * Rewrites a region into one whose parameters are its own, then those of `refs` (their values at entry), and whose
   * results are its own, then the values of `refs` at exit.
   */
  readonly region: (region: Region, refs: ReadonlyArray<string>) => Region
  /** Rewrites a region in place, its parameters replaced by `args`; gives its results and the refs it wrote. */
  readonly inline: (region: Region, args: ReadonlyArray<Atom>) => ReadonlyArray<Atom>
  /** The rule's answer where the primitive has no meaning under these parameters: `Unsupported`. */
  readonly refuse: (detail: string, hint: string) => never
  /** The body that stands for an inline primitive, if one was given. */
  readonly inlineRule: (name: string) => Region | undefined
}
/** New values of the refs that the equation wrote, by name, and its results. */
export interface Discharged {
  readonly results: ReadonlyArray<Atom>
  readonly refs: ReadonlyMap<string, Atom>
}
export type DischargeRule = (ctx: DischargeContext, eqn: Eqn) => Discharged

// --- evaluation ---------------------------------------------------------------------------------------------------------

/** What an evaluation rule works with. Rules are generators so that long loops can be interrupted. */
export interface EvalContext {
  readonly programId: (axis: number) => number
  readonly numPrograms: (axis: number) => number
  /** Runs a region with these parameters. */
  readonly region: (region: Region, args: ReadonlyArray<ArrayValue>) => Generator<void, ReadonlyArray<ArrayValue>>
  readonly value: (atom: Atom) => ArrayValue
  /** Whether the rule may write into the storage of operand `k`: nothing else will look at it. */
  readonly mayReuse: (operand: number) => boolean
}
export type EvalRule = (ctx: EvalContext, eqn: Eqn, operands: ReadonlyArray<ArrayValue>) => ReadonlyArray<ArrayValue>
export type EvalControl = (
  ctx: EvalContext,
  eqn: Eqn,
  operands: ReadonlyArray<ArrayValue>
) => Generator<void, ReadonlyArray<ArrayValue>>

// --- WGSL ---------------------------------------------------------------------------------------------------------------

/** One element of a tile: where it stands, and, if it is this invocation's own, in which of its registers. */
export interface Element {
  readonly shape: Shape
  readonly coords: () => ReadonlyArray<Expr>
  readonly linear: () => Expr
  readonly slot: Expr | undefined
}
/** What a rule of an index function works with: it emits nothing that other invocations could see. */
export interface ElementContext {
  /** The element of an operand at these coordinates. */
  readonly at: (operand: Atom, coords: ReadonlyArray<Expr>) => Expr
  /** The element of an operand that stands where `element` stands; the operand has as many elements, in the same order. */
  readonly same: (operand: Atom, element: Element) => Expr
  readonly memory: (ref: string) => Memory
  readonly aval: (ref: string) => Aval
}
/** What a rule that emits statements works with. */
export interface BlockContext extends ElementContext {
  readonly workgroupSize: number
  readonly emit: (stmt: Stmt) => void
  readonly block: (body: () => void) => ReadonlyArray<Stmt>
  readonly name: (hint: string) => string
  /** Memory of the workgroup for this equation alone. */
  readonly scratch: (dtype: DType.Name, length: number) => string
  /** Emits the loop over the elements of a shape, split among the invocations. */
  readonly each: (shape: Shape, body: (element: Element) => void) => void
  /** Stores an element of a result. */
  readonly result: (result: Var, element: Element | ReadonlyArray<Expr>, value: Expr) => void
  /** Whether the result is one value that each invocation holds. */
  readonly isSplat: (result: Var) => boolean
  /** Emits a region in place: parameters are bound to `args`; gives its results. */
  readonly region: (region: Region) => void
  readonly bind: (param: Var, value: Expr) => void
  /** Copies atoms into the places of variables, as if at once. */
  readonly move: (to: ReadonlyArray<Var>, from: ReadonlyArray<Atom>) => void
  /** Declares the places of variables that several equations write: carries and results of branches. */
  readonly declare: (vars: ReadonlyArray<Var>) => void
  /** A scalar that WGSL can see to be the same in all invocations. */
  readonly uniform: (atom: Atom) => Expr
}

/**
 * How a primitive is lowered. `Elementwise` is one WGSL expression over scalars; `Element` computes any element of the
 * result from elements of the operands; `Block` emits statements.
 */
export type WgslRule =
  | {
      readonly _tag: "Elementwise"
      /** A WGSL expression; f16 operands come as f32, and the driver rounds the result. Helpers are in `prelude`. */
      readonly text: (args: ReadonlyArray<string>, dtype: DType.Name, params: Params) => string
      /** Literals reach the expression as run-time values: WGSL rejects some (0 as divisor) and miscompiles others. */
      readonly opaque?: boolean
    }
  | {
      readonly _tag: "Element"
      /** `same`: operands are read where the result's element stands, at any shape. */
      readonly access: "same" | "any"
      readonly at: (ctx: ElementContext, eqn: Eqn, element: Element) => Expr
    }
  | {
      readonly _tag: "Block"
      /** How operand `k` is read, and whether each invocation produces only elements that it owns. */
      readonly access: (eqn: Eqn, operand: number, workgroupSize: number) => "same" | "any"
      readonly owned: boolean
      readonly emit: (ctx: BlockContext, eqn: Eqn) => void
    }

// --- accuracy and generation --------------------------------------------------------------------------------------------

/**
 * How close two interpreters must be. `Exact`: bit for bit. `Rounded`: correctly rounded, so bit for bit where the result
 * is exact and normal. `Bounded`: within `bound(args, result)`, an absolute error, as WGSL grants it.
 */
export type Accuracy =
  | { readonly _tag: "Exact" }
  | { readonly _tag: "Rounded" }
  | {
      readonly _tag: "Bounded"
      readonly spec: string
      readonly bound: (args: ReadonlyArray<number>, result: number) => number
    }

/** Kinds of parameters that the generator of programs knows how to draw. */
export type ParamKind =
  | "axis"
  | "axes"
  | "keepDims"
  | "permutation"
  | "sameSizeShape"
  | "broadcastShape"
  | "expandedAxes"
  | "unitAxes"
  | "starts"
  | "padding"
  | "dtype"
  | "bitcastDtype"
  | "shape"
  | "fill"
  | "reverse"
  | "dotDimensions"
/** Plain data from which `verify` makes arbitraries. */
export interface Generate {
  /** How often, relative to the others; 0 for what the generator makes by other means. */
  readonly weight: number
  readonly params?: { readonly [name: string]: ParamKind }
  /** Range of float operands in which the result is defined by the accuracy rule. */
  readonly domain?: readonly [number, number]
}

// --- the record ---------------------------------------------------------------------------------------------------------

/** An elementwise primitive over scalars; dtype rounding is the driver's. */
export interface Elementwise {
  readonly arity: number
  /** Dtypes that each operand may have; `same` operands agree with the last one. */
  readonly operands: ReadonlyArray<ReadonlyArray<DType.Name> | "same">
  readonly result: "same" | DType.Name | ((params: Params) => DType.Name)
  /** The operation on numbers, for operands of this dtype, before rounding to the result's. */
  readonly scalar: (dtype: DType.Name, params: Params) => (...args: ReadonlyArray<number>) => number
}

export interface Primitive<Name extends string = string> {
  readonly name: Name
  readonly family: Family
  /** One sentence for the table of primitives. */
  readonly doc: string
  readonly elementwise?: Elementwise
  readonly typing: TypeRule
  readonly effects: (eqn: Draft) => ReadonlyArray<Effect>
  /** Effectful primitives: how refs are rewritten away. Pure ones stay as they are. */
  readonly discharge?: DischargeRule
  /** Pure primitives: what they mean. */
  readonly evaluate?: EvalRule
  /** Pure primitives with regions: what they mean. */
  readonly control?: EvalControl
  readonly wgsl?: WgslRule
  readonly accuracy: Accuracy
  readonly generate: Generate
  /** Why an interpreter has no rule, and what to do. */
  readonly gaps?: { readonly [interpreter: string]: { readonly reason: string; readonly hint: string } }
}

export const exact: Accuracy = { _tag: "Exact" }
export const rounded: Accuracy = { _tag: "Rounded" }
export const pure = (): ReadonlyArray<Effect> => []
