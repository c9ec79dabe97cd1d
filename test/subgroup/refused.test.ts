/** Operations of subgroups that are used wrongly. */
import { describe, expect, it } from "vitest"
import { bool, f32, i32, type Kernel, MemRef, Subgroup, Tile } from "../../src/index.ts"
import { TypingError } from "../../src/ir/typing.ts"
import { primitive } from "../../src/primitives/index.ts"
import { kernelError, refused, single } from "../support/kernels.ts"

const S: any = Subgroup
const refs = { f: MemRef.in(f32, [4]), n: MemRef.in(i32, [4]), b: MemRef.in(bool, [4]), o: MemRef.out(f32, [4]) }
const kernel = (body: (refs: any) => Generator<any, any, any>): Kernel.Any => single(refs, body as any)
type Mistake = readonly [string, (tiles: any) => any, ReadonlyArray<string>]
const mistakes: ReadonlyArray<Mistake> = [
  ["the bits of floats", ({ f }) => S.and(f), ["f32 has no and over a subgroup", "i32 or u32"]],
  ["a sum of truth values", ({ b }) => S.sum(b), ["bool has no sum over a subgroup"]],
  ["a running product of truth values", ({ b }) => S.inclusiveProd(b), ["bool has no running prod"]],
  ["a test of numbers", ({ n }) => S.all(n), ["i32 has no all over a subgroup", "use bool"]],
  ["a ballot of numbers", ({ f }) => S.ballot(f), ["f32 has no ballot"]],
  ["lanes that are floats", ({ f }) => S.shuffle(f, f), ["lanes are f32", "i32"]],
  ["a lane that is not whole", ({ f }) => S.broadcast(f, 1.5), ["1.5 is not a value of i32"]],
  ["a broadcast from a tile of lanes", ({ f, n }) => S.broadcast(f, n), ["is a tile", "shuffle"]],
  ["lanes of another shape", ({ f }) => S.shuffleXor(f, Tile.ones(i32, [3])), ["[3]", "[4]"]],
  ["a number instead of a tile", () => S.max(3), ["3 is not a tile", "Tile.of"]],
  ["nothing instead of a tile", () => S.shuffleUp(undefined, 1), ["undefined is not a tile"]],
  ["an operation that was not run", ({ f }) => S.sum(S.sum(f)), ["was not run", "yield*"]],
  ["a shape that is none", () => S.lane([-1]), ["shape"]]
]

describe("a kernel is refused, at the line of the mistake, that has", () => {
  it.each(mistakes)("%s", async (_, mistake, says) => {
    const body = kernel(function* ({ b, f, n }) {
      const tiles = { f: yield* MemRef.load(f), n: yield* MemRef.load(n), b: yield* MemRef.load(b) }
      yield* mistake(tiles)
    })
    await refused("TypeMismatch", body, {}, { says, at: "S." })
  })
  it("an operation without yield*", async () => {
    const error = await kernelError(
      "Unyielded",
      kernel(function* ({ f }) {
        const v = yield* MemRef.load(f)
        S.sum(v)
      })
    )
    expect(error.primitive).toBe("subgroupReduce")
  })
})

describe("an equation has no type", () => {
  const scope = { ref: () => undefined as never, rank: 1, inline: () => undefined as never }
  const type = (name: string, params: object, count: number) => () =>
    primitive(name)!.typing(
      {
        params: params as any,
        operands: Array.from(
          { length: count },
          () => ({ _tag: "Literal", dtype: "i32", shape: [], value: 1 }) as const
        ),
        indices: [],
        refs: [],
        regions: []
      },
      scope
    )
  it("with an operation or a way to move that nobody knows", () => {
    for (const op of [undefined, "toString", "mean"]) {
      expect(type("subgroupReduce", { op }, 1)).toThrow(TypingError)
      expect(type("subgroupScan", { op, exclusive: true }, 1)).toThrow(TypingError)
      expect(type("subgroupShuffle", { mode: op }, 2)).toThrow(TypingError)
    }
    expect(type("subgroupReduce", { op: "xor" }, 1)()).toEqual([{ dtype: "i32", shape: [] }])
  })
  it("with too few operands, too many, or no word on whether a scan is exclusive", () => {
    expect(type("subgroupReduce", { op: "sum" }, 0)).toThrow(TypingError)
    expect(type("subgroupShuffle", { mode: "up" }, 1)).toThrow(TypingError)
    expect(type("subgroupSize", {}, 1)).toThrow(TypingError)
    expect(type("subgroupScan", { op: "sum" }, 1)).toThrow(TypingError)
  })
})
