/** What users are promised of the Simulator as an interpreter among others, and of inlines in it. */
import { Effect, Exit, Layer } from "effect"
import { describe, expect, it } from "vitest"
import {
  Control,
  Discharge,
  f32,
  i32,
  Inline,
  Interpreter,
  Kernel,
  MemRef,
  NotImplemented,
  Simulator
} from "../../src/index.ts"
import { failure, single } from "../support/kernels.ts"
import { verdictOf } from "../support/simulator.ts"

type Args = { readonly [ref: string]: any }
const run = (k: Kernel.Any, args: Args, layer: Layer.Layer<any, any, any>): Effect.Effect<any, any> =>
  Effect.provide((Kernel.run as any)(k, args), layer as any) as any

const contested = Kernel.make("contested", { grid: [4], refs: { o: MemRef.inout(i32, []) } }, function* ({ o }) {
  yield* MemRef.store(o, (yield* Control.programId(0)).add(1))
})
const zero = { o: Int32Array.of(0) }
const twice = Inline.elementwise("twice", { args: { x: f32 }, result: f32, wgsl: "return x + x;" })
const refs = { x: MemRef.in(f32, [2]), o: MemRef.out(f32, [2]) }
const inlined = Kernel.make("inlined", { grid: [1], refs }, function* ({ o, x }) {
  yield* MemRef.store(o, yield* twice(yield* MemRef.load(x)))
})
const plain = Kernel.make("plain", { grid: [1], refs }, function* ({ o, x }) {
  yield* MemRef.store(o, (yield* MemRef.load(x)).mul(3))
})
const args = { x: Float32Array.of(1, 2) }

describe("among other interpreters", () => {
  const threaded = Kernel.make("threaded", { grid: [1], threads: 2, refs }, function* ({ o, x }) {
    const at = [yield* Control.threadId()] as const
    yield* MemRef.store(MemRef.at(o, at), yield* MemRef.load(MemRef.at(x, at)))
  })
  it("gives what Discharge gives", async () => {
    expect(await Effect.runPromise(run(plain, args, Simulator.layer()))).toEqual(
      await Effect.runPromise(run(plain, args, Discharge.layer))
    )
  })
  it("orElse: runs what the other has no rule for", async () => {
    const either = Interpreter.orElse(Discharge.layer, Simulator.layer())
    expect((await Effect.runPromise(run(threaded, args, either))).o).toEqual(Float32Array.of(1, 2))
    expect((await Effect.runPromise(run(plain, args, either))).o).toEqual(Float32Array.of(3, 6))
  })
  it("differential: a racing kernel fails, another one gives its results", async () => {
    const both = Interpreter.differential(Discharge.layer, Simulator.layer(), { atol: 0, rtol: 0 })
    expect((await Effect.runPromise(run(plain, args, both))).o).toEqual(Float32Array.of(3, 6))
    expect(((await failure(run(contested, zero, both))) as any).reason._tag).toBe("Faulty")
    const loose = Simulator.layer({ schedule: "reversed", findings: "ignore" })
    const compared = Interpreter.differential(loose, Discharge.layer, { atol: 0, rtol: 0 })
    expect(((await failure(run(contested, zero, compared))) as any).reason).toMatchObject({
      _tag: "Mismatch",
      expected: 4,
      actual: 1,
      subject: "Simulator"
    })
  })
  it("cached: runs anew each time", async () => {
    const cached = Simulator.layer().pipe(Interpreter.cached({ capacity: 2 }))
    const again = Effect.all([
      run(plain, args, cached),
      run(plain, { x: Float32Array.of(5, 6) }, cached),
      Effect.exit(run(contested, zero, cached))
    ])
    const [a, b, c] = await Effect.runPromise(again)
    expect([a.o, b.o]).toEqual([Float32Array.of(3, 6), Float32Array.of(15, 18)])
    expect(Exit.isFailure(c)).toBe(true)
  })
})

describe("inlines", () => {
  it("without a rule are NotImplemented, in runs and in checks", async () => {
    for (const effect of [
      (Kernel.run as any)(inlined, args).pipe(Interpreter.provide(Simulator.layer())),
      Simulator.check(inlined, args)
    ]) {
      const error: any = await failure(effect as Effect.Effect<unknown, unknown>)
      expect(error).toBeInstanceOf(NotImplemented)
      expect(error).toMatchObject({ primitive: "twice", interpreter: "Simulator", kernel: "inlined" })
    }
  })
  const rule = Simulator.rule(twice, ({ x }) => x.add(x))
  it("run by the rule that a layer teaches, which is for this interpreter alone", async () => {
    expect((await Effect.runPromise(run(inlined, args, Layer.merge(Simulator.layer(), rule)))).o).toEqual(
      Float32Array.of(2, 4)
    )
    const taught = Effect.provide(Simulator.check(inlined, args) as Effect.Effect<Simulator.Report, unknown, any>, rule)
    expect((await Effect.runPromise(taught as Effect.Effect<Simulator.Report>)).findings).toEqual([])
    const other = (Kernel.run as any)(inlined, args).pipe(
      Interpreter.provide(Layer.merge(Discharge.layer, rule) as any)
    )
    expect(await failure(other as Effect.Effect<unknown, unknown>)).toBeInstanceOf(NotImplemented)
  })
  it("and what it makes undefined is followed", async () => {
    const k = single({ o: MemRef.out(f32, [2]), z: MemRef.out(f32, [2]) }, function* ({ o, z }) {
      const v = yield* MemRef.load(z) // read
      yield* MemRef.store(o, yield* twice(v)) // store
      yield* MemRef.store(z, 1)
    })
    const taught = Effect.provide((Simulator.check as any)(k, {}, { smallest: false }), rule) as Effect.Effect<any>
    expect((await Effect.runPromise(taught)).findings.map(verdictOf)).toEqual([
      "Uninitialised output reaches result on z: read, store"
    ])
  })
})
