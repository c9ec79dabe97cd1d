import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { count, floats, runtime, saxpy, softwareDevice, spill, words } from "./support.ts"

const run = softwareDevice()
const range = (n: number) => Array.from({ length: n }, (_, i) => i)

describe("execute", () => {
  it("gives the words of every read_write binding, and leaves its inputs as they were", () =>
    run(
      Effect.gen(function* () {
        const { execute } = yield* runtime
        const n = 1000
        const y = words(range(n))
        const inputs = new Map([
          ["a", words([2])],
          ["x", words(range(n))],
          ["y", y]
        ])
        const outputs = yield* execute(saxpy(n), inputs)
        expect([...outputs.keys()]).toEqual(["y"])
        expect(floats(outputs.get("y"))).toEqual(range(n).map((i) => 3 * i))
        expect(floats(y)).toEqual(range(n))
      })
    ))

  it("starts a read_write binding without input as zeros, in a buffer that was used before too", () =>
    run(
      Effect.gen(function* () {
        const { execute, stats } = yield* runtime
        const dirt = new Map([["o", new Uint32Array(100).fill(0xffffffff)]])
        yield* execute(count(1, { words: 100 }), dirt)
        const before = stats().buffers
        const outputs = yield* execute(count(1, { words: 100 }), new Map())
        expect(stats().buffers).toBe(before)
        expect([...outputs.get("o")!]).toEqual([1, ...new Array(99).fill(0)])
      })
    ))

  it("fills what an input is too short for with zeros, in a buffer that was used before too", () =>
    run(
      Effect.gen(function* () {
        const { execute } = yield* runtime
        yield* execute(count(1, { words: 100 }), new Map([["o", new Uint32Array(100).fill(7)]]))
        const outputs = yield* execute(count(1, { words: 100 }), new Map([["o", Uint32Array.of(5, 6)]]))
        expect([...outputs.get("o")!]).toEqual([6, 6, ...new Array(98).fill(0)])
        const empty = yield* execute(count(1, { words: 1 }), new Map([["o", new Uint32Array(0)]]))
        expect([...empty.get("o")!]).toEqual([1])
      })
    ))

  it("runs each of more workgroups than one dimension holds exactly once", () =>
    run(
      Effect.gen(function* () {
        const { execute } = yield* runtime
        for (const n of [65535, 65536, 3 * 65535 + 17]) {
          const outputs = yield* execute(count(n), new Map())
          expect(outputs.get("o")!.every((x, i) => x === i + 1)).toBe(true)
        }
      })
    ))

  it("gives each workgroup its own zeroed spill memory, over as many dispatches as 64 MiB take", () =>
    run(
      Effect.gen(function* () {
        const { execute, stats } = yield* runtime
        const spillWords = 2 ** 20
        const expected = range(40).map((i) => 1000 * i + 2)
        expect([...(yield* execute(spill(40, spillWords), new Map())).get("o")!]).toEqual(expected)
        expect(stats().bytes).toBeLessThan(66 * 2 ** 20)
        expect([...(yield* execute(spill(40, spillWords), new Map())).get("o")!]).toEqual(expected)
      })
    ))

  it("gives inputs and zeros back when there is no workgroup to run, and compiles nothing", () =>
    run(
      Effect.gen(function* () {
        const { execute, stats } = yield* runtime
        const input = Uint32Array.of(3, 4)
        const outputs = yield* execute(count(0, { words: 3 }), new Map([["o", input]]))
        expect([...outputs.get("o")!]).toEqual([3, 4, 0])
        expect([...(yield* execute(count(0, { words: 2 }), new Map())).get("o")!]).toEqual([0, 0])
        expect(stats()).toMatchObject({ compiles: 0, buffers: 0 })
      })
    ))

  it("lets runs overlap, each with its own memory", () =>
    run(
      Effect.gen(function* () {
        const { execute, stats } = yield* runtime
        const inputs = (k: number) =>
          new Map([
            ["a", words([k])],
            ["x", words(range(300))],
            ["y", words([k])]
          ])
        const all = yield* Effect.forEach(range(32), (k) => execute(saxpy(300), inputs(k)), {
          concurrency: "unbounded"
        })
        all.forEach((outputs, k) =>
          expect(floats(outputs.get("y"))).toEqual(range(300).map((i) => k * i + (i === 0 ? k : 0)))
        )
        expect(stats()).toMatchObject({ compiles: 1, running: 0 })
      })
    ))

  it("runs on while another run of the same device fails", () =>
    run(
      Effect.gen(function* () {
        const { execute } = yield* runtime
        const bad = { ...count(1), code: "nonsense" }
        const results = yield* Effect.forEach(
          range(20),
          (k) => Effect.result(execute(k % 2 === 0 ? count(10) : bad, new Map())),
          { concurrency: "unbounded" }
        )
        expect(results.map((r) => r._tag)).toEqual(range(20).map((k) => (k % 2 === 0 ? "Success" : "Failure")))
      })
    ))
})
