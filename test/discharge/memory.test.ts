/** What memory operations mean, through discharge and the plain evaluator. */
import { describe, expect, it } from "vitest"
import { affine, at, f, gather, i, point, range, ref, t } from "../support/ir.ts"
import { build, runArrays } from "../support/run.ts"
import { program } from "../support/ir.ts"

const four = { x: new Float32Array([1, 2, 3, 4]) }
const refs = [ref("x", "f32", [4], "in"), ref("o", "f32", [4], "out")]

describe("load", () => {
  it("gives the whole ref", async () => {
    expect(await build({ refs }, four, (b) => b.store("o", b.load("x")))).toEqual({ o: [1, 2, 3, 4] })
  })
  it("gives 0 outside the ref, before it and behind it", async () => {
    const shifted = (start: number) =>
      build({ refs }, four, (b) => b.store("o", b.load("x", at(range(affine(0, 1), 4)), [i(start)])))
    expect((await shifted(2)).o).toEqual([3, 4, 0, 0])
    expect((await shifted(-1)).o).toEqual([0, 1, 2, 3])
    expect((await shifted(4)).o).toEqual([0, 0, 0, 0])
    expect((await shifted(2147483647)).o).toEqual([0, 0, 0, 0])
    expect((await shifted(-2147483648)).o).toEqual([0, 0, 0, 0])
  })
  it("gives the other value where the mask is false, and 0 outside where it is true", async () => {
    const mask = new Uint8Array([1, 0, 1, 0])
    const o = await build({ refs: [...refs, ref("m", "bool", [4], "in")] }, { ...four, m: mask }, (b) =>
      b.store("o", b.load("x", at(range(affine(0, 1), 4)), [i(2)], [b.load("m"), f(-7)]))
    )
    expect(o).toEqual({ o: [3, -7, 0, -7] })
  })
  it("takes 0, -0 and NaN as other values like any", async () => {
    for (const other of [0, -0, NaN]) {
      const o = await build({ refs }, four, (b) => b.store("o", b.load("x", [], [], [t(false), f(other)])))
      expect(o.o).toEqual([other, other, other, other])
    }
  })
  it("gathers; indices outside give 0", async () => {
    const index = new Int32Array([0, 3, 9, -1])
    const o = await build({ refs: [...refs, ref("n", "i32", [4], "in")] }, { ...four, n: index }, (b) =>
      b.store("o", b.load("x", at(gather(0)), [b.load("n")]))
    )
    expect(o.o).toEqual([1, 4, 0, 0])
  })
})

describe("store", () => {
  it("drops what is outside the ref or masked off", async () => {
    const o = await build({ refs }, four, (b) => {
      b.store("o", b.load("x"), at(range(affine(0, 1), 4)), [i(2)])
      b.store("o", f(9), [], [], [b.one("lt", [b.load("x"), f(2)])])
    })
    expect(o.o).toEqual([9, 0, 1, 2])
  })
  it("stretches a scalar over the view, and not beyond it", async () => {
    const o = await build({ refs }, four, (b) => b.store("o", f(5), at(range(1, 2))))
    expect(o.o).toEqual([0, 5, 5, 0])
  })
  it("lets the last of duplicates win", async () => {
    const o = await build(
      { refs: [...refs, ref("n", "i32", [4], "in")] },
      { ...four, n: new Int32Array([1, 1, 0, 1]) },
      (b) => b.store("o", b.load("x"), at(gather(0)), [b.load("n")])
    )
    expect(o.o).toEqual([3, 4, 0, 0])
  })
  it("never changes the arguments", async () => {
    const x = new Float32Array([1, 2])
    const p = program({ refs: [ref("x", "f32", [2])] }, (b) => b.store("x", f(0), at(point(0))))
    expect([...(await runArrays(p, { x }))["x"]!]).toEqual([0, 2])
    expect([...x]).toEqual([1, 2])
  })
})

describe("swap", () => {
  it("gives what was there; 0 outside and where masked off", async () => {
    const x = new Float32Array([1, 2, 3, 4])
    const both = [ref("x", "f32", [4]), ref("o", "f32", [3], "out"), ref("m", "bool", [3], "in")]
    const o = await build({ refs: both }, { x, m: new Uint8Array([1, 0, 1]) }, (b) =>
      b.store("o", b.access("swap", "x", at(range(affine(0, 1), 3)), [f(9), b.load("m")], [i(2)]))
    )
    expect(o).toEqual({ x: [1, 2, 9, 4], o: [3, 0, 0] })
  })
})

describe("accumulate", () => {
  it("counts duplicates", async () => {
    const o = await build(
      { refs: [...refs, ref("n", "i32", [4], "in")] },
      { ...four, n: new Int32Array([1, 1, 7, 1]) },
      (b) => b.accumulate("o", b.load("x"), at(gather(0)), [b.load("n")])
    )
    expect(o.o).toEqual([0, 7, 0, 0])
  })
  it("leaves out what is masked off", async () => {
    const o = await build({ refs }, four, (b) =>
      b.accumulate("o", b.load("x"), [], [], [b.one("gt", [b.load("x"), f(2)])])
    )
    expect(o.o).toEqual([0, 0, 3, 4])
  })
  it("wraps integers around", async () => {
    const o = await build({ refs: [ref("x", "i32", [1])] }, { x: new Int32Array([2147483647]) }, (b) =>
      b.accumulate("x", i(1))
    )
    expect(o.x).toEqual([-2147483648])
  })
})

describe("views", () => {
  const m = [ref("x", "f32", [2, 3]), ref("o", "f32", [2, 2], "out")]
  const x = new Float32Array([0, 1, 2, 3, 4, 5])
  it("compose: a slice of a transpose of a reshape reads", async () => {
    const view = [
      { _tag: "Reshape", shape: [3, 2] },
      { _tag: "Transpose", perm: [1, 0] },
      { _tag: "Index", at: [range(0, 2), range(affine(0, 1), 2)] }
    ] as const
    expect((await build({ refs: m }, { x }, (b) => b.store("o", b.load("x", view, [i(1)])))).o).toEqual([2, 4, 3, 5])
    expect((await build({ refs: m }, { x }, (b) => b.store("o", b.load("x", view, [i(2)])))).o).toEqual([4, 0, 5, 0])
  })
  it("write where they read", async () => {
    const view = [
      { _tag: "Reshape", shape: [3, 2] },
      { _tag: "Transpose", perm: [1, 0] },
      { _tag: "Index", at: [point(1), range(0, 3)] }
    ] as const
    expect((await build({ refs: m }, { x }, (b) => b.store("x", f(9), view))).x).toEqual([0, 9, 2, 9, 4, 9])
  })
  it("see bits of another type, and write them", async () => {
    const r = [ref("x", "f32", [2]), ref("o", "i32", [2], "out")]
    const bits = [{ _tag: "Bitcast", dtype: "i32" }] as const
    const out = await build({ refs: r }, { x: new Float32Array([1, -0]) }, (b) => {
      b.store("o", b.load("x", bits))
      b.accumulate("x", i(1 << 23), [...bits, { _tag: "Index", at: [range(0, 1)] }])
    })
    expect(out.o).toEqual([0x3f800000, -2147483648])
    expect(out.x).toEqual([2, -0])
  })
  it("move the bits of every NaN unchanged", async () => {
    const bits = new Uint32Array([0x7f800001, 0xffc12345, 0x7fc00000, 0xff800001])
    const p = program({ refs }, (b) => b.store("o", b.load("x", at(range(affine(0, 1), 4)), [i(0)])))
    const out = await runArrays(p, { x: new Float32Array(bits.buffer) })
    expect(new Uint32Array((out["o"] as Float32Array).buffer)).toEqual(bits)
  })
})
