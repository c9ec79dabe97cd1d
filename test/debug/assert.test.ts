/** Assertions inside kernels, which fail a run on every interpreter alike. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { bool, Control, Debug, f32, i32, Kernel, MemRef, Scratch, Semaphore, Tile } from "../../src/index.ts"
import { interpreters } from "../support/interpreters.ts"
import { kernelError, pointedAt, single } from "../support/kernels.ts"
import { i, program } from "../support/ir.ts"
import { fails, outcome, prints } from "./support.ts"

const rows = (n: number) => MemRef.in(f32, [n, 2], { block: [null, 2], index: (i: any) => [i, 0] })

describe("an assertion", () => {
  it("that holds does nothing", () =>
    prints(
      single({ x: MemRef.in(f32, [100]) }, function* ({ x }) {
        const v = yield* MemRef.load(x)
        yield* Debug.assert(v.ge(0), "a tile")
        yield* Debug.assert(Tile.sum(v).ge(0), "a scalar")
        yield* Debug.assert(Tile.of(bool, true), "a literal")
        yield* Debug.assert(Tile.zeros(bool, [0]), "no element")
      }),
      { x: new Float32Array(100) },
      []
    ))

  it("fails the run where an element of its condition does not hold, with message, position and values", async () => {
    const k = Kernel.make("positive", { grid: [4], refs: { x: rows(4) } }, function* ({ x }) {
      const v = yield* MemRef.load(x)
      const i = yield* Control.programId(0)
      yield* Debug.assert(v.gt(0), "rows are positive", i, Tile.min(v), Tile.any(v.gt(5)))
    })
    const x = Float32Array.of(1, 2, 3, -0.5, 5, NaN, -7, 8)
    await fails(k, { x }, { _tag: "AssertionFailed", detail: "rows are positive", program: [1], values: [1, -0.5, 0] })
    for (const on of interpreters) {
      const error = await kernelError("AssertionFailed", k, { x }, on)
      expect(error.shown).toContain("assertion failed in program [1]: rows are positive (1, -0.5, 0)")
      expect(pointedAt(error)).toContain('Debug.assert(v.gt(0), "rows are positive"')
    }
  })

  it("that is known to fail fails", () =>
    fails(
      single({}, function* () {
        yield* Debug.print("before")
        yield* Debug.assert(Tile.of(bool, false), "never")
      }),
      {},
      { _tag: "AssertionFailed", detail: "never", program: [0], values: [] },
      ["before"]
    ))

  it("stands in loops, branches and conditions, and knows its sequential cell", async () => {
    const k = Kernel.make(
      "deep",
      { grid: [Kernel.sequential(3), 2], refs: { limit: MemRef.scalar(i32) } },
      function* ({ limit }) {
        const cell = yield* Control.programId(0)
        yield* Control.whileLoop(
          Tile.of(i32, 0),
          function* (n) {
            yield* Debug.assert(n.add(cell).lt(limit), "in a condition", n, cell)
            return n.lt(3)
          },
          function* (n) {
            yield* Control.when(n.eq(2), () => Debug.assert(cell.lt(limit), "in a branch"))
            return n.add(1)
          }
        )
      }
    )
    await fails(k, { limit: 5 }, { detail: "in a condition", program: [2, 0], values: [3, 2] })
    await fails(k, { limit: 0 }, { detail: "in a condition", program: [0, 0], values: [0, 0] })
    await prints(k, { limit: 6 }, [])
  })

  it("is the first one that fails in the order of instances, whichever runs first, and what is printed before it is told", () => {
    const k = Kernel.make("race", { grid: [40], refs: { x: rows(40) } }, function* ({ x }) {
      const v = yield* MemRef.load(x)
      const i = yield* Control.programId(0)
      yield* Debug.print("start", i)
      yield* Control.forEach(0, 3, function* (k) {
        yield* Debug.print("turn", { k, v })
        yield* Debug.assert(Tile.max(v).add(k.convert(f32)).lt(9), "small", i, k)
      })
      yield* Debug.assert(Tile.max(v).lt(5), "smaller", i)
      yield* Debug.print("end", i)
    })
    const x = new Float32Array(80)
    for (const i of [3, 5, 6, 39]) x[2 * i] = i === 3 ? 8 : 100
    const all = [0, 1, 2].flatMap((i) => [
      `start: ${i}`,
      ...[0, 1, 2].map((k) => `turn: k = ${k}, v = [0, 0]`),
      `end: ${i}`
    ])
    const last = ["start: 3", "turn: k = 0, v = [8, 0]", "turn: k = 1, v = [8, 0]"]
    return fails(k, { x }, { detail: "small", program: [3], values: [3, 1] }, [...all, ...last])
  })

  it("discards the results of a run that fails, and leaves the next run alone", async () => {
    const k = single({ x: MemRef.in(i32, []), o: MemRef.out(i32, []) }, function* ({ o, x }) {
      const v = yield* MemRef.load(x)
      yield* Debug.assert(v.lt(5), "small", v)
      yield* MemRef.store(o, v)
    })
    for (const on of interpreters) {
      const failed = await outcome(k, { x: Int32Array.of(9) }, on)
      expect(failed).toMatchObject({ result: undefined, reason: { _tag: "AssertionFailed", values: [9] } })
      const next = await outcome(k, { x: Int32Array.of(3) }, on)
      expect(Array.from(next.result!["o"]!)).toEqual([3])
    }
  })

  it("shows values of every dtype, as numbers", () =>
    fails(
      single({ x: MemRef.in(f32, [3]) }, function* ({ x }) {
        const v = yield* MemRef.load(x)
        yield* Debug.assert(
          Tile.all(v.eq(v)),
          "numbers",
          Tile.max(v),
          Tile.of(i32, -3),
          Tile.of(bool, true),
          Tile.of(f32, -Infinity)
        )
      }),
      { x: Float32Array.of(1, NaN, 2) },
      { values: [NaN, -3, 1, -Infinity] }
    ))

  it("about a wait is a deadlock, with its ref", async () => {
    const p = program({ name: "waits", grid: [3], refs: [] }, (b) => {
      const holds = b.one("lt", [b.programId(0), i(1)])
      b.op("assert", [holds], { params: { kind: "deadlock", detail: "nobody arrives", ref: "bar" } })
    })
    const k = await Effect.runPromise(Kernel.fromProgram(p))
    await fails(k, {}, { _tag: "Deadlock", ref: "bar", detail: "nobody arrives", program: [1] })
  })
  it("is what a wait is that nothing ends", () =>
    fails(
      Kernel.make("waiting", { grid: [2], refs: {}, scratch: { s: Scratch.workgroup(i32, [3]) } }, function* ({ s }) {
        const i = yield* Control.programId(0)
        yield* Debug.print("i", i)
        yield* Semaphore.signal(s, i.neg().add(2))
        yield* Semaphore.wait(s, 2)
        yield* Debug.print("waited", i)
      }),
      {},
      { _tag: "Deadlock", ref: "s", program: [1], values: [1, 2] },
      ["i: 0", "waited: 0", "i: 1"]
    ))
})
