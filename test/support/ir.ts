/** Builds programs as data, with types and effects from the primitives' own rules. */
import type * as DType from "../../src/DType.ts"
import type { Draft, Primitive, Scope } from "../../src/ir/primitive.ts"
import {
  type Atom,
  type Aval,
  type Eqn,
  type GridAxis,
  type InlineDef,
  literal,
  type Params,
  type Program,
  type RefDecl,
  type RefUse,
  type Region,
  type Scratch,
  type Var
} from "../../src/ir/program.ts"
import { type Affine, constant, type Entry, type View } from "../../src/ir/view.ts"
import { primitive } from "../../src/primitives/index.ts"

type Shape = ReadonlyArray<number>
export const ref = (name: string, dtype: DType.Name, shape: Shape, access: RefDecl["access"] = "inout"): RefDecl => ({
  name,
  dtype,
  shape,
  access,
  scalar: false
})
export const scratch = (name: string, dtype: DType.Name, shape: Shape): Scratch => ({
  name,
  dtype,
  shape,
  space: "workgroup"
})
export const f = (value: number): Atom => literal("f32", value)
export const i = (value: number): Atom => literal("i32", value)
export const u = (value: number): Atom => literal("u32", value)
export const t = (value: boolean): Atom => literal("bool", value ? 1 : 0)

/** `constant + Σ coefficient · index k`. */
export const affine = (constant: number, ...coefficients: ReadonlyArray<number>): Affine => ({
  constant,
  terms: coefficients.map((coefficient, index) => ({ coefficient, term: { _tag: "Index", index } }))
})
const asAffine = (at: number | Affine): Affine => (typeof at === "number" ? constant(at) : at)
export const point = (at: number | Affine): Entry => ({ _tag: "Point", at: asAffine(at) })
export const range = (start: number | Affine, size: number, stride = 1): Entry => ({
  _tag: "Range",
  start: asAffine(start),
  size,
  stride
})
export const gather = (index: number): Entry => ({ _tag: "Gather", index })
export const at = (...entries: ReadonlyArray<Entry>): View => [{ _tag: "Index", at: entries }]

export class Builder {
  readonly scope: Scope
  readonly lookup: (name: string) => Primitive | undefined
  private next = 0
  private eqns: Array<Eqn> = []

  constructor(scope: Scope, lookup: (name: string) => Primitive | undefined) {
    this.scope = scope
    this.lookup = lookup
  }
  op(name: string, operands: ReadonlyArray<Atom>, rest: Partial<Draft> = {}): ReadonlyArray<Var> {
    const draft: Draft = { params: {}, indices: [], refs: [], regions: [], operands, ...rest }
    const record = this.lookup(name)
    if (record === undefined) throw new Error(`no primitive ${name}`)
    const results = record.typing(draft, this.scope).map((aval) => this.fresh(aval))
    this.eqns.push({
      primitive: name,
      ...draft,
      results,
      effects: record.effects(draft, this.scope),
      source: undefined
    })
    return results
  }
  one(name: string, operands: ReadonlyArray<Atom>, params: Params = {}): Var {
    return this.op(name, operands, { params })[0]!
  }
  access(
    name: string,
    of: string,
    view: View,
    operands: ReadonlyArray<Atom> = [],
    indices: ReadonlyArray<Atom> = []
  ): Var {
    const refs: ReadonlyArray<RefUse> = [{ name: of, view }]
    return this.op(name, operands, { refs, indices })[0]!
  }
  load(of: string, view: View = [], indices: ReadonlyArray<Atom> = [], operands: ReadonlyArray<Atom> = []): Var {
    return this.access("load", of, view, operands, indices)
  }
  store(
    of: string,
    value: Atom,
    view: View = [],
    indices: ReadonlyArray<Atom> = [],
    mask: ReadonlyArray<Atom> = []
  ): void {
    this.access("store", of, view, [value, ...mask], indices)
  }
  accumulate(
    of: string,
    value: Atom,
    view: View = [],
    indices: ReadonlyArray<Atom> = [],
    mask: ReadonlyArray<Atom> = []
  ): void {
    this.access("accumulate", of, view, [value, ...mask], indices)
  }
  programId(axis: number): Var {
    return this.one("programId", [], { axis })
  }
  /** A region; `refs` are its own scratch. */
  region(
    params: ReadonlyArray<Aval>,
    body: (...params: ReadonlyArray<Var>) => ReadonlyArray<Atom> | void,
    refs: ReadonlyArray<Scratch> = []
  ): Region {
    const outer = this.eqns
    this.eqns = []
    const vars = params.map((aval) => this.fresh(aval))
    const results = body(...vars) ?? []
    const region = { params: vars, refs, eqns: this.eqns, results }
    this.eqns = outer
    return region
  }
  cond(
    predicate: Atom,
    yes: () => ReadonlyArray<Atom> | void,
    no: () => ReadonlyArray<Atom> | void = () => []
  ): ReadonlyArray<Var> {
    return this.op("cond", [predicate], { regions: [this.region([], yes), this.region([], no)] })
  }
  fori(
    lo: Atom,
    hi: Atom,
    init: ReadonlyArray<Atom>,
    body: (...params: ReadonlyArray<Var>) => ReadonlyArray<Atom> | void
  ) {
    return this.op("fori", [lo, hi, ...init], { regions: [this.region([i(0), ...init], body)] })
  }
  while(
    init: ReadonlyArray<Atom>,
    condition: (...params: ReadonlyArray<Var>) => Atom,
    body: (...params: ReadonlyArray<Var>) => ReadonlyArray<Atom> | void
  ) {
    return this.op("while", init, {
      regions: [this.region(init, (...p) => [condition(...p)]), this.region(init, body)]
    })
  }
  scoped(refs: ReadonlyArray<Scratch>, body: () => ReadonlyArray<Atom> | void): ReadonlyArray<Var> {
    return this.op("scoped", [], { regions: [this.region([], body, refs)] })
  }
  private fresh({ dtype, shape }: Aval): Var {
    return { _tag: "Var", dtype, shape, id: this.next++ }
  }
}

export interface ProgramOptions {
  readonly name?: string
  readonly grid?: ReadonlyArray<number | GridAxis>
  readonly refs: ReadonlyArray<RefDecl>
  readonly scratch?: ReadonlyArray<Scratch>
  /** Scratch of scoped regions, whose types the builder must know. */
  readonly scoped?: ReadonlyArray<Scratch>
  readonly inlines?: ReadonlyArray<InlineDef>
  readonly primitives?: (name: string) => Primitive | undefined
}
export const sequential = (size: number): GridAxis => ({ size, semantics: "sequential" })

/** A program whose body is what `body` builds. */
export const program = (options: ProgramOptions, body: (b: Builder) => void): Program => {
  const types = new Map<string, Aval>()
  for (const r of [...options.refs, ...(options.scratch ?? []), ...(options.scoped ?? [])]) types.set(r.name, r)
  const grid = (options.grid ?? []).map((axis) =>
    typeof axis === "number" ? { size: axis, semantics: "parallel" as const } : axis
  )
  const inlines = Object.fromEntries((options.inlines ?? []).map((def) => [def.name, def]))
  const scope: Scope = { ref: (name) => types.get(name)!, rank: grid.length, inline: (name) => inlines[name]! }
  const builder = new Builder(scope, options.primitives ?? primitive)
  const region = builder.region([], () => body(builder), options.scratch ?? [])
  return { name: options.name ?? "k", grid, refs: options.refs, body: region, discharged: [], inlines }
}
