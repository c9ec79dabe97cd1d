/** Declarations that make no sense: `Kernel.make` never throws, and the first use says what is wrong and how to mend it. */
import { describe, it } from "vitest"
import { Block, Control, f32, i32, Kernel, MemRef, Scratch, Tile } from "../../src/index.ts"
import { refused, single } from "../support/kernels.ts"

const declared = (options: any): Kernel.Any =>
  Kernel.make("declared", { grid: [2], refs: { o: MemRef.out(f32, [4]) }, ...options }, function* ({ o }: any) {
    yield* MemRef.store(o, 1)
  } as any) as Kernel.Any
const x = (shape: any, block?: any) => ({ refs: { x: (MemRef.in as any)(f32, shape, block), o: MemRef.out(f32, [4]) } })

const whole = "whole numbers of at least 0"
const cases: ReadonlyArray<readonly [what: string, options: any, says: ReadonlyArray<string>]> = [
  ["a negative dimension", x([4, -1]), ['ref "x" has shape [4, -1]', whole]],
  ["a fractional dimension", x([2.5]), ['ref "x" has shape [2.5]', whole]],
  ["a dimension of NaN", x([NaN]), ['ref "x" has shape [NaN]', whole]],
  ["a shape that is a number", x(4), ['ref "x" has shape 4', whole]],
  ["more elements than can be counted", x([65536, 65536]), ['ref "x" has 4294967296 elements', "at most 2147483647"]],
  ["a grid axis of negative size", { grid: [2, -3] }, ["grid axis 1 has size -3", whole]],
  ["a grid axis of fractional size", { grid: [1.5] }, ["grid axis 0 has size 1.5", whole]],
  ["a sequential axis of size NaN", { grid: [Kernel.sequential(NaN)] }, ["grid axis 0 has size NaN", whole]],
  ["a grid axis that is missing", { grid: [undefined] }, ["grid axis 0 has size undefined", whole]],
  [
    "a block of too few axes",
    x([4, 4], { block: [2] }),
    ['ref "x": a block of 1 axes for an array of 2', "one entry per axis"]
  ],
  ["a block of negative size", x([4], { block: [-2] }), ['ref "x": block size -2 on axis 0', whole]],
  [
    "a window of fractional size",
    x([4], { block: [Block.element(1.5)] }),
    ['ref "x": block size 1.5 on axis 0', whole]
  ],
  [
    "an index map of too many ids",
    x([4], { block: [2], index: (i: any, _j: any) => [i] }),
    ['ref "x"', "takes 2 ids, the grid has 1 axes"]
  ],
  [
    "an index map of too few positions",
    x([4, 4], { block: [2, 2], index: (i: any) => [i] }),
    ['ref "x"', "1 positions for 2 axes"]
  ],
  [
    "an index map that gives nothing",
    x([4], { block: [2], index: () => undefined }),
    ['ref "x"', "gives undefined for 1 axes"]
  ],
  [
    "an index map that gives a fraction",
    x([4], { block: [2], index: () => [0.5] }),
    ['ref "x"', "gives 0.5 for axis 0", "whole numbers"]
  ],
  [
    "an index map that gives a float tile",
    x([4], { block: [2], index: (i: any) => [i.convert(f32)] }),
    ['ref "x"', "gives f32[] for axis 0", "i32 scalars"]
  ],
  [
    "an index map that gives a tile of several",
    x([4], { block: [2], index: () => [Tile.iota(i32, [2])] }),
    ['ref "x"', "gives i32[2] for axis 0", "i32 scalars"]
  ],
  [
    "an index map that gives a string",
    x([4], { block: [2], index: () => ["0"] }),
    ['ref "x"', "gives string for axis 0"]
  ],
  [
    "an index map that throws",
    x([4], {
      block: [2],
      index: () => {
        throw new Error("no map")
      }
    }),
    ['ref "x"', "its index map threw Error: no map"]
  ],
  [
    "scratch of a negative dimension",
    { scratch: { s: Scratch.workgroup(f32, [-1]) } },
    ['scratch "s" has shape [-1]', whole]
  ],
  [
    "scratch with the name of a ref",
    { scratch: { o: Scratch.register(f32, [1]) } },
    ['scratch and a ref are both named "o"', "its own name"]
  ]
]
describe("a kernel with", () => {
  it.each(cases)("%s is InvalidKernel", (_, options, says) => refused("InvalidKernel", declared(options), {}, { says }))

  it("an index map that captures a tile of another kernel, or a ref, is InvalidKernel", async () => {
    let captured: any
    const donor = single({ a: MemRef.in(i32, []), o: MemRef.out(i32, []) }, function* ({ a, o }) {
      captured = { tile: yield* MemRef.load(a), ref: a }
      yield* MemRef.store(o, 1)
    })
    await refused("InvalidArgument", donor, {}, { says: ['"a"'] })
    const capturing = (what: any) => declared(x([4], { block: [2], index: () => [what] }))
    const own = "make positions of numbers and of the ids that the map gets"
    await refused(
      "InvalidKernel",
      capturing(captured.tile),
      {},
      { says: ['ref "x"', 'captures a tile of kernel "case"', own] }
    )
    await refused(
      "InvalidKernel",
      capturing(captured.tile.add(1)),
      {},
      { says: ['ref "x"', "captures a tile of kernel", own] }
    )
    await refused("InvalidKernel", capturing(captured.ref), {}, { says: ['ref "x"', 'captures ref "a"', own] })
  })
  it("scoped scratch of a negative dimension is a TypeMismatch that says where", async () => {
    const k = single({ o: MemRef.out(f32, []) }, function* ({ o }) {
      yield* MemRef.store(o, 1)
      yield* Scratch.scoped(Scratch.workgroup(f32, [-3]), function* () {})
    })
    await refused("TypeMismatch", k, {}, { says: ['scratch "scratch" has shape [-3]', whole], at: "Scratch.scoped(" })
  })
  it.each([1, -1, 0.5])("programId(%d) in a grid of one axis is a TypeMismatch that says where", async (axis) => {
    const k = single({ o: MemRef.out(i32, []) }, function* ({ o }) {
      yield* MemRef.store(o, yield* Control.programId(axis))
    })
    await refused(
      "TypeMismatch",
      k,
      {},
      { says: [`programId(${axis}) in a grid of 1 axes`], at: "Control.programId(axis)" }
    )
  })
})

describe("what is no declaration, from callers without types, is an InvalidKernel and never thrown:", () => {
  const make = Kernel.make as any
  const refs = { o: MemRef.out(f32, [4]) }
  const body = function* () {}
  const forms: ReadonlyArray<readonly [what: string, kernel: () => any, says: string]> = [
    ["no options", () => make("case", undefined, body), "no grid"],
    ["no grid", () => make("case", { refs }, body), "no grid"],
    ["a grid that is no list", () => make("case", { grid: "4", refs }, body), "no grid"],
    ["an axis that is nothing", () => make("case", { grid: [null], refs }, body), "grid axis 0 has size null"],
    ["an axis of no semantics", () => make("case", { grid: [{ size: 2, semantics: "x" }], refs }, body), "axis 0 is x"],
    ["no refs", () => make("case", { grid: [1] }, body), "no ref"],
    ["a ref that is a number", () => make("case", { grid: [1], refs: { o: 3 } }, body), 'ref "o"'],
    [
      "a ref of no dtype",
      () => make("case", { grid: [1], refs: { o: (MemRef.out as any)("f32", [4]) } }, body),
      'ref "o"'
    ],
    ["scratch that is nothing", () => make("case", { grid: [1], refs, scratch: { s: null } }, body), 'scratch "s"'],
    ["no body", () => make("case", { grid: [1], refs }, undefined), "no body"],
    ["no name", () => make(undefined, { grid: [1], refs }, body), "no name"],
    ["no kernel at all", () => undefined, "no kernel"]
  ]
  it.each(forms)("%s", (_, kernel, says) => refused("InvalidKernel", kernel(), {}, { says: [says] }))
})
