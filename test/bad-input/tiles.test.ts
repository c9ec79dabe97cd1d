/** Operations on tiles that do not fit: a TypeMismatch with the operation, what is wrong, where, and what to do. */
import { describe, it } from "vitest"
import { bool, f32, i32, u32 } from "../../src/index.ts"
import { args, type Case, dynamic, M, T } from "../support/dynamic.ts"
import { refused } from "../support/kernels.ts"

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
  ]
]
describe("TypeMismatch, with the place, for", () => {
  it.each(mismatches)("%s", (_, body, says, at) =>
    refused("TypeMismatch", dynamic(body), args(), { says: ['kernel "case"', ...says], at })
  )
})
