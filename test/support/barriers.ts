/** Holds what kernels are lowered to, whenever a test runs one on a device, to the checker of barriers. */
import { Effect, Layer, Result } from "effect"
import { Interpreter } from "../../src/index.ts"
import type { Program } from "../../src/ir/program.ts"
import { checkLowered } from "../../src/simulate/lowered/checker.ts"
import * as Shape from "../../src/Shape.ts"
import { lowered } from "./lowered.ts"

/** Larger kernels would take long: what they are lowered to is that of smaller ones. */
const isSmall = ({ grid, refs }: Program): boolean =>
  Shape.size(grid.map((axis) => axis.size)) <= 16 && refs.every((ref) => Shape.size(ref.shape) <= 256)

/** What two invocations do to one cell of the workgroup with no barrier between, and barriers that some do not reach. */
const faults = (program: Program, args: Interpreter.Arrays): ReadonlyArray<string> => {
  const run = lowered({ program, args })
  const report = checkLowered(run.lowered, run.storage())
  // Inline text cannot be followed.
  if (Result.isFailure(report)) return []
  return report.success.findings
    .filter((f) => f._tag === "Divergence" || (f._tag === "Race" && f.space === "workgroup"))
    .map((f) => JSON.stringify(f))
}

/** The same interpreter, which dies where the lowering of what it runs lacks a barrier. */
export const barriersChecked = <ROut, E, R>(layer: Layer.Layer<ROut, E, R>): Layer.Layer<ROut, E, R> =>
  Layer.effect(
    Interpreter.Interpreter,
    Effect.map(Interpreter.built(layer), ({ compile, name }) => ({
      name,
      compile: (program) =>
        Effect.map(compile(program), ({ run }) => ({
          run: (args) =>
            Effect.tap(run(args), () => {
              const found = isSmall(program) ? faults(program, args) : []
              return found.length === 0 ? Effect.void : Effect.die(new Error(found.join("\n")))
            })
        }))
    }))
  ) as unknown as Layer.Layer<ROut, E, R>
