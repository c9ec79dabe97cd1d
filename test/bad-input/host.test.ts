/** What the host's code in a body does: it fails, throws, asks for services, or forgets to run what it made. */
import { Context, Data, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Control, Discharge, f32, Inline, Kernel, MemRef, Scratch, Tile } from "../../src/index.ts"
import { failure, kernelError, pointedAt, refused, results, single } from "../support/kernels.ts"

class Boom extends Data.TaggedError("Boom")<{ readonly why: string }> {}
class Size extends Context.Service<Size, { readonly size: number }>()("test/Size") {}
const out = { o: MemRef.out(f32, [4]) }
const run = (k: Kernel.Any) => (Kernel.run as any)(k, {}) as Effect.Effect<any, any, any>
/** Runs a kernel on Discharge beside a `Size`. */
const sized = (k: Kernel.Any, size: number): Promise<any> =>
  Effect.runPromise(
    run(k).pipe(Effect.provideService(Size, { size }), Effect.provide(Discharge.layer)) as Effect.Effect<any>
  )

describe("a body that fails", () => {
  it("fails the run with its own error, wherever it stands", async () => {
    const boom = () => new Boom({ why: "no" })
    const bodies: ReadonlyArray<(o: any) => Generator<any, any, any>> = [
      function* () {
        yield* boom()
      },
      function* (o) {
        yield* Control.forEach(0, 3, function* () {
          yield* MemRef.store(o, 1)
          yield* boom()
        })
      },
      function* (o) {
        yield* Control.when(Tile.any((yield* MemRef.load(o) as any).gt(0)) as any, () => Effect.fail(boom()) as any)
      },
      function* () {
        yield* Scratch.scoped(Scratch.workgroup(f32, [1]), () => Effect.flatMap(Effect.void, boom) as any)
      }
    ]
    for (const body of bodies) {
      const k = single(out, function* ({ o }: any) {
        yield* body(o)
      } as any)
      expect(await failure(run(k))).toBeInstanceOf(Boom)
    }
  })
  it("can catch its own error, and goes on where it stood", async () => {
    const k = single(out, function* ({ o }) {
      const given = yield* Effect.catchTag(
        Control.fori(0, 3, Tile.of(f32, 1), function* () {
          return yield* new Boom({ why: "no" })
        }),
        "Boom",
        () => Effect.succeed(Tile.of(f32, 7))
      )
      yield* MemRef.store(o, given)
    })
    expect([...((await results(k, {})).o as any)]).toEqual([7, 7, 7, 7])
  })
})

describe("a body that throws", () => {
  it("fails the run with InvalidKernel that says what was thrown, and where", async () => {
    const k = single(out, function* () {
      const nothing: any = undefined
      nothing.store()
    })
    const error = await kernelError("InvalidKernel", k)
    expect(error.shown).toContain("the body threw TypeError: Cannot read properties of undefined")
    expect(pointedAt(error)).toBe("nothing.store()")
  })
  it("a string, too", async () => {
    const k = single(out, function* () {
      throw "just so"
    })
    await refused("InvalidKernel", k, {}, { says: ["the body threw just so"] })
  })
  it("inside a loop, or that dies, too", async () => {
    const looping = single(out, function* () {
      yield* Control.forEach(0, 2, function* () {
        throw new RangeError("inside")
      })
    })
    await refused(
      "InvalidKernel",
      looping,
      {},
      { says: ["the body threw RangeError: inside"], at: 'throw new RangeError("inside")' }
    )
    const dying = single(out, function* () {
      yield* Effect.die(new Error("dead"))
    })
    await refused("InvalidKernel", dying, {}, { says: ["the body threw Error: dead"] })
  })
})

describe("a body that needs a service", () => {
  it("works when the service is provided, and is traced for each run", async () => {
    let traced = 0
    const k = single(out, function* ({ o }) {
      traced++
      const { size } = yield* Size
      yield* MemRef.store(o, size)
    })
    expect([...(await sized(k, 3)).o]).toEqual([3, 3, 3, 3])
    expect([...(await sized(k, 5)).o]).toEqual([5, 5, 5, 5])
    expect([...(await sized(k, 5)).o]).toEqual([5, 5, 5, 5])
    expect(traced).toBe(3)
  })
  it("is traced once if it needs none, whatever is provided, and however it is looked at", async () => {
    let traced = 0
    const k = single(out, function* ({ o }) {
      traced++
      yield* MemRef.store(o, 1)
    })
    for (let i = 0; i < 3; i++) await sized(k, i)
    await Effect.runPromise(Kernel.print(k))
    await Effect.runPromise(Kernel.effects(k))
    expect(traced).toBe(1)
  })
  it("is traced again after a failed trace", async () => {
    let traced = 0
    const k = single(out, function* ({ o }) {
      if (traced++ === 0) yield* new Boom({ why: "first" })
      yield* MemRef.store(o, 1)
    })
    expect(await failure(run(k))).toBeInstanceOf(Boom)
    expect([...((await results(k, {})).o as any)]).toEqual([1, 1, 1, 1])
  })
  it("is traced again when a loop's body asks for the service", async () => {
    let traced = 0
    const k = single(out, function* ({ o }) {
      traced++
      yield* Control.forEach(0, 1, function* () {
        yield* MemRef.store(o, (yield* Size).size)
      })
    })
    for (const size of [1, 2]) await sized(k, size)
    expect(traced).toBe(2)
  })
})

describe("a forgotten yield*", () => {
  const twice = Inline.elementwise("twice", { args: { x: f32 }, result: f32, wgsl: "return x + x;" })
  const helper = Effect.fnUntraced(function* (o: any) {
    yield* MemRef.store(o, 1)
    MemRef.store(o, 2) // in a helper
  })
  const cases: ReadonlyArray<
    readonly [where: string, primitive: string, body: (o: any) => Generator<any, any, any>, at: string]
  > = [
    [
      "of a store",
      "store",
      function* (o) {
        MemRef.store(o, 1)
      },
      "MemRef.store(o, 1)"
    ],
    [
      "of the last of several",
      "accumulate",
      function* (o) {
        yield* MemRef.store(o, 1)
        MemRef.accumulate(o, 2)
      },
      "MemRef.accumulate(o, 2)"
    ],
    [
      "of a load",
      "load",
      function* (o) {
        MemRef.load(o)
      },
      "MemRef.load(o)"
    ],
    [
      "of a program id",
      "programId",
      function* () {
        Control.programId(0)
      },
      "Control.programId(0)"
    ],
    [
      "of a loop",
      "fori",
      function* (o) {
        Control.forEach(0, 3, function* () {
          yield* MemRef.store(o, 1)
        })
      },
      "Control.forEach(0, 3"
    ],
    [
      "of a branch",
      "when",
      function* (o) {
        Control.when(Tile.of({ name: "bool", bytes: 1 }, true), function* () {
          yield* MemRef.store(o, 1)
        })
      },
      "Control.when("
    ],
    [
      "of scratch",
      "scoped",
      function* () {
        Scratch.scoped(Scratch.workgroup(f32, [1]), function* () {})
      },
      "Scratch.scoped("
    ],
    [
      "of an inline",
      "twice",
      function* () {
        twice(Tile.ones(f32, [4]))
      },
      "twice(Tile.ones(f32, [4]))"
    ],
    [
      "in a loop",
      "store",
      function* (o) {
        yield* Control.forEach(0, 3, function* () {
          MemRef.store(o, 3)
        })
      },
      "MemRef.store(o, 3)"
    ],
    [
      "in a branch that is an arrow",
      "store",
      function* (o) {
        yield* Control.when(Tile.of({ name: "bool", bytes: 1 }, true), () => {
          MemRef.store(o, 4)
          return Effect.void as any
        })
      },
      "MemRef.store(o, 4)"
    ],
    [
      "in a scope in a loop",
      "store",
      function* (o) {
        yield* Control.forEach(0, 3, function* () {
          yield* Scratch.scoped(Scratch.workgroup(f32, [1]), function* () {
            MemRef.store(o, 5)
          })
        })
      },
      "MemRef.store(o, 5)"
    ],
    [
      "in a helper",
      "store",
      function* (o) {
        yield* helper(o)
      },
      "// in a helper"
    ],
    [
      "in a helper that is called in a loop",
      "store",
      function* (o) {
        yield* Control.forEach(0, 2, () => helper(o))
      },
      "// in a helper"
    ]
  ]
  it.each(cases)("%s fails the trace with Unyielded, which says where", async (_, primitive, body, at) => {
    const k = single(out, function* ({ o }: any) {
      yield* body(o)
    } as any)
    const error = await kernelError("Unyielded", k)
    expect(error.primitive).toBe(primitive)
    expect(error.shown).toContain(`${primitive} was made and never run: write \`yield*\` in front of it`)
    expect(pointedAt(error)).toContain(at)
  })
  it("is not an operation that is run later, or twice", async () => {
    const k = single(out, function* ({ o }) {
      const add = MemRef.accumulate(o, 1)
      yield* Control.forEach(0, 2, function* () {
        yield* add
      })
      yield* add
    })
    expect([...((await results(k, {})).o as any)]).toEqual([3, 3, 3, 3])
  })
  it("is not what other host code makes while no kernel is traced", async () => {
    const loose = MemRef.load(undefined as any)
    expect(loose).toBeDefined()
    const k = single(out, function* ({ o }) {
      yield* MemRef.store(o, 1)
    })
    expect([...((await results(k, {})).o as any)]).toEqual([1, 1, 1, 1])
  })
})
