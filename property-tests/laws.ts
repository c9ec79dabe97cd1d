/** The laws as functions of a case, for the tests and for the long run of `main.ts`. */
import type { Interpreter } from "effect-kernels"
import { Verify } from "effect-kernels/verify"
import { Effect, Result } from "effect"
import { deepStrictEqual } from "node:assert"
import { discharge } from "../src/discharge/discharge.ts"
import { evaluate } from "../src/discharge/evaluate.ts"
import { KernelError } from "../src/Errors.ts"
import { check } from "../src/ir/check.ts"
import * as Codec from "../src/ir/codec.ts"
import { parse } from "../src/ir/parse.ts"
import { print } from "../src/ir/print.ts"
import type { Scope } from "../src/ir/primitive.ts"
import { type Eqn, equations, onlyReports, type Program, programEffects, showEffect } from "../src/ir/program.ts"
import { primitive } from "../src/primitives/index.ts"
import {
  type Expected,
  type Failing,
  type Void,
  difference,
  expected,
  failsAlike,
  onInterpreter,
  silent
} from "../src/verify/agree.ts"
import { compile } from "../src/wgsl/compile.ts"
import { Draw, seeded } from "../src/verify/generate/draw.ts"

export type Verdict = Effect.Effect<string | undefined, unknown>
/** Runs without a word: programs at random print. */
export const silently = <A>(effect: Effect.Effect<A, unknown>): Promise<A> => Effect.runPromise(silent(effect))
const shown = (found: Verify.Difference | undefined): string | undefined =>
  found === undefined ? undefined : Verify.showDifference(found)
/** What was expected last: laws of one case come one after the other. */
let last: { readonly c: Verify.Case; readonly found: Expected | Failing | Void } | undefined
const expectedOf = (c: Verify.Case): Effect.Effect<Expected | Failing | Void, unknown> =>
  Effect.suspend(() => {
    if (last?.c === c) return Effect.succeed(last.found)
    return Effect.map(expected(c), (e) => {
      last = { c, found: e }
      return e
    })
  })
/** For cases of which something can be expected. */
const wherever = (c: Verify.Case, law: (e: Expected) => Effect.Effect<string | undefined, unknown>): Verdict =>
  Effect.flatMap(expectedOf(c), (e) => (e._tag === "Expected" ? law(e) : Effect.undefined))
/** Nothing is wrong, or the message of what `assert` throws. */
const asserted = (assert: () => void): Verdict =>
  Effect.sync(() => {
    try {
      assert()
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  })

export const wellTyped = ({ program }: Verify.Case): Verdict => Effect.sync(() => check(program, primitive)?.message)

export const agrees =
  (subject: Interpreter.Interpreter["Service"]) =>
  (c: Verify.Case): Verdict =>
    Effect.flatMap(expectedOf(c), (e): Verdict => {
      if (e._tag === "Failing") return failsAlike(subject, c, e)
      return e._tag === "Void" ? Effect.undefined : Effect.map(onInterpreter(subject, c, e), shown)
    })

export const parsesAsPrinted = ({ program }: Verify.Case): Verdict =>
  asserted(() => deepStrictEqual(Result.getOrThrow(parse(print(program))), program))

export const survivesJson = ({ program }: Verify.Case): Verdict =>
  asserted(() => {
    const json: unknown = JSON.parse(JSON.stringify(Codec.toJson(program)))
    deepStrictEqual(Result.getOrThrow(Codec.fromJson(json)), program)
  })

// --- effects ------------------------------------------------------------------------------------------------------------

/** What an equation does to refs, from what it is and not from its record. */
const accesses: { readonly [primitive: string]: ReadonlyArray<"Read" | "Write" | "Accum"> } = {
  load: ["Read"],
  store: ["Write"],
  swap: ["Read", "Write"],
  accumulate: ["Accum"],
  atomic: ["Read", "Write"],
  compareExchange: ["Read", "Write"],
  copyStart: ["Read"],
  barrierArrive: ["Read", "Write"],
  barrierTest: ["Read"],
  barrierWait: ["Read", "Write"],
  semaphoreSignal: ["Read", "Write"],
  semaphoreRead: ["Read"],
  semaphoreWaitLocal: ["Read", "Write"],
  accumulatorSet: ["Write"],
  accumulatorRead: ["Read"]
}
const accessesOf = ({ params, primitive }: Eqn): ReadonlyArray<"Read" | "Write" | "Accum"> => {
  if (primitive !== "copyWait") return accesses[primitive] ?? []
  return params["op"] === "store" ? ["Write"] : params["op"] === "add" ? ["Accum"] : ["Read", "Write"]
}
/** What an equation does to nothing that has a name. */
const plain: { readonly [primitive: string]: string } = {
  copyStart: "Memory",
  copyWait: "Memory",
  fence: "Memory",
  barrierArrive: "Memory",
  barrierTest: "Memory",
  barrierWait: "Memory",
  sync: "Memory",
  accumulatorSet: "Pipeline",
  accumulatorRead: "Pipeline",
  multiplyAccumulate: "Pipeline",
  pipelineWait: "Pipeline",
  print: "Debug",
  assert: "Debug"
}
const argumentAccesses: { readonly [kind: string]: ReadonlyArray<"Read" | "Write"> } = {
  read: ["Read"],
  write: ["Write"],
  readwrite: ["Read", "Write"]
}
const recomputed = (program: Program, eqn: Eqn): ReadonlySet<string> => {
  const own = (of: ReadonlyArray<string>, ref: string) => of.map((access) => `${access}(${ref})`)
  if (eqn.primitive === "inline") {
    const def = program.inlines[String(eqn.params["inline"])]!
    const kinds = def.args.filter((a) => a.kind !== "tile").map((a) => argumentAccesses[a.kind]!)
    const refs = eqn.refs.flatMap((use, k) => own(kinds[k]!, use.name))
    return new Set(eqn.regions.length === 0 ? [...refs, `Inline(${def.name})`] : refs)
  }
  const inner = eqn.regions.flatMap((region) => {
    const local = new Set(region.refs.map((r) => r.name))
    const effects = region.eqns.flatMap((e) => [...recomputed(program, e)])
    const outside = effects.filter((text) => !local.has(/\((.*)\)/.exec(text)?.[1] ?? ""))
    return local.size > 0 ? ["Memory", ...outside] : outside
  })
  const isProduct = eqn.primitive === "multiplyAccumulate"
  const of = (k: number) =>
    isProduct ? (k === 0 ? (["Read", "Write"] as const) : (["Read"] as const)) : accessesOf(eqn)
  const refs = eqn.refs.flatMap((use, k) => own(of(k), use.name))
  const unnamed = plain[eqn.primitive]
  return new Set([...refs, ...inner, ...(unnamed === undefined ? [] : [unnamed])])
}
export const effectsAreDeclared = ({ program }: Verify.Case): Verdict =>
  asserted(() => {
    const scope: Pick<Scope, "inline"> = { inline: (name) => program.inlines[name]! }
    for (const eqn of equations(program.body)) {
      const declared = eqn.effects.map(showEffect).sort()
      deepStrictEqual([...recomputed(program, eqn)].sort(), declared, `effects of ${eqn.primitive}`)
      deepStrictEqual([...new Set(primitive(eqn.primitive)!.effects(eqn, scope).map(showEffect))].sort(), declared)
    }
  })

/** An `inout` ref that the program says it does not write holds in the end what it held before. */
export const othersAreUnchanged = (c: Verify.Case): Verdict =>
  wherever(c, ({ args, tracked }) =>
    asserted(() => {
      const written = new Set(
        programEffects(c.program).flatMap((e) => (e._tag === "Write" || e._tag === "Accum" ? [e.ref] : []))
      )
      for (const { access, name } of c.program.refs)
        if (access === "inout" && !written.has(name)) deepStrictEqual(tracked.results.get(name), args.get(name))
    })
  )

// --- discharge ----------------------------------------------------------------------------------------------------------

/** The discharged program has no effect left but reports, and is well typed. */
export const dischargesPurely = ({ program }: Verify.Case): Verdict =>
  Effect.map(discharge(program), (pure) => {
    const left = [...equations(pure.body)].find((eqn) => !onlyReports(eqn) || eqn.refs.length > 0)
    if (left !== undefined) return `${left.primitive} is left with ${left.effects.map(showEffect).join()}`
    return check(pure, primitive)?.message
  })
/** Storage that is written in place gives what storage that is never written again gives, to the last element. */
export const reusesStorageSafely = (c: Verify.Case): Verdict =>
  wherever(c, ({ args, pure, tracked }) =>
    Effect.map(evaluate(pure, args), (found) => shown(difference({ ...tracked, trust: new Map() }, found)))
  )

/** Some of the refs and scratch of the kernel. */
const subset = ({ program, seed }: Verify.Case): ReadonlyArray<string> => {
  const draw = new Draw(seeded(seed))
  return [...program.refs, ...program.body.refs].map((r) => r.name).filter(() => draw.chance(0.5))
}
/** In two steps, some refs first, discharge gives what it gives in one; each step's program is well typed. */
export const dischargesInSteps = (c: Verify.Case): Verdict =>
  wherever(c, ({ args, tracked }) =>
    Effect.gen(function* () {
      const part = yield* discharge(c.program, { only: subset(c) })
      const finding = check(part, primitive)
      if (finding !== undefined) return finding.message
      const found = yield* evaluate(yield* discharge(part), args)
      return shown(difference({ ...tracked, trust: new Map() }, found))
    }).pipe(
      // Scratch of a region that discharge has to repeat cannot stay a ref.
      Effect.catchIf(
        (e) => e instanceof KernelError && e.reason._tag === "Unsupported",
        () => Effect.undefined
      )
    )
  )

export const anyOrder = (c: Verify.Case): Verdict =>
  wherever(c, ({ args, pure, tracked }) =>
    Effect.gen(function* () {
      for (const order of ["reversed", { seed: c.seed }] as const) {
        const found = difference(tracked, yield* evaluate(pure, args, { order }))
        if (found !== undefined) return `${JSON.stringify(order)}: ${Verify.showDifference(found)}`
      }
      return undefined
    })
  )

// --- lowering -----------------------------------------------------------------------------------------------------------

/** The same program, made again from its text, becomes the same WGSL. */
export const lowersTheSame = ({ program }: Verify.Case): Verdict =>
  asserted(() => {
    const again = Result.getOrThrow(parse(print(program)))
    const [one, two] = [program, again].map((p) => Result.getOrThrow(compile(p)))
    deepStrictEqual(one, two)
  })
