/**
 * Element types of refs and tiles, and the host arrays that carry them.
 *
 * Leaf module: the one table of names, sizes, ranges and host arrays; everything else asks it.
 */
import { Float16Array as Float16Polyfill } from "@petamoriken/float16"

/** The name of an element type, as it stands in types, in the IR and in messages. */
export type Name = "f32" | "f16" | "i32" | "u32" | "bool"
/** Element types with arithmetic. */
export type Numeric = Exclude<Name, "bool">
/** Floating-point element types. */
export type Float = "f32" | "f16"
/** Integer element types. */
export type Integer = "i32" | "u32"

/** An element type. */
export interface DType<out N extends Name> {
  readonly name: N
  /** Bytes that one element takes in a host array. */
  readonly bytes: number
}

/** 32-bit IEEE float; on the host a `Float32Array`. */
export const f32: DType<"f32"> = { name: "f32", bytes: 4 }
/** 16-bit IEEE float, rounded after each operation; on the host a `Float16Array`. */
export const f16: DType<"f16"> = { name: "f16", bytes: 2 }
/** 32-bit signed integer that wraps around; on the host an `Int32Array`. */
export const i32: DType<"i32"> = { name: "i32", bytes: 4 }
/** 32-bit unsigned integer that wraps around; on the host a `Uint32Array`. */
export const u32: DType<"u32"> = { name: "u32", bytes: 4 }
/** Truth value; on the host a `Uint8Array` of 0 and 1. */
export const bool: DType<"bool"> = { name: "bool", bytes: 1 }

const all: { readonly [N in Name]: DType<N> } = { f32, f16, i32, u32, bool }
/** All element types, in the order of documentation. */
export const names: ReadonlyArray<Name> = ["f32", "f16", "i32", "u32", "bool"]
/** The element type of that name. */
export const of = <N extends Name>(name: N): DType<N> => all[name]

export const isFloat = (name: Name): name is Float => name === "f32" || name === "f16"
export const isInteger = (name: Name): name is Integer => name === "i32" || name === "u32"

/** A 16-bit float array: the platform's `Float16Array` where there is one, else `@petamoriken/float16`'s. */
export interface Float16Array<TBuffer extends ArrayBufferLike = ArrayBufferLike> {
  readonly [Symbol.toStringTag]: "Float16Array"
  readonly BYTES_PER_ELEMENT: number
  readonly buffer: TBuffer
  readonly byteOffset: number
  readonly byteLength: number
  readonly length: number
  [index: number]: number
  [Symbol.iterator](): IterableIterator<number>
  slice(start?: number, end?: number): Float16Array
  fill(value: number, start?: number, end?: number): this
}
export interface Float16ArrayConstructor {
  new (length: number): Float16Array<ArrayBuffer>
  new (values: ArrayLike<number>): Float16Array<ArrayBuffer>
  from(values: ArrayLike<number>): Float16Array<ArrayBuffer>
}
/** Constructor of {@link Float16Array} on every platform. */
export const Float16Array: Float16ArrayConstructor =
  ((globalThis as any).Float16Array as Float16ArrayConstructor | undefined) ??
  (Float16Polyfill as unknown as Float16ArrayConstructor)

/** The host array of each element type. */
export interface HostArrays {
  readonly f32: Float32Array
  readonly f16: Float16Array
  readonly i32: Int32Array
  readonly u32: Uint32Array
  readonly bool: Uint8Array
}
export type HostArray = HostArrays[Name]

const hostNames: { readonly [N in Name]: string } = {
  f32: "Float32Array",
  f16: "Float16Array",
  i32: "Int32Array",
  u32: "Uint32Array",
  bool: "Uint8Array"
}
/** Name of the host array of an element type, for messages. */
export const hostName = (name: Name): string => hostNames[name]

/** A zeroed host array of `length` elements. */
export const hostArray = <N extends Name>(name: N, length: number): HostArrays[N] => {
  const make: { readonly [K in Name]: () => HostArray } = {
    f32: () => new Float32Array(length),
    f16: () => new Float16Array(length),
    i32: () => new Int32Array(length),
    u32: () => new Uint32Array(length),
    bool: () => new Uint8Array(length)
  }
  return make[name]() as HostArrays[N]
}

/** Whether a value is the host array of that element type, judged by its tag so that arrays of other realms count. */
export const isHostArray = <N extends Name>(name: N, u: unknown): u is HostArrays[N] =>
  ArrayBuffer.isView(u) || Object.prototype.toString.call(u) === "[object Float16Array]"
    ? (u as { [Symbol.toStringTag]?: string })[Symbol.toStringTag] === hostNames[name]
    : false

const f16Cell = new Float16Array(1)
const roundTo: { readonly [N in Name]: (x: number) => number } = {
  f32: Math.fround,
  f16: (x) => {
    f16Cell[0] = Math.fround(x)
    return f16Cell[0]!
  },
  i32: (x) => x | 0,
  u32: (x) => x >>> 0,
  bool: (x) => (x ? 1 : 0)
}
/** Rounds or wraps a number to the nearest value of the element type (no saturation: that is `convert`'s). */
export const round = (name: Name): ((x: number) => number) => roundTo[name]
