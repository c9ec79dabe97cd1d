/** What the generator knows while it writes a program: values in scope, refs and how they may be used. */
import type * as DType from "../../DType.ts"
import type { Lookup } from "../../ir/check.ts"
import type { Primitive } from "../../ir/primitive.ts"
import type { Atom, Aval, Scratch, Var } from "../../ir/program.ts"
import type { View } from "../../ir/view.ts"
import * as Shape from "../../Shape.ts"
import { Builder } from "../../ir/build.ts"
import type { Step } from "../trust/races.ts"
import type { Draw } from "./draw.ts"

/**
 * What program instances may do to a ref without a race. `own`: each instance has a part of its own, which is what `base`
 * shows. `accumulate`: all do one kind of step to it, `step`, and nobody reads it. `free`: only one instance sees it.
 */
export type Policy = "read" | "own" | "accumulate" | "free"
export interface RefPlan {
  readonly name: string
  readonly dtype: DType.Name
  readonly policy: Policy
  readonly step?: Step
  /** That of scratch. */
  readonly space?: Scratch["space"]
  /** The part that a program instance sees. */
  readonly base: View
  readonly indices: ReadonlyArray<Atom>
  readonly seen: Aval
}

export class Gen {
  readonly draw: Draw
  /** Nothing that is written is undefined, out of bounds or out of order: the Simulator finds nothing. */
  readonly isCareful: boolean
  readonly builder: Builder
  readonly primitives: ReadonlyArray<Primitive>
  /** Refs in scope. */
  readonly refs: Array<RefPlan> = []
  /** Scratch in scope that is no plain memory. */
  readonly roles: Array<Scratch> = []
  /** The position in the grid, one i32 scalar per axis. */
  readonly place: Array<Var> = []
  /** Equations that may still be written. */
  budget = 0
  private readonly values: Array<Var> = []
  private readonly used = new Set<number>()
  private names = 0

  constructor(draw: Draw, primitives: ReadonlyArray<Primitive>, lookup: Lookup, rank: number, isCareful = false) {
    this.draw = draw
    this.isCareful = isCareful
    this.primitives = primitives
    this.builder = new Builder(lookup, rank)
  }

  name(hint: string): string {
    return `${hint}${this.names++}`
  }
  /** Puts a value in scope. */
  add<V extends Var>(v: V): V {
    this.values.push(v)
    return v
  }
  /** Emits a pure equation and puts its result in scope. */
  op(primitive: string, operands: ReadonlyArray<Atom>, params: { readonly [key: string]: any } = {}): Var {
    for (const o of operands) this.use(o)
    this.budget--
    return this.add(this.builder.op(primitive, operands, params))
  }
  use<A extends Atom>(atom: A): A {
    if (atom._tag === "Var") this.used.add(atom.id)
    return atom
  }
  /** Values and refs that come into scope in `body` leave it afterwards. */
  scope<A>(body: () => A): A {
    const [values, refs, roles] = [this.values.length, this.refs.length, this.roles.length]
    try {
      return body()
    } finally {
      this.values.length = values
      this.refs.length = refs
      this.roles.length = roles
    }
  }

  /** A value in scope, preferably one that nothing has used yet, so that little of a program is dead. */
  find(fits: (aval: Aval) => boolean): Var | undefined {
    const all = this.values.filter(fits)
    const unused = all.filter((v) => !this.used.has(v.id))
    const from = unused.length > 0 && this.draw.chance(0.7) ? unused : all
    // The later a value, the more has gone into it.
    const recent = this.draw.chance(0.5) ? from.slice(-4) : from
    const found = this.draw.maybe(recent)
    return found === undefined ? undefined : this.use(found)
  }
  /** Values that nothing uses. */
  leftOver(): ReadonlyArray<Var> {
    return this.values.filter((v) => !this.used.has(v.id))
  }
}

/** Elements of a tile at most, so that programs run in no time. */
export const largest = 256
export const fits = (shape: Shape.Shape): boolean => Shape.size(shape) <= largest && shape.length <= 5
