/** Whether scratch is what its role needs. */
import { showType } from "./aval.ts"
import type { Scratch } from "./program.ts"
import { TypingError } from "./typing.ts"

/** Throws `TypingError` where it is not. */
export const checkRole = ({ dtype, role, shape }: Omit<Scratch, "name">): void => {
  if (role === undefined) return
  const { arrivals } = role
  if (!Number.isInteger(arrivals) || arrivals < 1 || arrivals >= 2 ** 31)
    throw new TypingError(`a barrier of ${arrivals} arrivals`, "give a whole number of at least 1")
  if (dtype !== "i32" || shape.length > 1)
    throw new TypingError(`a barrier of ${showType({ dtype, shape })}`, "barriers are i32[], several are i32[n]")
}
