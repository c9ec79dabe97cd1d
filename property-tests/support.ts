/** What laws share: the corpus, fixed seeds, reports that can be added to the corpus, and a device. */
import { Layer, ManagedRuntime, Result } from "effect"
import { Gpu, Interpreter } from "effect-kernels"
import { GpuDevice } from "effect-kernels/node"
import { Verify } from "effect-kernels/verify"
import fc from "fast-check"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, describe, it } from "vitest"
import { check } from "../src/ir/check.ts"
import { parse } from "../src/ir/parse.ts"
import { primitive } from "../src/primitives/index.ts"
import { silently } from "./laws.ts"

// --- the corpus ---------------------------------------------------------------------------------------------------------

const folder = fileURLToPath(new URL("corpus/", import.meta.url))
/** A program that failed once, with the seed of its arguments, which is in its first comment. */
export const readCase = (text: string): Verify.Case => {
  const program = Result.getOrThrow(parse(text))
  const finding = check(program, primitive)
  if (finding !== undefined) throw new Error(finding.message)
  return { program, seed: Number(/^\/\/ seed (\d+)/m.exec(text)?.[1] ?? 0) }
}
export const corpus: ReadonlyArray<readonly [name: string, c: Verify.Case]> = readdirSync(folder)
  .filter((name) => name.endsWith(".txt"))
  .sort()
  .map((name) => [name, readCase(readFileSync(folder + name, "utf8"))])

// --- laws ---------------------------------------------------------------------------------------------------------------

/** What is wrong, if something is. */
export type Law = (c: Verify.Case) => Promise<string | undefined>

const fail = (c: Verify.Case, wrong: string): never => {
  throw new Error(`${wrong}\n\nfor property-tests/corpus:\n${Verify.show(c)}`)
}
/** An error is as wrong as a wrong result. */
const judged =
  (law: Law): Law =>
  async (c) => {
    try {
      return await law(c)
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

/** A law of programs, for the corpus first and then for `runs` programs from a fixed seed; a failure is told shrunk. */
export const forPrograms = (promise: string, runs: number, law: Law, options: Verify.ProgramOptions = {}): void => {
  describe(promise, () => {
    const holds = judged(law)
    it.each(corpus)("for %s", async (_, c) => {
      const wrong = await holds(c)
      if (wrong !== undefined) fail(c, wrong)
    })
    it(`for ${runs} programs at random`, async () => {
      const property = fc.asyncProperty(Verify.programs(options), async (c) => (await holds(c)) === undefined)
      const run = await fc.check(property, { numRuns: runs, seed: 20261201 })
      if (run.failed) fail(run.counterexample![0], (await holds(run.counterexample![0])) ?? "it fails now and then")
    }, 150_000)
  })
}

// --- a device -----------------------------------------------------------------------------------------------------------

/** The software device as an interpreter, one per test file. */
export const gpu = (): (() => Promise<Interpreter.Service>) => {
  const managed = ManagedRuntime.make(Gpu.layer.pipe(Layer.provide(GpuDevice.layerSoftware)))
  afterAll(() => managed.dispose())
  let service: Promise<Interpreter.Service> | undefined
  return () => (service ??= managed.runPromise(Interpreter.Interpreter))
}

export const run = silently
