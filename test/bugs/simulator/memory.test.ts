/**
 * Bugs that others reported, which the Simulator finds: what is not written, written twice, or not there (67, 128, 130, 131).
 *
 * All of it is 0, or lost, everywhere, so that results are often right by luck.
 */
import { describe, it } from "vitest"
import { Atomic, bf16, bool, Control, f32, i32, i8, Kernel, Scratch, u32, u8 } from "../../../src/index.ts"
import { type Expected, found, kernel, silent } from "../../support/simulated.ts"
import { M, T } from "../../support/dynamic.ts"

const range = (n: number, from = 0) => Int32Array.from({ length: n }, (_, i) => from + i)
const uninitialised = (at: ReadonlyArray<string>, rest: Partial<Expected> = {}): Expected => ({
  tag: "Uninitialised",
  at,
  ...rest,
  like: { origin: "output", reaches: "result", ...rest.like }
})
const unwritten = (element: ReadonlyArray<number>, rest: Partial<Expected> = {}) =>
  uninitialised([], { element, ...rest })
const outOfBounds = (access: "read" | "write", at: ReadonlyArray<string>, rest: Partial<Expected> = {}): Expected => ({
  tag: "OutOfBounds",
  at,
  ...rest,
  like: { access, ...rest.like }
})

describe("a result that is not all written", () => {
  // 67: the condition has one element, and the size of what is stored is taken from something smaller.
  it.each([
    [8, 4, i32],
    [8, 7, f32],
    [3, 1, u8],
    [9, 8, bool],
    [5, 2, bf16]
  ])("67: of %i elements, of which %i are stored", async (n, size, dtype: any) => {
    const of = (size: number) =>
      kernel({ c: M.in(bool, [1]), a: M.in(i32, [n]), o: M.out(dtype, [n]) }, function* ({ a, c, o }) {
        const there = M.slice(0, size)
        const chosen = T.select(yield* M.load(c), yield* M.load(M.at(a, [there])), 1)
        yield* M.store(M.at(o, [there]), wide(dtype, chosen))
      })
    const args = { c: Uint8Array.of(1), a: range(n) }
    await found(of(size), args, unwritten([size]))
    await silent(of(n), args)
  })
  const wide = (dtype: any, tile: any) =>
    dtype === bool ? tile.ne(0) : tile.convert(dtype === u8 ? u32 : dtype === i32 ? i32 : f32)

  const views: ReadonlyArray<readonly [string, (o: any) => any, ReadonlyArray<number>]> = [
    ["every other element", (o) => M.at(o, ["...", M.slice(0, 2, 2)]), [0, 1]],
    ["the first row", (o) => M.at(o, [0]), [1, 0]],
    ["a column", (o) => M.at(M.transpose(o), [3]), [0, 0]],
    ["half of what a reshaped view shows", (o) => M.at(M.reshape(o, [8]), [M.slice(0, 4)]), [1, 0]],
    ["gathered rows", (o) => M.at(o, [T.full(i32, [1], 1)]), [0, 0]],
    ["all but the last element", (o) => M.at(M.reshape(o, [8]), [M.slice(0, 7)]), [1, 3]]
  ]
  it.each(views)("67: of which %s is stored", async (_, view, element) => {
    const of = (isWhole: boolean) =>
      kernel({ o: M.out(i32, [2, 4]) }, function* ({ o }) {
        if (isWhole) yield* M.store(o, 0)
        yield* M.store(view(o), 7)
      })
    await found(of(false), {}, unwritten(element))
    await silent(of(true), {})
  })
  it("67: by a mask, by a branch, by a loop that ends too early, by too small a grid", async () => {
    const masked = (n: number) =>
      kernel({ o: M.out(i32, [8]) }, function* ({ o }) {
        yield* M.store(o, 1, { mask: T.iota(i32, [8]).lt(n) } as any)
      })
    await found(masked(4), {}, unwritten([4]))
    await silent(masked(8), {})
    const branched = (c: any) =>
      kernel({ o: M.out(i32, []) }, function* ({ o }) {
        yield* Control.when((yield* Control.programId(0)).eq(c), () => M.store(o, 1))
      })
    await found(branched(1), {}, unwritten([]))
    await silent(branched(0), {})
    const looped = (to: number) =>
      kernel({ o: M.out(i32, [4, 2]) }, function* ({ o }) {
        yield* Control.forEach(0, to, (i) => M.store(M.at(o, [i]), i))
      })
    await found(looped(3), {}, unwritten([3, 0]))
    await silent(looped(4), {})
    const gridded = (programs: number) =>
      kernel(
        { o: M.out(i32, [10], { block: [4], index: (i: any) => [i] }) },
        function* ({ o }) {
          yield* M.store(o, 3 as any)
        },
        { grid: [programs] }
      )
    await found(gridded(2), {}, unwritten([8]))
    await silent(gridded(3), {})
  })
  it("67: of two results, each by itself", async () => {
    const both = kernel({ o: M.out(i32, [2]), p: M.out(f32, [2]) }, function* ({ o, p }) {
      yield* M.store(M.at(o, [0]), 1)
      yield* M.store(M.at(p, [1]), 1)
    })
    await found(both, {}, [unwritten([1]), unwritten([0], { ref: "p" })])
  })
})

describe("a sum that begins with what nobody has written", () => {
  // 128: out[i % 2] += x[i].
  type Step = (cell: any, x: any) => Generator<any, void, any>
  const accumulated: Step = function* (cell, x) {
    yield* M.accumulate(cell, x) // 128: accumulated
  }
  const loaded: Step = function* (cell, x) {
    const before: any = yield* M.load(cell) // 128: loaded
    yield* M.store(cell, before.add(x)) // 128: stored
  }
  const stepped: Step = function* (cell, x) {
    yield* (Atomic as any).add(cell, x) // 128: stepped
  }
  const swapped: Step = function* (cell, x) {
    const before: any = yield* M.swap(cell, 0) // 128: swapped
    yield* M.store(cell, before.add(x)) // 128: put back
  }
  const steps: ReadonlyArray<readonly [string, Step, string, string]> = [
    ["accumulated", accumulated, "128: accumulated", "128: accumulated"],
    ["loaded and stored", loaded, "128: loaded", "128: stored"],
    ["added in atomic steps", stepped, "128: stepped", "128: stepped"],
    ["swapped and stored", swapped, "128: swapped", "128: put back"]
  ]
  const summing = (step: Step, { dtype = i32 as any, access = "out" as "out" | "inout", isSet = false }, n = 6) =>
    kernel({ x: M.in(dtype, [n]), o: M[access](dtype, [2]) }, function* ({ o, x }) {
      if (isSet) yield* M.store(o, 0)
      yield* Control.forEach(0, n, function* (i) {
        yield* step(M.at(o, [i.rem(2)]), yield* M.load(M.at(x, [i])))
      })
    })
  it.each(steps)("128: %s", async (_, step, first, second) => {
    const args = { x: range(6, 1) }
    await found(summing(step, {}), args, uninitialised([first, second], { element: [0] }))
    await silent(summing(step, { isSet: true }), args)
    await silent(summing(step, { access: "inout" }), { ...args, o: Int32Array.of(0, 0) })
  })
  it.each([
    [f32, Float32Array, 2],
    [i8, Int8Array, 9],
    [u32, Uint32Array, 3]
  ] as const)("128: of numbers of every kind", async (dtype, Host, n) => {
    const args = { x: Host.from(range(n, 1)) }
    await found(summing(loaded, { dtype }, n), args, uninitialised(["128: loaded", "128: stored"], { element: [0] }))
    await silent(summing(loaded, { dtype, isSet: true }, n), args)
  })
  it("128: by program instances that all add to one element", async () => {
    const of = (access: "out" | "inout") =>
      kernel(
        { x: M.in(i32, [6], { block: [1], index: (i: any) => [i] }), o: M[access](i32, [2]) },
        function* ({ o, x }) {
          const cell = (yield* Control.programId(0)).rem(2)
          yield* M.accumulate(M.at(o, [cell]), T.sum(yield* M.load(x))) // 128: by instances
        },
        { grid: [6] }
      )
    await found(of("out"), { x: range(6) }, uninitialised(["128: by instances", "128: by instances"]))
    await silent(of("inout"), { x: range(6), o: Int32Array.of(0, 0) })
  })
  it.each([
    ["workgroup", "kernel"],
    ["register", "kernel"],
    ["workgroup", "scope"],
    ["register", "scope"]
  ] as const)("128: in %s scratch of a %s", async (space, where) => {
    const spec = Scratch[space](f32, [2])
    const like = { origin: "scratch" }
    const of = (isSet: boolean): Kernel.Any => {
      const sum = function* (s: any, x: any, o: any): Generator<any, void, any> {
        if (isSet) yield* M.store(s, 0)
        yield* Control.forEach(0, 6, function* (i) {
          yield* M.accumulate(M.at(s, [i.rem(2)]), yield* M.load(M.at(x, [i]))) // 128: kept
        })
        yield* M.store(o, yield* M.load(s)) // 128: given
      }
      return kernel(
        { x: M.in(f32, [6]), o: M.out(f32, [2]) },
        function* ({ o, s, x }) {
          if (where === "kernel") yield* sum(s, x, o)
          else yield* Scratch.scoped(spec, (own) => sum(own, x, o))
        },
        where === "kernel" ? { scratch: { s: spec } } : {}
      )
    }
    const args = { x: Float32Array.from(range(6, 1)) }
    const ref = where === "kernel" ? "s" : "scratch"
    await found(of(false), args, uninitialised(["128: kept", "128: given"], { ref, element: [0], like }))
    await silent(of(true), args)
  })
  it("128: along a sequential axis, and in scratch that each turn of a loop has anew", async () => {
    const carried = (isSet: boolean) =>
      kernel(
        { x: M.in(i32, [4], { block: [1], index: (i: any) => [i] }), o: M.inout(i32, [1]) },
        function* ({ o, s, x }) {
          const step = yield* Control.programId(0)
          if (isSet) yield* Control.when(step.eq(0), () => M.store(s, 0))
          yield* M.store(s, (yield* M.load(s)).add(yield* M.load(x))) // 128: carried
          yield* Control.when(step.eq(3), function* () {
            yield* M.store(o, yield* M.load(s)) // 128: at the end
          })
        },
        { grid: [Kernel.sequential(4)], scratch: { s: Scratch.workgroup(i32, [1]) } }
      )
    const args = { x: range(4), o: Int32Array.of(0) }
    const like = { origin: "scratch" }
    await found(carried(false), args, uninitialised(["128: carried", "128: at the end"], { ref: "s", like }))
    await silent(carried(true), args)
  })
})

describe("an index that is not in range", () => {
  // 130: a gather from four, a histogram of four bins.
  const gather = (n: number, isMasked: boolean, view: (x: any) => any = (x) => x) =>
    kernel({ x: M.in(i32, [4]), i: M.in(i32, [n]), o: M.out(i32, [n]) }, function* ({ i, o, x }) {
      const at: any = yield* M.load(i)
      const options: any = isMasked ? { mask: at.ge(0).and(at.lt(4)), other: -1 } : {}
      const v: any = yield* M.load(M.at(view(x), [at]), options) // 130: gathered
      yield* M.store(o, v) // 130: given
    })
  it.each([[[0, 3, 9, -1]], [[4]], [[-1, 0]], [[0, 1, 2, 3, 2147483647]], [[-2147483648]]])(
    "130: gather %j",
    async (at) => {
      const args = { x: range(4, 10), i: Int32Array.from(at) }
      const expected = outOfBounds("read", ["130: gathered", "130: given"], { ref: "x" })
      await found(gather(at.length, false), args, expected)
      await found(
        gather(at.length, false, (x) => M.reshape(M.reshape(x, [2, 2]), [4])),
        args,
        expected
      )
      await silent(gather(at.length, true), args)
    }
  )
  it("130: not where all indices are in range, nor where what was read is not used", async () => {
    const args = { x: range(4, 10), i: Int32Array.of(3, 0, 0, 2) }
    await silent(gather(4, false), args)
    const chosen = kernel({ x: M.in(i32, [4]), o: M.out(i32, [6]) }, function* ({ o, x }) {
      const at = T.iota(i32, [6])
      yield* M.store(o, T.select(at.lt(4), yield* M.load(M.at(x, [at])), 0))
    })
    await silent(chosen, { x: range(4) })
  })
  const bins: ReadonlyArray<readonly [string, (o: any, at: any, mask: any) => Generator<any, void, any>, string]> = [
    [
      "accumulated",
      function* (o, at, mask) {
        yield* M.accumulate(M.at(o, [at]), 1, mask) // 130: counted
      },
      "130: counted"
    ],
    [
      "in atomic steps",
      function* (o, at, mask) {
        yield* (Atomic as any).add(M.at(o, [at]), 1, mask) // 130: stepped
      },
      "130: stepped"
    ],
    [
      "one after the other",
      function* (o, at, mask) {
        yield* Control.forEach(0, 3, function* (k) {
          const cell = M.at(o, [T.reshape(T.take(at, k), [])])
          const isThere = mask === undefined ? {} : { mask: T.reshape(T.take(mask.mask, k), []) }
          const before: any = yield* M.load(cell, isThere) // 130: loaded
          yield* M.store(cell, before.add(1), isThere) // 130: stored
        })
      },
      "130: stored"
    ]
  ]
  it.each(bins)("130: histogram, %s", async (_, count, mark) => {
    const of = (isMasked: boolean) =>
      kernel({ x: M.in(i32, [3]), o: M.inout(i32, [4]) }, function* ({ o, x }) {
        const at: any = yield* M.load(x)
        yield* count(o, at, isMasked ? { mask: at.ge(0).and(at.lt(4)) } : undefined)
      })
    const args = { x: Int32Array.of(0, 1, 7), o: new Int32Array(4) }
    await found(of(false), args, outOfBounds("write", [mark]))
    await silent(of(true), args)
  })
  const slices: ReadonlyArray<readonly [string, (r: any, by: any) => any]> = [
    ["a slice", (r, by) => M.at(r, [M.slice(by, 3)])],
    ["a strided slice", (r, by) => M.at(r, [M.slice(by.sub(1), 3, 2)])],
    ["a slice of a reshaped view", (r, by) => M.at(M.reshape(r, [3, 2]), [M.slice(by.div(3), 3), 1])],
    ["a column of a transposed view", (r, by) => M.at(M.transpose(M.reshape(r, [2, 3])), [by.sub(1)])],
    ["an element of scratch", (r, by) => M.at(r, [by.mul(2).sub(2)])]
  ]
  it.each(slices)("130: %s that begins too late, read and written", async (_, view) => {
    const of = (by: number) =>
      kernel(
        { n: M.scalar(i32), x: M.in(i32, [6]), o: M.inout(i32, [6]), p: M.inout(i32, [12]) },
        function* ({ n, o, p, s, x }) {
          yield* M.store(s, yield* M.load(x))
          const v: any = yield* M.load(view(s, n.add(by))) // 130: read
          yield* M.store(M.at(p, [M.slice(0, Math.max(1, v.shape.length === 0 ? 1 : v.shape[0]))]), v) // 130: kept
          yield* M.store(view(o, n.add(by)), 5) // 130: written
        },
        { scratch: { s: Scratch.workgroup(i32, [6]) } }
      )
    const args = { n: 1, x: range(6), o: new Int32Array(6), p: new Int32Array(12) }
    await found(of(3), args, [
      outOfBounds("read", ["130: read", "130: kept"], { ref: "s" }),
      outOfBounds("write", ["130: written"])
    ])
    await silent(of(0), args)
  })
  it("130: once for a statement, however often it is run", async () => {
    const looped = (to: number) =>
      kernel(
        { o: M.inout(i32, [4]) },
        function* ({ o }) {
          const p = yield* Control.programId(0)
          yield* Control.forEach(0, to, function* (i) {
            yield* M.store(M.at(o, [i.mul(2).add(p)]), i) // 130: looped
          })
        },
        { grid: [2] }
      )
    const args = { o: new Int32Array(4) }
    await found(looped(5), args, outOfBounds("write", ["130: looped"]))
    await silent(looped(2), args)
  })
})

describe("a store whose indices repeat", () => {
  it.each([
    ["a scatter", (o: any, at: any) => M.at(o, [at])],
    ["a scatter of rows", (o: any, at: any) => M.at(M.reshape(o, [4, 1]), [at, 0])]
  ])("130: %s", async (_, view) => {
    const of = kernel({ i: M.in(i32, [3]), o: M.inout(i32, [4]) }, function* ({ i, o }) {
      const at: any = yield* M.load(i)
      yield* M.store(view(o, at), T.iota(i32, [3])) // 130: scattered
    })
    const o = new Int32Array(4)
    const twice = { i: Int32Array.of(2, 1, 2), o }
    await found(of, twice, { tag: "DuplicateStore", at: ["130: scattered"], element: [2] })
    await silent(of, { i: Int32Array.of(2, 1, 3), o })
  })
  it("130: masked off where it repeats, or added up, it is fine", async () => {
    const refs = { i: M.in(i32, [3]), o: M.inout(i32, [4]) }
    const masked = kernel(refs, function* ({ i, o }) {
      const at: any = yield* M.load(i)
      yield* M.store(M.at(o, [at]), 7, { mask: T.iota(i32, [3]).gt(0) } as any)
    })
    const added = kernel(refs, function* ({ i, o }) {
      yield* M.accumulate(M.at(o, [yield* M.load(i)]), T.iota(i32, [3]))
    })
    for (const of of [masked, added]) await silent(of, { i: Int32Array.of(2, 1, 2), o: new Int32Array(4) })
  })
})

describe("a block whose offset is left out of the store", () => {
  // 131: four items, blocks of two.
  const blocks = (n: number, block: number, isOff: boolean, dtype: any = i32) =>
    kernel(
      { x: M.in(dtype, [n], { block: [block], index: (i: any) => [i] }), o: M.out(dtype, [n]) },
      function* ({ o, x }) {
        const first: any = isOff ? 0 : (yield* Control.programId(0)).mul(block)
        const lane = T.iota(i32, [block]).add(first)
        yield* M.store(M.at(o, [lane]), yield* M.load(x)) // 131: stored
      },
      { grid: [n / block] }
    )
  it.each([
    [4, 2, i32, Int32Array],
    [6, 2, f32, Float32Array],
    [8, 4, i8, Int8Array],
    [3, 1, u8, Uint8Array]
  ] as const)("131: of %i items in blocks of %i", async (n, block, dtype, Host) => {
    const args = { x: Host.from(range(n, 1)) }
    await found(blocks(n, block, true, dtype), args, [
      { tag: "Race", at: ["131: stored", "131: stored"], like: { among: "programs" } },
      unwritten([block])
    ])
    await silent(blocks(n, block, false, dtype), args)
  })
  it("131: in a loop of one program instance, where the last turn wins", async () => {
    const looped = (by: number) =>
      kernel({ x: M.in(i32, [6]), o: M.out(i32, [3, 2]) }, function* ({ o, x }) {
        yield* Control.forEach(0, 3, function* (i) {
          const block = yield* M.load(M.at(x, [M.slice(i.mul(2), 2)]))
          yield* M.store(M.at(o, [i.mul(by)]), block)
        })
      })
    await found(looped(0), { x: range(6) }, unwritten([1, 0]))
    await silent(looped(1), { x: range(6) })
  })
  it("131: along a sequential axis", async () => {
    const stepped = (by: number) =>
      kernel(
        { x: M.in(i32, [4], { block: [2], index: (i: any) => [i] }), o: M.out(i32, [4]) },
        function* ({ o, x }) {
          const first = (yield* Control.programId(0)).mul(by)
          yield* M.store(M.at(o, [M.slice(first, 2)]), yield* M.load(x))
        },
        { grid: [Kernel.sequential(2)] }
      )
    await found(stepped(0), { x: range(4) }, unwritten([2]))
    await silent(stepped(2), { x: range(4) })
  })
})
