/** What storage dtypes are not for, and host arrays that do not fit: told when the kernel is traced, with a hint. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Atomic, bf16, DType, f16, f32, i32, i8, Inline, Kernel, MemRef, Tile, u4, u8 } from "../../src/index.ts"
import { interpreters } from "../support/interpreters.ts"
import { kernelError, refused, results, single } from "../support/kernels.ts"
import { dtypes, narrow } from "./support.ts"

const [M, T, A]: [any, any, any] = [MemRef, Tile, Atomic]
const refs = { b: MemRef.inout(bf16, [4]), c: MemRef.inout(i8, [4]), n: MemRef.inout(u4, [4]), o: MemRef.out(f32, [4]) }
const args = { b: new Uint16Array(4), c: new Int8Array(4), n: new Uint8Array(2) }
const body = (f: (refs: any) => Generator<any, void, any>): Kernel.Any => single(refs, f as any)

const storage = narrow.filter((name) => name !== "f16")
describe("a tile cannot have a storage dtype", () => {
  it.each(storage)("%s", async (name) => {
    const dtype: any = dtypes[name]
    const makers: ReadonlyArray<() => unknown> = [
      () => T.of(dtype, 1),
      () => T.full(dtype, [4], 1),
      () => T.zeros(dtype, [4]),
      () => T.iota(dtype, [4]),
      () => T.of(f32, 1).convert(dtype),
      () => T.of(i32, 1).bitcast(dtype)
    ]
    for (const make of makers) {
      const k = body(function* ({ o }) {
        make()
        yield* M.store(o, 1)
      })
      const error = await kernelError("TypeMismatch", k, args)
      expect(error.shown).toContain(name)
      expect(error.hint).toMatch(/^(use|it must be) [fiu](16|32)/)
    }
  })
  it("as operand or result of an inline", async () => {
    const twice = Inline.elementwise("twice", { args: { x: bf16 as any }, result: f32, wgsl: "return x + x;" })
    const k = body(function* ({ b, o }) {
      yield* M.store(o, yield* (twice as any)(yield* M.load(b)))
    })
    await refused("TypeMismatch", k, args, {
      says: ['"x" is declared as a tile of bf16, which only refs have', "use f32"]
    })
  })
  it("as scalar parameter", async () => {
    const k = single({ s: M.scalar(i8), o: MemRef.out(f32, []) }, function* ({ o }: any) {
      yield* M.store(o, 1)
    } as any)
    await refused(
      "InvalidKernel",
      k as any,
      { s: 1 },
      { says: ['scalar "s" is i8, which only arrays are', "declare it as i32"] }
    )
  })
})

describe("an operation refuses, and says what to convert to,", () => {
  const at = "yield* M.store("
  it("a store of another dtype than the widened one", () =>
    refused(
      "TypeMismatch",
      body(function* ({ b }) {
        yield* M.store(b, T.zeros(i32, [4]))
      }),
      args,
      { says: ["the value is i32, the view bf16", "convert it to f32: bf16 is how memory keeps it"], at }
    ))
  it("another value of another dtype than the widened one", () =>
    refused(
      "TypeMismatch",
      body(function* ({ c }) {
        yield* M.load(c, { mask: T.of(f32, 1).gt(0), other: T.of(f32, 1) })
      }),
      args,
      { says: ["the other value is f32, the view i8", "convert it to i32"] }
    ))
  it.each([
    ["add", (r: any) => A.add(r.c, 1), "i8 has no atomic add"],
    ["max", (r: any) => A.max(r.b, 1), "bf16 has no atomic max"],
    ["exchange", (r: any) => A.exchange(r.n, 1), "u4 has no atomic exchange"],
    ["compareExchange", (r: any) => A.compareExchange(r.c, 0, 1), "i8 has no atomic compare-and-exchange"]
  ] as const)("an atomic %s", (_, op, says) =>
    refused(
      "TypeMismatch",
      body(function* (r) {
        yield* op(r)
      }),
      args,
      { says: [says, "elements that share a word have no atomics"] }
    )
  )
  it.each([
    ["bf16 as f16", (r: any) => M.bitcast(r.b, f16)],
    ["bf16 as f32", (r: any) => M.bitcast(r.b, f32)],
    ["i8 as u4", (r: any) => M.bitcast(r.c, u4)],
    ["u4 as u8", (r: any) => M.bitcast(r.n, u8)]
  ] as const)("a view of %s", (pair, view) =>
    refused(
      "InvalidIndex",
      body(function* (r) {
        yield* M.load(view(r))
      }),
      args,
      { says: [`cannot view ${pair}`] }
    )
  )
})

describe("a host array that does not fit is refused", () => {
  const copy = (name: DType.Name, n: number): Kernel.Any =>
    single({ x: M.in(DType.of(name), [n]), o: M.out(DType.of(name), [n]) }, function* ({ o, x }: any) {
      yield* M.store(o, yield* M.load(x))
    } as any) as any
  it.each([
    ["bf16", 4, new Float32Array(4), "Uint16Array of 4"],
    ["bf16", 4, new Uint16Array(5), "Uint16Array of 4"],
    ["f16", 4, new Uint16Array(4), "Float16Array of 4"],
    ["i8", 3, new Uint8Array(3), "Int8Array of 3"],
    ["i8", 3, new Int8Array(4), "Int8Array of 3"],
    ["u8", 3, new Int8Array(3), "Uint8Array of 3"],
    ["u8", 3, [1, 2, 3], "Uint8Array of 3"],
    ["i4", 5, new Int8Array(3), "Uint8Array of 3"],
    ["i4", 5, new Uint8Array(5), "Uint8Array of 3"],
    ["u4", 4, new Uint8Array(3), "Uint8Array of 2"]
  ] as const)("%s[%d] from %o", async (name, n, x, expected) => {
    for (const on of interpreters) {
      const error = await kernelError("InvalidArgument", copy(name, n), { x: x as any }, on)
      expect(error.expected).toBe(expected)
    }
  })
  it("and what stands in the half byte that is no element does not matter, nor comes back", async () => {
    const touched: any = single({ x: M.inout(u4, [3]), y: M.inout(u4, [3]) }, function* ({ x }: any) {
      yield* M.store(M.at(x, [0]), 5)
    } as any)
    for (const on of interpreters) {
      const { x, y } = await results(touched, { x: Uint8Array.of(0x21, 0xf3), y: Uint8Array.of(0x21, 0xf3) }, on)
      expect([Array.from(x!), Array.from(y!)], on.name).toEqual([
        [0x25, 0x03],
        [0x21, 0x03]
      ])
    }
  })
  it("and arguments are left as they are", async () => {
    const k: any = single({ x: M.inout(i8, [3]) }, function* ({ x }: any) {
      yield* M.accumulate(x, 1)
    } as any)
    const x = Int8Array.of(1, 2, 127)
    for (const on of interpreters) {
      const after = await results(k, { x }, on)
      expect(Array.from(after["x"]!), on.name).toEqual([2, 3, -128])
      expect(Array.from(x)).toEqual([1, 2, 127])
    }
  })
})

describe("a program from text is refused", () => {
  it("where a pure primitive is over what only memory has", async () => {
    const valid: any = single({ x: M.inout(bf16, [4]) }, function* ({ x }: any) {
      yield* M.store(x, 1)
    } as any)
    const json: any = await Effect.runPromise(Kernel.toJson(valid) as any)
    const full = json.body.eqns[0]
    const bad = structuredClone(json)
    bad.body.eqns = [
      {
        ...full,
        primitive: "full",
        refs: [],
        effects: [],
        operands: [{ ...full.operands[0], dtype: "bf16" }],
        params: { shape: [4] },
        results: [{ _tag: "Var", id: 90, dtype: "bf16", shape: [4] }]
      },
      {
        ...full,
        primitive: "reshape",
        refs: [],
        effects: [],
        operands: [{ _tag: "Var", id: 90, dtype: "bf16", shape: [4] }],
        params: { shape: [2, 2] },
        results: [{ _tag: "Var", id: 91, dtype: "bf16", shape: [2, 2] }]
      }
    ]
    const exit = await Effect.runPromiseExit(Kernel.fromJson(bad))
    expect(String((exit as any).cause)).toContain("operand 0 is bf16, which only memory has")
  })
})
