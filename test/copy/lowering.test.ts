/** The WGSL of copies: loads stand where copies start, stores where they are waited for. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { Control, Copy, f32, i32, Kernel, MemRef, Scratch, Tile } from "../../src/index.ts"
import type { Program } from "../../src/ir/program.ts"
import { compile } from "../../src/wgsl/compile.ts"
import { single } from "../support/kernels.ts"

const traced = (kernel: Kernel.Any) => Effect.runPromise(kernel.trace as Effect.Effect<Program>)
const main = async (kernel: Kernel.Any, workgroupSize = 64): Promise<string> => {
  const program = await traced(kernel)
  const { code } = Result.getOrThrow(compile(program, { positions: false, schedule: { workgroupSize } }))
  return code.slice(code.indexOf("@compute"))
}

const overlapped = Kernel.make(
  "overlapped",
  {
    grid: [1],
    refs: { x: MemRef.in(f32, [2, 64]), o: MemRef.out(f32, [64]) },
    scratch: { row: Scratch.workgroup(f32, [64]) }
  },
  function* ({ o, row, x }) {
    const token = yield* Copy.start(MemRef.at(x, [1]), row)
    yield* Copy.fence()
    yield* MemRef.store(o, (yield* MemRef.load(MemRef.at(x, [0]))).exp())
    yield* Copy.wait(token)
    yield* MemRef.accumulate(o, Tile.flip(yield* MemRef.load(row)))
  }
)

describe("on Gpu a copy", () => {
  it("loads, lets arithmetic run, then lands", async () => {
    const file = new URL("./golden/overlapped.wgsl", import.meta.url)
    const text = await main(overlapped)
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, text)
    expect(existsSync(file), "UPDATE_GOLDEN=1 makes it").toBe(true)
    expect(text).toBe(readFileSync(file, "utf8"))
    const places = ["t0 = bitcast<f32>(x[", "exp(", "row = t0"].map((part) => text.indexOf(part))
    expect(places.every((at) => at > 0)).toBe(true)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })
  it("is loaded at its start even where nothing writes its source", async () => {
    const k = single({ x: MemRef.in(i32, [64]), o: MemRef.out(i32, [64]) }, function* ({ o, x }) {
      const token = yield* Copy.start(x, o)
      yield* MemRef.store(o, 1)
      yield* Copy.wait(token)
    })
    const text = await main(k)
    expect(text.indexOf("x[el]")).toBeLessThan(text.indexOf("o[el] = bitcast<u32>(1"))
  })
  it("waits in registers, and where it is landed one after the other in workgroup memory", async () => {
    const refs = { x: MemRef.in(i32, [64]), at: MemRef.in(i32, [64]), o: MemRef.out(f32, [64]) }
    const k = (indexed: boolean) =>
      Kernel.make(
        "k",
        { grid: [1], refs, scratch: { s: Scratch.workgroup(f32, [64]), t: Scratch.workgroup(f32, [64]) } },
        function* ({ at, o, s, t, x }) {
          yield* MemRef.store(t, (yield* MemRef.load(x)).convert(f32))
          const to = indexed ? MemRef.at(s, [yield* MemRef.load(at)]) : s
          yield* Copy.wait(yield* Copy.start(t, to, { op: "add" }))
          yield* MemRef.store(o, Tile.flip(yield* MemRef.load(s)))
        }
      )
    expect(await main(k(false))).toMatch(/s = s \+ t\d+;/)
    expect(await main(k(true))).toMatch(/for \(var k[^]*let (v\d+) = t\d+\[k\];\s*s\[v\d+\] = s\[v\d+\] \+ \1;/)
  })
  it("adds with atomics only where several program instances share the destination", async () => {
    const k = (programs: number) =>
      Kernel.make(
        "k",
        { grid: [programs], refs: { x: MemRef.in(f32, [64]), o: MemRef.out(f32, [64]) } },
        function* ({ o, x }) {
          yield* Copy.wait(yield* Copy.start(x, o, { op: "add" }))
        }
      )
    const code = async (programs: number) => Result.getOrThrow(compile(await traced(k(programs)))).code
    expect(await code(1)).not.toContain("atomic")
    expect(await code(2)).toContain("atomic")
  })
  it("is carried with nothing that stays the same", async () => {
    const refs = { x: MemRef.in(i32, [8, 64]), o: MemRef.out(i32, [2, 64]) }
    const k = single(refs, function* ({ o, x }) {
      const to = MemRef.at(o, [1])
      const last = yield* Control.fori(0, 7, yield* Copy.start(MemRef.at(x, [0]), to), function* (i, token) {
        yield* Copy.wait(token)
        return yield* Copy.start(MemRef.at(x, [i.add(1)]), to)
      })
      yield* Copy.wait(last)
    })
    const [loop] = (await traced(k)).body.eqns.filter((eqn) => eqn.primitive === "fori")
    expect(loop!.results.map((v) => v.shape)).toEqual([[64]])
    const text = await main(k)
    expect(text).not.toContain("var c")
    expect(text).toContain("o[el + 64] = bitcast<u32>(t2)")
  })
  it("is nothing where the predicate never holds, and a fence is nothing at all", async () => {
    const k = single({ x: MemRef.in(i32, [64]), o: MemRef.out(i32, [64]) }, function* ({ o, x }) {
      yield* Copy.fence()
      yield* Copy.wait(yield* Copy.start(x, o, { when: false }))
    })
    expect(await main(k)).not.toMatch(/x\[|o\[|fence/)
  })
})
