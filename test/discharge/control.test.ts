/** What branches, loops and scopes mean once the refs that they write are carried as values. */
import { describe, expect, it } from "vitest"
import { affine, at, f, i, point, program, range, ref, scratch, sequential, t } from "../support/ir.ts"
import { build, run } from "../support/run.ts"

const counter = [ref("r", "i32", [], "inout")]
const zero = { r: new Int32Array([0]) }

describe("cond", () => {
  const refs = [ref("x", "f32", [2], "in"), ref("o", "f32", [2])]
  const args = (x: number) => ({ x: new Float32Array([x, 2]), o: new Float32Array([7, 8]) })
  const body = (x: number) =>
    build({ refs }, args(x), (b) => {
      const [v] = b.cond(
        b.one("lt", [b.load("x", at(point(0))), f(0)]),
        () => {
          b.store("o", f(1), at(point(0)))
          return [f(10)]
        },
        () => [b.load("o", at(point(1)))]
      )
      b.accumulate("o", v!, at(point(1)))
    })
  it("keeps what the chosen branch wrote, and nothing of the other", async () => {
    expect((await body(-1)).o).toEqual([1, 18])
    expect((await body(1)).o).toEqual([7, 16])
  })
})

describe("fori", () => {
  it("runs from lo to hi without hi, and not at all if hi is not greater", async () => {
    const loop = (lo: number, hi: number) =>
      build({ refs: [ref("o", "i32", [4], "out")] }, {}, (b) => {
        b.fori(i(lo), i(hi), [], (k) => b.store("o", k!, at(point(affine(0, 1))), [k!]))
      })
    expect((await loop(1, 4)).o).toEqual([0, 1, 2, 3])
    expect((await loop(3, 1)).o).toEqual([0, 0, 0, 0])
    expect((await loop(-5, 2)).o).toEqual([0, 1, 0, 0])
  })
  it("carries refs and values together", async () => {
    const o = await build(
      { refs: [ref("x", "f32", [4], "in"), ref("o", "f32", [4], "out")] },
      { x: new Float32Array([1, 2, 3, 4]) },
      (b) => {
        const [total] = b.fori(i(0), i(4), [f(0)], (k, sum) => {
          const next = b.one("add", [sum!, b.load("x", at(point(affine(0, 1))), [k!])])
          b.store("o", next, at(point(affine(0, 1))), [k!])
          return [next]
        })
        b.accumulate("o", total!, at(point(0)))
      }
    )
    expect(o.o).toEqual([11, 3, 6, 10])
  })
  it("does not mix carries that swap places", async () => {
    const o = await build({ refs: [ref("o", "i32", [2], "out")] }, {}, (b) => {
      const [x, y] = b.fori(i(0), i(3), [i(1), i(2)], (_, a, c) => [c!, a!])
      b.store("o", x!, at(point(0)))
      b.store("o", y!, at(point(1)))
    })
    expect(o.o).toEqual([2, 1])
  })
})

describe("while", () => {
  it("lets the condition see what the body wrote", async () => {
    const r = await build({ refs: counter }, zero, (b) => {
      b.while(
        [i(0)],
        (n) => b.one("and", [b.one("lt", [b.load("r"), i(3)]), b.one("lt", [n!, i(10)])]),
        (n) => {
          b.store("r", b.one("add", [b.load("r"), i(1)]))
          return [b.one("add", [n!, i(1)])]
        }
      )
    })
    expect(r.r).toEqual([3])
  })
  it("keeps what a condition accumulates, the last evaluation included", async () => {
    const r = await build({ refs: counter }, zero, (b) => {
      b.while(
        [i(0)],
        (n) => {
          b.accumulate("r", i(1))
          return b.one("lt", [n!, i(3)])
        },
        (n) => [b.one("add", [n!, i(1)])]
      )
    })
    expect(r.r).toEqual([4])
  })
  it("shares one state between a condition and a body that both write", async () => {
    const r = await build({ refs: counter }, zero, (b) => {
      b.while(
        [i(0)],
        (n) => {
          b.accumulate("r", i(1))
          return b.one("lt", [n!, i(3)])
        },
        (n) => {
          b.accumulate("r", i(10))
          return [b.one("add", [n!, i(1)])]
        }
      )
    })
    expect(r.r).toEqual([34])
  })
  it("ends when the condition's own write makes it false", async () => {
    const r = await build({ refs: counter }, zero, (b) => {
      const [n] = b.while(
        [i(0)],
        () => {
          const before = b.access("swap", "r", [], [b.one("add", [b.load("r"), i(2)])])
          return b.one("lt", [before, i(6)])
        },
        (n) => [b.one("add", [n!, i(1)])]
      )
      b.accumulate("r", b.one("mul", [n!, i(100)]))
    })
    expect(r.r).toEqual([308])
  })
  it("runs not at all if the condition is false at once", async () => {
    const r = await build({ refs: counter }, zero, (b) => {
      b.while(
        [],
        () => t(false),
        () => b.store("r", i(1))
      )
    })
    expect(r.r).toEqual([0])
  })
})

describe("scratch", () => {
  it("of a scope is 0 at each entry", async () => {
    const s = scratch("s", "i32", [])
    const o = await build({ refs: [ref("o", "i32", [3], "out")], scoped: [s] }, {}, (b) => {
      b.fori(i(0), i(3), [], (k) => {
        b.scoped([s], () => {
          b.accumulate("s", b.one("add", [k!, i(1)]))
          b.store("o", b.load("s"), at(point(affine(0, 1))), [k!])
        })
      })
    })
    expect(o.o).toEqual([1, 2, 3])
  })
  it("of the kernel persists over sequential cells of one program instance, and is 0 for the next", async () => {
    const o = await build(
      { grid: [2, sequential(3)], refs: [ref("o", "i32", [2], "out")], scratch: [scratch("acc", "i32", [])] },
      {},
      (b) => {
        b.accumulate("acc", b.one("add", [b.programId(1), i(1)]))
        b.store("o", b.load("acc"), at(point(affine(0, 1))), [b.programId(0)])
      }
    )
    expect(o.o).toEqual([6, 6])
  })
})

describe("the grid", () => {
  it("runs every cell, whatever the number of blocks, ragged ones included", async () => {
    for (const length of [0, 1, 7, 8, 9, 24, 32]) {
      const grid = Math.ceil(length / 8)
      const x = Float32Array.from({ length }, (_, k) => k)
      const o = await build(
        { grid: [grid], refs: [ref("x", "f32", [length], "in"), ref("o", "f32", [length], "out")] },
        { x },
        (b) => {
          const block = at(range(affine(0, 8), 8))
          const id = b.programId(0)
          b.store("o", b.one("add", [b.load("x", block, [id]), f(1)]), block, [id])
        }
      )
      expect(o.o).toEqual([...x].map((v) => v + 1))
    }
  })
  const last = program(
    { grid: [4, sequential(2), 3], refs: [ref("o", "i32", [], "out"), ref("n", "i32", [3], "out")] },
    (b) => {
      b.store(
        "o",
        b.one("add", [
          b.one("mul", [b.programId(0), i(100)]),
          b.one("add", [b.one("mul", [b.programId(1), i(10)]), b.programId(2)])
        ])
      )
      b.store("n", b.one("numPrograms", [], { axis: 0 }), at(point(0)))
      b.store("n", b.one("numPrograms", [], { axis: 1 }), at(point(1)))
      b.store("n", b.one("numPrograms", [], { axis: 2 }), at(point(2)))
    }
  )
  it("goes in row-major order, parallel axes outside, unless another order is asked for", async () => {
    expect(await run(last)).toEqual({ o: [312], n: [4, 2, 3] })
    expect((await run(last, {}, { order: "reversed" })).o).toEqual([10])
    expect((await run(last, {}, { order: (n) => [...Array(n).keys()].map((k) => (k + 1) % n) })).o).toEqual([10])
  })
  it("runs all instances once in an order drawn from a seed, the same for the same seed", async () => {
    const n = 50
    const trail = program({ grid: [n], refs: [ref("at", "i32", []), ref("o", "i32", [n], "out")] }, (b) => {
      b.accumulate("o", b.one("add", [b.load("at"), i(1)]), at(point(affine(0, 1))), [b.programId(0)])
      b.accumulate("at", i(1))
    })
    const of = (seed: number) => run(trail, { at: new Int32Array([0]) }, { order: { seed } })
    const first = (await of(1)).o!
    expect([...first].sort((a, b) => a - b)).toEqual([...Array(n).keys()].map((k) => k + 1))
    expect((await of(1)).o).toEqual(first)
    expect((await of(2)).o).not.toEqual(first)
  })
})
