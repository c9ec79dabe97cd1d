/** Prints and assertions in programs: as text and data, discharged, lowered, cached, composed. */
import { Effect, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import {
  Control,
  Debug,
  Discharge,
  f32,
  i32,
  Inline,
  Interpreter,
  Kernel,
  MemRef,
  Scratch,
  Tile
} from "../../src/index.ts"
import type { Stmt } from "../../src/ir/lowered.ts"
import { equations, type Program } from "../../src/ir/program.ts"
import { prepare } from "../../src/wgsl/compile.ts"
import { discharge, gpu, subject } from "../support/interpreters.ts"
import { pointedAt, refused, single } from "../support/kernels.ts"
import { lockstep } from "../wgsl/lockstep.ts"
import { outcome, prints } from "./support.ts"

const spoken = Kernel.make(
  "spoken",
  { grid: [2, Kernel.sequential(2)], refs: { x: MemRef.in(f32, [4]), o: MemRef.out(f32, [4]) } },
  function* ({ o, x }) {
    const v = yield* MemRef.load(x)
    yield* Control.forEach(0, 2, function* (i) {
      yield* Debug.print('a "label"\nof two lines', { v, "odd name": i })
      yield* MemRef.accumulate(o, v)
      yield* Debug.assert((yield* MemRef.load(o)).lt(100), "small", i)
    })
  }
)
const x = Float32Array.of(1, 2, 3, 4)
const expected = Array.from({ length: 8 }, (_, k) => `a "label"\nof two lines: v = [1, 2, 3, 4], odd name = ${k % 2}`)

describe("a program with prints", () => {
  it("has the effect Debug, as data and after discharge, and nothing else is left", async () => {
    expect(await Effect.runPromise(Kernel.effects(spoken))).toEqual(["Debug", "Accum(o)", "Read(o)", "Read(x)"].sort())
    const pure = await Effect.runPromise(Discharge.discharge(spoken))
    const effects = [...equations(pure.body)].flatMap((eqn) => eqn.effects.map((e) => e._tag))
    expect(new Set(effects)).toEqual(new Set(["Debug"]))
  })
  it("comes back from text and from JSON, and says the same", async () => {
    const text = await Effect.runPromise(Kernel.print(spoken))
    const parsed = await Effect.runPromise(Kernel.parse(text))
    expect(await Effect.runPromise(Kernel.print(parsed))).toBe(text)
    const json = JSON.parse(JSON.stringify(await Effect.runPromise(Kernel.toJson(spoken))))
    await prints(spoken, { x }, expected)
    await prints(parsed, { x }, expected)
    await prints(await Effect.runPromise(Kernel.fromJson(json)), { x }, expected)
  })
  it("comes back from the text of what it is discharged to, and says the same", async () => {
    const text = await Effect.runPromise(Kernel.discharged(spoken))
    const parsed = await Effect.runPromise(Kernel.parse(text))
    expect(await Effect.runPromise(Kernel.print(parsed))).toBe(text)
    const { entries, result } = await outcome(parsed, { x }, discharge)
    expect(entries.map((e) => e.message)).toEqual(expected)
    expect(Array.from(result!["o"]!)).toEqual([8, 16, 24, 32])
  })
  it("is refused as text where labels, names or kinds make no sense", async () => {
    const text = await Effect.runPromise(Kernel.print(spoken))
    const wrong = async (from: string | RegExp, to: string) => {
      expect(text).toMatch(from)
      return (await Effect.runPromise(Effect.flip(Kernel.parse(text.replace(from, to))))).message
    }
    expect(await wrong(/label: "a[^}]*?two lines"/, "label: 3")).toContain('parameter "label" is 3')
    expect(await wrong(/names: \[[^\]]*\]/, 'names: ["one"]')).toContain("1 names for 2 tiles")
    expect(await wrong(/kind: "?assertion"?/, 'kind: "wish"')).toContain("an assertion of kind wish")
    expect(await wrong(/detail: "small"/, "detail: null")).toContain('parameter "detail"')
  })
})

describe("interpreters that are composed", () => {
  it("cached, tell where each kernel was written, though their texts are equal", async () => {
    const make = (body: (x: Tile.Scalar<"i32">) => Effect.Effect<void, never, any>) =>
      single({ n: MemRef.scalar(i32) }, function* ({ n }: any) {
        yield* body(n)
      } as any)
    const one = make((n) => Debug.assert(n.gt(0), "positive", n))
    const other = make((n) => /* the other */ Debug.assert(n.gt(0), "positive", n))
    const cached = subject("cached", Discharge.layer.pipe(Interpreter.cached({ capacity: 8 })) as Layer.Layer<any>)
    for (const k of [one, other, one]) {
      const { reason } = await outcome(k, { n: 0 }, cached)
      expect(pointedAt(reason as any).includes("the other")).toBe(k === other)
    }
  })
  it("differential, tell what both print", async () => {
    const both = subject(
      "both",
      Interpreter.differential(Discharge.layer, Discharge.layer, { atol: 0, rtol: 0 }) as Layer.Layer<any>
    )
    const { entries } = await outcome(spoken, { x }, both)
    expect(entries).toHaveLength(16)
  })
  it("in another order of instances, tell prints as they run", async () => {
    const k = Kernel.make("k", { grid: [3], refs: {} }, function* () {
      const i = yield* Control.programId(0)
      yield* Debug.print("i", i)
      yield* Debug.assert(i.ne(1), "not one")
    })
    const reversed = subject("reversed", Discharge.layerOrdered("reversed") as Layer.Layer<any>)
    const { entries, reason } = await outcome(k, {}, reversed)
    expect(entries.map((e) => e.message)).toEqual(["i: 2", "i: 1"])
    expect(reason).toMatchObject({ program: [1] })
  })
})

describe("an inline's discharge rule", () => {
  it("may not print, because its WGSL does not", () =>
    refused(
      "TypeMismatch",
      single({ x: MemRef.in(f32, [4]), o: MemRef.out(f32, [4]) }, function* ({ o, x }) {
        const twice: any = Inline.elementwise("twice", {
          args: { x: f32 },
          result: f32,
          wgsl: "return x + x;",
          discharge: function* ({ x }: any) {
            yield* Debug.print("x", x)
            return x.add(x)
          } as any
        })
        yield* MemRef.store(o, yield* twice(yield* MemRef.load(x)))
      }),
      { x },
      { says: ["the rule prints or asserts"] }
    ))
})

describe("on Gpu", () => {
  const traced = (k: Kernel.Any): Promise<Program> => Effect.runPromise(k.trace as Effect.Effect<Program>)
  const count = (body: ReadonlyArray<Stmt>): number =>
    body.reduce(
      (n, s) =>
        n +
        (s._tag === "Barrier" ? 1 : 0) +
        ("body" in s ? count(s.body) : s._tag === "If" ? count(s.then) + count(s.else) : 0),
      0
    )
  const loop = (speaks: boolean) =>
    single({ x: MemRef.in(f32, [100]), o: MemRef.out(f32, [100]) }, function* ({ o, x }) {
      const v = yield* MemRef.load(x)
      yield* Scratch.scoped(Scratch.workgroup(f32, [100]), function* (s) {
        yield* Control.forEach(0, 3, function* (i) {
          yield* MemRef.store(s, v.mul(2))
          const turned = Tile.flip(yield* MemRef.load(s), { axis: 0 })
          if (speaks) yield* Debug.print("turned", turned, v)
          if (speaks) yield* Debug.print("turned", turned, i)
          yield* MemRef.store(o, turned)
          if (speaks) yield* Debug.assert(Tile.all(turned.lt(100)), "small")
        })
      })
    })
  it("records stand between no barriers of their own, and what they read is waited for", async () => {
    const [silent, speaking] = [prepare(await traced(loop(false))), prepare(await traced(loop(true)))]
    const storage = () =>
      new Map(
        speaking.lowered.memories
          .filter((m) => m.space === "storage")
          .map((m) => [m.name, new Float64Array(m.length).map((_, k) => k / 100)])
      )
    expect(count(speaking.lowered.body)).toBe(count(silent.lowered.body))
    lockstep(speaking.lowered, storage())
    const { entries } = await outcome(loop(true), { x: Float32Array.from({ length: 100 }, (_, k) => k / 4) }, gpu)
    expect(entries).toHaveLength(6)
    expect(entries[5]!.annotations["values"]).toEqual([Array.from({ length: 100 }, (_, k) => (99 - k) / 2), 2])
  })
  it("a kernel that says nothing has no buffer of records", async () => {
    expect(await Effect.runPromise(Kernel.wgsl(loop(false)))).not.toContain("ek_records")
    expect(await Effect.runPromise(Kernel.wgsl(loop(true)))).toContain("ek_records")
  })
})
