/** 124: scoped allocation that is collective over threads. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Discharge, i32, Kernel, MemRef, Scratch } from "../../src/index.ts"
import { type Eqn, equations, type Program } from "../../src/ir/program.ts"
import { primitive } from "../../src/primitives/index.ts"
import { simpler } from "../../src/verify/shrink/shrink.ts"
import { failure, onEach, refused } from "../support/kernels.ts"

const refs = { x: MemRef.in(i32, [4]), o: MemRef.inout(i32, [4]) }
const spec = Scratch.workgroup(i32, [4])
const kernel = (options: any, threads: number, scratch: any = spec): Kernel.Any =>
  Kernel.make("scoped", { grid: [1], refs, ...(threads === 0 ? {} : { threads }) }, function* ({ o, x }: any) {
    yield* Scratch.scoped(
      scratch,
      function* (s: any) {
        yield* MemRef.store(s, yield* MemRef.load(x))
        yield* MemRef.accumulate(o, (yield* MemRef.load(s)) as any)
      },
      options
    )
  } as any) as Kernel.Any
const traced = (of: Kernel.Any): Promise<Program> => Effect.runPromise(of.trace as Effect.Effect<Program>)
const scopes = async (of: Kernel.Any): Promise<ReadonlyArray<Eqn>> =>
  [...equations((await traced(of)).body)].filter((eqn) => eqn.primitive === "scoped")

describe("Scratch.scoped", () => {
  it("is each thread's own, unless it is collective", async () => {
    for (const options of [undefined, {}, { collective: false }, { collective: undefined }])
      expect((await scopes(kernel(options, 2)))[0]!.params).toEqual({})
    expect((await scopes(kernel({ collective: true }, 2)))[0]!.params).toEqual({ collective: true })
  })
  it("means the same either way where there is one thread", async () => {
    const args = { x: Int32Array.of(1, 2, 3, 4), o: Int32Array.of(10, 20, 30, 40) }
    for (const options of [{}, { collective: true }]) await onEach(kernel(options, 0), args, { o: [11, 22, 33, 44] })
  })
  it("stays collective in text and JSON, and where it is not discharged", async () => {
    const text = await Effect.runPromise(Kernel.print(kernel({ collective: true }, 2)) as Effect.Effect<string>)
    expect(text).toContain("scoped {collective: true} !")
    expect(await Effect.runPromise(Kernel.print(await Effect.runPromise(Kernel.parse(text))))).toBe(text)
    const json: unknown = await Effect.runPromise(
      Kernel.toJson(kernel({ collective: true }, 2)) as Effect.Effect<unknown>
    )
    expect(await Effect.runPromise(Kernel.print(await Effect.runPromise(Kernel.fromJson(json))))).toBe(text)
    const part = await Effect.runPromise(
      Discharge.discharge(await traced(kernel({ collective: true }, 0)), { only: ["o"] })
    )
    expect(part.body.eqns.find((eqn) => eqn.primitive === "scoped")!.params).toEqual({ collective: true })
  })
  it("shrinks to a scope that is not collective", async () => {
    const found = [...simpler(await traced(kernel({ collective: true }, 2)), primitive)]
    const plain = (p: Program) =>
      [...equations(p.body)].some((e) => e.primitive === "scoped" && !("collective" in e.params))
    expect(found.some(plain)).toBe(true)
  })
  it.each([1, "yes", []])("is refused where collective is %j", (collective) =>
    refused("TypeMismatch", kernel({ collective }, 2), {}, { says: ["`collective` is", "true or false"] })
  )
  it("is refused where registers are collective", () =>
    refused(
      "TypeMismatch",
      kernel({ collective: true }, 2, Scratch.register(i32, [4])),
      {},
      { says: ["is in registers, which threads do not share", "Scratch.workgroup"], at: "yield* Scratch.scoped(" }
    ))
  it("is refused in texts alike", async () => {
    const text = await Effect.runPromise(Kernel.print(kernel({ collective: true }, 2)) as Effect.Effect<string>)
    const refusal = async (from: string, to: string) => {
      const { reason } = await failure(Kernel.parse(text.replace(from, to)))
      expect(reason._tag).toBe("InvalidProgram")
      return reason.message
    }
    expect(await refusal("collective: true", "collective: 1")).toContain("the parameter collective is 1")
    expect(await refusal("workgroup", "register")).toContain("in registers, which threads do not share")
  })
})

describe("a called kernel with threads", () => {
  it("has workgroup scratch that its threads share, and registers of their own", async () => {
    const callee = Kernel.make(
      "callee",
      {
        grid: [1],
        threads: 2,
        refs: { o: MemRef.inout(i32, [4]) },
        scratch: { own: Scratch.register(i32, [4]), shared: spec, mine: Scratch.register(i32, [4]) }
      },
      function* ({ mine, o, own, shared }) {
        yield* MemRef.store(own, 1)
        yield* MemRef.store(mine, 2)
        yield* MemRef.store(shared, (yield* MemRef.load(own)).add(yield* MemRef.load(mine)))
        yield* MemRef.store(o, yield* MemRef.load(shared))
      }
    )
    const caller = Kernel.make("caller", { grid: [1], refs, threads: 2 }, function* ({ o }) {
      yield* Kernel.call(callee, { o })
    })
    const [outer, inner, ...more] = await scopes(caller as Kernel.Any)
    expect(more).toEqual([])
    expect(outer).toMatchObject({ params: { collective: true }, regions: [{ refs: [{ name: "shared" }] }] })
    expect(inner).toMatchObject({ params: {}, regions: [{ refs: [{ name: "own" }, { name: "mine" }] }] })
    expect(inner!.regions[0]!.eqns.filter((e) => e.primitive === "store").map((e) => e.refs[0]!.name)).toEqual([
      "own",
      "mine",
      "shared",
      "o"
    ])
  })
})
