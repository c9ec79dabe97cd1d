/**
 * Property tests of kernels, and of interpreters by programs at random; needs `fast-check`.
 *
 * @example
 * ```ts
 * import fc from "fast-check"
 * import { Effect } from "effect"
 * import { Discharge } from "effect-kernels"
 * import { Verify } from "effect-kernels/verify"
 *
 * // Does my interpreter do what discharge does, on any program?
 * const mine = Discharge.make({ order: "reversed" })
 * const agrees = fc.asyncProperty(Verify.programs(), (c) =>
 *   Effect.runPromise(Effect.map(Verify.agreement(mine, c), (difference) => difference === undefined)))
 * await fc.assert(agrees, { numRuns: 20, seed: 1 })
 * ```
 */
export * as Verify from "./verify/index.ts"
