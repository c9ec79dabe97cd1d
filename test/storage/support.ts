/** Dtypes narrower than a word, what memory keeps of numbers, once more in plain arithmetic, and runs that compare bytes. */
import { type Effect, Exit } from "effect"
import { expect } from "vitest"
import { bf16, type DType, f16, i4, i8, Kernel, u4, u8 } from "../../src/index.ts"
import { elements, toHost, zeros } from "../../src/ir/array.ts"
import { interpreters, type Subject } from "../support/interpreters.ts"

export type Narrow = DType.Storage | "f16"
export const dtypes: { readonly [N in Narrow]: DType.DType<N> } = { bf16, f16, i8, u8, i4, u4 }
export const narrow = Object.keys(dtypes) as ReadonlyArray<Narrow>

/** To the nearest multiple of the spacing around a number, ties to even, in a format of so many bits. */
const nearest = (x: number, bits: number, least: number, most: number): number => {
  if (!Number.isFinite(x) || x === 0) return x
  const size = Math.abs(x)
  let exponent = least
  while (2 ** (exponent + 1) <= size) exponent++
  const spacing = 2 ** (exponent + 1 - bits)
  const [below, rest] = [Math.floor(size / spacing), (size / spacing) % 1]
  const up = rest > 0.5 || (rest === 0.5 && below % 2 === 1)
  const result = (below + (up ? 1 : 0)) * spacing
  return Math.sign(x) * (result > most ? Infinity : result)
}
const wrapped = (x: number, low: number, count: number): number => ((((x - low) % count) + count) % count) + low
/** What is loaded after a number of the widened dtype was stored. */
export const kept: { readonly [N in Narrow]: (x: number) => number } = {
  bf16: (x) => nearest(x, 8, -126, (2 - 2 ** -7) * 2 ** 127),
  f16: (x) => nearest(x, 11, -14, 65504),
  i8: (x) => wrapped(x, -128, 256),
  u8: (x) => wrapped(x, 0, 256),
  i4: (x) => wrapped(x, -8, 16),
  u4: (x) => wrapped(x, 0, 16)
}

/** A host array of these numbers, which the dtype has. */
export const host = (dtype: DType.Name, values: ReadonlyArray<number>): any => {
  const out = zeros({ dtype, shape: [values.length] })
  values.forEach((x, k) => (out.data[k] = x))
  return toHost(out)
}
/** So many numbers that the dtype has, its extremes among them. */
export const some = (dtype: Narrow, n: number, from = 0): ReadonlyArray<number> =>
  Array.from({ length: n }, (_, k) => kept[dtype]((k + from) * 37 - 100))

const bytes = (array: any): ReadonlyArray<number> => [
  ...new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
]
/** Every interpreter gives these numbers, in host arrays that are equal to the byte. */
export const gives = async (
  kernel: Kernel.Any,
  args: { readonly [ref: string]: unknown },
  expected: { readonly [ref: string]: ReadonlyArray<number> },
  on: ReadonlyArray<Subject> = interpreters
): Promise<void> => {
  for (const subject of on) {
    const exit = await subject.exit((Kernel.run as any)(kernel, args) as Effect.Effect<any>)
    if (Exit.isFailure(exit)) throw new Error(`on ${subject.name}: ${exit.cause}`)
    for (const [ref, values] of Object.entries(expected)) {
      const dtype: DType.Name = kernel.refs[ref].dtype.name
      const [found, wanted] = [exit.value[ref], host(dtype, values)]
      const numbers = Array.from(elements({ dtype, shape: [values.length] }, found), (x) => (x === 0 ? 0 : x))
      expect(numbers, `"${ref}" on ${subject.name}`).toEqual(values.map((x) => (x === 0 ? 0 : x)))
      expect(bytes(found), `bytes of "${ref}" on ${subject.name}`).toEqual(bytes(wanted))
    }
  }
}
