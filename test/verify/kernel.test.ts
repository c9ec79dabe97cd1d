/** What users are promised of `Verify.kernel`, `Verify.interpreters` and `Verify.args`. */
import { Effect, Layer } from "effect"
import { bool, Discharge, f32, i32, Inline, Interpreter, Kernel, MemRef, NotImplemented, u32 } from "effect-kernels"
import { Verify } from "effect-kernels/verify"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const rows = { block: [4] as const, index: (i: unknown) => [i] as never }
const saxpy = Kernel.make(
  "saxpy",
  { grid: [3], refs: { a: MemRef.scalar(f32), x: MemRef.in(f32, [11], rows), y: MemRef.inout(f32, [11], rows) } },
  function* ({ a, x, y }) {
    const v = yield* MemRef.load(x)
    yield* MemRef.store(y, v.mul(a).add(yield* MemRef.load(y)))
  }
)

/** Discharge, except that one number comes out otherwise. */
const wrongAt = (change: (x: number) => number): Layer.Layer<Interpreter.Interpreter> =>
  Layer.succeed(Interpreter.Interpreter, {
    name: "wrong",
    compile: (program) =>
      Effect.map(Discharge.make().compile(program), ({ run }) => ({
        run: (args) =>
          Effect.map(run(args), (results) => {
            for (const array of results.values()) array[7] = change(array[7]!)
            return results
          })
      }))
  })
const counterexample = <E>(effect: Effect.Effect<void, E>): Promise<E> => Effect.runPromise(Effect.flip(effect))

describe("Verify.kernel", () => {
  it("succeeds where an interpreter does what discharge does", async () => {
    await Effect.runPromise(Verify.kernel(saxpy, Discharge.layerOrdered("reversed"), { runs: 50 }))
  })
  it("fails with the simplest arguments on which an interpreter does something else, and says where", async () => {
    const wrong = wrongAt((x) => (x > 3 ? x + 1 : x))
    const error = await counterexample(Verify.kernel(saxpy, wrong))
    expect(error).toBeInstanceOf(Verify.Counterexample)
    const { arguments: given, detail } = error as Verify.Counterexample
    expect(detail).toMatch(/^y\[7\] is [\d.]+, expected [\d.]+$/)
    expect([...(given.x as Float32Array)].filter((x) => x !== 0).length).toBeLessThanOrEqual(1)
    expect([...(given.y as Float32Array)].filter((x) => x !== 0).length).toBeLessThanOrEqual(1)
    expect((error as Error).message).toContain('kernel "saxpy"')
  })
  it("sees an error of one ULP where the arithmetic is exact", async () => {
    const wrong = wrongAt((x) => (x === 0 ? x : Math.fround(x * (1 + 2 ** -23))))
    expect(await counterexample(Verify.kernel(saxpy, wrong))).toBeInstanceOf(Verify.Counterexample)
  })
  it("fails with NotImplemented where nothing says what an inline means, and takes a rule", async () => {
    const opaque = Inline.elementwise("opaque", { args: { x: f32 }, result: f32, wgsl: "return x;" })
    const kernel = Kernel.make(
      "opaque",
      { grid: [], refs: { x: MemRef.in(f32, [3]), o: MemRef.out(f32, [3]) } },
      function* ({ o, x }) {
        yield* MemRef.store(o, yield* opaque(yield* MemRef.load(x)))
      }
    )
    expect(await counterexample(Verify.kernel(kernel, Discharge.layer))).toBeInstanceOf(NotImplemented)
    const ruled = Layer.merge(
      Discharge.layer,
      Discharge.rule(opaque, ({ x }) => x)
    )
    await Effect.runPromise(Verify.kernel(kernel, ruled, { runs: 5 }))
  })
})

describe("Verify.interpreters", () => {
  it("compares two interpreters, to the number or within a distance", async () => {
    const near = wrongAt((x) => x + 0.5)
    const compare = (within?: number) =>
      Verify.interpreters(saxpy, near, Discharge.layer, { runs: 30, ...(within === undefined ? {} : { within }) })
    expect(await counterexample(compare())).toBeInstanceOf(Verify.Counterexample)
    expect(await counterexample(compare(0.25))).toBeInstanceOf(Verify.Counterexample)
  })
})

describe("Verify.args", () => {
  const kernel = Kernel.make(
    "several",
    {
      grid: [],
      refs: {
        n: MemRef.scalar(i32),
        b: MemRef.scalar(bool),
        x: MemRef.in(u32, [2, 3]),
        y: MemRef.inout(bool, [4]),
        o: MemRef.out(f32, [1])
      }
    },
    function* ({ o }) {
      yield* MemRef.store(o, 1)
    }
  )
  it("gives what Kernel.run takes: nothing for out refs, numbers for scalars, arrays of the right length", () => {
    fc.assert(
      fc.property(Verify.args(kernel), (args) => {
        expect(Object.keys(args).sort()).toEqual(["b", "n", "x", "y"])
        expect(args.x).toBeInstanceOf(Uint32Array)
        expect([args.x.length, args.y.length]).toEqual([6, 4])
        expect(Number.isInteger(args.n)).toBe(true)
        expect([0, 1]).toContain(args.b)
      }),
      { seed: 1 }
    )
  })
  it("are accepted by Kernel.run", async () => {
    const run = (args: Kernel.Args<(typeof kernel)["refs"]>) =>
      Effect.runPromise(Kernel.run(kernel, args).pipe(Effect.provide(Discharge.layer)))
    await fc.assert(
      fc.asyncProperty(Verify.args(kernel), async (args) => (await run(args)).o[0] === 1),
      { seed: 1, numRuns: 20 }
    )
  })
})

describe("rules that a layer brings", () => {
  it("leave the values of the kernel alone, whatever they hold themselves", async () => {
    const options = { operands: { r: Inline.readwrite(i32, [2]) }, results: {}, wgsl: "" }
    const nothing = Inline.block("nothing", options)
    const more = Inline.block("more", options)
    const kernel = Kernel.make(
      "inlines",
      { grid: [], refs: { x: MemRef.inout(i32, [2]), o: MemRef.out(i32, [2]) } },
      function* ({ o, x }) {
        const before = yield* MemRef.load(x)
        yield* MemRef.store(x, 5)
        yield* nothing({ r: x })
        yield* more({ r: x })
        yield* MemRef.store(o, before)
      }
    )
    const layer = Layer.mergeAll(
      Discharge.layer,
      Discharge.rule(nothing, () => ({})),
      Discharge.rule(more, function* ({ r }) {
        yield* MemRef.store(r, (yield* MemRef.load(r)).add(100))
        return {}
      })
    )
    const run = Kernel.run(kernel, { x: Int32Array.of(1, 2) }).pipe(Effect.provide(layer))
    expect(await Effect.runPromise(run)).toEqual({ x: Int32Array.of(105, 105), o: Int32Array.of(1, 2) })
  })
})
