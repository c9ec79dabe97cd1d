/** Loops and branches that do not fit: a TypeMismatch with what is wrong, where, and what to do. */
import { describe, it } from "vitest"
import { bool, Control as Typed, f32, i32 } from "../../src/index.ts"
import { args, type Case, dynamic, T } from "../support/dynamic.ts"
import { refused } from "../support/kernels.ts"

const Control: any = Typed
const mismatches: ReadonlyArray<Case> = [
  [
    "a loop bound of floats",
    function* () {
      yield* Control.forEach(0, T.of(f32, 3), function* () {})
    },
    ["fori", "f32", "i32"],
    "forEach("
  ],
  [
    "a loop bound that is a fraction",
    function* () {
      yield* Control.forEach(0, 1.5, function* () {})
    },
    ["1.5 is not a value of i32"],
    "forEach("
  ],
  [
    "a branch on a number",
    function* () {
      yield* Control.when(T.of(f32, 1), function* () {})
    },
    ["f32[]", "bool scalar"],
    ".when("
  ],
  [
    "a branch on a tile of conditions",
    function* () {
      yield* Control.when(T.full(bool, [4], true), function* () {})
    },
    ["bool[4]", "Tile.select"],
    ".when("
  ],
  [
    "branches that give two types",
    function* () {
      yield* Control.cond(
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
      yield* Control.fori(0, 3, T.of(f32, 1), function* () {
        return T.of(i32, 1)
      })
    },
    ["the body gives i32[], the carry is f32[]", "keeps its dtype and shape"],
    ".fori("
  ],
  [
    "a carry that changes its shape",
    function* () {
      yield* Control.fori(0, 3, T.ones(f32, [2]), function* () {
        return T.ones(f32, [3])
      })
    },
    ["the body gives f32[3], the carry is f32[2]"],
    ".fori("
  ],
  [
    "a carry that loses a field",
    function* () {
      yield* Control.fori(0, 3, { a: T.of(f32, 1), b: T.of(i32, 1) }, function* (_: any, c: any) {
        return { a: c.a }
      })
    },
    ["the body gives { a: f32[] }, the carry is { a: f32[], b: i32[] }"],
    ".fori("
  ],
  [
    "a carry that is lost",
    function* () {
      yield* Control.fori(0, 3, T.of(f32, 1), function* () {})
    },
    ["the body gives nothing, the carry is f32[]"],
    ".fori("
  ],
  [
    "a carry that is a number",
    function* () {
      yield* Control.fori(0, 3, 1, function* () {
        return 1
      })
    },
    ["a number cannot be carried", "Tile.of"],
    ".fori("
  ],
  [
    "a carry of a while loop that changes",
    function* () {
      yield* Control.whileLoop(
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
      yield* Control.whileLoop(
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
