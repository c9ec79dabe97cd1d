/** Programs over storage dtypes: their forms, what they are discharged to, and what holds interpreters to each other. */
import { Effect, Exit, Layer } from "effect"
import { describe, expect, it } from "vitest"
import {
  bf16,
  Control,
  type DType,
  Discharge,
  f32,
  i32,
  i4,
  i8,
  Interpreter,
  Kernel,
  MemRef,
  Tile,
  u32,
  u8
} from "../../src/index.ts"
import { Verify } from "../../src/verify.ts"
import { gpu } from "../support/interpreters.ts"
import { single } from "../support/kernels.ts"
import { dtypes, gives, host, kept, narrow, some } from "./support.ts"

const M: any = MemRef
const every: any = Object.fromEntries(narrow.map((name) => [name, M.inout(dtypes[name], [5])]))
/** Adds up what is stored, in a loop and a branch, through each dtype. */
const sums: any = single(every, function* (refs: any) {
  yield* Control.forEach(0, 3, function* (i: any): any {
    for (const name of narrow) {
      const part = M.at(refs[name], [M.slice(1, 3)])
      yield* Control.cond(
        i.lt(2),
        function* (): any {
          yield* M.accumulate(part, 1)
        } as any,
        function* (): any {
          yield* M.store(part, (yield* M.load(part)).mul(3))
        } as any
      )
    }
  } as any)
} as any)
const args = Object.fromEntries(narrow.map((name) => [name, host(name, some(name, 5))]))
const expected = Object.fromEntries(
  narrow.map((name) => {
    const keep = kept[name]
    const after = (v: number) => keep(keep(keep(v + 1) + 1) * 3)
    return [name, some(name, 5).map((v, i) => (i > 0 && i < 4 ? after(v) : v))]
  })
)

describe("a program over storage dtypes", () => {
  it("carries them through loops and branches", () => gives(sums, args, expected))
  it("comes back from its text and from JSON as it was, and means the same", async () => {
    const text = await Effect.runPromise(Kernel.print(sums) as Effect.Effect<string>)
    const parsed = await Effect.runPromise(Kernel.parse(text))
    expect(await Effect.runPromise(Kernel.print(parsed))).toBe(text)
    const json = JSON.parse(JSON.stringify(await Effect.runPromise(Kernel.toJson(sums) as Effect.Effect<unknown>)))
    const decoded = await Effect.runPromise(Kernel.fromJson(json))
    expect(await Effect.runPromise(Kernel.print(decoded))).toBe(text)
    await gives(parsed, args, expected)
  })
  it("is discharged to values of whole refs in their dtypes, which reads widen and writes narrow", async () => {
    const k: any = single({ x: M.in(i8, [4]), o: M.out(bf16, [4]) }, function* ({ o, x }: any) {
      yield* M.store(o, (yield* M.load(x)).convert(f32))
    } as any)
    const lines = (await Effect.runPromise(Kernel.discharged(k) as Effect.Effect<string>)).split("\n")
    expect(lines.filter((line) => line.includes("view")).map((line) => line.trim())).toEqual([
      expect.stringMatching(/^%\d+: i32\[4\] = viewGet & \(%\d+\)$/),
      expect.stringMatching(/^%\d+: bf16\[4\] = viewPut & \(%\d+, %\d+\)$/)
    ])
  })
  it("calls kernels, scans rows, and keeps state", async () => {
    const inner: any = Kernel.make(
      "inner",
      {
        grid: [2],
        refs: {
          x: M.in(u8, [4], { block: [2], index: (i: any) => [i] }),
          o: M.out(u8, [4], { block: [2], index: (i: any) => [i] })
        }
      } as any,
      function* (r: any): any {
        yield* M.store(r.o, (yield* M.load(r.x)).add(200))
      } as any
    )
    const k: any = single({ x: M.in(u8, [4]), o: M.out(u8, [4]), p: M.out(i8, [4]) }, function* ({ o, p, x }: any) {
      yield* Kernel.call(inner, { x, o } as any)
      yield* (Control.scan as any)({ in: { o }, out: { p } }, Tile.of(i32, 0), function* (sum: any, row: any) {
        const next = sum.add(row.o.convert(i32))
        return { carry: next, out: { p: next } }
      })
    } as any)
    const o = [1, 2, 100, 255].map((v) => kept.u8(v + 200))
    const p = o.map((_, i) => kept.i8(o.slice(0, i + 1).reduce((s, v) => s + v, 0)))
    await gives(k, { x: Uint8Array.of(1, 2, 100, 255) }, { o, p })
  })
  it("looks up tables of bytes and nibbles in its index maps", async () => {
    const k: any = Kernel.make(
      "tables",
      {
        grid: [4],
        refs: {
          rows: MemRef.table(i4, [4]),
          x: M.in(bf16, [4, 3], { block: [null, 3], indexWith: ({ rows }: any, i: any) => [rows.at(i), 0] }),
          o: M.out(bf16, [4, 3], { block: [null, 3], index: (i: any) => [i, 0] })
        }
      } as any,
      function* ({ o, x }: any): any {
        yield* M.store(o, yield* M.load(x))
      } as any
    )
    const x = some("bf16", 12)
    const o = [3, 0, -1, 2].flatMap((row) => [0, 1, 2].map((c) => x[3 * row + c] ?? 0))
    await gives(
      k,
      { rows: host("i4", [3, 0, -1, 2]), x: host("bf16", x) },
      { o: o.map((v, i) => (i > 5 && i < 9 ? 0 : v)) }
    )
  })
})

/** Discharge, with a fault in what it gives. */
const faulty = (change: (arrays: Map<string, DType.HostArray>) => void) =>
  Layer.effect(
    Interpreter.Interpreter,
    Effect.map(Interpreter.Interpreter, (inner) => ({
      name: "faulty",
      compile: (program: any) =>
        Effect.map(inner.compile(program), ({ run }) => ({
          run: (given: any) =>
            Effect.map(run(given), (out) => {
              const copy = new Map(out)
              change(copy)
              return copy
            })
        }))
    }))
  ).pipe(Layer.provide(Discharge.layer)) as unknown as typeof Discharge.layer

describe("two interpreters are compared", () => {
  const k: any = single({ b: M.inout(bf16, [3]), n: M.inout(i4, [3]) }, function* ({ b, n }: any) {
    yield* M.accumulate(b, 1)
    yield* M.accumulate(n, 1)
  } as any)
  const given = { b: host("bf16", [255, 1, NaN]), n: host("i4", [7, 1, 2]) }
  const against = (change: (arrays: Map<string, DType.HostArray>) => void, rtol: number) =>
    Effect.runPromiseExit(
      (Kernel.run as any)(k, given).pipe(
        Effect.provide(Interpreter.differential(faulty(change), Discharge.layer, { atol: 0, rtol }) as any)
      ) as Effect.Effect<any, any>
    )
  it("bf16 as numbers within the tolerance, where NaN is NaN", async () => {
    const next = (arrays: Map<string, DType.HostArray>) => {
      arrays.get("b")![0]! += 1
      arrays.get("b")![2] = 0x7fff
    }
    expect(Exit.isSuccess(await against(next, 0.01))).toBe(true)
    const exit = await against(next, 0.001)
    expect(String((exit as any).cause)).toMatch(/"b"\[0\]: faulty gives 258, Discharge gives 256/)
  })
  it("packed integers exactly, and told by element and value", async () => {
    const exit = await against((arrays) => (arrays.get("n")![1]! ^= 0x08), 1)
    expect(String((exit as any).cause)).toMatch(/"n"\[2\]: faulty gives -5, Discharge gives 3/)
  })
})

describe("Verify", () => {
  const quantise: any = single(
    { x: M.in(bf16, [7]), w: M.in(i4, [7]), o: M.out(bf16, [7]), q: M.out(u8, [7]) },
    function* (r: any): any {
      const [x, w]: [any, any] = [yield* M.load(r.x), yield* M.load(r.w)]
      yield* M.store(r.o, x.mul(w.convert(f32)))
      yield* M.store(r.q, w.add(100).convert(u32))
    } as any
  )
  it("holds the device to what is meant", async () => {
    const exit = await gpu.exit(
      Effect.flatMap(Interpreter.Interpreter, (service) =>
        Verify.kernel(quantise, Layer.succeed(Interpreter.Interpreter, service) as any, { runs: 12, seed: 3 })
      ) as any
    )
    expect(String((exit as any).cause ?? "")).toBe("")
  })
  it.each([
    ["o", 0x0100],
    ["q", 1]
  ] as const)("finds a fault in an element of %s", async (ref, bit) => {
    const wrong = faulty((arrays) => (arrays.get(ref)![6]! ^= bit))
    const exit = await Effect.runPromiseExit(Verify.kernel(quantise, wrong as any, { runs: 20, seed: 1 }) as any)
    expect(String((exit as any).cause)).toContain(`${ref}[6] is `)
  })
})
