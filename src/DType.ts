/**
 * Element types of refs and tiles, and the host arrays that carry them.
 *
 * Leaf module: the one table of names, sizes, ranges and host arrays; everything else asks it.
 *
 * Tiles are f32, f16, i32, u32 or bool. Refs may also be bf16, i8, u8, i4 or u4, the storage dtypes: what is loaded from them
 * is widened, exactly; what is stored to them is rounded (bf16, to nearest even) or keeps its low bits (integers).
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { bf16, Discharge, f32, i4, Kernel, MemRef } from "effect-kernels"
 *
 * // Weights of four bits, two to a byte, times a scale.
 * const dequantise = Kernel.make("dequantise", {
 *   grid: [1],
 *   refs: { scale: MemRef.scalar(f32), w: MemRef.in(i4, [3]), o: MemRef.out(bf16, [3]) }
 * }, function*({ o, scale, w }) {
 *   const weights = yield* MemRef.load(w)
 *   yield* MemRef.store(o, weights.convert(f32).mul(scale))
 * })
 * const run = Kernel.run(dequantise, { scale: 0.5, w: Uint8Array.of(0xf8, 0x03) })
 * const { o } = await Effect.runPromise(run.pipe(Effect.provide(Discharge.layer)))
 * // The bits of -4, -0.5 and 1.5.
 * console.assert(Array.from(o, (bits) => bits.toString(16)).join() === "c080,bf00,3fc0")
 * ```
 */
import { Float16Array as Float16Polyfill } from "@petamoriken/float16"

/** Element types that tiles have. */
export type Compute = "f32" | "f16" | "i32" | "u32" | "bool"
/** Element types that only memory has: widened on load and rounded on store. */
export type Storage = "bf16" | "i8" | "u8" | "i4" | "u4"
/** The name of an element type, as it stands in types, in the IR and in messages. */
export type Name = Compute | Storage
/** Element types with arithmetic. */
export type Numeric = Exclude<Compute, "bool">
/** Floating-point element types. */
export type Float = "f32" | "f16"
/** Integer element types. */
export type Integer = "i32" | "u32"

/** An element type. */
export interface DType<out N extends Name> {
  readonly name: N
  /** Bytes that one element takes in a host array; a nibble is half of one. */
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
/** 16-bit float with the exponents of f32, for storage: loads as f32, stores round to nearest even; a `Uint16Array` of bits. */
export const bf16: DType<"bf16"> = { name: "bf16", bytes: 2 }
/** 8-bit signed integer, for storage: loads as i32, stores keep the low bits; on the host an `Int8Array`. */
export const i8: DType<"i8"> = { name: "i8", bytes: 1 }
/** 8-bit unsigned integer, for storage: loads as u32, stores keep the low bits; on the host a `Uint8Array`. */
export const u8: DType<"u8"> = { name: "u8", bytes: 1 }
/** 4-bit signed integer, for storage: loads as i32; on the host a `Uint8Array`, two to a byte, the low half first. */
export const i4: DType<"i4"> = { name: "i4", bytes: 0.5 }
/** 4-bit unsigned integer, for storage: loads as u32; on the host a `Uint8Array`, two to a byte, the low half first. */
export const u4: DType<"u4"> = { name: "u4", bytes: 0.5 }

const all: { readonly [N in Name]: DType<N> } = { f32, f16, i32, u32, bool, bf16, i8, u8, i4, u4 }
/** The element types of tiles, in the order of documentation. */
export const computeNames: ReadonlyArray<Compute> = ["f32", "f16", "i32", "u32", "bool"]
/** All element types, in the order of documentation. */
export const names: ReadonlyArray<Name> = [...computeNames, "bf16", "i8", "u8", "i4", "u4"]
/** The element type of that name. */
export const of = <N extends Name>(name: N): DType<N> => all[name]

interface Wider {
  readonly f32: "f32"
  readonly f16: "f16"
  readonly i32: "i32"
  readonly u32: "u32"
  readonly bool: "bool"
  readonly bf16: "f32"
  readonly i8: "i32"
  readonly u8: "u32"
  readonly i4: "i32"
  readonly u4: "u32"
}
/** The element type of tiles that are loaded from, and stored to, memory of the type `N`. */
export type Widened<N extends Name> = Wider[N]
const wider: Wider = {
  f32: "f32",
  f16: "f16",
  i32: "i32",
  u32: "u32",
  bool: "bool",
  bf16: "f32",
  i8: "i32",
  u8: "u32",
  i4: "i32",
  u4: "u32"
}
/** The element type of tiles that are loaded from, and stored to, memory of that type. */
export const widened = <N extends Name>(name: N): Widened<N> => wider[name]

export const isStorage = (name: Name): name is Storage => !(computeNames as ReadonlyArray<Name>).includes(name)
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
  new (buffer: ArrayBuffer, byteOffset?: number, length?: number): Float16Array<ArrayBuffer>
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
  readonly bf16: Uint16Array
  readonly i8: Int8Array
  readonly u8: Uint8Array
  readonly i4: Uint8Array
  readonly u4: Uint8Array
}
export type HostArray = HostArrays[Name]

const hostNames: { readonly [N in Name]: string } = {
  f32: "Float32Array",
  f16: "Float16Array",
  i32: "Int32Array",
  u32: "Uint32Array",
  bool: "Uint8Array",
  bf16: "Uint16Array",
  i8: "Int8Array",
  u8: "Uint8Array",
  i4: "Uint8Array",
  u4: "Uint8Array"
}
/** Name of the host array of an element type, for messages. */
export const hostName = (name: Name): string => hostNames[name]

/** Length of the host array of that many elements: two nibbles are one byte. */
export const hostLength = (name: Name, elements: number): number =>
  all[name].bytes < 1 ? Math.ceil(elements / 2) : elements

type Constructor<A> = (new (length: number) => A) & (new (buffer: ArrayBuffer, byteOffset: number, length: number) => A)
const constructors: { readonly [N in Name]: Constructor<HostArrays[N]> } = {
  f32: Float32Array,
  f16: Float16Array,
  i32: Int32Array,
  u32: Uint32Array,
  bool: Uint8Array,
  bf16: Uint16Array,
  i8: Int8Array,
  u8: Uint8Array,
  i4: Uint8Array,
  u4: Uint8Array
}
/** A zeroed host array of that many elements. */
export const hostArray = <N extends Name>(name: N, elements: number): HostArrays[N] =>
  new constructors[name](hostLength(name, elements))
/** The host array of that many elements in a buffer, which it shares. */
export const hostView = <N extends Name>(
  name: N,
  buffer: ArrayBuffer,
  byteOffset: number,
  elements: number
): HostArrays[N] => new constructors[name](buffer, byteOffset, hostLength(name, elements))

/** Whether a value is the host array of that element type, judged by its tag so that arrays of other realms count. */
export const isHostArray = <N extends Name>(name: N, u: unknown): u is HostArrays[N] =>
  ArrayBuffer.isView(u) || Object.prototype.toString.call(u) === "[object Float16Array]"
    ? (u as { [Symbol.toStringTag]?: string })[Symbol.toStringTag] === hostNames[name]
    : false

/** The word of a bf16 next to that of an f32: nearest even, NaN stays NaN. */
const toBf16 = (word: number): number => {
  const upper = word & 0xffff0000
  if ((word & 0x7fffffff) > 0x7f800000) return (word & 0x7f0000) === 0 ? upper | 0x400000 : upper
  return (word + 0x7fff + ((word >>> 16) & 1)) & 0xffff0000
}
const narrowing: { readonly [N in Storage]: Kept } = {
  bf16: (word) => toBf16(word) >>> 0,
  i8: (word) => (word << 24) >> 24,
  u8: (word) => word & 0xff,
  i4: (word) => (word << 28) >> 28,
  u4: (word) => word & 0xf
}
/** From a word of the widened type to the word that comes back when memory has kept it. */
export type Kept = (word: number) => number
/** What memory of a storage type keeps of a word; `undefined` for the types that keep all of it. */
export const kept = (name: Name): Kept | undefined => (isStorage(name) ? narrowing[name] : undefined)

const f16Cell = new Float16Array(1)
const f32Cell = new Float32Array(1)
const f32Word = new Uint32Array(f32Cell.buffer)
const roundTo: { readonly [N in Name]: (x: number) => number } = {
  f32: Math.fround,
  f16: (x) => {
    f16Cell[0] = Math.fround(x)
    return f16Cell[0]!
  },
  i32: (x) => x | 0,
  u32: (x) => x >>> 0,
  bool: (x) => (x ? 1 : 0),
  bf16: (x) => {
    f32Cell[0] = x
    f32Word[0] = toBf16(f32Word[0]!)
    return f32Cell[0]!
  },
  i8: narrowing.i8,
  u8: narrowing.u8,
  i4: narrowing.i4,
  u4: narrowing.u4
}
/** Rounds or wraps a number to the nearest value of the element type (no saturation: that is `convert`'s). */
export const round = (name: Name): ((x: number) => number) => roundTo[name]
