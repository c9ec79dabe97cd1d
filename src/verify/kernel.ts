/** Property tests of one kernel: arguments at random, one interpreter against another. */
import { Data, Effect, type Layer } from "effect"
import fc from "fast-check"
import * as Discharge from "../Discharge.ts"
import * as DType from "../DType.ts"
import type { KernelError, NotImplemented } from "../Errors.ts"
import * as Interpreter from "../Interpreter.ts"
import { toHost, zeros } from "../ir/array.ts"
import type { Program } from "../ir/program.ts"
import type * as Kernel from "../Kernel.ts"
import { primitive } from "../primitives/index.ts"
import * as Shape from "../Shape.ts"
import { bind } from "../trace/arguments.ts"
import { difference, type Difference, showDifference } from "./agree.ts"
import { track } from "./trust/track.ts"
import { word } from "./trust/trust.ts"

/** Arguments on which a kernel does not do what it should. */
export class Counterexample extends Data.TaggedError("Counterexample")<{
  readonly kernel: string
  /** The simplest arguments that were found. */
  readonly arguments: { readonly [ref: string]: unknown }
  readonly detail: string
  /** Runs the same arguments again. */
  readonly seed: number
}> {
  override get message() {
    const shown = Object.entries(this.arguments).map(([name, u]) => `\n  ${name}: ${fc.stringify(u)}`)
    return `kernel "${this.kernel}": ${this.detail}\nseed ${this.seed}, arguments:${shown.join("")}`
  }
}

// --- arguments ----------------------------------------------------------------------------------------------------------

const whole = (min: number, max: number) => fc.integer({ min, max })
const numbers: { readonly [N in DType.Name]: fc.Arbitrary<number> } = {
  f32: fc.oneof({ weight: 12, arbitrary: whole(-8, 8) }, { weight: 4, arbitrary: fc.float() }),
  f16: fc.oneof(
    { weight: 12, arbitrary: whole(-8, 8) },
    { weight: 4, arbitrary: fc.float({ min: -65504, max: 65504 }) }
  ),
  i32: fc.oneof({ weight: 12, arbitrary: whole(-8, 8) }, { weight: 4, arbitrary: whole(-(2 ** 31), 2 ** 31 - 1) }),
  u32: fc.oneof({ weight: 12, arbitrary: whole(0, 12) }, { weight: 4, arbitrary: whole(0, 2 ** 32 - 1) }),
  bool: whole(0, 1),
  bf16: fc.oneof({ weight: 12, arbitrary: whole(-8, 8) }, { weight: 4, arbitrary: fc.float() }),
  i8: whole(-128, 127),
  u8: whole(0, 255),
  i4: whole(-8, 7),
  u4: whole(0, 15)
}
const filled = (dtype: DType.Name, values: ReadonlyArray<number>): DType.HostArray => {
  const out = zeros({ dtype, shape: [values.length] })
  const round = DType.round(dtype)
  values.forEach((value, k) => (out.data[k] = round(value)))
  return toHost(out)
}
type Spec = Kernel.Specs[string]
const argument = ({ dtype, scalar, shape }: Spec): fc.Arbitrary<unknown> => {
  const { name } = dtype
  if (scalar) return numbers[name].map((x) => filled(name, [x])[0]!)
  const size = Shape.size(shape)
  return fc
    .array(numbers[name], { minLength: size, maxLength: size, size: "max" })
    .map((values) => filled(name, values))
}

/**
 * Arguments for a kernel, as `Kernel.run` takes them: host arrays and numbers, mostly small whole numbers, now and then any
 * number of the element type.
 */
export const args = <Name extends string, S extends Kernel.Specs, E, R>(
  self: Kernel.Kernel<Name, S, E, R>
): fc.Arbitrary<Kernel.Args<S>> => {
  const specs = Object.entries(self.refs as Kernel.Specs).filter(([, spec]) => spec.access !== "out")
  return fc.record(Object.fromEntries(specs.map(([name, spec]) => [name, argument(spec)])), {
    noNullPrototype: true
  }) as unknown as fc.Arbitrary<Kernel.Args<S>>
}

// --- laws ---------------------------------------------------------------------------------------------------------------

/** How many arguments are tried, and from which seed they are drawn. */
export interface Options {
  /** 100 if absent. */
  readonly runs?: number
  /** 1 if absent, so that a test does the same each time. */
  readonly seed?: number
}
type Judge = (args: Interpreter.Arrays) => Effect.Effect<Difference | undefined, KernelError | NotImplemented>

const search = <S extends Kernel.Specs, E, R>(
  self: Kernel.Kernel<string, S, E, R>,
  program: Program,
  judge: Judge,
  { runs = 100, seed = 1 }: Options
): Effect.Effect<void, Counterexample> =>
  Effect.gen(function* () {
    const one = (given: Kernel.Args<S>): Effect.Effect<string | undefined> =>
      bind(program, given as { readonly [name: string]: unknown }).pipe(
        Effect.flatMap(judge),
        Effect.match({
          onSuccess: (found) => (found === undefined ? undefined : showDifference(found)),
          onFailure: (error) => error.message
        })
      )
    let detail = ""
    const property = fc.asyncProperty(args(self), async (given) => {
      const found = await Effect.runPromise(one(given))
      if (found !== undefined) detail = found
      return found === undefined
    })
    const run = yield* Effect.promise(() => fc.check(property, { numRuns: runs, seed }))
    if (!run.failed) return
    const [given] = run.counterexample!
    yield* new Counterexample({ kernel: self.name, arguments: given as never, detail, seed })
  })

/** Against discharge: bit for bit where the design promises it, else within what WGSL grants. */
const againstDischarge =
  (pure: Program, run: Interpreter.Compiled["run"]): Judge =>
  (given) =>
    Effect.gen(function* () {
      const tracked = yield* track(pure, given, primitive)
      // Of a race, or of control that depends on rounding, nothing can be said.
      return typeof tracked === "string" ? undefined : difference(tracked, yield* run(given))
    })

type Tried<S extends Kernel.Specs, E, R, LE, LR> = Effect.Effect<
  void,
  Counterexample | KernelError | NotImplemented | E | LE,
  Kernel.Services<Kernel.Kernel<string, S, E, R>> | LR
>

/**
 * Runs a kernel on arguments at random and compares an interpreter with `Discharge` (and the rules that
 * come with the layer): bit for bit where results are exact
 * (integers, moves, exact float arithmetic), within the bounds of the primitives' records elsewhere.
 *
 * Fails with `Counterexample`, which has the simplest arguments found, where they differ or the run fails.
 */
export const kernel = <Name extends string, S extends Kernel.Specs, E, R, ROut, LE, LR>(
  self: Kernel.Kernel<Name, S, E, R>,
  subject: Layer.Layer<ROut, LE, LR>,
  options: Options = {}
): Tried<S, E, R, LE, LR> =>
  Effect.scoped(
    Effect.gen(function* () {
      const program: Program = yield* self.trace
      const { compile, context } = yield* Interpreter.built(subject)
      const compiled = yield* compile(program)
      // What the subject's layer says of inlines holds for the oracle, too.
      const pure = yield* Effect.provide(Discharge.discharge(program), context)
      yield* search(self, program, againstDischarge(pure, compiled.run), options)
    })
  ) as Tried<S, E, R, LE, LR>

/** Two interpreters compared with each other, to the number: trust in every element is full. */
const compared =
  (
    program: Program,
    subject: Interpreter.Compiled["run"],
    oracle: Interpreter.Compiled["run"],
    within: number
  ): Judge =>
  (given) =>
    Effect.gen(function* () {
      const [actual, results] = yield* Effect.all([subject(given), oracle(given)])
      const sizes = program.refs.map((ref) => [ref.name, Shape.size(ref.shape)] as const)
      const trust = new Map(sizes.map(([name, size]) => [name, new Float64Array(size).fill(within)]))
      return difference({ refs: program.refs, results, trust }, actual)
    })

/**
 * Runs a kernel on arguments at random and compares two interpreters, whose results may be `within` of each other (0 if
 * absent: equal).
 *
 * Fails with `Counterexample` where they differ or a run fails.
 */
export const interpreters = <Name extends string, S extends Kernel.Specs, E, R, A, AE, AR, B, BE, BR>(
  self: Kernel.Kernel<Name, S, E, R>,
  subject: Layer.Layer<A, AE, AR>,
  oracle: Layer.Layer<B, BE, BR>,
  options: Options & { readonly within?: number } = {}
): Tried<S, E, R, AE | BE, AR | BR> =>
  Effect.scoped(
    Effect.gen(function* () {
      const program: Program = yield* self.trace
      const [first, second] = [yield* Interpreter.built(subject), yield* Interpreter.built(oracle)]
      const [x, y] = [yield* first.compile(program), yield* second.compile(program)]
      yield* search(self, program, compared(program, x.run, y.run, options.within ?? word), options)
    })
  ) as Tried<S, E, R, AE | BE, AR | BR>
