/** The checker of lowered kernels: what it finds, what it lets pass, and that our own lowering stands before it. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as E from "../../src/ir/expr.ts"
import type { Expr, Lowered, Memory, Stmt } from "../../src/ir/lowered.ts"
import type { Schedule } from "../../src/Schedule.ts"
import { barrierCount, withoutBarrier } from "../../src/simulate/lowered/blocks.ts"
import { checkLowered, type LoweredOptions, superfluous } from "../../src/simulate/lowered/checker.ts"
import { type LoweredFinding, showLowered } from "../../src/simulate/lowered/report.ts"
import { argumentsOf } from "../../src/verify/case.ts"
import { exampleRuns, lowered, type Run, traced } from "../support/lowered.ts"
import { samples } from "../verify/support.ts"
import * as kernels from "../wgsl/kernels.ts"

// --- what it finds ------------------------------------------------------------------------------------------------------

const memory = (name: string, space: Memory["space"], atomic = false): Memory => ({
  name,
  space,
  dtype: "i32",
  length: 8,
  offset: 0,
  writable: true,
  atomic
})
const kernel = (...body: ReadonlyArray<Stmt>): Lowered => ({
  name: "k",
  workgroupSize: 4,
  programs: 1,
  memories: [
    memory("w", "workgroup"),
    memory("p", "spill"),
    memory("s", "storage"),
    memory("a", "storage", true),
    { ...memory("packed", "storage"), dtype: "i8" },
    memory("r", "register")
  ],
  body
})
const lane = E.local("i32", "lane")
const program = E.local("i32", "program")
const one = E.integer(1)
const el = E.local("i32", "el")
const each = (count: number, ...body: ReadonlyArray<Stmt>): Stmt => ({
  _tag: "Each",
  name: "el",
  slot: "slot",
  count,
  body
})
const store = (to: string, index: Expr, value: Expr = one): Stmt => ({ _tag: "Store", memory: to, index, value })
const load = (from: string, index: Expr): Stmt => ({
  _tag: "Let",
  name: `x${from}`,
  type: "i32",
  value: E.load(from, index, "i32")
})
const barrier = (workgroup: boolean, storage: boolean): Stmt => ({ _tag: "Barrier", workgroup, storage })
const next = E.mod(E.add(lane, one), 4, true)
const isFirst: Expr = { _tag: "Inside", index: lane, size: 1 }
const when = (condition: Expr, ...then: ReadonlyArray<Stmt>): Stmt => ({ _tag: "If", condition, then, else: [] })
const step = (name: string | undefined, op: "add" | "max" | "exchange"): Stmt => ({
  _tag: "Atomic",
  name,
  op,
  memory: "a",
  index: E.integer(0),
  values: [one],
  dtype: "i32"
})

const found = (of: Lowered, options: LoweredOptions = {}): ReadonlyArray<LoweredFinding> =>
  Result.getOrThrow(checkLowered(of, new Map(), options)).findings
const told = (findings: ReadonlyArray<LoweredFinding>) =>
  findings.map((f) =>
    f._tag === "Race"
      ? `${f.memory} ${f.first.access} ${f.first.site.path} ${f.second.access} ${f.second.site.path} ×${f.count}`
      : `${f._tag} ${f._tag === "OutOfBounds" ? f.memory : f.site.path}`
  )
/** The same is found whoever goes first. */
const finds = (of: Lowered, ...expected: ReadonlyArray<string>): void => {
  expect(told(found(of)).toSorted()).toEqual(expected)
  expect(told(found(of, { reversed: true })).toSorted()).toEqual(expected)
}

describe("two accesses to one cell, one of which writes, are found", () => {
  for (const name of ["w", "p", "s", "packed"]) {
    it(`with no barrier between, in ${name}`, () => {
      finds(kernel(store(name, lane), load(name, next)), `${name} write 0 read 1 ×4`)
      finds(kernel(load(name, next), store(name, lane)), `${name} read 0 write 1 ×4`)
      finds(kernel(store(name, E.integer(3))), `${name} write 0 write 0 ×1`)
    })
    it(`with a barrier of the other address space between, in ${name}, and not with one of its own`, () => {
      const isWorkgroup = name === "w"
      const between = (b: Stmt) => kernel(store(name, lane), b, load(name, next))
      finds(between(barrier(!isWorkgroup, isWorkgroup)), `${name} write 0 read 2 ×4`)
      finds(between(barrier(isWorkgroup, !isWorkgroup)))
    })
  }
  it("once for each pair of statements, with the cells counted", () => {
    finds(
      kernel(load("w", next), load("w", lane), store("w", lane), load("w", next)),
      "w read 0 write 2 ×4",
      "w write 2 read 3 ×4"
    )
  })
  it("from one turn of a loop to the next", () => {
    const turns = (...body: ReadonlyArray<Stmt>): Stmt => ({
      _tag: "For",
      name: "k",
      from: E.integer(0),
      to: E.integer(3),
      body
    })
    const both = [store("w", lane), barrier(true, false), load("w", next)]
    finds(kernel(turns(...both)), "w write 0.body.0 read 0.body.2 ×8")
    finds(kernel(turns(...both, barrier(true, false))))
  })
  it("between workgroups, whatever barriers there are, unless all are atomic steps", () => {
    const two = (...body: ReadonlyArray<Stmt>): Lowered => ({ ...kernel(...body), programs: 2 })
    finds(two(when(isFirst, store("s", E.integer(0))), barrier(true, true)), "s write 0.then.0 write 0.then.0 ×1")
    finds(two(when(isFirst, store("s", program)), barrier(true, true)))
    finds(two(each(4, step(undefined, "add"))))
    finds(
      two(when(isFirst, step(undefined, "add")), barrier(true, true), load("a", E.integer(0))),
      "a read 2 atomic 0.then.0 ×1"
    )
  })
})
describe("nothing is found", () => {
  it("where each invocation stays with its cells, or with its registers", () => {
    finds(kernel(store("w", lane), load("w", lane), store("r", E.integer(0)), load("r", E.integer(0))))
    finds(kernel(each(8, store("s", el)), each(8, store("s", el))))
  })
  it("where memory is fresh: another workgroup's", () => {
    finds({ ...kernel(store("w", lane), barrier(true, false), load("w", next)), programs: 3 })
  })
  it("where atomic steps commute, or are one statement's; steps whose order shows wait for others", () => {
    finds(kernel(step(undefined, "add"), step(undefined, "add")))
    finds(kernel(step("x", "add")))
    finds(kernel(step(undefined, "add"), step(undefined, "max")), "a atomic 0 atomic 1 ×1")
    finds(kernel(step(undefined, "add"), step("x", "add")), "a atomic 0 atomic 1 ×1")
    finds(kernel(step(undefined, "exchange"), barrier(false, true), step("x", "add")))
  })
  it("after a value that is made uniform: that waits for workgroup memory, and for no other", () => {
    const uniform: Stmt = { _tag: "Uniform", name: "u", type: "i32", value: one }
    finds(kernel(store("w", lane), uniform, load("w", next)))
    finds(kernel(store("s", lane), uniform, load("s", next)), "s write 0 read 2 ×4")
  })
})
describe("control flow", () => {
  it("that invocations disagree on may hold no barrier", () => {
    finds(kernel(when(isFirst, barrier(true, false))), "Divergence 0.then.0")
    const [divergence] = found(kernel(when(isFirst, barrier(true, false))))
    expect(divergence).toMatchObject({ arrived: [0], missing: [1, 2, 3] })
    const leaving: Stmt = {
      _tag: "Loop",
      body: [
        { _tag: "BreakUnless", condition: isFirst },
        barrier(false, true),
        when(isFirst, { _tag: "BreakUnless", condition: E.constant("bool", 0) })
      ]
    }
    finds(kernel(leaving), "Divergence 0.body.1")
  })
  it("that they agree on, or that holds none, may", () => {
    finds(kernel(when(E.constant("bool", 1), barrier(true, false))))
    finds(kernel(when(isFirst, store("w", lane)), barrier(true, false), load("w", E.integer(0))))
  })
  it("that never ends is given up, and told", () => {
    finds(kernel({ _tag: "Loop", body: [] }), "Endless 0")
    finds(kernel({ _tag: "For", name: "k", from: E.integer(0), to: E.integer(2 ** 31 - 1), body: [] }), "Endless 0")
  })
})
describe("what else is told", () => {
  it("writes out of bounds; reads there give 0", () => {
    finds(kernel(store("w", E.add(lane, E.integer(7)))), "OutOfBounds w")
    finds(kernel(load("w", E.integer(100))))
  })
  it("inline text cannot be followed, unless somebody says what it means", () => {
    const inline: Stmt = { _tag: "Inline", inline: "block", operands: [] }
    expect(Result.getFailure(checkLowered(kernel(inline), new Map()))).toMatchObject({
      value: { _tag: "Unsupported", primitive: 'inline "block"', detail: "inline text cannot be followed" }
    })
    const call: Expr = {
      _tag: "Apply",
      primitive: "inline",
      params: { inline: "f" },
      dtype: "i32",
      result: "i32",
      args: [lane]
    }
    const calls = kernel(store("w", call))
    expect(Result.isFailure(checkLowered(calls, new Map()))).toBe(true)
    expect(found(calls, { inlines: () => (x) => x! })).toEqual([])
    expect(told(found(calls, { inlines: () => () => 0 }))).toEqual(["w write 0 write 0 ×1"])
  })
  it("a report says memory, cell, statements, invocations and workgroups", () => {
    const comment: Stmt = { _tag: "Comment", text: "store o, %3" }
    const report = Result.getOrThrow(checkLowered(kernel(comment, store("w", lane), load("w", next)), new Map()))
    const text = showLowered(report)
    for (const part of [
      "race among invocations on workgroup w[1]",
      "invocation 1 of workgroup 0",
      "w[lane] = 1",
      "store o, %3",
      "seen 4 times"
    ])
      expect(text).toContain(part)
  })
})
describe("a barrier", () => {
  const needed = kernel(store("w", lane), barrier(true, true), load("w", next))
  it("is counted once per address space, and taken away alone", () => {
    expect(barrierCount(needed)).toBe(2)
    expect(withoutBarrier(needed, 0).body[1]).toEqual(barrier(false, true))
    expect(withoutBarrier(withoutBarrier(needed, 0), 0).body).toHaveLength(2)
    expect(withoutBarrier(needed, 2)).toEqual(needed)
  })
  it("is superfluous if nothing is found without it", () => {
    const found = Result.getOrThrow(superfluous(needed, [new Map()]))
    expect(found).toMatchObject([{ number: 1, space: "storage", site: { path: "1" } }])
  })
})

// --- our own lowering ---------------------------------------------------------------------------------------------------

const schedules: ReadonlyArray<Schedule> = [
  {},
  { workgroupSize: 16, registerWords: 0 },
  { workgroupSize: 8, registerWords: 0, workgroupBytes: 1024 }
]
/** What the texts of the examples mean to the checker does not matter: they decide about no index. */
const inlines = () => (x: number | undefined) => x!
const whole = (run: Run): string => `${run.name}: ${schedules.length} schedules`
/** Nothing is found; false for what cannot be followed. */
const silent = (run: Run, options: Parameters<typeof lowered>[1] = {}): boolean => {
  const { lowered: of, storage } = lowered(run, options)
  const report = checkLowered(of, storage(), { inlines })
  if (Result.isSuccess(report)) expect(showLowered(report.success), run.name).toBe("")
  else expect(report.failure.detail).toBe("inline text cannot be followed")
  return Result.isSuccess(report)
}
const examples = await exampleRuns()
/**
 * Barriers that nobody needs, by kernel and by what they stand before. A loop waits once, before its first turn, for what
 * stood before it, lest each turn waits; in this one each turn waits anyway before it looks.
 */
const known: { readonly [kernel: string]: ReadonlyArray<string> } = { control: ["fori"] }

describe("our lowering", () => {
  it.each(examples.map((run) => [whole(run), run] as const))("has no race in the example %s", (_, run) => {
    for (const schedule of schedules) silent(run, { schedule })
  })
  it.each(examples.map((run) => [whole(run), run] as const))("has no barrier too many in the example %s", (_, run) => {
    for (const schedule of schedules) {
      const { lowered: of, storage } = lowered(run, { schedule })
      const found = Result.getOrThrow(superfluous(of, [storage()], { inlines }))
      expect(found, JSON.stringify(schedule)).toEqual([])
    }
  })
  it.each([kernels.large(20), kernels.control, kernels.scratch])(
    "has no barrier too many, and none too few, in $name",
    async (of) => {
      const program = await traced(of)
      const args = argumentsOf({ program, seed: 1 })
      const counts = [
        ["n", Int32Array.of(3)],
        ["steps", Int32Array.of(3)]
      ] as const
      const runs = [args, new Map([...args, ...counts])].map((args) => ({ name: of.name, program, args }))
      for (const schedule of schedules) {
        for (const run of runs) silent(run, { schedule })
        const storages = runs.map((run) => lowered(run, { schedule }).storage())
        const found = Result.getOrThrow(superfluous(lowered(runs[0]!, { schedule }).lowered, storages))
        const before = found.map(({ site }) => /= (\w+)/.exec(site.comment ?? "")?.[1])
        expect(before, JSON.stringify(schedule)).toEqual(known[of.name] ?? [])
      }
    }
  )
  it("has no race in programs at random, as far as they hold no inline text", () => {
    const followed = samples(150, { equations: 10 }).filter(({ program, seed }) => {
      const run = { name: String(seed), program, args: argumentsOf({ program, seed }) }
      return silent(run, { schedule: { workgroupSize: 8 }, subgroup: 4 })
    })
    expect(followed.length).toBeGreaterThan(120)
  })
})
