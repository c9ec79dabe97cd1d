/** Random programs that mean something: typed by the primitives' own rules, without races, on small whole numbers. */
import * as DType from "../../src/DType.ts"
import {
  type Atom,
  type Aval,
  type Effect,
  type Eqn,
  literal,
  type Params,
  type Program,
  type Region,
  type Scratch,
  type Var
} from "../../src/ir/program.ts"
import { TypingError } from "../../src/ir/typing.ts"
import type { Affine, Entry, View } from "../../src/ir/view.ts"
import { viewAval } from "../../src/ir/view.ts"
import { primitive } from "../../src/primitives/index.ts"
import * as Shape from "../../src/Shape.ts"

/** Numbers that a seed decides. */
export const random = (seed: number) => {
  let s = seed >>> 0
  const next = (): number => {
    s = (s + 0x6d2b79f5) >>> 0
    let t = Math.imul(s ^ (s >>> 15), 1 | s)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = (n: number): number => Math.floor(next() * n)
  return {
    below,
    between: (lo: number, hi: number): number => lo + below(hi - lo + 1),
    chance: (p: number): boolean => next() < p,
    pick: <A>(from: ReadonlyArray<A>): A => from[below(from.length)]!
  }
}
export type Random = ReturnType<typeof random>

/** The dtype as which a bit-cast view shows another. */
const casts: { readonly [N in DType.Name]?: DType.Name } = {
  i32: "u32",
  u32: "i32",
  i8: "u8",
  u8: "i8",
  i4: "u4",
  u4: "i4"
}
const fixed = (n: number): Affine => ({ constant: n, terms: [] })
const at = (index: number, coefficient = 1, constant = 0): Affine => ({
  constant,
  terms: [{ coefficient, term: { _tag: "Index", index } }]
})

interface RefInfo extends Aval {
  readonly name: string
  readonly writable: boolean
  /** Programs own the slices along the first axis. */
  readonly owned: boolean
  readonly accumulates: boolean
}
interface Scope {
  readonly vars: Array<Var>
  readonly refs: Array<RefInfo>
  readonly eqns: Array<Eqn>
  readonly depth: number
}

export interface Options {
  readonly largest: number
  readonly statements: number
}

export class Generator {
  private ids = 0
  private names = 0
  private readonly r: Random
  private readonly options: Options
  private program!: Var | undefined
  private programs = 1
  constructor(r: Random, options: Options) {
    this.r = r
    this.options = options
  }

  private emit(scope: Scope, name: string, parts: Partial<Eqn>): ReadonlyArray<Var> {
    const record = primitive(name)!
    const draft = { params: {}, operands: [], indices: [], refs: [], regions: [], ...parts }
    const known = {
      ref: (ref: string) => scope.refs.find((x) => x.name === ref)!,
      rank: 2,
      inline: () => undefined as never
    }
    const types = record.typing(draft, known)
    const results = types.map((t): Var => ({ _tag: "Var", id: this.ids++, ...t }))
    const effects: ReadonlyArray<Effect> = record.effects(draft, known)
    scope.eqns.push({ ...draft, primitive: name, results, effects, source: undefined })
    scope.vars.push(...results)
    return results
  }
  private attempt(scope: Scope, name: string, parts: Partial<Eqn>): Var | undefined {
    try {
      return this.emit(scope, name, parts)[0]
    } catch (e) {
      if (e instanceof TypingError) return undefined
      throw e
    }
  }

  private shape(): Shape.Shape {
    const rank = this.r.pick([0, 1, 1, 2, 2, 3])
    for (;;) {
      const shape = Array.from({ length: rank }, () => this.r.pick([1, 1, 2, 3, 4, 5, 7, 8, 13, 16, 33, 64, 100]))
      if (this.r.chance(0.03) && rank > 0) shape[this.r.below(rank)] = 0
      if (Shape.size(shape) <= this.options.largest) return shape
    }
  }
  private anyVar(scope: Scope, where: (v: Var) => boolean = () => true): Var | undefined {
    const fitting = scope.vars.filter(where)
    if (fitting.length === 0) return undefined
    return this.r.chance(0.6) ? fitting.slice(-4)[this.r.below(Math.min(4, fitting.length))]! : this.r.pick(fitting)
  }
  private number(dtype: DType.Name): Atom {
    return literal(
      dtype,
      dtype === "bool" ? this.r.below(2) : dtype === "u32" ? this.r.below(5) : this.r.between(-3, 3)
    )
  }
  /** A tile of this type, from what there is, by making one if need be. */
  private tile(scope: Scope, dtype: DType.Name, shape: Shape.Shape): Atom {
    const known = this.anyVar(scope, (v) => v.dtype === dtype && Shape.equals(v.shape, shape))
    if (known !== undefined && this.r.chance(0.8)) return known
    if (shape.length === 0) return this.number(dtype)
    if (shape.length > 0 && dtype !== "bool" && this.r.chance(0.5)) {
      return this.emit(scope, "iota", { params: { dtype, shape, axis: this.r.below(shape.length) } })[0]!
    }
    return this.emit(scope, "full", { params: { shape }, operands: [this.number(dtype)] })[0]!
  }
  private scalar(scope: Scope): Atom {
    return this.anyVar(scope, (v) => v.dtype === "i32" && v.shape.length === 0) ?? literal("i32", this.r.below(4))
  }

  private elementwise(scope: Scope): void {
    const a = this.anyVar(scope)
    if (a === undefined) return
    const numeric = ["add", "sub", "mul", "max", "min", "lt", "eq", "ge", "abs", "neg", "convert", "select", "clamp"]
    const name = a.dtype === "bool" ? this.r.pick(["and", "or", "not", "select", "convert"]) : this.r.pick(numeric)
    const like = (): Atom => (this.r.chance(0.3) ? this.tile(scope, a.dtype, []) : this.tile(scope, a.dtype, a.shape))
    if (["abs", "neg", "not"].includes(name)) this.attempt(scope, name, { operands: [a] })
    else if (name === "convert")
      this.attempt(scope, name, { operands: [a], params: { dtype: this.r.pick(["i32", "f32", "u32", "bool", "f16"]) } })
    else if (name === "select") this.attempt(scope, name, { operands: [this.tile(scope, "bool", a.shape), a, like()] })
    else if (name === "clamp") this.attempt(scope, name, { operands: [a, like(), like()] })
    else if (name === "mul" && (a.dtype === "f32" || a.dtype === "f16"))
      this.attempt(scope, name, { operands: [a, literal(a.dtype, this.r.pick([0.5, 2, -1]))] })
    else this.attempt(scope, name, { operands: this.r.chance(0.5) ? [a, like()] : [like(), a] })
  }
  private moving(scope: Scope): void {
    const a = this.anyVar(scope, (v) => v.shape.length > 0)
    if (a === undefined) return
    const rank = a.shape.length
    const axis = this.r.below(rank)
    const operands = [a]
    const shuffled = Array.from({ length: rank }, (_, d) => d).sort(() => this.r.below(3) - 1)
    const one: { readonly [name: string]: () => unknown } = {
      transpose: () => this.attempt(scope, "transpose", { operands, params: { perm: shuffled } }),
      reshape: () => this.attempt(scope, "reshape", { operands, params: { shape: this.factors(Shape.size(a.shape)) } }),
      flip: () => this.attempt(scope, "flip", { operands, params: { axes: [axis] } }),
      expandDims: () => this.attempt(scope, "expandDims", { operands, params: { axes: [this.r.below(rank + 1)] } }),
      squeeze: () =>
        this.attempt(scope, "squeeze", { operands, params: { axes: a.shape.flatMap((n, d) => (n === 1 ? [d] : [])) } }),
      slice: () => {
        const strides = a.shape.map(() => this.r.pick([1, 1, 2]))
        const starts = a.shape.map((n) => this.r.below(Math.max(1, n)))
        const sizes = a.shape.map((n, d) => this.r.between(0, Math.max(0, Math.ceil((n - starts[d]!) / strides[d]!))))
        return this.attempt(scope, "slice", {
          operands,
          params: { starts, sizes: sizes.map((s) => (s === 0 && this.r.chance(0.9) ? 1 : s)), strides }
        })
      },
      pad: () => {
        const low = a.shape.map(() => this.r.below(3))
        const high = a.shape.map(() => this.r.below(3))
        return this.attempt(scope, "pad", { operands: [a, this.number(a.dtype)], params: { low, high } })
      },
      concat: () =>
        this.attempt(scope, "concat", {
          operands: [a, this.tile(scope, a.dtype, a.shape), ...(this.r.chance(0.3) ? [a] : [])],
          params: { axis }
        }),
      broadcast: () =>
        this.attempt(scope, "broadcast", {
          operands,
          params: { shape: a.shape.map((n) => (n === 1 ? this.r.pick([1, 4, 9]) : n)) }
        }),
      take: () => {
        const index =
          this.anyVar(scope, (v) => v.dtype === "i32" && v.shape.length <= 2 && Shape.size(v.shape) <= 40) ??
          literal("i32", 1)
        return this.attempt(scope, "take", { operands: [a, index], params: { axis } })
      }
    }
    one[this.r.pick(Object.keys(one))]!()
  }
  private factors(n: number): ReadonlyArray<number> {
    const out: Array<number> = []
    for (let left = n, k = 2; left > 1 && k <= left; k++)
      while (left % k === 0 && left > 0) {
        out.push(k)
        left /= k
      }
    while (out.length > 1 && this.r.chance(0.5)) out.splice(0, 2, out[0]! * out[1]!)
    return n === 0 ? [0] : out
  }
  private reducing(scope: Scope): void {
    const a = this.anyVar(scope, (v) => v.shape.length > 0 && Shape.size(v.shape) > 0)
    if (a === undefined) return
    const axes = a.shape.flatMap((_, d) => (this.r.chance(0.6) ? [d] : []))
    const params: Params = { axes: axes.length > 0 ? axes : [0], keepDims: this.r.chance(0.5) }
    const names =
      a.dtype === "bool"
        ? ["reduceAny", "reduceAll"]
        : ["reduceSum", "reduceSum", "reduceMax", "reduceMin", "argmax", "argmin"]
    if (a.dtype !== "bool" && this.r.chance(0.25))
      this.attempt(scope, this.r.pick(["cumsum", "cummax"]), {
        operands: [a],
        params: { axis: this.r.below(a.shape.length), reverse: this.r.chance(0.5) }
      })
    else this.attempt(scope, this.r.pick(names), { operands: [a], params })
  }
  private product(scope: Scope): void {
    const a = this.anyVar(scope, (v) => v.dtype !== "bool" && v.shape.length >= 2)
    if (a === undefined) return
    const [transposeA, transposeB] = [this.r.chance(0.5), this.r.chance(0.5)]
    const k = a.shape.at(transposeA ? -2 : -1)!
    const n = this.r.pick([1, 2, 5, 9])
    const b = this.tile(scope, a.dtype, [...a.shape.slice(0, -2), ...(transposeB ? [n, k] : [k, n])])
    this.attempt(scope, "dot", { operands: [a, b], params: { transposeA, transposeB } })
  }

  /** A view of a ref, and what its indices are. */
  private view(
    scope: Scope,
    ref: RefInfo,
    repeats: boolean
  ): { readonly view: View; readonly indices: ReadonlyArray<Atom> } {
    const indices: Array<Atom> = []
    const view: Array<View[number]> = []
    let shape = ref.shape
    if (ref.owned) {
      indices.push(this.program!)
      const [, ...rest] = shape
      view.push({
        _tag: "Index",
        at: [
          { _tag: "Point", at: at(0) },
          ...rest.map((n): Entry => ({ _tag: "Range", start: fixed(0), size: n, stride: 1 }))
        ]
      })
      shape = rest
    }
    for (let step = this.r.pick([0, 0, 1, 1, 2]); step > 0; step--) {
      const kind = this.r.below(5)
      const { dtype, shape: before } = viewAval(view, ref, indices)
      if (kind === 0 && before.length > 1)
        view.push({ _tag: "Transpose", perm: before.map((_, d) => before.length - 1 - d) })
      else if (kind === 1) view.push({ _tag: "Reshape", shape: this.factors(Shape.size(before)) })
      else if (kind === 2 && casts[dtype] !== undefined) view.push({ _tag: "Bitcast", dtype: casts[dtype] })
      else if (before.length > 0)
        view.push({ _tag: "Index", at: before.map((n) => this.entry(scope, n, indices, repeats)) })
    }
    return { view, indices }
  }
  private entry(scope: Scope, n: number, indices: Array<Atom>, repeats: boolean): Entry {
    const add = (a: Atom): number => indices.push(a) - 1
    const start = (): Affine =>
      this.r.chance(0.5)
        ? fixed(this.r.below(Math.max(1, n)))
        : at(add(this.scalar(scope)), this.r.pick([1, 1, 2]), this.r.between(-1, 2))
    const kind = this.r.below(repeats ? 6 : 5)
    if (kind === 0 && this.r.chance(0.5)) return { _tag: "Point", at: start() }
    if (kind <= 2) return { _tag: "Range", start: fixed(0), size: n, stride: 1 }
    if (kind <= 4)
      return {
        _tag: "Range",
        start: start(),
        size: this.r.between(1, Math.min(20, n + 1)),
        stride: this.r.pick([1, 1, 2])
      }
    const tile =
      this.anyVar(scope, (v) => v.dtype === "i32" && Shape.equals(v.shape, [5])) ??
      (this.tile(scope, "i32", [5]) as Var)
    return { _tag: "Gather", index: add(tile) }
  }
  private access(scope: Scope): void {
    const ref = this.r.pick(scope.refs)
    if (ref === undefined) return
    const kind = ref.accumulates
      ? "accumulate"
      : !ref.writable
        ? "load"
        : this.r.pick(["load", "store", "store", "swap", ...(ref.dtype === "bool" ? [] : ["accumulate"])])
    const { indices, view } = this.view(scope, ref, kind === "load" || kind === "accumulate")
    const shown = viewAval(view, ref, indices)
    if (Shape.size(shown.shape) > 4 * this.options.largest) return
    const refs = [{ name: ref.name, view }]
    const mask = this.r.chance(0.3) ? [this.tile(scope, "bool", this.r.chance(0.3) ? [] : shown.shape)] : []
    const value = this.tile(scope, DType.widened(shown.dtype), this.r.chance(0.2) ? [] : shown.shape)
    const operands = kind === "load" ? (mask.length === 0 ? [] : [...mask, value]) : [value, ...mask]
    this.attempt(scope, kind, { operands, indices, refs })
  }

  private inner(scope: Scope, params: ReadonlyArray<Var>, refs: ReadonlyArray<RefInfo> = []): Scope {
    return { vars: [...scope.vars, ...params], refs: [...scope.refs, ...refs], eqns: [], depth: scope.depth + 1 }
  }
  private close(
    scope: Scope,
    params: ReadonlyArray<Var>,
    results: ReadonlyArray<Aval>,
    refs: ReadonlyArray<Scratch> = []
  ): Region {
    const atoms = results.map((t) => this.tile(scope, t.dtype, t.shape))
    return { params, refs, eqns: scope.eqns, results: atoms }
  }
  private params(types: ReadonlyArray<Aval>): ReadonlyArray<Var> {
    return types.map(({ dtype, shape }): Var => ({ _tag: "Var", id: this.ids++, dtype, shape }))
  }
  private control(scope: Scope): void {
    if (scope.depth > 2) return
    const carried = Array.from({ length: this.r.below(3) }, () => this.anyVar(scope)).filter((v) => v !== undefined)
    const statements = this.r.between(1, 5)
    const kind = this.r.pick(["fori", "fori", "cond", "scoped", "while"])
    if (kind === "fori") {
      const params = this.params([{ dtype: "i32", shape: [] }, ...carried])
      const body = this.inner(scope, params)
      this.statements(body, statements)
      const [lo, hi] = this.r.chance(0.7)
        ? [literal("i32", this.r.between(0, 1)), literal("i32", this.r.between(0, 4))]
        : [literal("i32", 0), this.bounded(scope)]
      this.emit(scope, "fori", { operands: [lo!, hi!, ...carried], regions: [this.close(body, params, carried)] })
    } else if (kind === "cond") {
      const [yes, no] = [this.inner(scope, []), this.inner(scope, [])]
      const condition = this.tile(scope, "bool", [])
      this.statements(yes, statements)
      this.statements(no, statements)
      const regions = [this.close(yes, [], carried), this.close(no, [], carried)]
      this.emit(scope, "cond", { operands: [condition], regions })
    } else if (kind === "scoped") {
      const shape = this.shape()
      const dtype = this.r.pick(["f32", "i32", "bool"] as const)
      const ref: Scratch = { name: `s${this.names++}`, dtype, shape, space: this.r.pick(["workgroup", "register"]) }
      const body = this.inner(scope, [], [{ ...ref, writable: true, owned: false, accumulates: false }])
      this.statements(body, statements + 2)
      this.emit(scope, "scoped", { regions: [this.close(body, [], carried, [ref])] })
    } else this.loop(scope, carried, statements)
  }
  /** A scalar between 0 and 3 that is known only when the program runs. */
  private bounded(scope: Scope): Atom {
    return this.emit(scope, "clamp", { operands: [this.scalar(scope), literal("i32", 0), literal("i32", 3)] })[0]!
  }
  private loop(scope: Scope, carried: ReadonlyArray<Var>, statements: number): void {
    const types: ReadonlyArray<Aval> = [{ dtype: "i32", shape: [] }, ...carried]
    const [conditionParams, bodyParams] = [this.params(types), this.params(types)]
    const condition = this.inner(scope, [conditionParams[0]!])
    const limit = this.bounded(condition)
    const more = this.emit(condition, "lt", { operands: [conditionParams[0]!, limit] })[0]!
    const body = this.inner(scope, bodyParams)
    this.statements(body, statements)
    const next = this.emit(body, "add", { operands: [bodyParams[0]!, literal("i32", 1)] })[0]!
    const closed = this.close(body, bodyParams, carried)
    this.emit(scope, "while", {
      operands: [literal("i32", this.r.between(0, 2)), ...carried],
      regions: [
        { params: conditionParams, refs: [], eqns: condition.eqns, results: [more] },
        { ...closed, results: [next, ...closed.results] }
      ]
    })
  }

  private statements(scope: Scope, count: number): void {
    for (let k = 0; k < count; k++) {
      const kind = this.r.below(20)
      if (kind < 6) this.access(scope)
      else if (kind < 10) this.elementwise(scope)
      else if (kind < 13) this.moving(scope)
      else if (kind < 16) this.reducing(scope)
      else if (kind < 17) this.product(scope)
      else if (kind < 18) this.tile(scope, this.r.pick(["f32", "i32", "u32", "bool", "f16"] as const), this.shape())
      else this.control(scope)
      const last = scope.vars.at(-1)
      if (last !== undefined && Shape.size(last.shape) > 8 * this.options.largest) {
        scope.vars.pop()
      }
    }
  }

  generate(): Program {
    const { r } = this
    this.programs = r.pick([1, 1, 2, 5])
    const sequential = r.pick([1, 1, 3])
    const dtypes = ["f32", "f32", "i32", "u32", "bool", "f16", "bf16", "i8", "u8", "i4", "u4"] as const
    const refs = Array.from({ length: r.between(2, 5) }, (_, k): RefInfo => {
      const kind = k === 0 ? "in" : k === 1 ? "out" : r.pick(["in", "out", "inout", "sum"] as const)
      const owned = kind === "out" || kind === "inout"
      const accumulates = kind === "sum"
      const dtype = accumulates ? r.pick(["f32", "i32", "u32", "f16", "bf16", "i8", "u4"] as const) : r.pick(dtypes)
      const shape = owned ? [this.programs, ...this.shape()] : this.shape()
      return { name: `${kind}${k}`, dtype, shape, writable: kind !== "in", owned, accumulates }
    })
    const scratch = Array.from({ length: r.below(3) }, (_, k): Scratch => ({
      name: `kept${k}`,
      dtype: r.pick(["f32", "i32", "f16", "bf16", "i4"] as const),
      shape: this.shape(),
      space: r.pick(["workgroup", "register"])
    }))
    const scope: Scope = {
      vars: [],
      refs: [...refs, ...scratch.map((s) => ({ ...s, writable: true, owned: false, accumulates: false }))],
      eqns: [],
      depth: 0
    }
    this.program = this.emit(scope, "programId", { params: { axis: 0 } })[0]!
    this.emit(scope, "programId", { params: { axis: 1 } })
    this.statements(scope, r.between(2, this.options.statements))
    for (const ref of refs.filter((x) => x.owned)) this.keep(scope, ref)
    return {
      name: "random",
      grid: [
        { size: this.programs, semantics: "parallel" },
        { size: sequential, semantics: "sequential" }
      ],
      refs: refs.map(({ dtype, name, shape }) => ({
        name,
        dtype,
        shape,
        scalar: false,
        access: name.startsWith("in") && !name.startsWith("inout") ? "in" : name.startsWith("out") ? "out" : "inout"
      })),
      body: { params: [], refs: scratch, eqns: scope.eqns, results: [] },
      discharged: [],
      inlines: {}
    }
  }
  /** Adds something that was computed to a ref, so that it is looked at. */
  private keep(scope: Scope, ref: RefInfo): void {
    const value = this.anyVar(scope, (v) => v.dtype === DType.widened(ref.dtype) && Shape.size(v.shape) > 0)
    if (value === undefined || Shape.size(ref.shape) === 0) return
    const [, ...rest] = ref.shape
    const flat = this.emit(scope, "reshape", { operands: [value], params: { shape: [Shape.size(value.shape)] } })[0]!
    const n = Math.min(Shape.size(value.shape), Shape.size(rest))
    const part = this.emit(scope, "slice", { operands: [flat], params: { starts: [0], sizes: [n], strides: [1] } })[0]!
    const view: View = [
      {
        _tag: "Index",
        at: [
          { _tag: "Point", at: at(0) },
          ...rest.map((m): Entry => ({ _tag: "Range", start: fixed(0), size: m, stride: 1 }))
        ]
      },
      { _tag: "Reshape", shape: [Shape.size(rest)] },
      { _tag: "Index", at: [{ _tag: "Range", start: fixed(0), size: n, stride: 1 }] }
    ]
    this.emit(scope, "store", { operands: [part], indices: [this.program!], refs: [{ name: ref.name, view }] })
  }
}
