/** What the types know about layouts, tiles and unions. */
import { describe, expectTypeOf, it } from "vitest"
import { bool, Control, f16, f32, i32, Kernel, MemRef, Scratch, u32 } from "../../src/index.ts"

declare const m: MemRef.MemRef<"m", "f32", [8, 12], "in">
declare const batch: MemRef.MemRef<"b", "i32", [3, 8, 12], "inout">
declare const anyRank: MemRef.MemRef<"x", "f32", ReadonlyArray<number>, "out">

describe("the type of tiles", () => {
  it("keeps leading axes and the sizes of tiles", () => {
    const views = () => ({
      two: MemRef.tile(m, [4, 6]),
      last: MemRef.tile(batch, [4]),
      batch: MemRef.tile(batch, [4, 6]),
      any: MemRef.tile(anyRank, [4])
    })
    expectTypeOf(views).returns.toEqualTypeOf<{
      two: MemRef.MemRef<"m", "f32", [number, number, 4, 6], "in">
      last: MemRef.MemRef<"b", "i32", [3, 8, number, 4], "inout">
      batch: MemRef.MemRef<"b", "i32", [3, number, number, 4, 6], "inout">
      any: MemRef.MemRef<"x", "f32", ReadonlyArray<number>, "out">
    }>()
    const back = () => ({
      two: MemRef.untile(MemRef.tile(m, [4, 6])),
      last: MemRef.untile(MemRef.tile(batch, [4]), 1),
      any: MemRef.untile(anyRank)
    })
    expectTypeOf(back).returns.toEqualTypeOf<{
      two: MemRef.MemRef<"m", "f32", [number, number], "in">
      last: MemRef.MemRef<"b", "i32", [3, 8, number], "inout">
      any: MemRef.MemRef<"x", "f32", ReadonlyArray<number>, "out">
    }>()
  })
  it("refuses more sizes than there are axes", () => {
    const mistakes = () => [
      // @ts-expect-error two axes, three sizes
      MemRef.tile(m, [2, 2, 2])
    ]
    expectTypeOf(mistakes).returns.toBeArray()
  })
})

type Ref<D extends "f32" | "i32" | "u32", S extends ReadonlyArray<number>> = MemRef.MemRef<any, D, S, "inout">
describe("the type of a union", () => {
  const spec = () =>
    Scratch.union({
      a: Scratch.workgroup(f32, [2, 3]),
      parts: { b: Scratch.register(i32, []), rest: { c: Scratch.workgroup(u32, [4]) } },
      either: Scratch.union({ d: Scratch.workgroup(i32, [6]) })
    })
  it("gives each alternative its dtype and shape, on the kernel and in a scope", () => {
    type Refs = Scratch.RefsOf<ReturnType<typeof spec>>
    expectTypeOf<Refs["a"]>().toEqualTypeOf<Scratch.Ref<"f32", [2, 3]>>()
    expectTypeOf<Refs["parts"]["b"]>().toEqualTypeOf<Scratch.Ref<"i32", []>>()
    expectTypeOf<Refs["parts"]["rest"]["c"]>().toEqualTypeOf<Scratch.Ref<"u32", [4]>>()
    expectTypeOf<Refs["either"]["d"]>().toEqualTypeOf<Scratch.Ref<"i32", [6]>>()
    expectTypeOf<Refs["a"]>().toExtend<Ref<"f32", [2, 3]>>()
    Kernel.make(
      "case",
      { grid: [1], refs: {}, scratch: { s: spec(), t: Scratch.workgroup(bool, [2]) } },
      function* ({ s, t }) {
        expectTypeOf(s).toEqualTypeOf<Refs>()
        expectTypeOf(t).toEqualTypeOf<Scratch.Ref<"bool", [2]>>()
        yield* Scratch.scoped(spec(), function* (inner) {
          expectTypeOf(inner).toEqualTypeOf<Refs>()
          yield* MemRef.store(inner.parts.rest.c, 1)
        })
        const sum = yield* Scratch.scoped(Scratch.workgroup(f16, [2]), function* (one) {
          expectTypeOf(one).toEqualTypeOf<Scratch.Ref<"f16", [2]>>()
          return yield* MemRef.load(one)
        })
        expectTypeOf(sum.dtype).toEqualTypeOf<"f16">()
        yield* Control.forEach(0, 1, function* () {})
      }
    )
  })
  it("refuses dtypes that are no words, and layouts that are none", () => {
    const mistakes = () => [
      // @ts-expect-error f16 is no word
      Scratch.union({ a: Scratch.workgroup(f16, [2]) }),
      // @ts-expect-error nor is bool
      Scratch.union({ a: { b: Scratch.workgroup(bool, [2]) } }),
      // @ts-expect-error no such swizzle
      Scratch.workgroup(f32, [64], { swizzle: 16 }),
      // @ts-expect-error registers have no layout
      Scratch.register(f32, [64], { swizzle: 32 })
    ]
    expectTypeOf(mistakes).returns.toBeArray()
  })
})
