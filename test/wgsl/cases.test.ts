/** Shapes and values that a lowering gets wrong more easily than others. */
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { Control, f16, f32, i32, Kernel, MemRef, Tile } from "../../src/index.ts"
import type { HostArray } from "../../src/DType.ts"
import { literal, type Program, read, write } from "../../src/ir/program.ts"
import { compile } from "../../src/wgsl/compile.ts"
import { runtime, softwareDevice } from "../gpu/support.ts"
import { eqn, program, region, v } from "../ir/programs.ts"
import { anyArrays, type Arrays, difference } from "./agree.ts"
import { control, large, scratch } from "./kernels.ts"
import { random } from "./random.ts"

interface Traced {
  readonly trace: Effect.Effect<Program, unknown, any>
}
const run = softwareDevice()
const agrees = async (kernel: Traced, args?: (p: Program) => Arrays): Promise<void> => {
  const traced = await Effect.runPromise(kernel.trace as Effect.Effect<Program>)
  const arrays = args?.(traced) ?? anyArrays(random(1), traced)
  const found = await run(Effect.flatMap(runtime, (on) => difference(on, traced, arrays, {})))
  expect(found).toBeUndefined()
  expect(await Effect.runPromise(difference(undefined, traced, arrays, {}))).toBeUndefined()
}
const given = (arrays: { readonly [name: string]: HostArray }) => (): Arrays => new Map(Object.entries(arrays))

const reductions = (n: number) =>
  Kernel.make(
    "reductions",
    { grid: [1], refs: { x: MemRef.in(f32, [n]), o: MemRef.out(f32, [4]), at: MemRef.out(i32, [2]) } },
    function* ({ at, o, x }) {
      const e = yield* MemRef.load(x)
      yield* MemRef.store(MemRef.at(o, [0]), Tile.sum(e))
      yield* MemRef.store(MemRef.at(o, [1]), Tile.max(e))
      yield* MemRef.store(MemRef.at(o, [2]), Tile.min(e))
      yield* MemRef.store(MemRef.at(o, [3]), Tile.prod(e.sub(e).add(1)))
      yield* MemRef.store(MemRef.at(at, [0]), Tile.argmax(e))
      yield* MemRef.store(MemRef.at(at, [1]), Tile.argmin(e))
    }
  )

describe("a kernel gives on the device, and without races, what it gives discharged", () => {
  for (const n of [1, 2, 5, 63, 64, 65, 127, 1009]) it(`reducing ${n} elements`, () => agrees(reductions(n)))

  it("reducing NaN, infinities and equal elements", async () => {
    const odd = [3, -Infinity, 7, Infinity, 7, Infinity, -Infinity, -0, 0]
    await agrees(reductions(odd.length), given({ x: Float32Array.from(odd) }))
    const withNaN = Float32Array.from({ length: 100 }, (_, k) => (k === 77 || k === 40 ? NaN : k))
    await agrees(reductions(100), given({ x: withNaN }))
    await agrees(reductions(70), given({ x: new Float32Array(70).fill(-Infinity) }))
  })

  it("tiles that exceed workgroup memory", async () => {
    await agrees(large(67))
    await agrees(large(131))
  })

  it("loops, branches and their carries", () => agrees(control))
  it("scratch in registers and in workgroup memory, in f16", () => agrees(scratch))

  it("products of odd sizes", () =>
    agrees(
      Kernel.make(
        "products",
        {
          grid: [1],
          refs: {
            a: MemRef.in(f32, [33, 65]),
            b: MemRef.in(f32, [65, 17]),
            o: MemRef.out(f32, [33, 17]),
            one: MemRef.out(f32, [1, 1])
          }
        },
        function* ({ a, b, o, one }) {
          const [x, y] = [yield* MemRef.load(a), yield* MemRef.load(b)]
          yield* MemRef.store(o, Tile.dot(x, y))
          const row = Tile.slice(x, { starts: [5, 0], sizes: [1, 65] })
          yield* MemRef.store(one, Tile.dot(row, Tile.slice(y, { starts: [0, 3], sizes: [65, 1] })))
        }
      )
    ))

  it("additions of many program instances to the same cells", () =>
    agrees(
      Kernel.make(
        "meeting",
        {
          grid: [37],
          refs: {
            x: MemRef.in(i32, [16]),
            f: MemRef.inout(f32, [3]),
            h: MemRef.inout(f16, [3]),
            i: MemRef.inout(i32, [3])
          }
        },
        function* ({ f, h, i, x }) {
          const where = Tile.rem(Tile.abs(yield* MemRef.load(x)), 3)
          yield* MemRef.accumulate(MemRef.at(f, [where]), Tile.full(f32, [16], 1))
          yield* MemRef.accumulate(MemRef.at(h, [where]), Tile.full(f16, [16], 1))
          yield* MemRef.accumulate(MemRef.at(i, [where]), yield* Control.programId(0))
        }
      )
    ))
})

/** Every name that the text around a kernel uses for itself, and some that WGSL reserves. */
const awkward = [
  "id",
  "group",
  "index",
  "value",
  "old",
  "lane",
  "el",
  "slot",
  "program",
  "acc",
  "k",
  "i",
  "t0",
  "v0",
  "part",
  "u"
]
describe("refs may have any names", () => {
  const named = (a: string, b: string) =>
    Kernel.make(
      "main",
      { grid: [3], refs: { [a]: MemRef.in(f32, [100]), [b]: MemRef.inout(f32, [100]) } },
      function* (refs: any) {
        const x = (yield* MemRef.load(refs[a] as never)) as Tile.Tile<"f32", [100]>
        const e = x.add(Tile.sum(x)).add(Tile.flip(x))
        yield* MemRef.accumulate(refs[b] as never, e as never)
      }
    )
  it("those of the text itself included", async () => {
    for (let k = 0; k < awkward.length; k++)
      await agrees(named(awkward[k]!, awkward[(k + 1) % awkward.length]!) as unknown as Traced)
  })
})

const ref = (name: string, shape: ReadonlyArray<number>, access: "in" | "out") => ({
  name,
  dtype: "f32" as const,
  shape,
  access,
  scalar: false
})
const kernelOf = (shape: ReadonlyArray<number>, eqns: Program["body"]["eqns"], last: number): Program =>
  program({
    refs: [ref("x", shape, "in"), ref("o", shape, "out")],
    body: region({
      eqns: [
        eqn("load", { refs: [{ name: "x", view: [] }], results: [v(0, "f32", shape)], effects: [read("x")] }),
        ...eqns,
        eqn("store", { refs: [{ name: "o", view: [] }], operands: [v(last, "f32", shape)], effects: [write("o")] })
      ]
    })
  })
const chain = (n: number, shape: ReadonlyArray<number>): Program => {
  const one = literal("f32", 1)
  const step = (k: number) => eqn("add", { operands: [v(k, "f32", shape), one], results: [v(k + 1, "f32", shape)] })
  return kernelOf(
    shape,
    Array.from({ length: n }, (_, k) => step(k)),
    n
  )
}
/** Each value is used where it stands and turned round. */
const folds = (n: number): Program => {
  const at = (id: number) => v(id, "f32", [8, 8])
  const step = (k: number) => [
    eqn("transpose", { params: { perm: [1, 0] }, operands: [at(2 * k)], results: [at(2 * k + 1)] }),
    eqn("add", { operands: [at(2 * k), at(2 * k + 1)], results: [at(2 * k + 2)] })
  ]
  return kernelOf([8, 8], Array.from({ length: n }, (_, k) => step(k)).flat(), 2 * n)
}
const codeOf = (p: Program): string => Result.getOrThrow(compile(p)).code

describe("the size of a module grows with its program alone", () => {
  it("chains of 10,000 operations compile, and each operation stands there once", () => {
    for (const shape of [[], [1000]]) expect(codeOf(chain(10_000, shape)).split(" + 1f").length - 1).toBe(10_000)
  })
  it("values that are used twice at different elements are computed once", () => {
    const [once, twice] = [codeOf(folds(100)).length, codeOf(folds(200)).length]
    expect(twice / once).toBeLessThan(2.2)
  })
})
