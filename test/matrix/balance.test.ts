/** The flow analysis of accumulators, held against runs of every path. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { unbalance } from "../../src/ir/balance.ts"
import { literal, type Region } from "../../src/ir/program.ts"
import { eqn, region } from "../ir/programs.ts"

type Op =
  | { readonly _tag: "issue" | "read" | "set"; readonly acc: string }
  | { readonly _tag: "wait"; readonly n: number }
  | { readonly _tag: "cond" | "while"; readonly first: ReadonlyArray<Op>; readonly second: ReadonlyArray<Op> }
  | { readonly _tag: "loop"; readonly trips: number | undefined; readonly body: ReadonlyArray<Op> }

const acc = fc.constantFrom("x", "y")
const { ops } = fc.letrec<{ ops: ReadonlyArray<Op>; op: Op }>((tie) => ({
  ops: fc.array(tie("op"), { maxLength: 4, depthIdentifier: "ops" }) as fc.Arbitrary<ReadonlyArray<Op>>,
  op: fc.oneof(
    { depthIdentifier: "ops", maxDepth: 3 },
    { weight: 6, arbitrary: fc.record({ _tag: fc.constant("issue" as const), acc }) },
    { weight: 4, arbitrary: fc.record({ _tag: fc.constant("wait" as const), n: fc.nat(3) }) },
    { weight: 2, arbitrary: fc.record({ _tag: fc.constantFrom("read" as const, "set" as const), acc }) },
    {
      weight: 1,
      arbitrary: fc.record({
        _tag: fc.constantFrom("cond" as const, "while" as const),
        first: tie("ops"),
        second: tie("ops")
      })
    },
    {
      weight: 2,
      arbitrary: fc.record({
        _tag: fc.constant("loop" as const),
        trips: fc.option(fc.nat(2), { nil: undefined }),
        body: tie("ops")
      })
    }
  )
}))

const regionOf = (of: ReadonlyArray<Op>): Region => region({ eqns: of.map(eqnOf) })
const eqnOf = (op: Op) => {
  const refs = "acc" in op ? [{ name: op.acc, view: [] }] : []
  switch (op._tag) {
    case "issue":
      return eqn("multiplyAccumulate", { refs })
    case "read":
    case "set":
      return eqn(op._tag === "read" ? "accumulatorRead" : "accumulatorSet", { refs })
    case "wait":
      return eqn("pipelineWait", { params: { atMost: op.n } })
    case "cond":
    case "while":
      return eqn(op._tag, { regions: [regionOf(op.first), regionOf(op.second)] })
    case "loop": {
      const hi =
        op.trips === undefined
          ? { _tag: "Var" as const, id: 0, dtype: "i32" as const, shape: [] }
          : literal("i32", op.trips)
      return eqn("fori", { operands: [literal("i32", 0), hi], regions: [regionOf(op.body)] })
    }
  }
}
const kernel = (of: ReadonlyArray<Op>): Region => ({
  ...regionOf(of),
  refs: ["x", "y"].map((name) => ({
    name,
    dtype: "f32",
    shape: [1, 1],
    space: "register",
    role: { kind: "accumulator" }
  }))
})

/** The accumulators in flight, first issued first; `undefined` after a mistake. */
type Queue = ReadonlyArray<string> | undefined
/** Each path's queue, without repetition. */
const distinct = (queues: ReadonlyArray<Queue>): ReadonlyArray<Queue> => [
  ...new Map(queues.map((q) => [q === undefined ? "!" : q.join(), q])).values()
]
const runAll = (of: ReadonlyArray<Op>, from: ReadonlyArray<Queue>): ReadonlyArray<Queue> =>
  of.reduce((queues, op) => distinct(queues.flatMap((q) => (q === undefined ? [q] : run(op, q)))), from)
/** The queues after each way to run an operation; loops whose length is not known turn up to three times. */
const run = (op: Op, q: ReadonlyArray<string>): ReadonlyArray<Queue> => {
  switch (op._tag) {
    case "issue":
      return [[...q, op.acc]]
    case "wait":
      return [op.n === 0 ? [] : q.slice(-op.n)]
    case "read":
    case "set":
      return [q.includes(op.acc) ? undefined : q]
    case "cond":
      return [...runAll(op.first, [q]), ...runAll(op.second, [q])]
    case "while": {
      let tested = runAll(op.first, [q])
      const out = [...tested]
      for (let turn = 0; turn < 3; turn++) out.push(...(tested = runAll(op.first, runAll(op.second, tested))))
      return out
    }
    case "loop": {
      let now: ReadonlyArray<Queue> = [q]
      const out: Array<Queue> = op.trips === undefined || op.trips === 0 ? [q] : []
      for (let turn = 1; turn <= (op.trips ?? 3); turn++) {
        now = runAll(op.body, now)
        if (op.trips === undefined || turn === op.trips) out.push(...now)
      }
      return out
    }
  }
}
const isWrong = (of: ReadonlyArray<Op>): boolean => runAll(of, [[]]).some((q) => q === undefined || q.length > 0)

const hasLoops = (of: ReadonlyArray<Op>): boolean =>
  of.some((op) =>
    op._tag === "cond" ? hasLoops(op.first) || hasLoops(op.second) : op._tag === "loop" || op._tag === "while"
  )

describe("the analysis of what is in flight", () => {
  it("refuses whatever some path gets wrong", () => {
    fc.assert(
      fc.property(ops, (of) => {
        fc.pre(isWrong(of))
        expect(unbalance(kernel(of))).toBeDefined()
      }),
      { numRuns: 2000 }
    )
  })
  it("refuses nothing else where there are no loops", () => {
    fc.assert(
      fc.property(ops, (of) => {
        fc.pre(!hasLoops(of) && !isWrong(of))
        expect(unbalance(kernel(of))).toBeUndefined()
      }),
      { numRuns: 2000 }
    )
  })
})
