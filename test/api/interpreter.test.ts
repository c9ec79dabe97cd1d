/** Interpreters compose: `orElse`, `differential`, `cached`, `provide`, rules by layers; and what a kernel prints. */
import { Effect, Exit, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Discharge, f32, i32, Inline, Interpreter, Kernel, MemRef, NotImplemented, Tile } from "../../src/index.ts"
import { failure, results, single } from "../support/kernels.ts"

const twice = Inline.elementwise("twice", { args: { x: f32 }, result: f32, wgsl: "return x + x;" })
const refs = { x: MemRef.in(f32, [2]), o: MemRef.out(f32, [2]) }
const args = { x: Float32Array.of(1, 2) }
const plain = Kernel.make("plain", { grid: [1], refs }, function* ({ o, x }) {
  yield* MemRef.store(o, (yield* MemRef.load(x)).mul(3))
})
const inlined = Kernel.make("inlined", { grid: [1], refs }, function* ({ o, x }) {
  yield* MemRef.store(o, yield* twice(yield* MemRef.load(x)))
})
const on = (k: Kernel.Any, layer: Layer.Layer<any, any>, given: any = args): Effect.Effect<any, any> =>
  Effect.provide((Kernel.run as any)(k, given), layer as any) as any
const values = async (effect: Effect.Effect<any, any>) => [...(await Effect.runPromise(effect)).o]

/** An interpreter that gives the results of Discharge, changed; it counts what it compiles. */
const fake = (name: string, change: (values: Float32Array) => void = () => {}) => {
  const counts = { compiled: 0, ran: 0 }
  const layer = Interpreter.layer({
    name,
    compile: (program) =>
      Effect.map(Discharge.make().compile(program), (compiled) => {
        counts.compiled++
        return {
          run: (given) =>
            Effect.map(compiled.run(given), (arrays) => {
              counts.ran++
              for (const array of arrays.values()) change(array as Float32Array)
              return arrays
            })
        }
      })
  })
  return { counts, layer: layer as Layer.Layer<any> }
}

describe("orElse", () => {
  it("takes the first where it can, and the second where a rule is missing", async () => {
    const second = fake("second")
    const taught = Layer.merge(
      second.layer,
      Discharge.rule(twice, ({ x }) => x.add(x))
    )
    const either = Interpreter.orElse(Discharge.layer, taught as any) as Layer.Layer<any>
    expect(await values(on(plain, either))).toEqual([3, 6])
    expect(second.counts.compiled).toBe(0)
    expect(await values(on(inlined, either))).toEqual([2, 4])
    expect(second.counts.compiled).toBe(1)
  })
  it("fails with what the second lacks if both lack it", async () => {
    const either = Interpreter.orElse(Discharge.layer, fake("second").layer)
    const error = await failure(
      (Kernel.run as any)(inlined, args).pipe(Interpreter.provide(either as any)) as Effect.Effect<unknown, unknown>
    )
    expect(error).toBeInstanceOf(NotImplemented)
  })
  it("does not hide other failures", async () => {
    const broken = Interpreter.layer({ name: "broken", compile: () => Effect.die("never asked") })
    const wrong = { x: Float32Array.of(1) }
    const error: any = await failure(on(plain, Interpreter.orElse(Discharge.layer, broken) as any, wrong))
    expect(error.reason._tag).toBe("InvalidArgument")
  })
})

describe("differential", () => {
  const against = (change: (values: Float32Array) => void, tolerance = { atol: 1e-6, rtol: 1e-5 }) =>
    Interpreter.differential(fake("subject", change).layer, Discharge.layer, tolerance) as Layer.Layer<any>
  it("gives the subject's results where they agree within the tolerance", async () => {
    expect(
      await values(
        on(
          plain,
          against(() => {})
        )
      )
    ).toEqual([3, 6])
    const near = against((v) => v.set([3.00001]))
    expect((await values(on(plain, near)))[0]).toBeCloseTo(3.00001, 6)
  })
  it("fails with Mismatch where they do not: ref, position, both values, both names", async () => {
    const error: any = await failure(
      on(
        plain,
        against((v) => v.set([6.5], 1))
      )
    )
    expect(error).toMatchObject({
      kernel: "plain",
      reason: {
        _tag: "Mismatch",
        ref: "o",
        index: 1,
        expected: 6,
        actual: 6.5,
        subject: "subject",
        oracle: "Discharge"
      }
    })
    expect(error.message).toContain('"o"[1]: subject gives 6.5, Discharge gives 6')
  })
  it("NaN equals NaN and an infinity itself, and neither equals a number", async () => {
    const special = single(refs, function* ({ o, x }) {
      yield* MemRef.store(o, (yield* MemRef.load(x)).sub(2).log())
    })
    const given = { x: Float32Array.of(1, 2) }
    expect(
      await values(
        on(
          special,
          against(() => {}),
          given
        )
      )
    ).toEqual([NaN, -Infinity])
    for (const [at, value] of [
      [0, 1],
      [1, -3e38],
      [1, NaN]
    ] as const) {
      const error: any = await failure(
        on(
          special,
          against((v) => v.set([value], at)),
          given
        )
      )
      expect(error.reason).toMatchObject({ _tag: "Mismatch", index: at })
    }
  })
  it("integers must be equal, whatever the tolerance", async () => {
    const whole = single({ o: MemRef.out(i32, [1]) }, function* ({ o }) {
      yield* MemRef.store(o, 100)
    })
    const error: any = await failure(
      on(
        whole,
        against((v) => v.set([101]), { atol: 10, rtol: 1 }),
        {}
      )
    )
    expect(error.reason).toMatchObject({ _tag: "Mismatch", expected: 100, actual: 101 })
  })
})

describe("cached", () => {
  it("compiles a program once for equal kernels, runs it each time, and keeps no results", async () => {
    const { counts, layer } = fake("counted")
    const program = Effect.gen(function* () {
      const first = yield* (Kernel.run as any)(plain, args) as Effect.Effect<any, any, any>
      first.o.fill(0)
      const second = yield* (Kernel.run as any)(plain, { x: Float32Array.of(5, 6) }) as Effect.Effect<any, any, any>
      yield* (Kernel.run as any)(
        single(refs, function* ({ o }) {
          yield* MemRef.store(o, 1)
        }),
        args
      ) as Effect.Effect<any, any, any>
      return [...second.o]
    })
    const cached = layer.pipe(Interpreter.cached({ capacity: 8 })) as Layer.Layer<any>
    expect(await Effect.runPromise(Effect.provide(program, cached) as Effect.Effect<any>)).toEqual([15, 18])
    expect(counts).toEqual({ compiled: 2, ran: 3 })
  })
  it("compiles again under other rules, and once more after the least recently used has gone", async () => {
    const { counts, layer } = fake("counted")
    const cached = layer.pipe(Interpreter.cached({ capacity: 1 })) as Layer.Layer<any>
    const once = (factor: number) =>
      Effect.provide(
        (Kernel.run as any)(inlined, args) as Effect.Effect<any, any, any>,
        Discharge.rule(twice, ({ x }) => x.mul(factor)) as any
      )
    const program = Effect.gen(function* () {
      const a = yield* once(2)
      const b = yield* once(5)
      yield* (Kernel.run as any)(plain, args) as Effect.Effect<any, any, any>
      yield* (Kernel.run as any)(plain, args) as Effect.Effect<any, any, any>
      return [...a.o, ...b.o]
    })
    expect(await Effect.runPromise(Effect.provide(program, cached) as Effect.Effect<any>)).toEqual([2, 4, 5, 10])
    expect(counts).toEqual({ compiled: 3, ran: 4 })
  })
  it("keeps no failures", async () => {
    let asked = 0
    const flaky = Interpreter.layer({
      name: "flaky",
      compile: (program) => (asked++ === 0 ? Effect.interrupt : Discharge.make().compile(program))
    })
    const program = Effect.gen(function* () {
      const first = yield* Effect.exit((Kernel.run as any)(plain, args) as Effect.Effect<any, any, any>)
      const second = yield* (Kernel.run as any)(plain, args) as Effect.Effect<any, any, any>
      return [Exit.isFailure(first), ...second.o]
    })
    const cached = flaky.pipe(Interpreter.cached({ capacity: 8 })) as Layer.Layer<any>
    expect(await Effect.runPromise(Effect.provide(program, cached) as Effect.Effect<any>)).toEqual([true, 3, 6])
  })
})

describe("rules by layers", () => {
  it("teach Discharge an inline, in which constants, ids and loops may stand", async () => {
    const rules: ReadonlyArray<readonly [any, ReadonlyArray<number>]> = [
      [({ x }: any) => x.add(x), [2, 4]],
      [({ x }: any) => x.mul(Tile.full(f32, [2], 10)).add(Tile.iota(f32, [2])), [10, 21]],
      [() => Tile.ones(f32, [2]), [1, 1]],
      [
        function* ({ x }: any) {
          return x.neg()
        },
        [-1, -2]
      ]
    ]
    for (const [rule, expected] of rules) {
      const taught = Layer.merge(Discharge.layer, Discharge.rule(twice, rule))
      expect(await values(on(inlined, taught as any))).toEqual(expected)
    }
  })
  it("count for every call of the inline, inside loops too", async () => {
    const looping = single(refs, function* ({ o, x }) {
      const v = yield* twice(yield* MemRef.load(x))
      const w = yield* twice(v)
      yield* MemRef.store(o, w)
    })
    const taught = Layer.merge(
      Discharge.layer,
      Discharge.rule(twice, ({ x }) => x.add(1))
    )
    expect(await values(on(looping, taught as any))).toEqual([3, 4])
  })
  it("win over nothing: an inline with its own rule keeps it", async () => {
    const own = Inline.elementwise("own", {
      args: { x: f32 },
      result: f32,
      wgsl: "return x;",
      discharge: ({ x }) => x.mul(7)
    })
    const k = single(refs, function* ({ o, x }) {
      yield* MemRef.store(o, yield* own(yield* MemRef.load(x)))
    })
    const taught = Layer.merge(
      Discharge.layer,
      Discharge.rule(own, ({ x }) => x)
    )
    expect(await values(on(k, taught as any))).toEqual([7, 14])
  })
})

describe("Discharge", () => {
  it("gives the same in every order of programs, for kernels without races", async () => {
    const k = Kernel.make(
      "ordered",
      { grid: [4], refs: { o: MemRef.out(i32, [4], { block: [1], index: (i) => [i!] }), sum: MemRef.out(i32, [1]) } },
      function* ({ o, sum }) {
        yield* MemRef.store(o, 5)
        yield* MemRef.accumulate(sum, yield* MemRef.load(o))
      }
    )
    const row = await Effect.runPromise(on(k, Discharge.layer, {}))
    for (const order of ["reversed", (n: number) => Array.from({ length: n }, (_, i) => (i * 3) % n)] as any)
      expect(await Effect.runPromise(on(k, Discharge.layerOrdered(order) as any, {}))).toEqual(row)
  })
})

describe("looking at a kernel", () => {
  it("print gives the program, effects what it does, discharged a program without effects, wgsl the shader", async () => {
    expect(await Effect.runPromise(Kernel.effects(plain))).toEqual(["Read(x)", "Write(o)"])
    const text = await Effect.runPromise(Kernel.print(plain))
    expect(text).toContain("kernel plain")
    expect(text).toMatch(/load x.*! Read\(x\)/)
    const pure = await Effect.runPromise(Kernel.discharged(plain))
    expect(pure).not.toMatch(/Read\(|Write\(/)
    expect(await Effect.runPromise(Kernel.wgsl(plain))).toContain("@compute")
  })
  it("an inline shows among the effects by its name", async () => {
    expect(await Effect.runPromise(Kernel.effects(inlined))).toContain("Inline(twice)")
  })
  it("compile makes it ready, and fails as a run would", async () => {
    const { counts, layer } = fake("counted")
    await Effect.runPromise(Effect.provide((Kernel.compile as any)(plain) as Effect.Effect<void>, layer))
    expect(counts).toEqual({ compiled: 1, ran: 0 })
    expect(await results(plain, args)).toMatchObject({ o: Float32Array.of(3, 6) })
  })
})
