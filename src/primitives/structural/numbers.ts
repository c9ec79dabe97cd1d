/** Index arithmetic over numbers: i32 that wraps around; division floors. */
import type { Algebra } from "../../ir/view.ts"

export const numbers: Algebra<number> = {
  constant: (n) => n | 0,
  add: (a, b) => (a + b) | 0,
  mul: (a, n) => Math.imul(a, n),
  div: (a, n) => Math.floor(a / n),
  mod: (a, n) => a - n * Math.floor(a / n)
}

/** A number that is not known yet. */
export type Thunk = () => number
/** The same arithmetic on what is not known yet: an address becomes a function that is called for each element. */
export const thunks: Algebra<Thunk> = {
  constant: (n) => () => n | 0,
  add: (a, b) => () => (a() + b()) | 0,
  mul: (a, n) => () => Math.imul(a(), n),
  div: (a, n) => () => Math.floor(a() / n),
  mod: (a, n) => () => numbers.mod(a(), n)
}
