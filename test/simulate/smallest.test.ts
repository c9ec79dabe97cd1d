/** What users are promised of the smallest sizes at which a finding persists. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Control, Discharge, f32, i32, i4, Kernel, MemRef, Scratch, Tile, u32, u4 } from "../../src/index.ts"
import type * as DType from "../../src/DType.ts"
import { check } from "../../src/ir/check.ts"
import { elements, storage, toHost } from "../../src/ir/array.ts"
import { print } from "../../src/ir/print.ts"
import { type Eqn, equations, isVar, type Program, type RefDecl } from "../../src/ir/program.ts"
import { type Affine, type Entry, evalAffine } from "../../src/ir/view.ts"
import { primitive } from "../../src/primitives/index.ts"
import * as Shape from "../../src/Shape.ts"
import { sizesOf } from "../../src/simulate/report.ts"
import { smallerSizes } from "../../src/simulate/smaller.ts"
import { type Case, type Persists, smallest } from "../../src/simulate/smallest.ts"
import { at, f, i, point, program, range, ref, scratch, u } from "../support/ir.ts"

const numbers = {
  constant: (n: number) => n,
  add: (a: number, b: number) => a + b,
  mul: (a: number, b: number) => a * b,
  div: (a: number, b: number) => Math.floor(a / b),
  mod: (a: number, b: number) => ((a % b) + b) % b
}
/** Cells of an axis that an entry shows to the program instance at `id` of the first axis of the grid. */
const cells = (entry: Entry, eqn: Eqn, ids: ReadonlySet<number>, id: number): ReadonlyArray<number> => {
  const scalar = (k: number) => {
    const atom = eqn.indices[k]!
    return isVar(atom) ? (ids.has(atom.id) ? id : 0) : atom.value
  }
  const value = (a: Affine) => evalAffine(numbers, { scalar, element: () => 0, rank: () => 0 }, a)
  if (entry._tag === "Point") return [value(entry.at)]
  if (entry._tag === "Gather") return []
  return Array.from({ length: entry.size }, (_, k) => value(entry.start) + k * entry.stride)
}
/** For each program instance of the first axis of the grid, the cells of the first axis of a ref that an access shows. */
const shownBy = (p: Program, eqn: Eqn): ReadonlyArray<ReadonlyArray<number>> => {
  const ids = new Set([...equations(p.body)].flatMap((e) => (e.primitive === "programId" ? [e.results[0]!.id] : [])))
  const [step] = eqn.refs[0]!.view
  const all = Array.from({ length: p.refs.find((r) => r.name === eqn.refs[0]!.name)!.shape[0] ?? 1 }, (_, k) => k)
  return Array.from({ length: p.grid[0]!.size }, (_, id) =>
    step?._tag === "Index" ? cells(step.at[0]!, eqn, ids, id) : all
  )
}
const accesses = (p: Program, name: string) =>
  [...equations(p.body)].filter((eqn) => eqn.primitive === name && p.refs.some((r) => r.name === eqn.refs[0]?.name))

/** Whether two program instances store to one cell that exists. */
const isRacy: Persists = (p) =>
  Effect.sync(() =>
    accesses(p, "store").some((eqn) => {
      const size = p.refs.find((r) => r.name === eqn.refs[0]!.name)?.shape[0] ?? 1
      const inside = shownBy(p, eqn).map((all) => new Set(all.filter((c) => c >= 0 && c < size)))
      const all = inside.flatMap((set) => [...set])
      return new Set(all).size < all.length
    })
  )
/** Whether a load reads what its ref does not have. */
const isOutside: Persists = (p) =>
  Effect.sync(() =>
    accesses(p, "load").some((eqn) => {
      const size = p.refs.find((r) => r.name === eqn.refs[0]!.name)!.shape[0]!
      return shownBy(p, eqn).some((all) => all.some((c) => c < 0 || c >= size))
    })
  )
/** A race, and no other fault. */
const isOnlyRacy: Persists = (p, args) =>
  Effect.zipWith(isRacy(p, args), isOutside(p, args), (racy, outside) => racy && !outside)
const always: Persists = () => Effect.succeed(true)
const never: Persists = () => Effect.succeed(false)

/** Elements 0, 1, 2, …, as far as the dtype has them. */
const counting = (aval: Pick<RefDecl, "dtype" | "shape">): DType.HostArray => {
  const data = storage(aval.dtype, Shape.size(aval.shape))
  return toHost({ ...aval, data: data.map((_, k) => k % 8) })
}
const withArgs = (program: Program): Case => ({
  program,
  args: new Map(program.refs.filter((r) => r.access !== "out").map((r) => [r.name, counting(r)]))
})
const traced = (kernel: { readonly trace: Effect.Effect<Program, unknown> }): Promise<Case> =>
  Effect.runPromise(Effect.map(kernel.trace, withArgs))
const found = <E>(start: Case, persists: Persists<E>, tries?: number): Promise<Case> =>
  Effect.runPromise(smallest(start, persists, tries === undefined ? {} : { tries }))
const sizes = ({ program }: Case): { readonly [name: string]: ReadonlyArray<number> } => ({
  grid: sizesOf(program).grid,
  ...sizesOf(program).shapes
})

describe("the smallest case", () => {
  it("of instances that all write one cell has two instances and one cell", async () => {
    const start = await traced(
      Kernel.make(
        "one",
        { grid: [16], refs: { x: MemRef.in(i32, [16]), o: MemRef.inout(i32, [64]) } },
        function* ({ o, x }) {
          const i = yield* Control.programId(0)
          yield* MemRef.store(MemRef.at(o, [3]), yield* MemRef.load(MemRef.at(x, [i])))
        }
      )
    )
    expect(sizes(await found(start, isRacy))).toEqual({ grid: [2], x: [1], o: [4] })
  })

  it("of blocks that overlap has two blocks that overlap", async () => {
    const start = await traced(
      Kernel.make(
        "overlapping",
        {
          grid: [8],
          refs: {
            x: MemRef.in(f32, [128, 32], { block: [16, 32], index: (i) => [i, 0] }),
            o: MemRef.out(f32, [64, 32], { block: [16, 32], index: (i) => [i.div(2), 0] })
          }
        },
        function* ({ o, x }) {
          yield* MemRef.store(o, (yield* MemRef.load(x)).mul(2))
        }
      )
    )
    const small = await found(start, isOnlyRacy)
    expect(sizes(small)).toEqual({ grid: [2], x: [2, 1], o: [1, 1] })
    expect(small.args.get("x")).toEqual(Float32Array.of(0, 0))
    expect(sizes(await found(start, isRacy))).toEqual({ grid: [2], x: [1, 1], o: [1, 1] })
  })

  it("of a read beyond the end keeps what is read beside it, in blocks of one", async () => {
    const start = await traced(
      Kernel.make(
        "beyond",
        {
          grid: [8],
          refs: {
            x: MemRef.in(f32, [120], { block: [16], index: (i) => [i] }),
            o: MemRef.out(f32, [128], { block: [16], index: (i) => [i] })
          }
        },
        function* ({ o, x }) {
          yield* MemRef.store(o, yield* MemRef.load(x))
        }
      )
    )
    const small = sizes(await found(start, isOutside))
    expect(small["grid"]![0]).toBeLessThanOrEqual(2)
    expect(small["o"]![0]).toBeLessThanOrEqual(2)
    expect(small["x"]![0]).toBeLessThanOrEqual(1)
  })

  it("has loops of few turns and little scratch, where they are not needed", async () => {
    const start = await traced(
      Kernel.make(
        "loops",
        {
          grid: [4],
          refs: { x: MemRef.in(i32, [64]), o: MemRef.out(i32, [8]) },
          scratch: { s: Scratch.workgroup(i32, [8]) }
        },
        function* ({ o, s, x }) {
          yield* Control.forEach(0, 8, function* (j) {
            yield* MemRef.store(MemRef.at(s, [j]), yield* MemRef.load(MemRef.at(x, [j.mul(8)])))
          })
          yield* MemRef.store(o, yield* MemRef.load(s))
        }
      )
    )
    const small = await found(start, isRacy)
    expect(sizes(small)).toEqual({ grid: [2], x: [1], o: [1] })
    expect(small.program.body.refs.map((r) => r.shape)).toEqual([[1]])
    expect([...equations(small.program.body)].find((e) => e.primitive === "fori")!.operands[1]).toMatchObject({
      value: 1
    })
  })

  it("of a kernel in tiles that must stay right has tiles of one", async () => {
    const [n, t] = [32, 8]
    const matmul = Kernel.make(
      "matmul",
      {
        grid: [n / t, n / t],
        refs: { a: MemRef.in(f32, [n, n]), b: MemRef.in(f32, [n, n]), o: MemRef.out(f32, [n, n]) }
      },
      function* ({ a, b, o }) {
        const [row, column] = [yield* Control.programId(0), yield* Control.programId(1)]
        const { sum } = yield* Control.fori(0, n / t, { sum: Tile.zeros(f32, [t, t]) }, function* (k, { sum }) {
          const x = yield* MemRef.load(MemRef.at(a, [MemRef.slice(row.mul(t), t), MemRef.slice(k.mul(t), t)]))
          const y = yield* MemRef.load(MemRef.at(b, [MemRef.slice(k.mul(t), t), MemRef.slice(column.mul(t), t)]))
          return { sum: sum.add(Tile.dot(x, y)) }
        })
        yield* MemRef.store(MemRef.at(o, [MemRef.slice(row.mul(t), t), MemRef.slice(column.mul(t), t)]), sum)
      }
    )
    const isRight: Persists<unknown> = (p, args) =>
      Effect.gen(function* () {
        const [a, b, o] = p.refs
        const [rows, inner, columns] = [a!.shape[0]!, a!.shape[1]!, b!.shape[1]!]
        if (b!.shape[0] !== inner || !Shape.equals(o!.shape, [rows, columns])) return false
        if (p.grid.some((axis) => axis.size < 2) || inner < 3 || rows < 2 || columns < 2) return false
        const [x, y] = [args.get("a")!, args.get("b")!] as ReadonlyArray<Float32Array>
        const expected = Array.from({ length: rows * columns }, (_, at) => {
          const [r, c] = [Math.floor(at / columns), at % columns]
          return Array.from({ length: inner }, (_, k) => x![r * inner + k]! * y![k * columns + c]!).reduce(
            (s, v) => s + v
          )
        })
        const found = yield* (yield* Discharge.make().compile(p)).run(args)
        return expected.every((v, k) => v === found.get("o")![k])
      })
    const small = await found(await traced(matmul), isRight)
    expect(sizes(small)).toEqual({ grid: [2, 2], a: [2, 3], b: [3, 2], o: [2, 2] })
  })

  it("needs what its predicate needs, and no more", async () => {
    const p = program({ grid: [32, 9], refs: [ref("x", "f32", [40, 24], "in"), ref("y", "f32", [40], "in")] }, (b) => {
      b.load("x", at(range(0, 3), point(0)))
      b.load("y")
    })
    const atLeast: Persists = ({ grid, refs }) =>
      Effect.succeed(grid[0]!.size >= 5 && grid[1]!.size >= 3 && refs[0]!.shape[0]! >= 7 && refs[1]!.shape[0]! >= 11)
    expect(sizes(await found(withArgs(p), atLeast))).toEqual({ grid: [5, 3], x: [7, 1], y: [11] })
  })
  it("is the case itself where nothing smaller will do", async () => {
    const start = withArgs(program({ grid: [4], refs: [ref("x", "f32", [4], "in")] }, (b) => void b.load("x")))
    expect(await found(start, never)).toBe(start)
  })
})

describe("a smaller case", () => {
  const p = program(
    {
      grid: [4],
      refs: [ref("x", "i32", [8, 6], "in"), ref("w", "i4", [5, 3], "in"), ref("u", "u4", [4], "inout")],
      scratch: [scratch("s", "i32", [8, 6])]
    },
    (b) => {
      const id = b.programId(0)
      b.store("s", b.load("x"))
      b.fori(i(0), i(8), [], () => b.accumulate("s", i(8), at(point({ constant: 0, terms: [] }), range(0, 6))))
      b.load("w", at(point(0), point(0)))
      b.cond(b.one("lt", [id, i(2)]), () => b.store("u", u(1), at(point(0))))
    }
  )
  const sourced = (q: Program): Program => {
    let next = 0
    const region = (r: Program["body"]): Program["body"] => ({
      ...r,
      eqns: r.eqns.map((eqn) => {
        const source = { show: () => `kernel.ts:${name}:1` }
        const name = ++next
        return { ...eqn, source, regions: eqn.regions.map(region) }
      })
    })
    return { ...q, body: region(q.body) }
  }
  /** All cases that are tried, where none is taken and where each is. */
  const tried = async (start: Case, persists: Persists, tries?: number): Promise<ReadonlyArray<Case>> => {
    const cases: Array<Case> = []
    const watched: Persists = (program, args) => (cases.push({ program, args }), persists(program, args))
    await found(start, watched, tries)
    return cases
  }

  it("is well formed", async () => {
    for (const persists of [always, never]) {
      const cases = await tried(withArgs(p), persists)
      expect(cases.length).toBeGreaterThan(5)
      for (const { program } of cases) expect(check(program, primitive)).toBeUndefined()
    }
  })
  it("has the same equations in the same order, with their sources", async () => {
    const text = (q: Program) => [...equations(q.body)].map((e) => `${e.primitive} ${e.source?.show()}`)
    for (const persists of [always, never])
      for (const { program } of await tried(withArgs(sourced(p)), persists))
        expect(text(program)).toEqual(text(sourced(p)))
  })
  it("keeps equations whose results nobody uses", async () => {
    const dead = program({ grid: [2], refs: [ref("x", "f32", [4], "in")] }, (b) => {
      b.one("add", [f(1), f(2)])
      b.load("x")
    })
    for (const { program } of await tried(withArgs(dead), always))
      expect([...equations(program.body)].map((e) => e.primitive)).toEqual(["add", "load"])
  })
  it("has the first elements of its arguments along each axis, and of nothing else", async () => {
    for (const persists of [always, never])
      for (const { args, program } of await tried(withArgs(p), persists))
        for (const r of p.refs) {
          const small = program.refs.find((s) => s.name === r.name)!
          const whole = elements(r, counting(r))
          const own = elements(small, args.get(r.name)!)
          const [rows, columns = 1] = small.shape
          expect(small.shape.every((n, d) => n >= 1 && n <= r.shape[d]!)).toBe(true)
          const expected = Array.from(
            { length: rows! * columns },
            (_, k) => whole[Math.floor(k / columns) * (r.shape[1] ?? 1) + (k % columns)]
          )
          expect(Array.from(own).slice(0, expected.length)).toEqual(expected)
        }
  })
  it("has arguments that the interpreter takes, of packed dtypes too", async () => {
    const kernel = Kernel.make(
      "packed",
      { grid: [1], refs: { a: MemRef.in(i4, [3, 5]), b: MemRef.in(u4, [7]), o: MemRef.out(u32, [7]) } },
      function* ({ a, b, o }) {
        yield* MemRef.load(MemRef.at(a, [0, 0]))
        yield* MemRef.store(o, yield* MemRef.load(b))
      }
    )
    for (const { args, program } of await tried(await traced(kernel), always)) {
      const result = await Effect.runPromise(Effect.flatMap(Discharge.make().compile(program), (c) => c.run(args)))
      expect([...result.get("o")!]).toEqual(Array.from({ length: program.refs[2]!.shape[0]! }, (_, k) => k))
    }
  })
  it("is sought no more than so many times", async () => {
    for (const tries of [0, 1, 7]) expect((await tried(withArgs(p), never, tries)).length).toBe(tries)
    expect((await tried(withArgs(p), always, 3)).length).toBe(3)
  })
  it("is tried once", async () => {
    const cases = await tried(withArgs(p), never)
    expect(new Set(cases.map((c) => print(c.program))).size).toBe(cases.length)
  })
  it("fails with what its predicate fails with", async () => {
    const broken: Persists<string> = () => Effect.fail("broken")
    expect(await Effect.runPromise(Effect.flip(smallest(withArgs(p), broken)))).toBe("broken")
  })
})

describe("sizes to try in place of one", () => {
  it.each([
    [0, []],
    [1, []],
    [2, [1]],
    [3, [1, 2]],
    [9, [1, 2, 5, 7, 8]],
    [64, [1, 2, 32, 48, 56, 60, 62, 63]]
  ])("of %i are %j", (n, expected) => expect(smallerSizes(n)).toEqual(expected))
})
