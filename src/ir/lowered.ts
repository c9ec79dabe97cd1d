/**
 * The lowered form: what one invocation of a workgroup does, as a small imperative language over scalars.
 *
 * It stands between the IR and WGSL text, so that barriers are placed and checked on data, and so that text is written in
 * one place. Invocations of a workgroup all run the same statements; only `Each` splits work among them.
 */
import * as DType from "../DType.ts"
import type { Shape } from "../Shape.ts"
import type { Placement } from "./placement.ts"
import type { Eqn, Params } from "./program.ts"

/** Types of WGSL values; f16 tiles are f32 here, rounded after each operation, and storage dtypes are widened. */
export type Type = "f32" | "i32" | "u32" | "bool"
export const typeOf = (dtype: DType.Name): Type => {
  const wide = DType.widened(dtype)
  return wide === "f16" ? "f32" : wide
}

/** Memory that statements load from and store to, element by element. */
export interface Memory {
  readonly name: string
  /** A binding of the kernel, memory of the workgroup, registers of one invocation, or a workgroup's share of a buffer. */
  readonly space: "storage" | "workgroup" | "register" | "spill"
  readonly dtype: DType.Name
  /** Elements; of registers, those of one invocation. */
  readonly length: number
  /** First word of the workgroup's share, of spilled memory; else 0. */
  readonly offset: number
  readonly writable: boolean
  /** Several invocations change one cell: elements are changed in one step. */
  readonly atomic: boolean
  /** How elements of that shape lie in workgroup memory, if not in row-major order; indices are row-major all the same. */
  readonly placement?: Placement & { readonly shape: Shape }
}
/** Bits of an element in a binding; others than bool are packed close. */
const bits: { readonly [N in DType.Name]: number } = {
  f32: 32,
  f16: 16,
  i32: 32,
  u32: 32,
  bool: 32,
  bf16: 16,
  i8: 8,
  u8: 8,
  i4: 4,
  u4: 4
}
/** Elements that share a word of the memory: bindings are packed, all other memory has a word per element. */
export const perWord = ({ dtype, space }: Pick<Memory, "dtype" | "space">): number =>
  space === "storage" ? 32 / bits[dtype] : 1

/** What is done in one step to an atomic element. */
export type AtomicOp = "add" | "max" | "min" | "and" | "or" | "xor" | "exchange" | "compareExchange"

/** What is recorded beside the results: something to tell, or why the run fails. */
export type RecordKind = "print" | "failure"
/** What the lanes of a subgroup do together, as WGSL names it after `subgroup`. */
export type SubgroupOp =
  | "Add"
  | "Mul"
  | "Max"
  | "Min"
  | "And"
  | "Or"
  | "Xor"
  | "All"
  | "Any"
  | "InclusiveAdd"
  | "ExclusiveAdd"
  | "InclusiveMul"
  | "ExclusiveMul"
  | "Shuffle"
  | "Ballot"

export type IndexOp = "add" | "mul" | "div" | "mod" | "floorDiv" | "floorMod"
export type Expr =
  | { readonly _tag: "Const"; readonly type: Type; readonly value: number }
  | { readonly _tag: "Local"; readonly type: Type; readonly name: string }
  /** Index arithmetic in i32; `div` and `mod` are of dividends known to be at least 0. */
  | { readonly _tag: "Index"; readonly op: IndexOp; readonly a: Expr; readonly b: Expr }
  | { readonly _tag: "Inside"; readonly index: Expr; readonly size: number }
  | { readonly _tag: "All"; readonly of: ReadonlyArray<Expr> }
  | { readonly _tag: "Select"; readonly condition: Expr; readonly yes: Expr; readonly no: Expr }
  /** An elementwise primitive or inline, applied to scalars. */
  | {
      readonly _tag: "Apply"
      readonly primitive: string
      readonly params: Params
      /** Dtype of the operands that decides the rule (the last one's). */
      readonly dtype: DType.Name
      readonly result: DType.Name
      readonly args: ReadonlyArray<Expr>
    }
  | { readonly _tag: "Load"; readonly memory: string; readonly index: Expr; readonly dtype: DType.Name }
  | { readonly _tag: "Bitcast"; readonly from: DType.Name; readonly to: DType.Name; readonly of: Expr }

export type Stmt =
  | { readonly _tag: "Let"; readonly name: string; readonly type: Type; readonly value: Expr }
  | { readonly _tag: "Var"; readonly name: string; readonly type: Type; readonly value: Expr }
  | { readonly _tag: "Assign"; readonly name: string; readonly value: Expr }
  | { readonly _tag: "Store"; readonly memory: string; readonly index: Expr; readonly value: Expr }
  /** `memory[index] += value`, atomically where the memory is atomic; a view may add in another dtype than the memory's. */
  | {
      readonly _tag: "Add"
      readonly memory: string
      readonly index: Expr
      readonly value: Expr
      readonly dtype: DType.Name
    }
  /** One step on an element of atomic memory; `name` is what was there before, if anything looks at it. */
  | {
      readonly _tag: "Atomic"
      readonly name: string | undefined
      readonly op: AtomicOp
      readonly memory: string
      readonly index: Expr
      /** The value, after what is compared, if anything is. */
      readonly values: ReadonlyArray<Expr>
      readonly dtype: DType.Name
    }
  /**
   * `body` for each of `count` elements, split among the invocations: `name` is the element, `slot` its turn. Where
   * `together` is set, invocations without an element run it too, so that it may hold operations of subgroups.
   */
  | {
      readonly _tag: "Each"
      readonly name: string
      readonly slot: string
      readonly count: number
      readonly together?: boolean
      readonly body: ReadonlyArray<Stmt>
    }
  /** An operation of subgroups, in which every invocation takes part; a ballot has a name per word, all else one. */
  | {
      readonly _tag: "Subgroup"
      readonly names: ReadonlyArray<string>
      readonly op: SubgroupOp
      /** The value, and the lane that a shuffle reads from. */
      readonly values: ReadonlyArray<Expr>
      readonly dtype: DType.Name
    }
  | {
      readonly _tag: "For"
      readonly name: string
      readonly from: Expr
      readonly to: Expr
      readonly body: ReadonlyArray<Stmt>
    }
  | {
      readonly _tag: "If"
      readonly condition: Expr
      readonly then: ReadonlyArray<Stmt>
      readonly else: ReadonlyArray<Stmt>
    }
  | { readonly _tag: "Loop"; readonly body: ReadonlyArray<Stmt> }
  | { readonly _tag: "BreakUnless"; readonly condition: Expr }
  | { readonly _tag: "Barrier"; readonly workgroup: boolean; readonly storage: boolean }
  /** `name` becomes the value of an expression that is the same in all invocations, in a way that WGSL can see. */
  | { readonly _tag: "Uniform"; readonly name: string; readonly type: Type; readonly value: Expr }
  | { readonly _tag: "Comment"; readonly text: string }
  /**
   * Takes a place for `words` words that site `site` of the kernel records in sequential cell `cell`; `name` is its first
   * word, or negative. The buffer of records is no memory: nothing reads it while the kernel runs.
   */
  | {
      readonly _tag: "Reserve"
      readonly name: string
      readonly kind: RecordKind
      readonly site: number
      readonly words: number
      readonly cell: Expr
    }
  /** Writes a word of a place that was taken. */
  | { readonly _tag: "Record"; readonly index: Expr; readonly value: Expr; readonly dtype: DType.Name }
  /** Statements of an inline block, run by the whole workgroup, which reach memory through their operands alone. */
  | { readonly _tag: "Inline"; readonly inline: string; readonly operands: ReadonlyArray<InlineOperand> }

/** How the text of an inline reaches element `element` of an operand: functions `<name>_load` and `<name>_store`. */
export interface InlineOperand {
  readonly name: string
  readonly dtype: DType.Name
  readonly mode: "read" | "write" | "readwrite"
  readonly memory: string
  /** The local that stands for the row-major position in the operand. */
  readonly element: string
  /** What `index` and `inside` need to be computed first. */
  readonly body: ReadonlyArray<Stmt>
  readonly index: Expr
  /** Where this does not hold, reads give 0 and writes are dropped. */
  readonly inside: Expr
}

/** The program instance's number among the cells of the parallel axes. */
export const programIndex: Expr = { _tag: "Local", type: "i32", name: "program" }

/** Invocations of a subgroup, and the invocation's number in its own. */
export const subgroupSize = { _tag: "Local", type: "i32", name: "subgroup_size" } as const
export const subgroupLane = { _tag: "Local", type: "i32", name: "subgroup_lane" } as const

/** A lowered kernel. */
export interface Lowered {
  readonly name: string
  readonly workgroupSize: number
  /** Workgroups to run. */
  readonly programs: number
  readonly memories: ReadonlyArray<Memory>
  readonly body: ReadonlyArray<Stmt>
  /** The equations that record something, by the numbers of their sites. */
  readonly sites?: ReadonlyArray<Eqn>
}
