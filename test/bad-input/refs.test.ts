/** Refs that are used wrongly: values and masks that do not fit, indices out of range, stores to what is only read. */
import { describe, it } from "vitest"
import { bool, f32, i32 } from "../../src/index.ts"
import { args, type Case, dynamic, M, T } from "../support/dynamic.ts"
import { refused } from "../support/kernels.ts"

const mismatches: ReadonlyArray<Case> = [
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
  ]
]
describe("TypeMismatch, with the place, for", () => {
  it.each(mismatches)("%s", (_, body, says, at) =>
    refused("TypeMismatch", dynamic(body), args(), { says: ['kernel "case"', ...says], at })
  )
})

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
