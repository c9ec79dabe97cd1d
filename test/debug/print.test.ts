/** What is printed inside kernels, by every interpreter alike. */
import { describe, expect, it } from "vitest"
import {
  bf16,
  bool,
  Control,
  Debug,
  DType,
  f16,
  f32,
  i32,
  Kernel,
  MemRef,
  Scratch,
  Tile,
  u32,
  u4
} from "../../src/index.ts"
import { interpreters } from "../support/interpreters.ts"
import { pointedAt, single } from "../support/kernels.ts"
import { outcome, prints } from "./support.ts"

const shown = (n: number) => Array.from({ length: n }, (_, k) => k)

describe("a print", () => {
  it("shows a label and tiles, or a record of tiles with their names", () =>
    prints(
      single({ x: MemRef.in(i32, [2, 2]) }, function* ({ x }) {
        const v = yield* MemRef.load(x)
        yield* Debug.print("here")
        yield* Debug.print("x", v)
        yield* Debug.print("two", v, Tile.sum(v))
        yield* Debug.print("named", { sum: Tile.sum(v), v })
      }),
      { x: Int32Array.of(1, -2, 3, 4) },
      ["here", "x: [[1, -2], [3, 4]]", "two: [[1, -2], [3, 4]], 6", "named: sum = 6, v = [[1, -2], [3, 4]]"]
    ))

  it("tells the kernel, the position in the grid, where it was written, and the values as data", async () => {
    const k = Kernel.make(
      "told",
      { grid: [2, Kernel.sequential(2)], refs: { x: MemRef.in(f32, [2], { block: [null], index: (i) => [i] }) } },
      function* ({ x }) {
        const v = yield* MemRef.load(x)
        yield* Debug.print("label", { v, pair: Tile.full(bool, [1, 2], true) })
      }
    )
    for (const on of interpreters) {
      const { entries } = await outcome(k, { x: Float32Array.of(0.5, NaN) }, on)
      expect(entries.map((e) => e.annotations["program"])).toEqual([
        [0, 0],
        [0, 1],
        [1, 0],
        [1, 1]
      ])
      for (const { annotations, level } of entries) {
        expect(level).toBe("Info")
        expect(annotations).toMatchObject({ kernel: "told", interpreter: on.name, label: "label" })
        expect(pointedAt(annotations)).toContain('Debug.print("label"')
      }
      expect(entries[0]!.annotations["values"]).toEqual({ v: 0.5, pair: [[true, true]] })
      expect(entries[2]!.annotations["values"]).toEqual({ v: NaN, pair: [[true, true]] })
    }
  })

  it("shows floats as the shortest decimal of their dtype, and what is no number", () =>
    prints(
      single({ x: MemRef.in(f32, [6]), h: MemRef.in(f16, [6]) }, function* ({ h, x }) {
        yield* Debug.print("f32", yield* MemRef.load(x))
        yield* Debug.print("f16", yield* MemRef.load(h))
      }),
      {
        x: Float32Array.of(0.1, -0, NaN, Infinity, -Infinity, 1 / 3),
        h: DType.Float16Array.from([0.1, -0, NaN, Infinity, -Infinity, 65504])
      },
      ["f32: [0.1, -0, NaN, Infinity, -Infinity, 0.33333334]", "f16: [0.1, -0, NaN, Infinity, -Infinity, 65504]"]
    ))

  it("shows integers and truth values of every size", () =>
    prints(
      single({ n: MemRef.in(i32, [2]), u: MemRef.in(u32, [2]), b: MemRef.in(bool, [2]) }, function* ({ b, n, u }) {
        yield* Debug.print("i32", yield* MemRef.load(n))
        yield* Debug.print("u32", yield* MemRef.load(u))
        yield* Debug.print("bool", yield* MemRef.load(b))
        yield* Debug.print("literals", Tile.of(u32, 4294967295), Tile.of(bool, true), Tile.of(f32, -0))
      }),
      { n: Int32Array.of(-2147483648, 2147483647), u: Uint32Array.of(0, 4294967295), b: Uint8Array.of(1, 0) },
      [
        "i32: [-2147483648, 2147483647]",
        "u32: [0, 4294967295]",
        "bool: [true, false]",
        "literals: 4294967295, true, -0"
      ]
    ))

  it("shows what is loaded from storage dtypes in the dtype that it is widened to", () =>
    prints(
      single({ x: MemRef.in(bf16, [2]), n: MemRef.in(u4, [4]) }, function* ({ n, x }) {
        yield* Debug.print("x", yield* MemRef.load(x), Tile.max(yield* MemRef.load(n)))
      }),
      { x: Uint16Array.of(0x3f80, 0xc000), n: Uint8Array.of(0x21, 0x0f) },
      ["x: [1, -2], 15"]
    ))

  it("shows tiles without elements, and of one", () =>
    prints(
      single({ x: MemRef.in(f32, [0]), y: MemRef.in(f32, [1, 1]) }, function* ({ x, y }) {
        yield* Debug.print("none", yield* MemRef.load(x), Tile.zeros(i32, [3, 0]))
        yield* Debug.print("one", yield* MemRef.load(y))
        yield* Debug.print("both", Tile.zeros(i32, [0]), Tile.ones(i32, [2]), yield* MemRef.load(y))
      }),
      { x: new Float32Array(0), y: Float32Array.of(7) },
      ["none: [], []", "one: [[7]]", "both: [], [1, 1], [[7]]"]
    ))

  it("shows 64 elements of a tile that is larger than a workgroup, says how many there are, and has all as data", async () => {
    const k = single({ x: MemRef.in(i32, [5, 40]), o: MemRef.out(i32, [200]) }, function* ({ o, x }) {
      const v = yield* MemRef.load(x)
      // Kept elsewhere than where it stands, and in registers.
      yield* Debug.print("turned", Tile.transpose(v))
      const twice = v.add(v)
      yield* MemRef.store(o, Tile.reshape(twice, [200]))
      yield* Debug.print("twice", { twice, first: Tile.max(v, { axis: 1 }) })
    })
    const x = Int32Array.from(shown(200))
    for (const on of interpreters) {
      const { entries } = await outcome(k, { x }, on)
      const [turned, twice] = entries
      expect(turned!.message).toMatch(
        /^turned: \[\[0, 40, 80, 120, 160\], .*, \[12, 52, 92, 132, …\], …\] \(64 of 200 elements\)$/
      )
      expect(turned!.annotations["values"]).toEqual([shown(40).map((k) => shown(5).map((r) => 40 * r + k))])
      expect(twice!.annotations["values"]).toEqual({
        twice: shown(5).map((r) => shown(40).map((k) => 2 * (40 * r + k))),
        first: [39, 79, 119, 159, 199]
      })
    }
  })

  it("happens in a kernel without outputs, without refs, and not at all in an empty grid", async () => {
    const speaker = (grid: ReadonlyArray<number>) =>
      Kernel.make("speaker", { grid, refs: {} }, function* () {
        yield* Debug.print("i", yield* Control.programId(0))
      })
    await prints(speaker([3]), {}, ["i: 0", "i: 1", "i: 2"])
    await prints(speaker([0]), {}, [])
  })

  it("leaves results and arguments as they are", async () => {
    const k = single({ x: MemRef.in(f32, [3]), o: MemRef.out(f32, [3]) }, function* ({ o, x }) {
      const v = (yield* MemRef.load(x)).mul(2)
      yield* Debug.print("v", v)
      yield* MemRef.store(o, v.add(1))
      yield* Debug.print("v", v)
    })
    for (const on of interpreters) {
      const { entries, result } = await outcome(k, { x: Float32Array.of(1, 2, 3) }, on)
      expect(Array.from(result!["o"]!)).toEqual([3, 5, 7])
      expect(entries.map((e) => e.message)).toEqual(["v: [2, 4, 6]", "v: [2, 4, 6]"])
    }
  })
})

describe("prints come in order", () => {
  it("of program instances, and within one in its own", () =>
    prints(
      Kernel.make("ordered", { grid: [2, 3], refs: {} }, function* () {
        const [i, j] = [yield* Control.programId(0), yield* Control.programId(1)]
        yield* Debug.print("a", i, j)
        yield* Debug.print("b", { at: Tile.concat([Tile.full(i32, [1], i), Tile.full(i32, [1], j)], 0) })
      }),
      {},
      [0, 1].flatMap((i) => [0, 1, 2].flatMap((j) => [`a: ${i}, ${j}`, `b: at = [${i}, ${j}]`]))
    ))

  it("of sequential cells, on whatever axis they stand", async () => {
    const k = Kernel.make(
      "cells",
      { grid: [Kernel.sequential(2), 2, Kernel.sequential(3)], refs: {}, scratch: { s: Scratch.workgroup(i32, []) } },
      function* ({ s }) {
        yield* MemRef.accumulate(s, 1)
        yield* Debug.print("turn", yield* MemRef.load(s))
      }
    )
    for (const on of interpreters) {
      const { entries } = await outcome(k, {}, on)
      expect(entries.map((e) => e.message)).toEqual([0, 1].flatMap(() => shown(6).map((n) => `turn: ${n + 1}`)))
      const at = [0, 1].flatMap((j) => [0, 1].flatMap((i) => [0, 1, 2].map((k) => [i, j, k])))
      expect(entries.map((e) => e.annotations["program"])).toEqual(at)
    }
  })

  it("of loops, branches, conditions, scopes, and kernels that are called", () => {
    const inner = Kernel.make(
      "inner",
      { grid: [2], refs: { o: MemRef.out(i32, [2], { block: [null], index: (i) => [i] }) } },
      function* ({ o }) {
        const i = yield* Control.programId(0)
        yield* MemRef.store(o, i)
        yield* Debug.print("inner", i)
      }
    )
    return prints(
      single({ o: MemRef.out(i32, [2]) }, function* ({ o }) {
        yield* Control.forEach(0, 3, function* (i) {
          yield* Control.cond(
            i.eq(1),
            () => Debug.print("one"),
            () => Debug.print("other", i)
          )
        })
        yield* Control.whileLoop(
          Tile.of(i32, 0),
          function* (n) {
            yield* Debug.print("again?", n)
            return n.lt(2)
          },
          function* (n) {
            yield* Debug.print("body", n)
            return n.add(1)
          }
        )
        yield* Scratch.scoped(Scratch.workgroup(i32, [2]), function* (s) {
          yield* Control.forEach(0, 2, function* (i) {
            yield* MemRef.accumulate(s, i.add(1))
            yield* Debug.print("scratch", yield* MemRef.load(s))
          })
        })
        yield* Kernel.call(inner, { o })
        yield* Debug.print("o", yield* MemRef.load(o))
      }),
      {},
      [
        "other: 0",
        "one",
        "other: 2",
        "again?: 0",
        "body: 0",
        "again?: 1",
        "body: 1",
        "again?: 2",
        "scratch: [1, 1]",
        "scratch: [3, 3]",
        "inner: 0",
        "inner: 1",
        "o: [0, 1]"
      ]
    )
  })

  it("of a condition that changes memory", () =>
    prints(
      single({ o: MemRef.out(i32, []) }, function* ({ o }) {
        yield* Control.whileLoop(
          Tile.of(i32, 0),
          function* () {
            yield* MemRef.accumulate(o, 1)
            const n = yield* MemRef.load(o)
            yield* Debug.print("asked", n)
            return n.lt(3)
          },
          function* (k) {
            yield* Debug.print("turn", k)
            return k.add(1)
          }
        )
      }),
      {},
      ["asked: 1", "turn: 0", "asked: 2", "turn: 1", "asked: 3"]
    ))
})
