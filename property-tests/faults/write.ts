/** Writes the equations of a fault into a program: with refs of its own, and a made-up position for each equation. */
import type * as DType from "../../src/DType.ts"
import type { Finding } from "../../src/Findings.ts"
import type { Builder } from "../../src/ir/build.ts"
import type { Draft } from "../../src/ir/primitive.ts"
import {
  type Atom,
  literal,
  type Program,
  type RefDecl,
  type RefUse,
  type Region,
  type Scratch,
  type Var
} from "../../src/ir/program.ts"
import type { Entry } from "../../src/ir/view.ts"
import type * as Shape from "../../src/Shape.ts"
import * as A from "../../src/verify/generate/affine.ts"
import type { Draw } from "../../src/verify/generate/draw.ts"

/** An equation that was written. */
export interface Written {
  readonly results: ReadonlyArray<Var>
  readonly source: string
}
/** A ref as an equation uses it, with the atoms that its view indexes with. */
export interface Use {
  readonly use: RefUse
  readonly indices: ReadonlyArray<Atom>
}
/** The one finding that a fault brings about. */
export interface Expected {
  readonly tag: Finding["_tag"]
  readonly ref: string
  /** Both positions, or one, or none, in no order. */
  readonly sources: ReadonlyArray<string>
  /** Fields that tell findings of one tag apart. */
  readonly more?: { readonly [field: string]: unknown }
}
export const int = (n: number): Atom => literal("i32", n)
export const point = (n: number): Entry => A.point(A.fixed(n))
export const range = (start: number, size: number, stride = 1): Entry => A.range(A.fixed(start), size, stride)
/** A view that starts with an index; the whole ref without one. */
export const part = (name: string, ...at: ReadonlyArray<Entry>): Use => ({
  use: { name, view: at.length === 0 ? [] : [{ _tag: "Index", at }] },
  indices: []
})

/** The number of the program instance among those that run at once. */
export const instanceNumber = ({ grid }: Program, builder: Builder): Atom =>
  grid.reduce<Atom>((number, { semantics, size }, axis) => {
    if (semantics === "sequential") return number
    const at = builder.op("programId", [], { axis })
    return builder.op("add", [builder.op("mul", [number, int(size)]), at])
  }, int(0))

export class Writer {
  readonly draw: Draw
  readonly program: Program
  /** Where equations go; it is there when parts of the fault are written. */
  builder!: Builder
  private line = 10
  constructor(draw: Draw, program: Program) {
    this.draw = draw
    this.program = program
  }

  emit(primitive: string, operands: ReadonlyArray<Atom> = [], on: ReadonlyArray<Use> = [], more: Partial<Draft> = {}) {
    const source = `fault.ts:${this.line++}:1`
    // All views but one are without indices.
    const draft = { ...more, refs: on.map((u) => u.use), indices: on.flatMap((u) => u.indices) }
    const results = this.builder.emit(primitive, operands, draft, { show: () => source })
    return { results, source } satisfies Written
  }
  value(primitive: string, operands: ReadonlyArray<Atom> = [], params: Draft["params"] = {}): Var {
    return this.builder.op(primitive, operands, params)
  }
  load(from: Use): Written {
    return this.emit("load", [], [from])
  }
  store(to: Use, value: Atom): Written {
    return this.emit("store", [value], [to])
  }
  region(body: () => ReadonlyArray<Atom> | void, refs: ReadonlyArray<Scratch> = []): Region {
    return this.builder.region([], () => body() ?? [], refs)
  }
  when(condition: Atom, yes: () => void, no: () => void = () => undefined): Written {
    return this.emit("cond", [condition], [], { regions: [this.region(yes), this.region(no)] })
  }
  times(n: number, body: () => void): void {
    const turn = this.builder.region([{ dtype: "i32", shape: [] }], () => {
      body()
      return []
    })
    this.builder.emit("fori", [int(0), int(n)], { regions: [turn] })
  }

  // --- who runs it ------------------------------------------------------------------------------------------------------

  /** The number of the thread. */
  thread(): Atom {
    return this.emit("threadId").results[0]!
  }
  onThread(thread: Atom, k: number, body: () => void, others?: () => void): Written {
    return this.when(this.value("eq", [thread, int(k)]), body, others)
  }
  onInstance(k: number, body: () => void): void {
    this.when(this.value("eq", [instanceNumber(this.program, this.builder), int(k)]), body)
  }

  // --- refs of the program ----------------------------------------------------------------------------------------------

  /** What this program instance has of a ref that `ownRef` made. */
  own({ name, shape }: RefDecl, ...more: ReadonlyArray<Entry>): Use {
    const rank = this.program.grid.length
    const indices = this.program.grid.map((_, axis) => this.value("programId", [], { axis }))
    const rest = shape.slice(rank).map((n, d) => more[d] ?? range(0, n))
    const at = [...indices.map((_, k) => A.point(A.sum(0, [[1, k]]))), ...rest]
    return { use: { name, view: [{ _tag: "Index", at }] }, indices }
  }
}
/** A ref with a part of this shape for each cell of the grid. */
export const ownRef = (
  { grid }: Program,
  name: string,
  dtype: DType.Name,
  shape: Shape.Shape,
  access: RefDecl["access"] = "inout"
): RefDecl => ({ name, dtype, shape: [...grid.map((axis) => axis.size), ...shape], access, scalar: false })
export const sharedRef = (
  name: string,
  dtype: DType.Name,
  shape: Shape.Shape,
  access: RefDecl["access"] = "inout"
): RefDecl => ({ name, dtype, shape, access, scalar: false })
export const scratch = (name: string, dtype: DType.Name, shape: Shape.Shape, more: Partial<Scratch> = {}): Scratch => ({
  name,
  dtype,
  shape,
  space: "workgroup",
  ...more
})
export const barrier = (name: string, arrivals: number, shape: Shape.Shape = []): Scratch =>
  scratch(name, "i32", shape, { role: { kind: "barrier", arrivals } })
export const accumulator = (name: string, shape: Shape.Shape): Scratch =>
  scratch(name, "f32", shape, { role: { kind: "accumulator" } })
