/** Operations of subgroups as text: the WGSL that people read, and programs that are written and read back. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { bool, Control, f32, i32, Kernel, MemRef, Subgroup, u32 } from "../../src/index.ts"
import type { Program } from "../../src/ir/program.ts"
import { compile } from "../../src/wgsl/compile.ts"
import { single } from "../support/kernels.ts"

const refs = {
  x: MemRef.in(f32, [100]),
  flags: MemRef.in(bool, [100]),
  o: MemRef.out(f32, [100]),
  words: MemRef.out(u32, [100, 4]),
  lane: MemRef.out(i32, [100])
}
/** One of each. */
const kernel = single(refs, function* ({ flags, lane, o, words, x }) {
  const v = yield* MemRef.load(x)
  const folded = yield* Control.fori(0, yield* Subgroup.size(), v, function* (i, v) {
    const least = yield* Subgroup.min(v)
    return least.add(yield* Subgroup.exclusiveSum(v)).add(yield* Subgroup.shuffleXor(v, i))
  })
  yield* MemRef.store(o, folded.add(yield* Subgroup.broadcast(v, 0)))
  yield* MemRef.store(words, yield* Subgroup.ballot(yield* MemRef.load(flags)))
  yield* MemRef.store(lane, yield* Subgroup.lane([100]))
})
const trace = () => Effect.runPromise(kernel.trace as Effect.Effect<Program>)

describe("the WGSL of operations of subgroups", () => {
  it("stays as it was", async () => {
    const file = new URL("./golden/subgroup.wgsl", import.meta.url)
    const { code } = Result.getOrThrow(compile(await trace(), { positions: false, subgroup: 64 }))
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, code)
    expect(existsSync(file), "UPDATE_GOLDEN=1 makes it").toBe(true)
    expect(code).toBe(readFileSync(file, "utf8"))
  })
  it("enables the extension first, and never switches off the analysis of uniformity", async () => {
    const { code } = Result.getOrThrow(compile(await trace()))
    expect(code.startsWith("enable subgroups;\n")).toBe(true)
    expect(code).not.toContain("diagnostic")
  })
  it("does not take their names for refs", async () => {
    const names = single(
      { subgroup_size: MemRef.in(i32, [5]), subgroupAdd: MemRef.out(i32, [5]) },
      function* ({ subgroupAdd, subgroup_size }) {
        yield* MemRef.store(subgroupAdd, yield* Subgroup.sum(yield* MemRef.load(subgroup_size)))
      }
    )
    const code = await Effect.runPromise(Kernel.wgsl(names) as Effect.Effect<string>)
    expect(code).toContain("subgroup_size_: array<u32>")
    expect(code).toContain("subgroupAdd_: array<u32>")
  })
})

describe("a program with operations of subgroups", () => {
  it("has the effect Subgroup", async () => {
    expect(await Effect.runPromise(Kernel.effects(kernel) as Effect.Effect<ReadonlyArray<string>>)).toContain(
      "Subgroup"
    )
  })
  it("is what its text says", async () => {
    const text = await Effect.runPromise(Kernel.print(kernel, { positions: false }) as Effect.Effect<string>)
    expect(text).toContain('subgroupReduce {op: "min"}')
    const parsed = await Effect.runPromise(Kernel.parse(text))
    expect(await Effect.runPromise(Kernel.print(parsed, { positions: false }) as Effect.Effect<string>)).toBe(text)
  })
  it("is what its JSON says", async () => {
    const json = await Effect.runPromise(Kernel.toJson(kernel) as Effect.Effect<any>)
    const read = await Effect.runPromise(Kernel.fromJson(JSON.parse(JSON.stringify(json))))
    const text = (k: Kernel.Any) => Effect.runPromise(Kernel.print(k, { positions: false }) as Effect.Effect<string>)
    expect(await text(read)).toBe(await text(kernel))
  })
  it("computes each operation that stands in it, equal ones too", async () => {
    const twice = single({ x: MemRef.in(f32, [5]), o: MemRef.out(f32, [5]) }, function* ({ o, x }) {
      const v = yield* MemRef.load(x)
      yield* MemRef.store(o, (yield* Subgroup.sum(v)).add(yield* Subgroup.sum(v)))
    })
    const program = await Effect.runPromise(twice.trace as Effect.Effect<Program>)
    expect(program.body.eqns.filter((eqn) => eqn.primitive === "subgroupReduce").length).toBe(2)
  })
})
