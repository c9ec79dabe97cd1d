/** Scratch with a role: what it is called, which operations reach it, and what it may hold. */
import type * as DType from "../DType.ts"
import * as Shape from "../Shape.ts"
import { showType } from "./aval.ts"
import type { Role, Scratch } from "./program.ts"
import { TypingError } from "./typing.ts"

type Kind = Role["kind"]
const names: { readonly [K in Kind]: { readonly called: string; readonly operations: string } } = {
  barrier: { called: "a barrier", operations: "Barrier" },
  accumulator: { called: "an accumulator", operations: "Pipeline" }
}
/** The role as messages name it. */
export const called = (kind: Kind | undefined): string => (kind === undefined ? "plain memory" : names[kind].called)
/** The module whose operations take scratch of that role. */
export const operationsOf = (kind: Kind): string => names[kind].operations

const checkBarrier = (what: string, arrivals: number, { dtype, shape }: Omit<Scratch, "name">): void => {
  if (!Number.isInteger(arrivals) || arrivals < 1 || arrivals >= 2 ** 31)
    throw new TypingError(`${what}: a barrier of ${arrivals} arrivals`, "give a whole number of at least 1")
  if (dtype !== "i32" || shape.length > 1)
    throw new TypingError(
      `${what}: a barrier of ${showType({ dtype, shape })}`,
      "barriers are i32[], several are i32[n]"
    )
}
/** Dtypes in which products are summed. */
const summed: ReadonlyArray<DType.Name> = ["f32", "i32", "u32"]
const checkAccumulator = (what: string, { dtype, shape }: Omit<Scratch, "name">): void => {
  if (!summed.includes(dtype))
    throw new TypingError(`${what}: an accumulator of ${dtype}`, `sum in ${summed.join(", ")}`)
  if (shape.length < 2)
    throw new TypingError(
      `${what}: an accumulator of shape ${Shape.show(shape)}`,
      "it holds matrices: give at least two axes"
    )
}
/** Throws `TypingError` where scratch, which messages call `what`, cannot hold what its role needs. */
export const checkRole = (what: string, scratch: Omit<Scratch, "name">): void => {
  const { role } = scratch
  if (role?.kind === "barrier") checkBarrier(what, role.arrivals, scratch)
  if (role?.kind === "accumulator") checkAccumulator(what, scratch)
}
