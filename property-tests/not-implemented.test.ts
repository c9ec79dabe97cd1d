/** `NotImplemented` happens where the design says so and nowhere else, whatever the kernel and however layers compose. */
import { Cause, Effect, Exit, Layer } from "effect"
import { Discharge, Interpreter, Kernel, NotImplemented } from "effect-kernels"
import { Verify } from "effect-kernels/verify"
import { describe, expect, it } from "vitest"
import { KernelError } from "../src/Errors.ts"
import { equations, type Program } from "../src/ir/program.ts"
import { kernels } from "./kernels.ts"
import { silently } from "./laws.ts"
import { forPrograms, gpu } from "./support.ts"

const device = gpu()
type Layers = Layer.Layer<Interpreter.Interpreter>
interface Composed {
  readonly name: string
  readonly layer: Layers
  /** Whether it runs inlines of which nobody says what they mean. */
  readonly runsInlines: boolean
}
const compose = async (): Promise<ReadonlyArray<Composed>> => {
  const onGpu: Layers = Layer.succeed(Interpreter.Interpreter, await device())
  const cpu = Discharge.layer as Layers
  const tolerance = { atol: 1e-5, rtol: 1e-5 }
  return [
    { name: "Discharge", layer: cpu, runsInlines: false },
    { name: "Gpu", layer: onGpu, runsInlines: true },
    { name: "Discharge, else Gpu", layer: Interpreter.orElse(cpu, onGpu) as Layers, runsInlines: true },
    { name: "Gpu, else Discharge", layer: Interpreter.orElse(onGpu, cpu) as Layers, runsInlines: true },
    { name: "Discharge, else Discharge", layer: Interpreter.orElse(cpu, cpu) as Layers, runsInlines: false },
    {
      name: "Gpu against Discharge",
      layer: Interpreter.differential(onGpu, cpu, tolerance) as Layers,
      runsInlines: false
    },
    { name: "cached Discharge", layer: Interpreter.cached({ capacity: 2 })(cpu) as Layers, runsInlines: false }
  ]
}

/** Names of the inlines that lack a rule. */
const openInlines = (program: Program): ReadonlyArray<string> =>
  [...equations(program.body)].flatMap((eqn) =>
    eqn.primitive === "inline" && eqn.regions.length === 0 ? [String(eqn.params["inline"])] : []
  )
const run = (kernel: Kernel.Dynamic, args: object) => Kernel.run(kernel, args as never)
/** What a lenient run fails with. */
const lenient = async (kernel: Kernel.Dynamic, args: object, layer: Layers): Promise<unknown> => {
  const exit = await silently(Effect.exit(run(kernel, args).pipe(Interpreter.provide(layer))))
  return Exit.isSuccess(exit) ? undefined : Cause.squash(exit.cause)
}
/** What is wrong with how a run ended; results may differ where they are undefined, and a mismatch is no gap. */
const verdict = ({ name, runsInlines }: Composed, open: ReadonlyArray<string>, error: unknown): string | undefined => {
  const isMissing = error instanceof NotImplemented
  if (isMissing !== (open.length > 0 && !runsInlines)) return `${name} ends with ${String(error)}`
  if (isMissing && !open.includes(error.primitive))
    return `${name} misses ${error.primitive}, not one of ${open.join()}`
  const isMismatch = error instanceof KernelError && error.reason._tag === "Mismatch"
  return error === undefined || isMissing || isMismatch ? undefined : `${name} fails: ${String(error)}`
}

const isUnbalanced = (error: unknown): boolean =>
  error instanceof KernelError && ["Unbalanced", "Deadlock"].includes(error.reason._tag)
const plain = ({ program, seed }: Verify.Case): object =>
  Object.fromEntries(
    [...Verify.inputs({ program, seed })].map(([name, array]) => [
      name,
      program.refs.some((r) => r.name === name && r.scalar) ? array[0] : array
    ])
  )
forPrograms(
  "A program misses a rule exactly where an inline has none and the layers do not run inlines",
  40,
  async (c) => {
    const made = await Effect.runPromiseExit(Kernel.fromProgram(c.program))
    // A program whose barriers are out of step for all to see is no kernel.
    if (Exit.isFailure(made) && isUnbalanced(Cause.squash(made.cause))) return undefined
    const kernel = Exit.isSuccess(made) ? made.value : await Effect.runPromise(Effect.failCause(made.cause))
    for (const composed of await compose()) {
      const wrong = verdict(composed, openInlines(c.program), await lenient(kernel, plain(c), composed.layer))
      if (wrong !== undefined) return wrong
    }
    return undefined
  },
  { unruled: 0.5 }
)

describe("A kernel misses a rule exactly where its type says so", () => {
  it.each(kernels.map((k) => [k.kernel.name, k] as const))("%s", async (_, { args, kernel, typed }) => {
    const open = typed.filter((name) => !/^(Read|Write|Accum)<|^Memory$/.test(name))
    for (const composed of await compose())
      expect(verdict(composed, open, await lenient(kernel, args, composed.layer))).toBeUndefined()
  })

  it("and in strict use, where the types were told wrong, fails with Unsupported", async () => {
    const { args, kernel } = kernels.find((k) => k.kernel.name === "unruled")!
    const strict = run(kernel, args).pipe(Effect.provide(Discharge.layer as Layers)) as Effect.Effect<
      unknown,
      KernelError
    >
    const error = await Effect.runPromise(Effect.flip(strict))
    expect(error).toBeInstanceOf(KernelError)
    expect(error.reason._tag).toBe("Unsupported")
  })
})
