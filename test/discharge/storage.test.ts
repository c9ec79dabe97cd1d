/** Writing in place is never seen, is done where it can be, and long runs can be interrupted. */
import { Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { discharge } from "../../src/discharge/discharge.ts"
import { evaluate } from "../../src/discharge/evaluate.ts"
import type { EvalRule } from "../../src/ir/primitive.ts"
import type { Program } from "../../src/ir/program.ts"
import { primitive } from "../../src/primitives/index.ts"
import { affine, at, f, i, point, program, range, ref, scratch, sequential, t } from "../support/ir.ts"
import { build } from "../support/run.ts"

const refs = [ref("x", "f32", [2]), ref("o", "f32", [2], "out")]
const x = { x: new Float32Array([1, 2]) }

describe("a value does not change", () => {
  it("when the ref that it was loaded from is written", async () => {
    const o = await build({ refs }, x, (b) => {
      const before = b.load("x")
      b.store("x", f(9), at(point(0)))
      b.store("o", before)
    })
    expect(o).toEqual({ x: [9, 2], o: [1, 2] })
  })
  it("when it was stored to a ref that is written afterwards", async () => {
    const o = await build({ refs }, x, (b) => {
      const v = b.one("add", [b.load("x"), f(1)])
      b.store("o", v)
      b.store("o", f(0), at(point(0)))
      b.store("x", v)
    })
    expect(o).toEqual({ x: [2, 3], o: [0, 3] })
  })
  it("when it was copied from ref to ref in an earlier cell", async () => {
    const o = await build({ grid: [sequential(2)], refs }, x, (b) => {
      b.store("o", b.load("x"))
      b.accumulate("o", f(5), at(point(0)))
    })
    expect(o).toEqual({ x: [1, 2], o: [6, 2] })
  })
  it("when a reshape of it is stored and then written", async () => {
    const o = await build({ refs: [...refs, ref("c", "f32", [2, 1], "out")] }, x, (b) => {
      const v = b.one("mul", [b.load("x"), f(2)])
      b.store("c", b.one("reshape", [v], { shape: [2, 1] }))
      b.store("c", f(0), at(point(1), point(0)))
      b.store("o", v)
    })
    expect(o.c).toEqual([2, 0])
    expect(o.o).toEqual([2, 4])
  })
  it("when one value is carried twice and one of them is written", async () => {
    const o = await build({ refs }, x, (b) => {
      const v = b.one("mul", [b.load("x"), f(2)])
      const [a, c] = b.fori(i(0), i(2), [v, v], (_, a, c) => [
        b.op("viewPut", [a!, f(0)], { params: { view: at(point(0)) as never } })[0]!,
        c!
      ])
      b.store("x", a!)
      b.store("o", c!)
    })
    expect(o).toEqual({ x: [0, 4], o: [2, 4] })
  })
  it("when a loop uses it again in its next iteration", async () => {
    const o = await build({ refs }, x, (b) => {
      const v = b.one("mul", [b.load("x"), f(2)])
      b.fori(i(0), i(3), [], () => {
        const w = b.op("viewAdd", [v, f(1)], { params: { view: [] } })[0]!
        b.store("o", w)
      })
    })
    expect(o.o).toEqual([3, 5])
  })
  it("when the condition of a loop writes its own copy", async () => {
    const o = await build({ refs }, x, (b) => {
      const v = b.one("mul", [b.load("x"), f(2)])
      const [w] = b.while(
        [v],
        (c) =>
          b.one("lt", [
            b.one("reduceMax", [b.op("viewAdd", [c!, f(100)], { params: { view: [] } })[0]!], {
              axes: [0],
              keepDims: false
            }),
            f(106)
          ]),
        (c) => [b.one("add", [c!, f(1)])]
      )
      b.store("o", w!)
    })
    expect(o.o).toEqual([4, 6])
  })
  it("when it is both the array and the value of a write", async () => {
    const o = await build({ refs }, x, (b) => {
      const v = b.one("mul", [b.load("x"), f(2)])
      b.store("o", b.op("viewAdd", [v, v], { params: { view: [{ _tag: "Index", at: [range(0, 2)] }] as never } })[0]!)
    })
    expect(o.o).toEqual([4, 8])
  })
  it("when it is a literal", async () => {
    const o = await build({ refs: [ref("o", "f32", [3], "out")] }, {}, (b) => {
      const zero = f(0)
      b.fori(i(0), i(3), [], (k) => {
        const [v] = b.cond(
          t(true),
          () => [zero],
          () => [zero]
        )
        const w = b.op("viewAdd", [v!, f(1)], { params: { view: [] } })[0]!
        b.store("o", w, at(point(affine(0, 1))), [k!])
      })
    })
    expect(o.o).toEqual([1, 1, 1])
  })
})

/** Runs a program and counts how often a write copied its array. */
const copies = async (p: Program, args: Record<string, Float32Array>): Promise<number> => {
  let count = 0
  const counting =
    (rule: EvalRule): EvalRule =>
    (ctx, eqn, operands) => {
      const results = rule(ctx, eqn, operands)
      if (results[0]!.data !== operands[0]!.data && results[0]!.data !== operands[1]!.data) count++
      return results
    }
  const primitives = (name: string) => {
    const record = primitive(name)
    return name === "viewPut" || name === "viewAdd" ? { ...record!, evaluate: counting(record!.evaluate!) } : record
  }
  await Effect.runPromise(
    evaluate(await Effect.runPromise(discharge(p)), new Map(Object.entries(args)), { primitives })
  )
  return count
}

describe("writes are in place", () => {
  const n = 100
  const row = at(point(affine(0, 1)))
  it("through the cells of a grid", async () => {
    const p = program({ grid: [n], refs: [ref("x", "f32", [n], "in"), ref("o", "f32", [n], "out")] }, (b) => {
      const id = b.programId(0)
      b.store("o", b.load("x", row, [id]), row, [id])
    })
    expect(await copies(p, { x: new Float32Array(n) })).toBe(0)
  })
  it("in loops, branches and scopes, nested", async () => {
    const s = scratch("s", "f32", [4])
    const p = program({ grid: [n], refs: [ref("o", "f32", [n], "out")], scoped: [s] }, (b) => {
      const id = b.programId(0)
      b.scoped([s], () => {
        b.fori(i(0), i(4), [], (k) => {
          b.cond(b.one("lt", [k!, i(2)]), () => {
            b.accumulate("s", f(1), row, [k!])
            b.accumulate("o", b.load("s", row, [k!]), row, [id])
          })
        })
        b.while(
          [i(0)],
          (k) => b.one("lt", [k!, i(2)]),
          (k) => {
            b.store("s", f(2), row, [k!])
            return [b.one("add", [k!, i(1)])]
          }
        )
      })
    })
    expect(await copies(p, {})).toBe(0)
  })
})

describe("interruption", () => {
  const stuck = (body: Parameters<typeof program>[1], grid: ReadonlyArray<number> = []) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const pure = yield* discharge(program({ grid, refs: [ref("o", "i32", [], "out")] }, body))
        const fiber = yield* Effect.forkChild(evaluate(pure, new Map()))
        yield* Effect.sleep("30 millis")
        const from = performance.now()
        yield* Fiber.interrupt(fiber)
        return performance.now() - from
      })
    )
  it("ends an endless while", async () => {
    expect(
      await stuck(
        (b) =>
          void b.while(
            [],
            () => t(true),
            () => {}
          )
      )
    ).toBeLessThan(1000)
  })
  it("ends a loop inside a loop inside a branch", async () => {
    expect(
      await stuck((b) => {
        b.fori(i(0), i(2147483647), [], () => {
          b.cond(
            t(true),
            () =>
              void b.while(
                [],
                () => t(true),
                () => {}
              )
          )
        })
      })
    ).toBeLessThan(1000)
  })
  it("ends a grid between its program instances", async () => {
    expect(await stuck((b) => b.accumulate("o", i(1)), [2 ** 30])).toBeLessThan(1000)
  })
})
