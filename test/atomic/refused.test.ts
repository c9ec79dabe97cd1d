/** Atomics that are used wrongly. */
import { describe, expect, it } from "vitest"
import { Atomic, bool, f16, f32, i32, type Kernel, MemRef, Tile, u32 } from "../../src/index.ts"
import { TypingError } from "../../src/ir/typing.ts"
import { primitive } from "../../src/primitives/index.ts"
import { kernelError, pointedAt, refused, single } from "../support/kernels.ts"

const A: any = Atomic
const refs = {
  f: MemRef.inout(f32, [4]),
  h: MemRef.inout(f16, [4]),
  b: MemRef.inout(bool, [4]),
  n: MemRef.inout(i32, [4]),
  u: MemRef.inout(u32, [4]),
  x: MemRef.in(i32, [4])
}
const kernel = (body: (refs: any) => Generator<any, any, any>): Kernel.Any => single(refs, body as any)

const mismatches: ReadonlyArray<readonly [string, (refs: any) => Generator<any, any, any>, ReadonlyArray<string>]> = [
  [
    "bits of floats",
    function* ({ f }) {
      yield* A.and(f, 1)
    },
    ["f32 has no atomic and", "i32 or u32"]
  ],
  [
    "a compare-and-exchange of floats",
    function* ({ f }) {
      yield* A.compareExchange(f, 0, 1)
    },
    ["f32 has no atomic compare-and-exchange"]
  ],
  [
    "a sum of halves",
    function* ({ h }) {
      yield* A.add(h, 1)
    },
    ["f16 has no atomic add", "i32 or u32 or f32"]
  ],
  [
    "an exchange of truth values",
    function* ({ b }) {
      yield* A.exchange(b, true)
    },
    ["bool has no atomic exchange"]
  ],
  [
    "a value of another dtype",
    function* ({ n }) {
      yield* A.add(n, Tile.ones(f32, [4]))
    },
    ["f32", "i32"]
  ],
  [
    "a value of another shape",
    function* ({ n }) {
      yield* A.max(n, Tile.ones(i32, [3]))
    },
    ["[3]", "[4]"]
  ],
  [
    "a compared value of another dtype",
    function* ({ u }) {
      yield* A.compareExchange(u, Tile.of(i32, 1), 2)
    },
    ["i32", "u32"]
  ],
  [
    "a number out of range",
    function* ({ u }) {
      yield* A.add(u, -1)
    },
    ["-1 is not a value of u32"]
  ],
  [
    "a mask of numbers",
    function* ({ n }) {
      yield* A.or(n, 1, { mask: Tile.ones(i32, [4]) })
    },
    ["mask is i32"]
  ],
  [
    "a tile instead of a ref",
    function* () {
      yield* A.add(Tile.ones(i32, [4]), 1)
    },
    ["a tile is not a ref"]
  ],
  [
    "no value",
    function* ({ n }) {
      yield* A.compareExchange(n, 1)
    },
    ["undefined is not a tile"]
  ]
]

describe("a kernel is refused, at the line of the mistake, that has", () => {
  it.each(mismatches)("%s", async (_, body, says) => {
    await refused("TypeMismatch", kernel(body), {}, { says, at: "yield* A." })
  })
  it("an atomic on what is only read", async () => {
    const error = await kernelError(
      "AccessViolation",
      kernel(function* ({ x }) {
        yield* A.add(x, 1)
      })
    )
    expect(error.shown).toContain("only read")
    expect(pointedAt(error)).toBe("yield* A.add(x, 1)")
  })
  it("an atomic without yield*, which would change nothing", async () => {
    const error = await kernelError(
      "Unyielded",
      kernel(function* ({ n }) {
        Atomic.add(n, 1)
      })
    )
    expect(error.primitive).toBe("atomic")
  })
  it("an index that is out of range for certain", async () => {
    await refused(
      "InvalidIndex",
      kernel(function* ({ n }) {
        yield* A.add(MemRef.at(n, [4]), 1)
      }),
      {},
      { says: ["4"] }
    )
  })
})

describe("an equation has no type", () => {
  const scope = { ref: () => ({ dtype: "i32", shape: [4] }) as const, rank: 1, inline: () => undefined as never }
  const type = (name: string, params: object, count: number) => () =>
    primitive(name)!.typing(
      {
        params: params as any,
        operands: Array.from(
          { length: count },
          () => ({ _tag: "Literal", dtype: "i32", shape: [], value: 1 }) as const
        ),
        indices: [],
        refs: [{ name: "x", view: [] }],
        regions: []
      },
      scope
    )
  it("that names no operation, or one that nobody knows", () => {
    expect(type("atomic", {}, 1)).toThrow(TypingError)
    expect(type("atomic", { op: "toString" }, 1)).toThrow("there is no atomic toString")
    expect(type("atomic", { op: "add" }, 1)()).toEqual([{ dtype: "i32", shape: [4] }])
  })
  it("that has too few operands", () => {
    expect(type("atomic", { op: "add" }, 0)).toThrow("takes a value")
    expect(type("compareExchange", {}, 1)).toThrow("takes what is compared")
    expect(type("compareExchange", {}, 2)()).toEqual([{ dtype: "i32", shape: [4] }])
  })
})
