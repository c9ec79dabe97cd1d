/**
 * What a primitive is: one record with its typing, its effects and one rule per interpreter, as plain data.
 *
 * Rule types live here so that a record needs no interpreter; a rule gets what it needs from the context it is called with.
 * An interpreter without a rule for a primitive answers `NotImplemented`, with the record's `gaps` entry as the reason.
 */
import type * as DType from "../DType.ts"
import type { Reason } from "../Errors.ts"
import type { Shape } from "../Shape.ts"
import type { ArrayValue } from "./array.ts"
import type { Expr, Memory, RecordKind, Stmt } from "./lowered.ts"
import type { Origins, Shadowed } from "./shadow.ts"
import type { SimulateRule } from "./simulate.ts"
import type { Atom, Aval, Effect, Eqn, InlineDef, Params, RefType, Region, Role, Var } from "./program.ts"
import type { Algebra } from "./view.ts"

export type Family =
  | "arithmetic"
  | "math"
  | "compare"
  | "convert"
  | "shape"
  | "reduce"
  | "dot"
  | "memory"
  | "atomic"
  | "grid"
  | "control"
  | "scratch"
  | "copy"
  | "barrier"
  | "matrix"
  | "semaphore"
  | "subgroup"
  | "debug"
  | "inline"

/** An equation before its results are known. */
export type Draft = Pick<Eqn, "params" | "operands" | "indices" | "refs" | "regions">
/** What a typing rule may look up. */
export interface Scope {
  /** Type of a ref in scope. */
  readonly ref: (name: string) => RefType
  readonly rank: number
  readonly inline: (name: string) => InlineDef
}
/** Result types of an equation; throws `TypingError` where it has none. */
export type TypeRule = (eqn: Draft, scope: Scope) => ReadonlyArray<Aval>

// --- discharge ----------------------------------------------------------------------------------------------------------

/** What refs hold, by name. */
export type RefValues = ReadonlyMap<string, Atom>
/** The results of an equation or region, and the new values of the refs that it wrote. */
export interface Discharged {
  readonly results: ReadonlyArray<Atom>
  readonly refs: RefValues
}
/** What a discharge rule works with. */
export interface DischargeContext {
  /** The value that a ref holds before the equation. */
  readonly value: (ref: string) => Atom
  /** Whether this ref is being rewritten; one that is not stays a ref. */
  readonly discharges: (ref: string) => boolean
  readonly aval: (ref: string) => RefType
  /** The refs that are being rewritten among those that the regions may write. */
  readonly written: (regions: ReadonlyArray<Region>) => ReadonlyArray<string>
  /** Emits an equation and gives its results. */
  readonly emit: (
    primitive: string,
    draft: Partial<Draft> & { readonly operands: ReadonlyArray<Atom> }
  ) => ReadonlyArray<Var>
  /** Makes a region with fresh parameters; what `body` emits is in it. */
  readonly build: (params: ReadonlyArray<Aval>, body: (params: ReadonlyArray<Var>) => ReadonlyArray<Atom>) => Region
  /**
   * Rewrites a region in place, its parameters replaced by `args`. `values` says what refs hold at entry, where that is
   * not `value`; the answer holds these and all that the region wrote.
   */
  readonly inline: (region: Region, args: ReadonlyArray<Atom>, values?: RefValues) => Discharged
  /** The rule's answer where the primitive has no meaning under these parameters: `Unsupported`. */
  readonly refuse: (detail: string, hint: string) => never
  /** The rule's answer where this equation lacks what a rule would need: `NotImplemented`. */
  readonly missing: () => never
}
/** The contract: an equation in; its results, and new values of refs that its effects say it writes, out. */
export type DischargeRule = (ctx: DischargeContext, eqn: Eqn) => Discharged

// --- evaluation ---------------------------------------------------------------------------------------------------------

/** What an evaluation rule works with. A rule gives fresh storage, or the very `data` of an operand. */
export interface EvalContext {
  readonly programId: (axis: number) => number
  readonly numPrograms: (axis: number) => number
  /**
   * Runs region `k` of the equation with these parameters. The region may write into their storage, unless they are
   * `lent`: then the rule may use them again.
   */
  readonly region: (
    k: number,
    args: ReadonlyArray<ArrayValue>,
    lent?: boolean
  ) => Generator<void, ReadonlyArray<ArrayValue>>
  readonly value: (atom: Atom) => ArrayValue
  /** Where the program instance stands in the grid. */
  readonly program: () => ReadonlyArray<number>
  /** Ends the run, which fails with this. */
  readonly fail: (reason: Reason) => never
  /** Takes down what an equation says, for those who run the program; the values may change afterwards. */
  readonly report: (eqn: Eqn, values: ReadonlyArray<ArrayValue>) => void
  /** Whether the rule may write into the storage of operand `k`: nothing else will look at it. */
  readonly mayReuse: (operand: number) => boolean
}
export type EvalRule = (ctx: EvalContext, eqn: Eqn, operands: ReadonlyArray<ArrayValue>) => ReadonlyArray<ArrayValue>
/** Evaluation of a primitive with regions; a generator that yields once per iteration, so that loops can be interrupted. */
export type EvalControl = (
  ctx: EvalContext,
  eqn: Eqn,
  operands: ReadonlyArray<ArrayValue>
) => Generator<void, ReadonlyArray<ArrayValue>>

/** What a rule of definedness works with. */
export interface DefinedContext extends Pick<EvalContext, "value" | "programId" | "numPrograms"> {
  /** The primitive's own evaluation, of other operands: that of a primitive that moves elements moves their origins. */
  readonly evaluate: (eqn: Eqn, operands: ReadonlyArray<ArrayValue>) => ReadonlyArray<ArrayValue>
}
/**
 * Which elements of the results are undefined. It is asked where an element of an operand is, with operands as they were
 * before the evaluation.
 *
 * An element of a result is undefined unless it is what it is, whatever the undefined elements are. Of several origins it
 * takes the greatest, so that the order of operands does not show. Indices of views must be defined.
 */
export type DefinedRule = (
  ctx: DefinedContext,
  eqn: Eqn,
  operands: ReadonlyArray<Shadowed>,
  results: ReadonlyArray<ArrayValue>
) => ReadonlyArray<Origins>
/** What a primitive of subgroups means where they have so many lanes. */
export interface LaneRules {
  readonly evaluate: EvalRule
  readonly defined: DefinedRule
}

// --- WGSL ---------------------------------------------------------------------------------------------------------------

/** One element of a tile: where it stands, and, if it is this invocation's own, in which of its registers. */
export interface Element {
  readonly shape: Shape
  readonly coords: () => ReadonlyArray<Expr>
  readonly linear: () => Expr
  readonly slot: Expr | undefined
  /** Equal for the same element of the same loop. */
  readonly key: string
}
/** What a rule of an index function works with: it emits nothing that other invocations could see. */
export interface ElementContext {
  /** The element of an operand at these coordinates. */
  readonly at: (operand: Atom, coords: ReadonlyArray<Expr>) => Expr
  /** The element of an operand that stands where `element` stands, in row-major order; one value stretches. */
  readonly same: (operand: Atom, element: Element) => Expr
  readonly memory: (ref: string) => Memory
  readonly aval: (ref: string) => RefType
  /** Index arithmetic over expressions, which folds constants. */
  readonly algebra: Algebra<Expr>
  /** The same expression, named if naming it saves repetition. */
  readonly share: (expr: Expr) => Expr
  /** `0 ≤ index < size`, true where that is known. */
  readonly inside: (index: Expr, size: number) => Expr
  readonly programId: (axis: number) => Expr
  readonly numPrograms: (axis: number) => number
}
/** What a rule that emits statements works with. */
export interface BlockContext extends ElementContext {
  readonly workgroupSize: number
  readonly emit: (stmt: Stmt) => void
  /** The statements that `body` emits. */
  readonly block: (body: () => void) => ReadonlyArray<Stmt>
  /** A name that nothing else has. */
  readonly name: (hint: string) => string
  /** The same value, named. */
  readonly let: (hint: string, value: Expr) => Expr
  /** Memory of the workgroup for this equation alone. */
  readonly scratch: (dtype: DType.Name, length: number) => Memory
  /** Emits the loop over the elements of a shape, split among the invocations. */
  readonly each: (shape: Shape, body: (element: Element) => void) => void
  /** Emits the loop over the elements that an equation touches in this memory. */
  readonly eachOf: (memory: Memory, shape: Shape, body: (element: Element) => void) => void
  /**
   * Emits such a loop that all invocations run in each turn; `present` says whether the element exists. Only where it holds
   * may the body read and write.
   */
  readonly together: (shape: Shape, body: (element: Element, present: Expr) => void) => void
  /** Emits a loop from `from` to below `to`. */
  readonly loop: (hint: string, from: Expr, to: Expr, body: (index: Expr) => void) => void
  /** Stores an element of a result that has a place in memory. */
  readonly result: (result: Var, element: Element | ReadonlyArray<Expr>, value: Expr) => void
  /** Whether the result is one value that each invocation holds; it is given by `bind`. */
  readonly isSplat: (result: Var) => boolean
  readonly isUsed: (result: Var) => boolean
  readonly bind: (variable: Var, value: Expr) => void
  /** Emits the equations of a region in place. */
  readonly region: (region: Region) => void
  /** Declares the places of variables that several equations write: carries and results of branches. */
  readonly declare: (vars: ReadonlyArray<Var>) => void
  /** Copies atoms into the places of variables, as if at once. */
  readonly move: (to: ReadonlyArray<Var>, from: ReadonlyArray<Atom>) => void
  /** A scalar that WGSL can see to be the same in all invocations. */
  readonly uniform: (atom: Atom) => Expr
  readonly inline: (name: string) => InlineDef
  /** Where a materialised tile lies; a value that each invocation holds is copied to memory of the workgroup. */
  readonly placed: (operand: Atom) => Memory
  /**
   * Emits, for one invocation, the taking of a place of that many words for what an equation records. Gives the first word,
   * or a negative number where nothing is to be recorded.
   */
  readonly reserve: (eqn: Eqn, kind: RecordKind, words: number) => Expr
}

/**
 * How an operand is read: `same` where the result's element stands, `any` element but each at most once, `many` times
 * each. Operands are counted on into `indices`.
 */
export type OperandAccess = "same" | "any" | "many"
export type AccessRule = (eqn: Eqn, operand: number, workgroupSize: number) => OperandAccess
/** Variables that share one place, and what is moved into it. */
export interface Carry {
  readonly vars: ReadonlyArray<Var>
  readonly from: ReadonlyArray<Atom>
}

/**
 * How a primitive is lowered. `Elementwise` is one WGSL expression over scalars; `Element` computes any element of the
 * result from elements of the operands; `Block` emits statements; `Choose` looks at the equation.
 */
export type WgslRule =
  | {
      readonly _tag: "Elementwise"
      /** A WGSL expression; f16 operands come as f32, and the driver rounds the result. Helpers are in `prelude`. */
      readonly text: (args: ReadonlyArray<string>, dtype: DType.Name, params: Params) => string
      /** Literals reach the expression as run-time values: WGSL rejects some (0 as divisor) and miscompiles others. */
      readonly opaque?: boolean
      /** WGSL functions that only this text uses, by name; they may call the others of `prelude`. */
      readonly helpers?: { readonly [name: string]: string }
    }
  | {
      readonly _tag: "Element"
      readonly access: AccessRule
      /** Whether one evaluation is worth keeping: more than moving a value. */
      readonly costly?: boolean
      readonly at: (ctx: ElementContext, eqn: Eqn, element: Element) => Expr
    }
  | {
      readonly _tag: "Block"
      readonly access: AccessRule
      /** Each invocation produces only result elements that it owns. */
      readonly owned: boolean
      /** Operands must lie in memory that the whole workgroup sees, as must results. */
      readonly placed?: boolean
      /** Invocations look at elements of ref `k` that others own, even where the view shows all of it. */
      readonly reaches?: (k: number) => boolean
      /** Regions run more than once. */
      readonly loops?: boolean
      readonly carries?: (eqn: Eqn) => ReadonlyArray<Carry>
      readonly emit: (ctx: BlockContext, eqn: Eqn) => void
    }
  | { readonly _tag: "Choose"; readonly of: (eqn: Eqn, inline: (name: string) => InlineDef) => WgslRule }

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
      /** `args` are the operands' elements that the result is made of. */
      readonly bound: (args: ReadonlyArray<number>, result: number, dtype?: DType.Name) => number
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
  | "sizes"
  | "strides"
  | "padding"
  | "dtype"
  | "numericDtype"
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

/** Dtypes that each operand of an elementwise primitive may have; `same` operands agree with the last one. */
export type ElementwiseOperands = ReadonlyArray<ReadonlyArray<DType.Name> | "same">
/** Dtype of its result; `same` is that of the last operand. */
export type ElementwiseResult = "same" | DType.Name | ((params: Params) => DType.Name)
/** An elementwise primitive over scalars; dtype rounding is the driver's. */
export interface Elementwise<
  out Operands extends ElementwiseOperands = ElementwiseOperands,
  out Result extends ElementwiseResult = ElementwiseResult
> {
  readonly operands: Operands
  readonly result: Result
  /** The operation on numbers, for operands of this dtype, before rounding to the result's. */
  readonly scalar: (dtype: DType.Name, params: Params) => (...args: ReadonlyArray<number>) => number
  /**
   * What it gives where that is not plain, per dtype of the last operand (`f32>i32` where the result's is a parameter):
   * rows such as `0 -1 = -inf`, apart by `;`. Documentation shows them, tests run them.
   */
  readonly values: { readonly [dtype: string]: string }
}

/** An array as an example writes it: in row-major order, bool as 0 and 1. */
export interface ExampleArray {
  readonly dtype: DType.Name
  readonly shape: Shape
  readonly data: ReadonlyArray<number>
}
/**
 * What a primitive does, in numbers: documentation shows it, and a test runs it on every interpreter.
 *
 * Operands and results of one equation; or, where there are refs or regions, a program in its text form, with the elements
 * of its arguments and of its results by the names of refs.
 */
export type Example =
  | {
      readonly operands: ReadonlyArray<ExampleArray>
      readonly params?: Params
      readonly results: ReadonlyArray<ExampleArray>
    }
  | {
      readonly program: string
      readonly args: { readonly [ref: string]: ReadonlyArray<number> }
      readonly results: { readonly [ref: string]: ReadonlyArray<number> }
    }

export interface Primitive<Name extends string = string> {
  readonly name: Name
  readonly family: Family
  /** One sentence for the table of primitives. */
  readonly doc: string
  readonly elementwise?: Elementwise
  /** The role of one ref that it takes; plain memory, if left out, as are all others. */
  readonly role?: Role["kind"]
  /** The number of the ref that has the role; the first, if left out. */
  readonly roleAt?: number
  readonly typing: TypeRule
  /** What the equation does; inline primitives look up what they declare. */
  readonly effects: (eqn: Draft, scope: Pick<Scope, "inline">) => ReadonlyArray<Effect>
  /** Effectful primitives: how refs are rewritten away. Pure ones stay as they are. */
  readonly discharge?: DischargeRule
  /** Pure primitives, and those that report: what they mean. */
  readonly evaluate?: EvalRule
  /** Pure primitives with regions: what they mean. */
  readonly control?: EvalControl
  /** Primitives with effects or regions: what the Simulator does. */
  readonly simulate?: SimulateRule
  /** Pure primitives: what of their results is undefined; where any operand's element is, if an elementwise one has none. */
  readonly defined?: DefinedRule
  /** Primitives of subgroups: their rules where a subgroup has `size` lanes. */
  readonly lanes?: (size: number) => LaneRules
  /** The first result, or operand, is in flight: what one equation gives, exactly one other takes on every path. */
  readonly token?: "gives" | "takes"
  /** At most one of the regions runs, once: what dies with the equation dies inside. */
  readonly once?: boolean
  readonly wgsl?: WgslRule
  readonly accuracy: Accuracy
  readonly generate: Generate
  readonly example: Example
  /** Why an interpreter has no rule, and what to do. */
  readonly gaps?: { readonly [interpreter: string]: { readonly reason: string; readonly hint: string } }
}

/**
 * The record of an elementwise primitive. Its type says what operands it takes and what it gives: from that a tile gets
 * the method of its name.
 */
export interface ElementwisePrimitive<
  Name extends string,
  out Operands extends ElementwiseOperands,
  out Result extends ElementwiseResult
> extends Primitive<Name> {
  readonly elementwise: Elementwise<Operands, Result>
}

export const exact: Accuracy = { _tag: "Exact" }
export const rounded: Accuracy = { _tag: "Rounded" }
export const pure = (): ReadonlyArray<Effect> => []
