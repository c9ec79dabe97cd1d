/**
 * Bugs that others reported, which the Simulator finds: races of threads and of program instances (64, 73, 76, 77, 82, 83,
 * 85, 88).
 *
 * Each is found whichever of the two accesses the run does first. Kernels with threads run on the Simulator alone, which
 * checks their results against numbers; the others give Discharge's.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import {
  Atomic,
  Barrier,
  bool,
  Control,
  Discharge,
  f32,
  i32,
  i8,
  Kernel,
  Scratch,
  u32,
  u8
} from "../../../src/index.ts"
import { check, type Expected, found, kernel, silent } from "../../support/simulated.ts"
import { M, T } from "../../support/dynamic.ts"

const range = (n: number, from = 0) => Int32Array.from({ length: n }, (_, i) => from + i)
const race = (among: "threads" | "programs", at: ReadonlyArray<string>, rest: Partial<Expected> = {}): Expected => ({
  tag: "Race",
  at,
  ...rest,
  like: { among, ...rest.like }
})

describe("truth values that are packed by hand", () => {
  // 64: each of five takes its bit of a and b, and sets its bit of the word.
  const args = { a: Uint8Array.of(1, 0, 1, 1, 0), b: Uint8Array.of(1, 1, 0, 1, 0), o: Uint32Array.of(0) }
  const refs = { a: M.in(bool, [5]), b: M.in(bool, [5]), o: M.inout(u32, [1]) }
  const both = function* ({ a, b }: any, i: any): Generator<any, any, any> {
    const holds = (yield* M.load(M.at(a, [i]))).and(yield* M.load(M.at(b, [i])))
    return T.select(holds, T.of(u32, 1).shl(i.convert(u32)), T.of(u32, 0))
  }
  const apart = (step: (o: any, bit: any) => Generator<any, void, any>, threads: boolean) =>
    kernel(
      refs,
      function* (r) {
        const i = yield* threads ? Control.threadId() : Control.programId(0)
        yield* step(r.o, yield* both(r, i))
      },
      threads ? { threads: 5 } : { grid: [5] }
    )
  const word = function* (o: any, bit: any): Generator<any, void, any> {
    const before = yield* M.load(o) // 64: loaded
    yield* M.store(o, before.or(bit)) // 64: stored
  }
  const swapped = function* (o: any, bit: any): Generator<any, void, any> {
    yield* M.swap(o, bit) // 64: swapped
  }
  const step = function* (o: any, bit: any): Generator<any, void, any> {
    yield* (Atomic as any).or(o, bit)
  }
  it.each([true, false])("64: of which each sets a bit of one word, by threads: %s", async (threads) => {
    const among = threads ? "threads" : "programs"
    await found(apart(swapped, threads), args, race(among, ["64: swapped", "64: swapped"], { element: [0] }))
    await found(apart(word, threads), args, race(among, ["64: loaded", "64: stored"], { element: [0] }))
    await silent(apart(step, threads), args, threads ? { results: { o: [9] } } : {})
  })
  it.each([bool, i8, u8])("64: not, where neighbours in a word are elements of their own (%s)", async (dtype: any) => {
    const stored = kernel(
      { ...refs, o: M.inout(dtype, [5]) },
      function* (r) {
        const i = yield* Control.programId(0)
        const bit = (yield* both(r, i)).ne(0)
        yield* M.store(M.at(r.o, [i]), dtype === bool ? bit : bit.convert(dtype === i8 ? i32 : u32))
      },
      { grid: [5] }
    )
    await silent(stored, { ...args, o: dtype === i8 ? new Int8Array(5) : new Uint8Array(5) })
  })
})

describe("a tree sum by threads", () => {
  // 73: of the barriers (before the tree, one after each level) one is left out.
  const tree = (n: number, without: number, by: (s: any, k: any) => any = (s, k) => M.at(s, [k])) => {
    const halves = Array.from({ length: Math.log2(n) }, (_, k) => n >> (k + 1))
    return kernel(
      { x: M.in(i32, [n]), o: M.out(i32, []) },
      function* ({ o, s, x }) {
        const t = yield* Control.threadId()
        yield* M.store(by(s, t), yield* M.load(M.at(x, [t]))) // 73: filled
        if (without !== 0) yield* Barrier.sync()
        for (const [level, half] of halves.entries()) {
          yield* Control.when(t.lt(half), function* () {
            const upper = yield* M.load(by(s, t.add(half))) // 73: upper
            const lower = yield* M.load(by(s, t))
            yield* M.store(by(s, t), lower.add(upper)) // 73: lower
          })
          if (without !== level + 1) yield* Barrier.sync()
        }
        yield* Control.when(t.eq(n - 1), function* () {
          yield* M.store(o, yield* M.load(by(s, T.of(i32, 0)))) // 73: sum
        })
      },
      { threads: n, scratch: { s: Scratch.workgroup(i32, [n]) } }
    )
  }
  const sum = (n: number) => (n * (n + 1)) / 2
  const cases = [4, 8, 64].flatMap((n) => Array.from({ length: Math.log2(n) + 1 }, (_, k) => [n, k] as const))
  it.each(cases)("73: of %i numbers, without barrier %i", async (n, without) => {
    const last = without === Math.log2(n)
    const at = [without === 0 ? "73: filled" : "73: lower", last ? "73: sum" : "73: upper"]
    await found(tree(n, without), { x: range(n, 1) }, race("threads", at, { ref: "s" }))
  })
  it.each([4, 8, 64])("73: of %i numbers, with all barriers", (n) =>
    silent(tree(n, -1), { x: range(n, 1) }, { results: { o: [sum(n)] } })
  )
  it.each([
    ["backwards", (n: number) => (s: any, k: any) => M.at(s, [k.neg().add(n - 1)])],
    ["reshaped", (n: number) => (s: any, k: any) => M.at(M.reshape(s, [n / 2, 2]), [k.div(2), k.rem(2)])],
    ["gathered", () => (s: any, k: any) => M.reshape(M.at(s, [T.broadcast(k, [1])]), [])]
  ])("73: in scratch that is seen %s", async (_, by) => {
    await found(tree(8, 1, by(8)), { x: range(8, 1) }, race("threads", ["73: lower", "73: upper"], { ref: "s" }))
    await silent(tree(8, -1, by(8)), { x: range(8, 1) }, { results: { o: [36] } })
  })
})

describe("program instances that meet nowhere", () => {
  // 76: a pass over the pairs that begin at even places, then one over those that begin at odd places.
  const pair = (o: any, first: any): any => M.at(o, [M.slice(first, 2)])
  const inOrder = (v: any) => T.concat([T.reshape(T.min(v), [1]), T.reshape(T.max(v), [1])])
  const even = function* (o: any, first: any): Generator<any, void, any> {
    const v: any = yield* M.load(pair(o, first)) // 76: even
    yield* M.store(pair(o, first), inOrder(v)) // 76: even
  }
  const odd = function* (o: any, first: any): Generator<any, void, any> {
    const v: any = yield* M.load(pair(o, first)) // 76: odd
    yield* M.store(pair(o, first), inOrder(v)) // 76: odd
  }
  const sorting = (n: number, passes: ReadonlyArray<0 | 1>, perProgram = 1) =>
    kernel(
      { o: M.inout(i32, [n]) },
      function* ({ o }) {
        const p = (yield* Control.programId(0)).mul(perProgram)
        for (const from of passes)
          for (let k = 0; k < perProgram; k++) {
            const first = p.add(k).mul(2).add(from)
            yield* Control.when(first.lt(n - 1), function* () {
              yield* (from === 0 ? even : odd)(o, first)
            })
          }
        yield* Barrier.sync()
      },
      { grid: [n / 2 / perProgram] }
    )
  it.each([
    [4, 1],
    [8, 1],
    [8, 2]
  ])("76: both passes over %i numbers in one kernel, %i pairs to a program", async (n, perProgram) => {
    const args = { o: range(n).reverse() }
    await found(sorting(n, [0, 1], perProgram), args, race("programs", ["76: even", "76: odd"]))
    await silent(sorting(n, [0], perProgram), args)
    await silent(sorting(n, [1], perProgram), args)
  })
  it("76: pass after pass, each a kernel, sorts", async () => {
    const turn = (o: Int32Array, k: number) =>
      (Kernel.run as any)(sorting(8, [(k % 2) as 0 | 1]), { o }) as Effect.Effect<{ readonly o: Int32Array }>
    const sorted = Effect.gen(function* () {
      let o = Int32Array.of(7, 3, 6, 0, 5, 1, 4, 2)
      for (let k = 0; k < 8; k++) o = (yield* turn(o, k)).o as Int32Array<ArrayBuffer>
      return o
    })
    expect([...(await Effect.runPromise(Effect.provide(sorted, Discharge.layer)))]).toEqual([...range(8)])
  })

  // 77: who comes first in the grid is not who comes last in time.
  const counts = Int32Array.of(5, 0, 9)
  const refs = {
    x: M.in(i32, [3], { block: [1], index: (i: any) => [i] } as any),
    total: M.inout(i32, []),
    o: M.inout(i32, [])
  }
  const args = { x: counts, total: Int32Array.of(0), o: Int32Array.of(0) }
  it.each([0, 2])("77: program %i reads what all have added to", async (last) => {
    const counted = kernel(
      refs,
      function* ({ o, total, x }) {
        yield* (Atomic as any).add(total, T.sum(yield* M.load(x))) // 77: added
        yield* Barrier.sync()
        yield* Control.when((yield* Control.programId(0)).eq(last), function* () {
          const all = yield* M.load(total) // 77: read
          yield* M.store(o, all.add(3).div(4))
        })
      },
      { grid: [3] }
    )
    await found(counted, args, race("programs", ["77: added", "77: read"], { ref: "total", element: [] }))
  })
  it("77: each keeps the greatest of what it has seen", async () => {
    const counted = kernel(
      refs,
      function* ({ o, total, x }) {
        const mine = T.sum(yield* M.load(x))
        const before = yield* (Atomic as any).add(total, mine)
        yield* (Atomic as any).max(o, before.add(mine).add(3).div(4))
      },
      { grid: [3] }
    )
    await silent(counted, args)
  })
})

describe("one buffer that is read and written", () => {
  // 82: new[i] = old[i - 1] + old[i + 1].
  const neighbours = (n: number, programs: number, apart: boolean, dtype: any = i32) => {
    const each = n / programs
    return kernel(
      apart ? { x: M.in(dtype, [n]), o: M.out(dtype, [n]) } : { o: M.inout(dtype, [n]) },
      function* ({ o, x }) {
        const place = T.iota(i32, [each]).add((yield* Control.programId(0)).mul(each))
        const from = apart ? x : o
        const left = (by: number) => ({ mask: place.add(by).ge(0).and(place.add(by).lt(n)), other: 0 }) as any
        const before = yield* M.load(M.at(from, [place.sub(1)]), left(-1)) // 82: neighbour
        const after = yield* M.load(M.at(from, [place.add(1)]), left(1)) // 82: neighbour
        yield* M.store(M.at(o, [place]), before.add(after)) // 82: own
      },
      { grid: [programs] }
    )
  }
  it.each([
    [8, 4, i32, Int32Array],
    [8, 8, f32, Float32Array],
    [6, 2, i8, Int8Array]
  ] as const)("82: %i cells by %i programs", async (n, programs, dtype, Host) => {
    const cells = Host.from(range(n, 1))
    const expected = race("programs", ["82: neighbour", "82: own"])
    await found(neighbours(n, programs, false, dtype), { o: cells }, expected)
    await silent(neighbours(n, programs, true, dtype), { x: cells })
  })
  it("82: not by one program, which reads before it writes", () => silent(neighbours(8, 1, false), { o: range(8, 1) }))
  it.each([false, true])("82: by threads, a barrier between: %s", async (isMet) => {
    const threads = kernel(
      { o: M.inout(i32, [8]) },
      function* ({ o }) {
        const t = yield* Control.threadId()
        const left = (yield* M.load(M.at(o, [t.add(7).rem(8)]))).add(0) // 82: neighbour
        const right = yield* M.load(M.at(o, [t.add(1).rem(8)])) // 82: neighbour
        if (isMet) yield* Barrier.sync()
        yield* M.store(M.at(o, [t]), left.add(right)) // 82: own
      },
      { threads: 8 }
    )
    const args = { o: range(8, 1) }
    if (isMet) await silent(threads, args, { results: { o: [10, 4, 6, 8, 10, 12, 14, 8] } })
    else await found(threads, args, race("threads", ["82: neighbour", "82: own"]))
  })
  // 82: a transposition in place, in which each pair of cells changes places twice.
  it.each([
    ["below the diagonal", true],
    ["on both sides of it", false]
  ])("82: a matrix transposed in place, %s", async (_, half) => {
    const transposed = kernel(
      { o: M.inout(i32, [4, 4]) },
      function* ({ o }) {
        const i = yield* Control.programId(0)
        const j = yield* Control.programId(1)
        yield* Control.when(half ? j.lt(i) : j.ne(i), function* () {
          const there = yield* M.load(M.at(M.transpose(o), [i, j])) // 82: there
          const here = yield* M.load(M.at(o, [i, j])) // 82: here
          yield* M.store(M.at(o, [i, j]), there) // 82: put here
          yield* M.store(M.at(M.transpose(o), [i, j]), here) // 82: put there
        })
      },
      { grid: [4, 4] }
    )
    const args = { o: range(16) }
    if (half) await silent(transposed, args)
    else {
      const { findings } = await check(transposed, args)
      expect(findings.map((f) => [f._tag, f.ref])).toEqual([["Race", "o"]])
    }
  })
})

describe("one cell that all change", () => {
  // 83: each adds its number.
  const adding = (
    n: number,
    by: { readonly threads: boolean; readonly dtype?: any; readonly at?: (o: any) => any },
    step: (cell: any, k: any) => Generator<any, void, any>
  ) =>
    kernel(
      { o: M.inout(by.dtype ?? i32, [4]) },
      function* ({ o }) {
        const k: any = yield* by.threads ? Control.threadId() : Control.programId(0)
        yield* step((by.at ?? ((r: any) => M.at(r, [1])))(o), by.dtype === f32 ? k.convert(f32) : k)
      },
      by.threads ? { threads: n } : { grid: [n] }
    )
  const plain = function* (cell: any, k: any): Generator<any, void, any> {
    const before: any = yield* M.load(cell) // 83: loaded
    yield* M.store(cell, before.add(k)) // 83: stored
  }
  const half = function* (cell: any, k: any): Generator<any, void, any> {
    yield* Control.cond(
      k.rem(2).eq(0),
      () => M.accumulate(cell, k), // 83: added
      () => M.store(cell, k) // 83: stored
    )
  }
  const atomic = function* (cell: any, k: any): Generator<any, void, any> {
    yield* (Atomic as any).add(cell, k)
  }
  const accumulated = function* (cell: any, k: any): Generator<any, void, any> {
    yield* M.accumulate(cell, k)
  }
  const views: ReadonlyArray<readonly [string, (o: any) => any]> = [
    ["an element", (o) => M.at(o, [1])],
    ["an element of a reshaped ref", (o) => M.at(M.reshape(o, [2, 2]), [0, 1])],
    ["an element of a strided view", (o) => M.at(M.at(o, [M.slice(1, 2, 2)]), [0])],
    ["an element of a transposed view", (o) => M.at(M.transpose(M.reshape(o, [2, 2])), [1, 0])],
    ["a gathered element", (o) => M.reshape(M.at(o, [T.full(i32, [1], 1)]), [])]
  ]
  for (const threads of [true, false]) {
    const among = threads ? "threads" : "programs"
    it.each(views)(`83: by 30 ${among}, %s`, async (_, at) => {
      const args = { o: Int32Array.of(0, 0, 0, 0) }
      const expected = race(among, ["83: loaded", "83: stored"], { element: [1] })
      await found(adding(30, { threads, at }, plain), args, expected)
      for (const step of [atomic, accumulated])
        await silent(adding(30, { threads, at }, step), args, threads ? { results: { o: [0, 435, 0, 0] } } : {})
    })
    it.each([2, 3, 64])(`83: by %i ${among}`, async (n) => {
      const args = { o: Float32Array.of(0, 0, 0, 0) }
      const expected = race(among, ["83: loaded", "83: stored"], { element: [1] })
      await found(adding(n, { threads, dtype: f32 }, plain), args, expected)
      const sum = (n * (n - 1)) / 2
      const options = threads ? { results: { o: [0, sum, 0, 0] } } : {}
      await silent(adding(n, { threads, dtype: f32 }, accumulated), args, options)
    })
    it(`83: by ${among} that add, and others that store`, async () => {
      const args = { o: Int32Array.of(0, 0, 0, 0) }
      await found(adding(2, { threads }, half), args, race(among, ["83: added", "83: stored"], { element: [1] }))
    })
  }

  // 85: one guard holds for one program instance, the other for all.
  const storing = (n: number, dtype: any, isGuarded: boolean) =>
    kernel(
      { x: M.in(dtype, [n], { block: [1], index: (i: any) => [i] } as any), o: M.inout(dtype, [1]) },
      function* ({ o, x }) {
        const isFirst = (yield* Control.programId(0)).eq(0)
        const v: any = yield* M.load(x)
        yield* Control.when(isFirst, () => M.store(o, 1))
        if (isGuarded) yield* Control.when(isFirst, () => M.store(o, v))
        else yield* M.store(o, v) // 85: stored
      },
      { grid: [n] }
    )
  it.each([
    [2, i32, Int32Array],
    [4, f32, Float32Array],
    [5, u8, Uint8Array]
  ] as const)("85: every one of %i program instances stores it", async (n, dtype, Host) => {
    const args = { x: Host.from(range(n, 100)), o: Host.of(0) }
    for (const how of [undefined, "reversed"] as const) {
      const options: any = how === undefined ? {} : { schedules: [{ schedule: how, flying: "eager" }] }
      const { findings } = await check(storing(n, dtype, false), args, options)
      expect(findings.map((f) => [f._tag, f.ref, f.element])).toEqual([["Race", "o", [0]]])
    }
    await silent(storing(n, dtype, true), args)
  })
  it.each([
    ["the same value", (_: any) => T.of(i32, 7)],
    ["its own", (k: any) => k]
  ])("85: every program instance stores %s", async (_, value) => {
    const stored = kernel(
      { o: M.out(i32, []) },
      function* ({ o }) {
        yield* M.store(o, value(yield* Control.programId(0))) // 85: alone
      },
      { grid: [4] }
    )
    await found(stored, {}, race("programs", ["85: alone", "85: alone"], { element: [] }))
  })
  it("85: blocks that overlap in one row, and blocks that do not", async () => {
    const rows = (size: number) =>
      kernel(
        { o: M.inout(i32, [5, 2]) },
        function* ({ o }) {
          const p = yield* Control.programId(0)
          yield* M.store(M.at(o, [M.slice(p.mul(2), size), 1]), p) // 85: rows
        },
        { grid: [2] }
      )
    const args = { o: new Int32Array(10) }
    await found(rows(3), args, race("programs", ["85: rows", "85: rows"], { element: [2, 1] }))
    await silent(rows(2), args)
  })
})

describe("floats that are added at equal places", () => {
  // 88: four programs, or threads, add to two cells.
  const args = { i: Int32Array.of(0, 0, 1, 0), v: Float32Array.of(0.5, 0.25, 2, 0.125), o: new Float32Array(2) }
  const scatter = (threads: boolean, step: (o: any, cell: any, v: any) => Generator<any, void, any>) =>
    kernel(
      { i: M.in(i32, [4]), v: M.in(f32, [4]), o: M.inout(f32, [2]) },
      function* ({ i, o, v }) {
        const k = yield* threads ? Control.threadId() : Control.programId(0)
        yield* step(o, yield* M.load(M.at(i, [k])), yield* M.load(M.at(v, [k])))
      },
      threads ? { threads: 4 } : { grid: [4] }
    )
  const lost = function* (o: any, cell: any, v: any): Generator<any, void, any> {
    const at = M.at(o, [cell])
    const before: any = yield* M.load(at) // 88: read
    yield* M.store(at, before.add(v)) // 88: written
  }
  const asFloat = (bits: any) => T.bitcast(bits, f32)
  const asBits = (x: any) => T.bitcast(x, u32)
  const word = (o: any, cell: any) => M.bitcast(M.at(o, [cell]), u32)
  // What is there is first read without an atomic step.
  const peeking = function* (o: any, cell: any, v: any): Generator<any, void, any> {
    const at = word(o, cell)
    const first: any = yield* M.load(at) // 88: peeked
    yield* Control.whileLoop(
      { seen: first, isDone: T.of(bool, false) },
      function* ({ isDone }: any) {
        return isDone.not()
      },
      function* ({ seen }: any) {
        const old: any = yield* Atomic.compareExchange(at, seen, asBits(asFloat(seen).add(v))) // 88: exchanged
        return { seen: old, isDone: old.eq(seen) }
      } as any
    )
  }
  const retrying = (uses: boolean) =>
    function* (o: any, cell: any, v: any): Generator<any, void, any> {
      const at = word(o, cell)
      const first: any = yield* Atomic.compareExchange(at, 0, 0)
      yield* Control.whileLoop(
        { seen: first, isDone: T.of(bool, false) },
        function* ({ isDone }: any) {
          return isDone.not() // 88: retried
        },
        function* ({ seen }: any) {
          const old: any = yield* Atomic.compareExchange(at, seen, asBits(asFloat(seen).add(v)))
          return { seen: uses ? old : T.of(u32, 1), isDone: old.eq(seen) }
        } as any
      )
    }
  const accumulated = function* (o: any, cell: any, v: any): Generator<any, void, any> {
    yield* M.accumulate(M.at(o, [cell]), v)
  }
  it.each([true, false])("88: by load and store, by threads: %s", async (threads) => {
    const among = threads ? "threads" : "programs"
    const options = threads ? { results: { o: [0.875, 2] } } : {}
    await found(scatter(threads, lost), args, race(among, ["88: read", "88: written"], { element: [0] }))
    await found(scatter(threads, peeking), args, race(among, ["88: peeked", "88: exchanged"], { element: [0] }))
    await silent(scatter(threads, retrying(true)), args, options)
    await silent(scatter(threads, accumulated), args, options)
  })
  it("88: floats whose sum rounds, in an order that nobody has said", async () => {
    const rounding = { ...args, v: Float32Array.of(0.1, 0.2, 2, 1e8) }
    const added = scatter(false, function* (o: any, cell: any, v: any): Generator<any, void, any> {
      yield* M.accumulate(M.at(o, [cell]), v) // 88: rounds
    })
    await found(added, rounding, { tag: "OrderShows", at: ["88: rounds", "88: rounds"], element: [0] })
  })
})
