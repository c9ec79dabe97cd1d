/** Kernels called inside kernels, and discharge of some of a kernel's refs. */
import { Data, Effect } from "effect"
import { describe, expect, expectTypeOf, it } from "vitest"
import {
  type Block,
  Control,
  Discharge,
  type Effects,
  f32,
  i32,
  Kernel,
  KernelError,
  MemRef,
  Scratch,
  Tile
} from "../../src/index.ts"
import { failure, kernelError, onEach, results } from "../support/kernels.ts"

const range = (n: number, from = 0): Int32Array => Int32Array.from({ length: n }, (_, k) => k + from)

/** Running sums of blocks of 2, with a sum that its scratch keeps over the sequential axis. */
const sums = Kernel.make(
  "sums",
  {
    grid: [2, Kernel.sequential(3)],
    refs: {
      by: MemRef.scalar(i32),
      x: MemRef.in(i32, [2, 6], { block: [null, 2], index: (i, k) => [i, k] }),
      o: MemRef.out(i32, [2, 6], { block: [null, 2], index: (i, k) => [i, k] })
    },
    scratch: { sum: Scratch.workgroup(i32, [2]) }
  },
  function* ({ by, o, sum, x }) {
    yield* MemRef.accumulate(sum, yield* MemRef.load(x))
    const cell = (yield* Control.programId(0)).mul(100).add((yield* Control.programId(1)).mul(1000))
    yield* MemRef.store(o, (yield* MemRef.load(sum)).mul(by).add(cell))
  }
)
const plain = (x: ArrayLike<number>, by: number, at = 0) =>
  Array.from({ length: 12 }, (_, e) => {
    const [row, k] = [Math.floor(e / 6), Math.floor((e % 6) / 2)]
    let sum = 0
    for (let j = 0; j <= k; j++) sum += x[at + row * 6 + j * 2 + (e % 2)]!
    return sum * by + row * 100 + k * 1000
  })

describe("a kernel called inside a kernel", () => {
  it("gives what a run gives: its own grid, its scratch fresh per program instance, its scalars", async () => {
    const x = range(12, 1)
    expect(Array.from((await results(sums, { by: 3, x }))["o"]!)).toEqual(plain(x, 3))
    const caller = Kernel.make(
      "caller",
      {
        grid: [2],
        refs: {
          by: MemRef.scalar(i32),
          a: MemRef.in(i32, [2, 2, 6], { block: [null, 2, 6], index: (i) => [i, 0, 0] }),
          b: MemRef.out(i32, [2, 2, 6], { block: [null, 2, 6], index: (i) => [i, 0, 0] }),
          c: MemRef.out(i32, [2, 2, 6], { block: [null, 2, 6], index: (i) => [i, 0, 0] })
        }
      },
      function* ({ a, b, by, c }) {
        yield* Kernel.call(sums, { by: by.add(1), x: a, o: b })
        // Twice, and on what the first gave.
        yield* Kernel.call(sums, { by: 1, x: b, o: c })
      }
    )
    expectTypeOf<Kernel.Effects<typeof caller>>().toEqualTypeOf<
      | Effects.Read<"by">
      | Effects.Read<"a">
      | Effects.Read<"b">
      | Effects.Write<"b">
      | Effects.Write<"c">
      | Effects.Memory
    >()
    expect(await Effect.runPromise(Kernel.effects(caller))).toEqual([
      "Memory",
      "Read(a)",
      "Read(b)",
      "Read(by)",
      "Write(b)",
      "Write(c)"
    ])
    const a = range(24, 1)
    const b = [...plain(a, 3), ...plain(a, 3, 12)]
    await onEach(caller, { by: 2, a }, { b, c: [...plain(b, 1), ...plain(b, 1, 12)] })
  })
  it("zeroes its out refs, leaves inout refs as they are, and drops what is outside them", async () => {
    const callee = Kernel.make(
      "callee",
      {
        grid: [2],
        refs: {
          o: MemRef.out(i32, [5], { block: [3], index: (i) => [i] }),
          n: MemRef.inout(i32, [5], { block: [3], index: (i) => [i] })
        }
      },
      function* ({ n, o }) {
        yield* MemRef.accumulate(MemRef.at(o, [MemRef.slice(0, 2)]), 1)
        yield* MemRef.accumulate(n, 1)
      }
    )
    const caller = Kernel.make(
      "caller",
      { grid: [1], refs: { o: MemRef.inout(i32, [10]), n: MemRef.inout(i32, [10]) } },
      function* ({ n, o }) {
        // Every other element of each.
        const odd = MemRef.slice(1, 5, 2)
        yield* Kernel.call(callee, { o: MemRef.at(o, [odd]), n: MemRef.at(n, [odd]) })
      }
    )
    const args = () => ({ o: range(10, 10), n: range(10, 10) })
    await onEach(caller, args(), {
      o: [10, 1, 12, 1, 14, 0, 16, 1, 18, 1],
      n: [10, 12, 12, 14, 14, 16, 16, 18, 18, 20]
    })
  })
  it("runs over values, with runState and with scratch; and calls kernels itself", async () => {
    const addOne = Kernel.make("addOne", { grid: [], refs: { v: MemRef.inout(i32, [4]) } }, function* ({ v }) {
      yield* MemRef.accumulate(v, 1)
    })
    const addTwo = Kernel.make("addTwo", { grid: [2], refs: { w: MemRef.inout(i32, [4]) } }, function* ({ w }) {
      yield* Kernel.call(addOne, { v: w })
    })
    const caller = Kernel.make("caller", { grid: [1], refs: { o: MemRef.out(i32, [4]) } }, function* ({ o }) {
      const { v } = yield* Control.runState({ v: Tile.iota(i32, [4]) }, function* ({ v }) {
        yield* Control.forEach(0, 3, () => Kernel.call(addTwo, { w: v }))
      })
      yield* MemRef.store(o, v)
    })
    expectTypeOf<Kernel.Effects<typeof caller>>().toEqualTypeOf<Effects.Write<"o"> | Effects.Memory>()
    await onEach(caller, {}, { o: [6, 7, 8, 9] })
  })
  it("has the caller's ids back after it, and blocks of data-dependent positions", async () => {
    const pick = Kernel.make(
      "pick",
      {
        grid: [3],
        refs: {
          list: MemRef.table(i32, [3]),
          x: MemRef.in(i32, [4], {
            block: [1],
            indexWith: ({ list }: { readonly list: Block.Table }, i) => [list.at(i)]
          }),
          o: MemRef.out(i32, [3], { block: [1], index: (i) => [i] })
        }
      },
      function* ({ o, x }) {
        yield* MemRef.store(o, yield* MemRef.load(x))
      }
    )
    const caller = Kernel.make(
      "caller",
      {
        grid: [2],
        refs: {
          lists: MemRef.in(i32, [2, 3], { block: [null, 3], index: (i) => [i, 0] }),
          x: MemRef.in(i32, [4]),
          o: MemRef.out(i32, [2, 3], { block: [null, 3], index: (i) => [i, 0] }),
          id: MemRef.out(i32, [2])
        }
      },
      function* ({ id, lists, o, x }) {
        yield* Kernel.call(pick, { list: lists, x, o })
        const i = yield* Control.programId(0)
        yield* MemRef.store(MemRef.at(id, [i]), i.add((yield* Control.numPrograms(0)).mul(10)))
      }
    )
    const lists = Int32Array.of(3, 0, 7, 1, 1, 2)
    await onEach(caller, { lists, x: range(4, 10) }, { o: [13, 10, 0, 11, 11, 12], id: [20, 21] })
  })
  it("fails with what its body fails with, and needs what it needs", async () => {
    class Refused extends Data.TaggedError("Refused") {}
    const callee = Kernel.make("callee", { grid: [1], refs: { o: MemRef.out(i32, [1]) } }, function* () {
      yield* Effect.fail(new Refused())
    })
    const caller = Kernel.make("caller", { grid: [1], refs: { o: MemRef.out(i32, [1]) } }, function* ({ o }) {
      yield* Kernel.call(callee, { o })
    })
    expectTypeOf(caller).toExtend<Kernel.Kernel<"caller", any, Refused, any>>()
    expect(await failure(Kernel.run(caller, {}))).toBeInstanceOf(Refused)
  })
  it("is refused where a ref does not fit, is given twice, or is missing, and where it calls itself", async () => {
    const refs = { x: MemRef.in(i32, [12]), f: MemRef.in(f32, [2, 6]), o: MemRef.out(i32, [2, 6]) }
    const calling = (given: (all: any) => unknown, callee: unknown = sums) =>
      Kernel.make("caller", { grid: [1], refs }, function* (all) {
        yield* (Kernel.call as any)(callee, given(all))
      })
    const args = { x: range(12), f: new Float32Array(12) }
    const shown = async (given: (all: any) => unknown, callee?: unknown) =>
      (await kernelError("TypeMismatch", calling(given, callee), args)).shown
    const seen = (ref: any) => MemRef.reshape(ref, [2, 6])
    expect(await shown(({ o, x }) => ({ by: 1, x, o }))).toContain(
      '"x" is a ref of i32[12]; the kernel declares i32[2, 6]'
    )
    expect(await shown(({ f, o }) => ({ by: 1, x: f, o }))).toContain('"x" is a ref of f32[2, 6]')
    expect(await shown(({ x, o }) => ({ by: 1.5, x: seen(x), o }))).toContain("1.5 is not a value of i32")
    expect(await shown(({ x, o }) => ({ by: Tile.of(f32, 1), x: seen(x), o }))).toContain('scalar "by" is f32[]')
    expect(await shown(({ x }) => ({ by: 1, x: seen(x) }))).toContain('"o" is no ref')
    expect(await shown(({ o }) => ({ by: 1, x: Tile.zeros(i32, [2, 6]), o }))).toContain('"x" is a tile')
    expect(await shown(({ x, o }) => ({ by: 1, x: seen(x), o, q: o }))).toContain('kernel "sums" has no ref "q"')
    expect(await shown(({ o }) => ({ by: 1, x: o, o }))).toContain('"o" and "x" are both ref "o"')
    const read = calling(({ x }) => ({ by: 1, x: seen(x), o: seen(x) }))
    expect((await kernelError("AccessViolation", read, args)).shown).toContain('ref "x"')
    const parsed = await Effect.runPromise(Effect.flatMap(Kernel.print(sums), Kernel.parse))
    expect(await shown(({ x, o }) => ({ by: 1, x: seen(x), o }), parsed)).toContain("no body to call")
    const self: Kernel.Any = Kernel.make("self", { grid: [1], refs: { o: MemRef.out(i32, [1]) } }, function* ({ o }) {
      yield* (Kernel.call as any)(self, { o })
    })
    expect((await kernelError("TypeMismatch", self)).shown).toContain('kernel "self" calls itself')
  })
})

describe("discharge of some refs", () => {
  const kernel = Kernel.make(
    "partly",
    {
      grid: [2],
      refs: { x: MemRef.inout(i32, [4]), o: MemRef.out(i32, [4]) },
      scratch: { s: Scratch.workgroup(i32, [4]) }
    },
    function* ({ o, s, x }) {
      yield* MemRef.store(s, (yield* MemRef.load(x)).add(1))
      yield* Control.whileLoop(
        Tile.of(i32, 0),
        function* (n) {
          yield* MemRef.accumulate(s, 1)
          return Tile.max(yield* MemRef.load(s))
            .lt(40)
            .and(n.lt(9))
        },
        function* (n) {
          yield* MemRef.accumulate(x, yield* MemRef.load(s))
          return n.add(1)
        }
      )
      yield* MemRef.accumulate(o, yield* MemRef.load(x))
    }
  )
  const x = Int32Array.of(1, 2, 3, 4)
  it.each([[[]], [["x"]], [["o"]], [["s"]], [["x", "s"]], [["o", "x", "s"]]])(
    "%j leaves no effect on them, and the program means what it meant",
    async (only) => {
      const program = await Effect.runPromise(Discharge.discharge(kernel, { only }))
      expect([...program.discharged].sort()).toEqual([...only].sort())
      const rest = await Effect.runPromise(Kernel.fromProgram(program))
      const effects = await Effect.runPromise(Kernel.effects(rest))
      for (const name of ["x", "o"]) expect(effects.some((e) => e.includes(`(${name})`))).toBe(!only.includes(name))
      const expected = await results(kernel, { x })
      expect(await results(rest, { x })).toEqual(expected)
      // A program is discharged as a kernel is, and what is left may go later.
      const all = await Effect.runPromise(Discharge.discharge(program))
      expect(all.discharged).toHaveLength(3)
      expect(await results(await Effect.runPromise(Kernel.fromProgram(all)), { x })).toEqual(expected)
    }
  )
  it("prints, and refuses a name that the kernel does not have", async () => {
    expect(await Effect.runPromise(Kernel.discharged(kernel, { only: ["x"] }) as Effect.Effect<string>)).toContain(
      "load s"
    )
    const error = await failure(Discharge.discharge(kernel, { only: ["x", "q"] }))
    expect(error).toBeInstanceOf(KernelError)
    expect((error as KernelError).reason).toMatchObject({ _tag: "InvalidArgument", ref: "q" })
  })
})
