/**
 * Tiles as the trace sees them: nodes of a pure expression graph.
 *
 * Combining tiles runs nothing and emits nothing. A node becomes an equation when an operation with effects needs it, in the
 * outermost region where its operands are known; nodes that nothing needs vanish.
 */
import { pipeArguments } from "effect/Pipeable"
import * as DType from "../DType.ts"
import type { Atom, Aval, Params, RefUse, Source } from "../ir/program.ts"
import { literal } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import type { ElementwiseOperands } from "../ir/primitive.ts"
import { primitive, primitives } from "../primitives/index.ts"
import * as Shape from "../Shape.ts"
import { calledAt, capture } from "./position.ts"

export const TypeId = "~effect-kernels/Tile" as const

/** The region that binds a value, and the trace that it belongs to. */
export interface Place {
  readonly depth: number
  readonly trace: { readonly kernel: string }
}
/** A value that a region binds: a parameter of it, or the result of an equation with effects. */
export interface Binding {
  readonly atom: Atom
  readonly block: Place
}

export class TileImpl {
  readonly [TypeId] = TypeId
  readonly dtype: DType.Name
  readonly shape: Shape.Shape
  /** The primitive that makes this tile; `undefined` for literals and bound values. */
  readonly primitive: string | undefined
  readonly params: Params
  readonly operands: ReadonlyArray<TileImpl>
  readonly refs: ReadonlyArray<RefUse>
  readonly source: Source | undefined
  readonly literal: Atom | undefined
  readonly binding: Binding | undefined
  /** Where the trace that needed this tile last computes it: a note of that trace's, which no other believes. */
  emitted: Binding | undefined = undefined

  constructor(
    aval: Aval,
    is: {
      readonly primitive?: string
      readonly params?: Params
      readonly operands?: ReadonlyArray<TileImpl>
      readonly refs?: ReadonlyArray<RefUse>
      readonly source?: Source | undefined
      readonly literal?: Atom
      readonly binding?: Binding
    }
  ) {
    this.dtype = aval.dtype
    this.shape = aval.shape
    this.primitive = is.primitive
    this.params = is.params ?? {}
    this.operands = is.operands ?? []
    this.refs = is.refs ?? []
    this.source = is.source
    this.literal = is.literal
    this.binding = is.binding
  }
  pipe() {
    return pipeArguments(this, arguments)
  }
  toString() {
    return `Tile<${this.dtype}, ${Shape.show(this.shape)}>`
  }
}

export const isTile = (u: unknown): u is TileImpl => typeof u === "object" && u !== null && TypeId in u
export const constant = (dtype: DType.Name, value: number): TileImpl =>
  new TileImpl({ dtype, shape: [] }, { literal: literal(dtype, value) })
export const bound = (aval: Aval, binding: Binding): TileImpl => new TileImpl(aval, { binding })

const noRefs = {
  ref: (name: string): never => {
    throw new TypingError(`no ref "${name}"`)
  },
  inline: (name: string): never => {
    throw new TypingError(`no inline "${name}"`)
  },
  rank: Number.POSITIVE_INFINITY
}

/** A mistake in the operands of a primitive, with the place where it was made. */
export class OperandError extends Error {
  readonly primitive: string
  readonly typing: TypingError
  readonly source: Source | undefined
  constructor(name: string, cause: TypingError, source: Source | undefined) {
    super(`${name}: ${cause.detail}`)
    this.name = "OperandError"
    this.primitive = name
    this.typing = cause
    this.source = source
  }
}

/** Fails with a mistake in the operands of a primitive. */
export const refuse = (name: string, source: Source | undefined, detail: string, hint?: string): never => {
  throw new OperandError(name, new TypingError(detail, hint), source)
}

/** The tile that a pure primitive makes of these; throws `OperandError` where they do not fit. */
export const apply = (
  name: string,
  operands: ReadonlyArray<TileImpl>,
  params: Params = {},
  source: Source = capture()
): TileImpl => {
  try {
    const draft = { params, operands: operands as unknown as ReadonlyArray<Atom>, indices: [], refs: [], regions: [] }
    const [aval] = primitive(name)!.typing(draft, noRefs)
    return new TileImpl(aval!, { primitive: name, params, operands, source })
  } catch (e) {
    throw e instanceof TypingError ? new OperandError(name, e, source) : e
  }
}

/** One value for all elements of a tile; a scalar is it already. */
export const overAll = (name: "reduceAll" | "reduceAny" | "reduceMin", tile: TileImpl, source?: Source): TileImpl =>
  tile.shape.length === 0 ? tile : apply(name, [tile], { axes: tile.shape.map((_, d) => d), keepDims: false }, source)

const stretch = (tile: TileImpl, shape: Shape.Shape): TileImpl =>
  tile.shape.length === 0 || Shape.equals(tile.shape, shape) ? tile : apply("broadcast", [tile], { shape })

const commonShape = (name: string, tiles: ReadonlyArray<TileImpl>): Shape.Shape =>
  tiles.reduce<Shape.Shape>((shape, t) => {
    const common = Shape.broadcast(shape, t.shape)
    if (common === undefined)
      throw new OperandError(
        name,
        new TypingError(
          `shapes ${Shape.show(shape)} and ${Shape.show(t.shape)} do not broadcast`,
          "broadcasting takes equal ranks with dimensions equal or 1; use Tile.expandDims"
        ),
        capture()
      )
    return common
  }, [])

/** An elementwise primitive over tiles that broadcast to one shape. */
export const elementwise = (name: string, tiles: ReadonlyArray<TileImpl>, params: Params = {}): TileImpl => {
  const shape = commonShape(name, tiles)
  return apply(
    name,
    tiles.map((t) => stretch(t, shape)),
    params
  )
}

/** A tile, or a number taken as a literal of that dtype; `source` is where it was given, if not here. */
export const operand = (name: string, u: unknown, dtype: DType.Name, source?: Source): TileImpl => {
  if (isTile(u)) return u
  if (typeof u === "boolean" && dtype === "bool") return constant(dtype, u ? 1 : 0)
  if (typeof u === "number") return checkedConstant(name, dtype, u, source)
  throw new OperandError(name, new TypingError(`${describe(u)} is not a tile`, hintFor(u)), source ?? capture())
}

/** An elementwise primitive over tiles and numbers, of which at least one is a tile: it gives the numbers their dtype. */
export const lift = (name: string, args: ReadonlyArray<unknown>, params: Params = {}): TileImpl => {
  const typed = args.find(isTile)
  if (typed === undefined)
    throw new OperandError(name, new TypingError("no operand is a tile", "make one with Tile.of"), capture())
  return elementwise(
    name,
    args.map((a) => operand(name, a, typed.dtype)),
    params
  )
}
/** `yes` where the condition holds, else `no`. */
const choose = (name: string, [condition, yes, no]: ReadonlyArray<unknown>): TileImpl => {
  const typed = [yes, no].find(isTile)
  if (typed === undefined)
    throw new OperandError(
      name,
      new TypingError("both choices are numbers", "make one of them a tile with Tile.of"),
      capture()
    )
  return elementwise(name, [
    operand(name, condition, "bool"),
    operand(name, yes, typed.dtype),
    operand(name, no, typed.dtype)
  ])
}

const isCondition = ([first, ...rest]: ElementwiseOperands): boolean => rest.length > 0 && first !== "same"
/** The tile that an elementwise primitive without parameters makes of tiles and numbers. */
export const lifted = (name: string, args: ReadonlyArray<unknown>): TileImpl =>
  isCondition(primitive(name)!.elementwise!.operands) ? choose(name, args) : lift(name, args)
/** Elementwise primitives without parameters: methods of a tile, and functions of the module. */
export const methodNames: ReadonlyArray<string> = primitives.flatMap(({ elementwise, name }) =>
  elementwise !== undefined && typeof elementwise.result === "string" ? [name] : []
)

const method = (name: string, f: (this: TileImpl, ...args: ReadonlyArray<any>) => TileImpl): void => {
  const entry = function (this: TileImpl, ...args: ReadonlyArray<any>): TileImpl {
    return calledAt(entry, () => f.apply(this, args as Array<any>))
  }
  Object.defineProperty(TileImpl.prototype, name, { value: entry })
}
for (const name of methodNames)
  method(name, function (...args) {
    return lifted(name, [this, ...args])
  })
method("convert", function (to: DType.DType<DType.Name>) {
  return apply("convert", [this], { dtype: to.name })
})
method("bitcast", function (to: DType.DType<DType.Name>) {
  return apply("bitcast", [this], { dtype: to.name })
})

const describe = (u: unknown): string =>
  isEffect(u)
    ? "an operation that was not run"
    : isRef(u)
      ? `ref "${u.name}"`
      : u === null || u === undefined
        ? String(u)
        : `${typeof u === "object" ? "an" : "a"} ${typeof u}`
const isRef = (u: unknown): u is { readonly name: string } =>
  typeof u === "object" && u !== null && "~effect-kernels/MemRef" in u
const isEffect = (u: unknown): boolean => typeof u === "object" && u !== null && "~effect/Effect" in u
const hintFor = (u: unknown): string =>
  isEffect(u) ? "write `yield*` in front of it" : "give a tile or a number; load a ref before using its value"

const checkedConstant = (name: string, dtype: DType.Name, value: number, source: Source | undefined): TileImpl => {
  if (DType.isStorage(dtype))
    throw new OperandError(
      name,
      new TypingError(`${dtype} is how memory keeps elements, not a dtype of tiles`, `use ${DType.widened(dtype)}`),
      source ?? capture()
    )
  const whole = dtype === "i32" ? (value | 0) === value : dtype === "u32" ? value >>> 0 === value : true
  if (!whole)
    throw new OperandError(
      name,
      new TypingError(`${value} is not a value of ${dtype}`, "use a whole number in range"),
      source ?? capture()
    )
  if (dtype === "bool") return constant(dtype, value ? 1 : 0)
  return constant(dtype, DType.round(dtype)(value))
}
