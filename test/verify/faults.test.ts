/** Tests of the tests: faults planted in lowering, programs and records are found by the laws and told small. */
import { Effect, Exit, ManagedRuntime, Scope } from "effect"
import { GpuDevice } from "effect-kernels"
import { GpuDevice as Node } from "effect-kernels/node"
import { Verify } from "effect-kernels/verify"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import * as Laws from "../../property-tests/laws.ts"
import * as DType from "../../src/DType.ts"
import { makeRuntime, type Runtime } from "../../src/gpu/runtime.ts"
import { fromWords, toWords } from "../../src/gpu/words.ts"
import type { Arrays, Service } from "../../src/Interpreter.ts"
import type { Lookup } from "../../src/ir/check.ts"
import type { Primitive } from "../../src/ir/primitive.ts"
import { type Eqn, equations, type Program, type RefDecl, type Region } from "../../src/ir/program.ts"
import type { Entry } from "../../src/ir/view.ts"
import { primitive, primitives } from "../../src/primitives/index.ts"
import * as Shape from "../../src/Shape.ts"
import { compile } from "../../src/wgsl/compile.ts"

/** What is done to a program on its way to the device. */
interface Fault {
  readonly program?: (program: Program) => Program
  readonly lookup?: Lookup
  readonly code?: (text: string) => string
}

const managed = ManagedRuntime.make(Node.layerSoftware)
const scope = Scope.makeUnsafe()
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await managed.dispose()
})
const runtime: Effect.Effect<Runtime> = await managed
  .runPromise(Effect.provideService(Effect.flatMap(GpuDevice.GpuDevice, makeRuntime), Scope.Scope, scope))
  .then(Effect.succeed)

/** What a ref holds in the end; one that the kernel does not touch holds what it held before. */
const held = (ref: RefDecl, words: Uint32Array<ArrayBuffer> | undefined, args: Arrays): DType.HostArray => {
  const size = Shape.size(ref.shape)
  return words === undefined
    ? (args.get(ref.name) ?? DType.hostArray(ref.dtype, size))
    : fromWords(ref.dtype, words, size)
}
/** An interpreter with a fault. */
const faulty = ({ code = (text) => text, lookup = primitive, program: change = (p) => p }: Fault): Service => ({
  name: "faulty",
  compile: (program) =>
    Effect.gen(function* () {
      const lowered = yield* Effect.fromResult(compile(change(program), { lookup }))
      const module = { ...lowered, code: code(lowered.code) }
      return {
        run: (args) =>
          Effect.gen(function* () {
            const bound = new Set(module.bindings.map((b) => b.name))
            const given = program.refs.filter((r) => bound.has(r.name) && args.has(r.name))
            const inputs = new Map(given.map((r) => [r.name, toWords(r.dtype, args.get(r.name)!)]))
            const outputs = yield* (yield* runtime).execute(module, inputs)
            return new Map(program.refs.map((r) => [r.name, held(r, outputs.get(r.name), args)]))
          })
      }
    })
})

const mapEqns = (program: Program, f: (eqn: Eqn) => Eqn): Program => {
  const region = (r: Region): Region => ({ ...r, eqns: r.eqns.map((e) => f({ ...e, regions: e.regions.map(region) })) })
  return { ...program, body: region(program.body) }
}
const withWgsl = (name: string, text: (a: string, b: string) => string): Lookup => {
  const record: Primitive = { ...primitive(name)!, wgsl: { _tag: "Elementwise", text: ([a, b]) => text(a!, b!) } }
  return (wanted) => (wanted === name ? record : primitive(wanted))
}

/** The first case that breaks a law, as fast-check shrinks it; how many equations it has. */
const caught = async (law: (c: Verify.Case) => Laws.Verdict, options: Verify.ProgramOptions, runs: number) => {
  const holds = (c: Verify.Case) =>
    Effect.runPromise(Effect.exit(law(c))).then((e) => Exit.isSuccess(e) && e.value === undefined)
  const found = await fc.check(fc.asyncProperty(Verify.programs(options), holds), { numRuns: runs, seed: 5 })
  expect(found.failed, `no program of ${runs} shows it`).toBe(true)
  const [c] = found.counterexample!
  return { c, text: Verify.show(c), eqns: [...equations(c.program.body)] }
}
const named = (...names: ReadonlyArray<string>): ReadonlyArray<Primitive> =>
  primitives.filter((p) => names.includes(p.name))

describe("a planted fault is caught by the main law and shrunk", () => {
  it("a barrier left out in lowering", async () => {
    const law = Laws.agrees(faulty({ code: (text) => text.replaceAll("workgroupBarrier();", "") }))
    const { eqns, text } = await caught(law, {}, 200)
    expect(eqns.length, text).toBeLessThanOrEqual(4)
  })

  it("the operands of sub exchanged", async () => {
    const law = Laws.agrees(faulty({ lookup: withWgsl("sub", (a, b) => `(${b} - ${a})`) }))
    const { eqns, text } = await caught(law, {}, 200)
    expect(eqns.length, text).toBeLessThanOrEqual(3)
    expect(text).toContain("sub")
  })

  it("the edge of a block off by one", async () => {
    const later = (entry: Entry): Entry =>
      entry._tag === "Range" && entry.start.terms.length > 0
        ? { ...entry, start: { ...entry.start, constant: entry.start.constant + 1 } }
        : entry
    const shift = (eqn: Eqn): Eqn => ({
      ...eqn,
      refs: eqn.refs.map(({ name, view }) => ({
        name,
        view: view.map((t) => (t._tag === "Index" ? { ...t, at: t.at.map(later) } : t))
      }))
    })
    const { eqns, text } = await caught(Laws.agrees(faulty({ program: (p) => mapEqns(p, shift) })), {}, 200)
    expect(eqns.length, text).toBeLessThanOrEqual(3)
    expect(text).toContain("+:")
  })

  it("a NaN guard left out", { timeout: 200_000 }, async () => {
    const options = { primitives: named("max", "add", "div", "neg", "convert") }
    const law = Laws.agrees(faulty({ lookup: withWgsl("max", (a, b) => `max(${a}, ${b})`) }))
    const { eqns, text } = await caught(law, options, 600)
    expect(eqns.length, text).toBeLessThanOrEqual(4)
    expect(text).toContain("max")
  })

  it("an effect left out: lowering takes the store for dead", async () => {
    const drop = (eqn: Eqn): Eqn => (eqn.primitive === "store" ? { ...eqn, effects: [] } : eqn)
    const { eqns, text } = await caught(Laws.agrees(faulty({ program: (p) => mapEqns(p, drop) })), {}, 100)
    expect(eqns.length, text).toBe(1)
  })
})

describe("a planted fault is caught by the law of effects and shrunk", () => {
  it("an effect left out of what an equation declares", async () => {
    const drop = (eqn: Eqn): Eqn => ({ ...eqn, effects: eqn.effects.filter((e) => e._tag !== "Accum") })
    const law = ({ program, seed }: Verify.Case) => Laws.effectsAreDeclared({ program: mapEqns(program, drop), seed })
    const { eqns, text } = await caught(law, {}, 200)
    expect(eqns.length, text).toBe(1)
    expect(text).toContain("accumulate")
  })
})
