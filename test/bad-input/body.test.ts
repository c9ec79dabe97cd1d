/** Mistakes in a body: each a typed error of the trace that names the kernel, what is wrong, where, and what to do. */
import { describe, it } from "vitest"
import { bool, Control, f32, i32, Kernel, MemRef, Scratch, Tile, u32 } from "../../src/index.ts"
import { refused, single } from "../support/kernels.ts"

const four = { x: MemRef.in(f32, [4]), n: MemRef.in(i32, [4]), m: MemRef.in(f32, [2, 2]), o: MemRef.out(f32, [4]) }
/** What a caller without types may write. */
const dynamic = (body: (refs: any) => Generator<any, any, any>): Kernel.Any => single(four, body as any)
type Case = readonly [
  what: string,
  body: (refs: any) => Generator<any, any, any>,
  says: ReadonlyArray<string>,
  at: string
]
const T: any = Tile
const M: any = MemRef

const mismatches: ReadonlyArray<Case> = [
  [
    "adding tiles of two dtypes",
    function* (r) {
      yield* M.store(r.o, (yield* M.load(r.x)).add(yield* M.load(r.n)))
    },
    ["add", "f32", "i32"],
    ".add(yield* M.load(r.n))"
  ],
  [
    "adding tiles whose shapes do not broadcast",
    function* (r) {
      yield* M.store(r.o, (yield* M.load(r.x)).add(T.ones(f32, [3])))
    },
    ["[4] and [3] do not broadcast", "expandDims"],
    ".add(T.ones(f32, [3]))"
  ],
  [
    "adding tiles of two ranks",
    function* (r) {
      yield* M.store(r.o, (yield* M.load(r.x)).add(yield* M.load(r.m)))
    },
    ["[4] and [2, 2] do not broadcast", "expandDims"],
    ".add(yield* M.load(r.m))"
  ],
  [
    "an operation that a dtype does not have",
    function* (r) {
      yield* M.store(r.o, (yield* M.load(r.n)).exp())
    },
    ["exp", "i32"],
    ".exp()"
  ],
  [
    "a shift of floats",
    function* (r) {
      yield* M.store(r.o, (yield* M.load(r.x)).shl(1))
    },
    ["shl", "f32"],
    ".shl(1)"
  ],
  [
    "a fraction beside integers",
    function* (r) {
      yield* M.store(r.o, (yield* M.load(r.n)).add(0.5))
    },
    ["0.5 is not a value of i32", "whole number"],
    ".add(0.5)"
  ],
  [
    "a negative number beside u32",
    function* (r) {
      yield* M.store(r.o, T.zeros(u32, [4]).sub(-1))
    },
    ["-1 is not a value of u32"],
    ".sub(-1)"
  ],
  [
    "a ref where a tile is needed",
    function* (r) {
      yield* M.store(r.o, (yield* M.load(r.x)).add(r.x))
    },
    ['ref "x" is not a tile', "load a ref before"],
    ".add(r.x)"
  ],
  [
    "an operation where a tile is needed",
    function* (r) {
      yield* M.store(r.o, T.exp(T.ones(f32, [4])).add(M.load(r.x)))
    },
    ["was not run", "`yield*`"],
    ".add(M.load(r.x))"
  ],
  [
    "a string where a tile is needed",
    function* (r) {
      yield* M.store(r.o, "1")
    },
    ["a string is not a tile"],
    'M.store(r.o, "1")'
  ],
  [
    "nothing where a tile is needed",
    function* (r) {
      yield* M.store(r.o, undefined)
    },
    ["undefined is not a tile"],
    "M.store(r.o, undefined)"
  ],
  [
    "two numbers where a tile is needed",
    function* (r) {
      yield* M.store(r.o, T.add(1, 2))
    },
    ["no operand is a tile", "Tile.of"],
    "T.add(1, 2)"
  ],
  [
    "a select between numbers",
    function* (r) {
      yield* M.store(r.o, T.select(T.full(bool, [4], true), 1, 2))
    },
    ["both choices are numbers", "Tile.of"],
    "T.select("
  ],
  [
    "a select on numbers",
    function* (r) {
      yield* M.store(r.o, T.select(yield* M.load(r.x), T.ones(f32, [4]), 2))
    },
    ["select", "f32"],
    "T.select("
  ],
  [
    "an axis that is not there",
    function* (r) {
      yield* M.store(r.o, T.sum(yield* M.load(r.x), { axis: 1 }))
    },
    ["no axis 1 in a tile of rank 1"],
    "T.sum("
  ],
  [
    "an axis that is named twice",
    function* (r) {
      yield* M.store(r.o, T.sum(yield* M.load(r.m), { axis: [0, -2] }))
    },
    ["named twice"],
    "T.sum("
  ],
  [
    "a reshape to another size",
    function* (r) {
      yield* M.store(r.o, T.reshape(yield* M.load(r.x), [5]))
    },
    ["reshape", "[4]", "[5]"],
    "T.reshape("
  ],
  [
    "a reshape to a negative dimension",
    function* (r) {
      yield* M.store(r.o, T.reshape(yield* M.load(r.x), [-2, -2]))
    },
    ["reshape", "[-2,-2]", "whole numbers of at least 0"],
    "T.reshape("
  ],
  [
    "a tile of a fractional dimension",
    function* (r) {
      yield* M.store(r.o, T.full(f32, [1.5], 1))
    },
    ["[1.5]"],
    "T.full(f32, [1.5], 1)"
  ],
  [
    "an iota of a negative dimension",
    function* (r) {
      yield* M.store(r.o, T.iota(f32, [-4]))
    },
    ["[-4]"],
    "T.iota(f32, [-4])"
  ],
  [
    "a transpose by no permutation",
    function* (r) {
      yield* M.store(r.o, T.transpose(yield* M.load(r.m), [0, 0]))
    },
    ["[0, 0]", "permutation"],
    "T.transpose("
  ],
  [
    "a squeeze of a dimension that is not 1",
    function* (r) {
      yield* M.store(r.o, T.squeeze(yield* M.load(r.m), 0))
    },
    ["squeeze", "2"],
    "T.squeeze("
  ],
  [
    "a concat of unequal shapes",
    function* (r) {
      yield* M.store(r.o, T.concat([yield* M.load(r.m), T.ones(f32, [2, 3])]))
    },
    ["concat", "[2, 2]", "[2, 3]"],
    "T.concat("
  ],
  [
    "a concat of nothing",
    function* (r) {
      yield* M.store(r.o, T.concat([]))
    },
    ["concat"],
    "T.concat([])"
  ],
  [
    "a slice beyond the tile",
    function* (r) {
      yield* M.store(r.o, T.slice(yield* M.load(r.x), { starts: [2], sizes: [3] }))
    },
    ["slice", "4"],
    "T.slice("
  ],
  [
    "a slice with stride 0",
    function* (r) {
      yield* M.store(r.o, T.slice(yield* M.load(r.x), { starts: [0], sizes: [3], strides: [0] }))
    },
    ["slice", "stride"],
    "T.slice("
  ],
  [
    "a take by floats",
    function* (r) {
      yield* M.store(r.o, T.take(yield* M.load(r.x), yield* M.load(r.x)))
    },
    ["take", "f32"],
    "T.take("
  ],
  [
    "a negative pad",
    function* (r) {
      yield* M.store(r.o, T.pad(yield* M.load(r.x), { low: [-1], high: [0] }))
    },
    ["pad", "padding is negative", "cut with slice"],
    "T.pad("
  ],
  [
    "a product whose inner dimensions differ",
    function* (r) {
      yield* M.store(r.o, T.dot(yield* M.load(r.m), T.ones(f32, [3, 2])))
    },
    ["dot", "2", "3"],
    "T.dot("
  ],
  [
    "a product of two dtypes",
    function* (r) {
      yield* M.store(r.o, T.dot(yield* M.load(r.m), T.ones(i32, [2, 2])))
    },
    ["dot", "f32", "i32"],
    "T.dot("
  ],
  [
    "a bit cast of a bool",
    function* (r) {
      yield* M.store(r.o, T.full(bool, [4], true).bitcast(u32))
    },
    ["bitcast", "bool"],
    ".bitcast(u32)"
  ],
  [
    "a store of another shape",
    function* (r) {
      yield* M.store(r.o, T.ones(f32, [3]))
    },
    ["[3]", "[4]"],
    "M.store(r.o, T.ones(f32, [3]))"
  ],
  [
    "a store of another dtype",
    function* (r) {
      yield* M.store(r.o, T.ones(i32, [4]))
    },
    ["store", "i32", "f32"],
    "M.store(r.o, T.ones(i32, [4]))"
  ],
  [
    "an accumulation of truth values",
    function* (r) {
      yield* M.accumulate(r.o, T.full(bool, [4], true))
    },
    ["accumulate", "bool"],
    "M.accumulate("
  ],
  [
    "a mask of another shape",
    function* (r) {
      yield* M.store(r.o, 1, { mask: T.full(bool, [3], true) })
    },
    ["store", "[3]", "[4]"],
    "M.store("
  ],
  [
    "a mask of numbers",
    function* (r) {
      yield* M.load(r.x, { mask: T.ones(f32, [4]) })
    },
    ["load", "f32", "bool"],
    "M.load("
  ],
  [
    "a load of a tile",
    function* () {
      yield* M.load(T.ones(f32, [4]))
    },
    ["a tile is not a ref", "scalars are tiles already"],
    "M.load("
  ],
  [
    "a load of nothing",
    function* () {
      yield* M.load(undefined)
    },
    ["the first argument is not a ref"],
    "M.load(undefined)"
  ],
  [
    "a loop bound of floats",
    function* () {
      yield* (Control as any).forEach(0, T.of(f32, 3), function* () {})
    },
    ["fori", "f32", "i32"],
    "forEach("
  ],
  [
    "a loop bound that is a fraction",
    function* () {
      yield* (Control as any).forEach(0, 1.5, function* () {})
    },
    ["1.5 is not a value of i32"],
    "forEach("
  ],
  [
    "a branch on a number",
    function* () {
      yield* (Control as any).when(T.of(f32, 1), function* () {})
    },
    ["f32[]", "bool scalar"],
    ".when("
  ],
  [
    "a branch on a tile of conditions",
    function* () {
      yield* (Control as any).when(T.full(bool, [4], true), function* () {})
    },
    ["bool[4]", "Tile.select"],
    ".when("
  ],
  [
    "branches that give two types",
    function* () {
      yield* (Control as any).cond(
        T.of(bool, true),
        function* () {
          return T.of(f32, 1)
        },
        function* () {
          return T.of(i32, 1)
        }
      )
    },
    ["f32[]", "i32[]", "same types"],
    ".cond("
  ],
  [
    "a carry that changes its dtype",
    function* () {
      yield* (Control as any).fori(0, 3, T.of(f32, 1), function* () {
        return T.of(i32, 1)
      })
    },
    ["the body gives i32[], the carry is f32[]", "keeps its dtype and shape"],
    ".fori("
  ],
  [
    "a carry that changes its shape",
    function* () {
      yield* (Control as any).fori(0, 3, T.ones(f32, [2]), function* () {
        return T.ones(f32, [3])
      })
    },
    ["the body gives f32[3], the carry is f32[2]"],
    ".fori("
  ],
  [
    "a carry that loses a field",
    function* () {
      yield* (Control as any).fori(0, 3, { a: T.of(f32, 1), b: T.of(i32, 1) }, function* (_: any, c: any) {
        return { a: c.a }
      })
    },
    ["the body gives { a: f32[] }, the carry is { a: f32[], b: i32[] }"],
    ".fori("
  ],
  [
    "a carry that is lost",
    function* () {
      yield* (Control as any).fori(0, 3, T.of(f32, 1), function* () {})
    },
    ["the body gives nothing, the carry is f32[]"],
    ".fori("
  ],
  [
    "a carry that is a number",
    function* () {
      yield* (Control as any).fori(0, 3, 1, function* () {
        return 1
      })
    },
    ["a number cannot be carried", "Tile.of"],
    ".fori("
  ],
  [
    "a carry of a while loop that changes",
    function* () {
      yield* (Control as any).whileLoop(
        T.of(f32, 1),
        function* () {
          return T.of(bool, false)
        },
        function* () {
          return T.of(i32, 1)
        }
      )
    },
    ["while", "the body gives i32[], the carry is f32[]"],
    ".whileLoop("
  ],
  [
    "a condition that is no truth value",
    function* () {
      yield* (Control as any).whileLoop(
        T.of(f32, 1),
        function* (x: any) {
          return x
        },
        function* (x: any) {
          return x
        }
      )
    },
    ["while", "the condition gives f32[]", "bool scalar"],
    ".whileLoop("
  ]
]
describe("TypeMismatch, with the place, for", () => {
  it.each(mismatches)("%s", (_, body, says, at) =>
    refused("TypeMismatch", dynamic(body), args(), { says: ['kernel "case"', ...says], at })
  )
})

const args = () => ({ x: new Float32Array(4), n: new Int32Array(4), m: new Float32Array(4) })
const indices: ReadonlyArray<Case> = [
  [
    "a static index past the end",
    function* (r) {
      yield* M.load(M.at(r.x, [4]))
    },
    ["static index 4 is out of range for an axis of size 4"],
    "M.at(r.x, [4])"
  ],
  [
    "a static index before the start",
    function* (r) {
      yield* M.load(M.at(r.x, [-5]))
    },
    ["static index -5 is out of range"],
    "M.at(r.x, [-5])"
  ],
  [
    "a static index that is a fraction",
    function* (r) {
      yield* M.load(M.at(r.x, [0.5]))
    },
    ["0.5 is not a whole number"],
    "M.at(r.x, [0.5])"
  ],
  [
    "a static slice past the end",
    function* (r) {
      yield* M.load(M.at(r.x, [M.slice(2, 3)]))
    },
    ["static slice 2..5 is out of range"],
    "M.at(r.x, [M.slice(2, 3)])"
  ],
  [
    "a slice of negative size",
    function* (r) {
      yield* M.load(M.at(r.x, [M.slice(2, -1)]))
    },
    ["size -1"],
    "M.slice(2, -1)"
  ],
  [
    "a slice with stride 0",
    function* (r) {
      yield* M.load(M.at(r.x, [M.slice(0, 2, 0)]))
    },
    ["stride 0", "at least 1"],
    "M.slice(0, 2, 0)"
  ],
  [
    "more indices than axes",
    function* (r) {
      yield* M.load(M.at(r.x, [0, 0]))
    },
    ["2 indices for 1 axes"],
    "M.at(r.x, [0, 0])"
  ],
  [
    "two ellipses",
    function* (r) {
      yield* M.load(M.at(r.m, ["...", "..."]))
    },
    ["two ellipses"],
    'M.at(r.m, ["...", "..."])'
  ],
  [
    "an index of floats",
    function* (r) {
      yield* M.load(M.at(r.x, [yield* M.load(r.x)]))
    },
    ["index of type f32", "convert it to i32"],
    "M.at(r.x, [yield* M.load(r.x)])"
  ],
  [
    "an index that is a string",
    function* (r) {
      yield* M.load(M.at(r.x, ["0"]))
    },
    ["an index is a number"],
    'M.at(r.x, ["0"])'
  ],
  [
    "index tiles of two shapes",
    function* (r) {
      yield* M.load(M.at(r.m, [T.iota(i32, [2]), T.iota(i32, [3])]))
    },
    ["[2] and [3]", "one shape"],
    "M.at(r.m, ["
  ],
  [
    "a view of another size",
    function* (r) {
      yield* M.load(M.reshape(r.x, [5]))
    },
    ["cannot view [4] as [5]", "sizes must be equal"],
    "M.reshape(r.x, [5])"
  ],
  [
    "a view by no permutation",
    function* (r) {
      yield* M.load(M.transpose(r.m, [0, 0]))
    },
    ["[0, 0] is not a permutation"],
    "M.transpose(r.m, [0, 0])"
  ],
  [
    "a view of another width",
    function* (r) {
      yield* M.load(M.bitcast(r.x, bool))
    },
    ["cannot view f32 as bool", "width"],
    "M.bitcast(r.x, bool)"
  ]
]
describe("InvalidIndex, with the ref and the place, for", () => {
  it.each(indices)("%s", (_, body, says, at) =>
    refused("InvalidIndex", dynamic(body), args(), {
      says: ['kernel "case"', at.includes("r.m") ? '"m"' : '"x"', ...says],
      at
    })
  )
})

describe("AccessViolation, with the ref and the place, for", () => {
  it.each<Case>([
    [
      "store",
      function* (r) {
        yield* M.store(r.x, 1)
      },
      [],
      "M.store(r.x, 1)"
    ],
    [
      "swap",
      function* (r) {
        yield* M.swap(r.x, 1)
      },
      [],
      "M.swap(r.x, 1)"
    ],
    [
      "accumulate",
      function* (r) {
        yield* M.accumulate(r.x, 1)
      },
      [],
      "M.accumulate(r.x, 1)"
    ],
    [
      "store through a view",
      function* (r) {
        yield* M.store(M.at(r.x, [0]), 1)
      },
      [],
      "M.store(M.at(r.x, [0]), 1)"
    ]
  ])("%s to an in ref", (_, body, __, at) =>
    refused("AccessViolation", dynamic(body), args(), { says: ['ref "x"', "only read", "declare it inout or out"], at })
  )
})

describe("ForeignValue, with the place, for", () => {
  const escaped = async () => {
    let kept: any
    await refused(
      "InvalidArgument",
      Kernel.make("donor", { grid: [1], refs: { a: MemRef.inout(f32, [4]) } }, function* ({ a }) {
        kept = { ref: a, tile: yield* MemRef.load(a) }
      }),
      {},
      { says: ['"a"'] }
    )
    return kept
  }
  it("a ref of another kernel", async () => {
    const { ref } = await escaped()
    const load = dynamic(function* () {
      yield* M.load(ref)
    })
    await refused("ForeignValue", load, args(), {
      says: ['ref "a"', 'belongs to kernel "donor"', "pass it"],
      at: "M.load(ref)"
    })
    const store = dynamic(function* () {
      yield* M.store(M.at(ref, [0]), 1)
    })
    await refused("ForeignValue", store, args(), {
      says: ['ref "a"', 'belongs to kernel "donor"'],
      at: "M.store(M.at(ref, [0]), 1)"
    })
  })
  it("a tile of another kernel, however it is combined", async () => {
    const { tile } = await escaped()
    const k = dynamic(function* (r) {
      yield* M.store(r.o, tile.add(1))
    })
    await refused("ForeignValue", k, args(), {
      says: ['a tile of kernel "donor"', "outside the kernel that made it"],
      at: "M.store(r.o, tile.add(1))"
    })
    const index = dynamic(function* (r) {
      yield* M.store(M.at(r.o, [T.sum(tile).convert(i32)]), 1)
    })
    await refused("ForeignValue", index, args(), { says: ['a tile of kernel "donor"'], at: "M.store(M.at(r.o" })
  })
  it("the refs and tiles of an earlier trace of the same kernel", async () => {
    let kept: any
    const k = () =>
      dynamic(function* (r) {
        kept ??= { ref: r.o, tile: yield* M.load(r.x) }
        yield* M.store(r.o, kept.tile)
      })
    await refused("InvalidArgument", k(), {}, { says: ['"x"'] })
    await refused("ForeignValue", k(), args(), { says: ['kernel "case"'], at: "M.store(r.o, kept.tile)" })
  })
  it("a tile of a loop, branch or scope that has ended", async () => {
    const loop = dynamic(function* (r) {
      let inside: any
      yield* Control.forEach(0, 3, function* (i) {
        inside = i
      })
      yield* M.store(r.o, inside.convert(f32))
    })
    const says = ["made inside a loop, branch or scope that has ended", "carry it out as a result"]
    await refused("ForeignValue", loop, args(), { says, at: "M.store(r.o, inside.convert(f32))" })
    const branch = dynamic(function* (r) {
      let inside: any
      yield* Control.when(T.sum(yield* M.load(r.x)).gt(0), function* () {
        inside = yield* M.load(r.x)
      })
      yield* M.store(r.o, inside)
    })
    await refused("ForeignValue", branch, args(), { says, at: "M.store(r.o, inside)" })
    const sibling = dynamic(function* (r) {
      let inside: any
      yield* Control.forEach(0, 3, function* () {
        inside = yield* M.load(r.x)
      })
      yield* Control.forEach(0, 3, function* () {
        yield* M.store(r.o, inside)
      })
    })
    await refused("ForeignValue", sibling, args(), { says, at: "M.store(r.o, inside)" })
  })
  it("scratch whose scope has ended", async () => {
    const k = dynamic(function* (r) {
      const kept: any = { ref: undefined }
      yield* Scratch.scoped(Scratch.workgroup(f32, [4]), function* (s) {
        kept.ref = s
      })
      yield* M.store(r.o, yield* M.load(kept.ref))
    })
    await refused("ForeignValue", k, args(), { says: ['ref "scratch"', "its scope has ended"], at: "M.load(kept.ref)" })
  })
})
