/**
 * Bugs that others reported, which the Simulator finds: indices that overflow, bounds that wrap around, subgroups of another
 * size, grids that overshoot (49, 55, 92, 113).
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Barrier, bool, Control, f32, i32, type Kernel, Scratch, Subgroup, u32 } from "../../../src/index.ts"
import { check, type Expected, found, kernel, schedules, silent } from "../../support/simulated.ts"
import { M, T } from "../../support/dynamic.ts"

const range = (n: number, from = 0) => Int32Array.from({ length: n }, (_, i) => from + i)

describe("an offset past 2^31", () => {
  // 49: row 319 of rows of 7864320 elements.
  const [row, size] = [319, 7864320]
  it("49: wraps around as i32, not as u32", async () => {
    const refs = { row: M.scalar(i32), o: M.out(i32, []), p: M.out(u32, []) }
    const offsets = kernel(refs, function* ({ o, p, row }) {
      yield* M.store(o, row.mul(size))
      yield* M.store(p, row.convert(u32).mul(size))
    })
    await silent(offsets, { row })
    await silent(offsets, { row }, { results: { o: [-1786249216], p: [2508718080] } })
  })
  const reads: ReadonlyArray<readonly [string, (x: any, offset: any) => any]> = [
    ["an element", (x, offset) => M.at(x, [offset])],
    ["a slice", (x, offset) => M.at(x, [M.slice(offset, 2)])],
    ["gathered elements", (x, offset) => M.at(x, [T.iota(i32, [2]).add(offset)])],
    ["an element of a reshaped view", (x, offset) => M.at(M.reshape(x, [2, 2]), [offset, 0])]
  ]
  it.each(reads)("49: %s there is out of bounds, read and written", async (_, view) => {
    const of = (stride: number) =>
      kernel(
        { row: M.scalar(i32), x: M.in(f32, [4]), o: M.inout(f32, [4]), p: M.inout(f32, [2]) },
        function* ({ o, p, row, x }) {
          const v = yield* M.load(view(x, row.mul(stride))) // 49: read
          yield* M.store(p, v as any) // 49: kept
          yield* M.store(view(o, row.mul(stride)), 1) // 49: written
        }
      )
    const args = { row, x: new Float32Array(4), o: new Float32Array(4), p: new Float32Array(2) }
    await found(of(size), args, [
      { tag: "OutOfBounds", ref: "x", at: ["49: read", "49: kept"], like: { access: "read" } },
      { tag: "OutOfBounds", at: ["49: written"], like: { access: "write" } }
    ])
    await silent(of(0), args)
  })
  it("49: that wraps around to 0 lets all rows meet there", async () => {
    const rows = (stride: number) =>
      kernel(
        { o: M.inout(i32, [4]) },
        function* ({ o }) {
          const p = yield* Control.programId(0)
          yield* M.store(M.at(o, [p.mul(stride)]), 1) // 49: wrapped
        },
        { grid: [4] }
      )
    const args = { o: new Int32Array(4) }
    const expected: Expected = { tag: "Race", at: ["49: wrapped", "49: wrapped"], element: [0] }
    await found(rows(2 ** 30 * 4 - 2 ** 32), args, expected)
    await silent(rows(1), args)
  })
})

describe("a loop whose bound wraps around", () => {
  // 55: up to n - k, for n = 2 and k = 3.
  const turns = 500
  const below = (bound: any) => (i: any) => Effect.succeed(i.lt(bound))
  const counted = (o: any): any =>
    function* (i: any) {
      yield* M.accumulate(o, 1)
      return i.add(1)
    }
  const counting = (bound: (n: any, k: any) => any, dtype: any, inside: boolean): Kernel.Any => {
    const loop = function* (n: any, k: any, o: any): Generator<any, void, any> {
      yield* Control.whileLoop(T.of(dtype, 0), below(bound(n, k)), counted(o)) // 55: loop
    }
    return kernel({ n: M.scalar(dtype), k: M.scalar(dtype), o: M.inout(i32, []) }, function* ({ k, n, o }) {
      if (!inside) return void (yield* loop(n, k, o))
      yield* Control.forEach(0, 2, function* () {
        yield* Control.when(n.gt(0), () => loop(n, k, o))
      })
    })
  }
  const args = { n: 2, k: 3, o: Int32Array.of(0) }
  const endless: Expected = { tag: "Endless", ref: "", at: ["55: loop"] }
  it.each([false, true])("55: below 0, as u32 (inside a loop and a branch: %s)", async (inside) => {
    const wrapped = counting((n, k) => n.sub(k), u32, inside)
    await found(wrapped, args, endless, { turns })
    const guarded = counting((n, k) => T.select(n.gt(k), n.sub(k), 0), u32, inside)
    await silent(guarded, args, { turns })
    await silent(
      counting((n, k) => n.sub(k), i32, inside),
      args,
      { turns }
    )
    await silent(wrapped, { ...args, k: 1 }, { turns })
  })
  it("55: of one thread among others, and of one program instance", async () => {
    const uneven = (threads: boolean, by: number) =>
      kernel(
        { o: M.inout(i32, [4]) },
        function* ({ o }) {
          const t: any = yield* threads ? Control.threadId() : Control.programId(0)
          const bound = t.convert(u32).sub(by)
          yield* Control.whileLoop(T.of(u32, 0), below(bound), counted(M.at(o, [t]))) // 55: uneven
        },
        threads ? { threads: 4 } : { grid: [4] }
      )
    const o = new Int32Array(4)
    const expected: Expected = { tag: "Endless", ref: "", at: ["55: uneven"] }
    for (const threads of [true, false]) {
      await found(uneven(threads, 1), { o }, expected, { turns })
      await silent(uneven(threads, 0), { o }, { turns, results: { o: [0, 1, 2, 3] } })
    }
  })
  it("55: that steps over its end", async () => {
    const stepping = (by: number) =>
      kernel({ o: M.inout(i32, []) }, function* ({ o }) {
        const step: any = function* (i: any): Generator<any, any, any> {
          yield* M.store(o, i)
          return i.add(by)
        }
        yield* Control.whileLoop(T.of(i32, 0), (i: any) => Effect.succeed(i.ne(7)), step) // 55: steps
      })
    await found(stepping(2), { o: Int32Array.of(0) }, { tag: "Endless", ref: "", at: ["55: steps"] }, { turns })
    await silent(stepping(1), { o: Int32Array.of(0) }, { turns })
  })
})

describe("a subgroup that is smaller than it was thought to be", () => {
  // 92: prefix sums of 26 ones.
  const n = 26
  const ones = { x: new Int32Array(n).fill(1) }
  const refs = { x: M.in(i32, [n]), o: M.out(i32, [n]) }
  // Each step reads what others have written, in step only as long as one subgroup holds all threads.
  const inStep = (isMet: boolean) =>
    kernel(
      refs,
      function* ({ o, s, x }) {
        const t: any = yield* Control.threadId()
        yield* M.store(M.at(s, [t]), yield* M.load(M.at(x, [t]))) // 92: filled
        for (let by = 1; by < n; by *= 2) {
          if (isMet) yield* Barrier.sync()
          const isThere = { mask: t.ge(by), other: 0 }
          const before: any = yield* M.load(M.at(s, [t.sub(by)]), isThere) // 92: before
          const own: any = yield* M.load(M.at(s, [t])) // 92: own
          if (isMet) yield* Barrier.sync()
          yield* M.store(M.at(s, [t]), own.add(before)) // 92: sum
        }
        yield* M.store(M.at(o, [t]), yield* M.load(M.at(s, [t])))
      },
      { threads: n, scratch: { s: Scratch.workgroup(i32, [n]) } }
    )
  it("92: threads that rely on being in step race, whatever the size", async () => {
    for (const subgroupSize of [4, 8, 16, 32]) {
      const options = { subgroupSize, schedules: [schedules[0]!, schedules[1]!] }
      const { findings } = await check(inStep(false), ones, options)
      expect(findings).toMatchObject([{ _tag: "Race", ref: "s", among: "threads" }])
      await silent(inStep(true), ones, { subgroupSize, results: { o: range(n, 1) } })
    }
  })
  const scanned = kernel(refs, function* ({ o, x }) {
    yield* M.store(o, yield* Subgroup.inclusiveSum(yield* M.load(x)))
  })
  const combined = kernel(refs, function* ({ o, x }) {
    const v: any = yield* M.load(x)
    const within: any = yield* Subgroup.inclusiveSum(v)
    const group = T.iota(i32, [n]).div(yield* Subgroup.size())
    const isBefore = T.reshape(group, [1, n]).lt(T.reshape(group, [n, 1]))
    yield* M.store(o, within.add(T.sum(T.select(isBefore, T.reshape(v, [1, n]), 0), { axis: 1 })))
  })
  it.each([4, 8, 16, 32])("92: sums within groups of %i lanes are right only with what stands before", async (size) => {
    const each = Array.from({ length: n }, (_, i) => (i % size) + 1)
    await silent(scanned, ones, { subgroupSize: size, results: { o: each } })
    await silent(combined, ones, { subgroupSize: size, results: { o: range(n, 1) } })
  })
})

describe("a grid that has more program instances than there is work", () => {
  // 113: seven as three by three.
  const folded = (how: "none" | "mask" | "branch", step: "store" | "add" | "block"): Kernel.Any =>
    kernel(
      step === "block"
        ? { o: M.inout(i32, [14], { block: [2], index: (y: any, x: any) => [y.mul(3).add(x)] } as any) }
        : { o: M.inout(i32, [7]) },
      function* ({ o }) {
        const p: any = (yield* Control.programId(0)).mul(3).add(yield* Control.programId(1))
        const cell: any = step === "block" ? o : M.at(o, [p])
        const options: any = how === "mask" ? { mask: p.lt(7) } : {}
        const body = function* (): Generator<any, void, any> {
          if (step === "add")
            yield* M.accumulate(cell, p, options) // 113: add
          else yield* M.store(cell, p, options) // 113: store
        }
        if (how === "branch") yield* Control.when(p.lt(7), body)
        else yield* body()
      },
      { grid: [3, 3] }
    )
  it.each(["store", "add", "block"] as const)("113: which write past the end: %s", async (step) => {
    const args = { o: new Int32Array(step === "block" ? 14 : 7) }
    const mark = step === "add" ? "113: add" : "113: store"
    await found(folded("none", step), args, { tag: "OutOfBounds", at: [mark], like: { access: "write" } })
    if (step !== "block") await silent(folded("mask", step), args)
    await silent(folded("branch", step), args)
  })
  it("113: which read past the end", async () => {
    const summed = (isMasked: boolean) =>
      kernel(
        { x: M.in(f32, [7]), o: M.inout(f32, []) },
        function* ({ o, x }) {
          const p = (yield* Control.programId(0)).mul(3).add(yield* Control.programId(1))
          const v = yield* M.load(M.at(x, [p]), isMasked ? { mask: p.lt(7), other: 0 } : {}) // 113: read
          yield* M.accumulate(o, v) // 113: summed
        },
        { grid: [3, 3] }
      )
    const args = { x: Float32Array.from(range(7, 1)), o: Float32Array.of(0) }
    const at = ["113: read", "113: summed"]
    await found(summed(false), args, { tag: "OutOfBounds", ref: "x", at, like: { access: "read" } })
    await silent(summed(true), args)
  })
  it("113: which find a truth value past the end, and act on it", async () => {
    const acting = (isGuarded: boolean) =>
      kernel(
        { c: M.in(bool, [7]), o: M.inout(i32, []) },
        function* ({ c, o }) {
          const p = (yield* Control.programId(0)).mul(3).add(yield* Control.programId(1))
          const holds: any = yield* M.load(M.at(c, [p])) // 113: looked at
          const isWanted = isGuarded ? holds.and(p.lt(7)) : holds
          yield* Control.when(isWanted, () => M.accumulate(o, 1)) // 113: asked
        },
        { grid: [3, 3] }
      )
    const args = { c: Uint8Array.of(1, 0, 1, 1, 0, 0, 1), o: Int32Array.of(0) }
    const at = ["113: looked at", "113: asked"]
    await found(acting(false), args, { tag: "OutOfBounds", ref: "c", at, like: { access: "read" } })
    await silent(acting(true), args)
  })
})
