/** The arguments of a run, checked against the refs of the program. */
import { Effect } from "effect"
import * as DType from "../DType.ts"
import { InvalidArgument, KernelError } from "../Errors.ts"
import type { Program, RefDecl } from "../ir/program.ts"
import * as Shape from "../Shape.ts"

export type Given = { readonly [name: string]: unknown }

const describe = (u: unknown): string =>
  u === undefined
    ? "nothing"
    : ArrayBuffer.isView(u) || Array.isArray(u)
      ? `${(u as object).constructor.name} of ${(u as unknown as ArrayLike<number>).length}`
      : u === null
        ? "null"
        : typeof u === "number"
          ? String(u)
          : typeof u === "object"
            ? (u.constructor?.name ?? "an object")
            : `a ${typeof u}`

const ranges: { readonly [N in DType.Name]?: (n: number) => boolean } = {
  i32: (n) => (n | 0) === n,
  u32: (n) => n >>> 0 === n,
  bool: (n) => n === 0 || n === 1
}
const scalarArray = (ref: RefDecl, u: unknown): DType.HostArray | InvalidArgument => {
  const value = typeof u === "boolean" && ref.dtype === "bool" ? Number(u) : u
  const fits = typeof value === "number" && (ranges[ref.dtype]?.(value) ?? true)
  if (!fits)
    return new InvalidArgument({ ref: ref.name, expected: `a number that ${ref.dtype} has`, actual: describe(u) })
  const array = DType.hostArray(ref.dtype, 1)
  array[0] = value
  return array
}
const hostArray = (ref: RefDecl, u: unknown): DType.HostArray | InvalidArgument => {
  const size = DType.hostLength(ref.dtype, Shape.size(ref.shape))
  if (DType.isHostArray(ref.dtype, u) && u.length === size) return u
  return new InvalidArgument({
    ref: ref.name,
    expected: `${DType.hostName(ref.dtype)} of ${size}`,
    actual: describe(u)
  })
}

/** Host arrays by name, one for each `in` and `inout` ref. Fails with `InvalidArgument`. */
export const bind = (
  program: Program,
  given: Given
): Effect.Effect<ReadonlyMap<string, DType.HostArray>, KernelError> => {
  const fail = (reason: InvalidArgument) => Effect.fail(new KernelError({ kernel: program.name, reason }))
  if (typeof given !== "object" || given === null)
    return fail(new InvalidArgument({ ref: "*", expected: "a record of arguments", actual: describe(given) }))
  const wanted = program.refs.filter((r) => r.access !== "out")
  const extra = Object.keys(given).find((name) => !wanted.some((r) => r.name === name))
  if (extra !== undefined) {
    const isOut = program.refs.some((r) => r.name === extra)
    return fail(
      new InvalidArgument({
        ref: extra,
        expected: isOut ? "nothing: it is an out ref" : "no argument of this name",
        actual: describe(given[extra])
      })
    )
  }
  const arrays = new Map<string, DType.HostArray>()
  for (const ref of wanted) {
    const array = (ref.scalar ? scalarArray : hostArray)(ref, given[ref.name])
    if (array instanceof InvalidArgument) return fail(array)
    arrays.set(ref.name, array)
  }
  return Effect.succeed(arrays)
}
