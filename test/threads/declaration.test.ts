/** Kernels that declare several threads of control. */
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { check } from "../../src/ir/check.ts"
import { Control, i32, Kernel, MemRef, Scratch } from "../../src/index.ts"
import type { Program } from "../../src/ir/program.ts"
import { parse } from "../../src/ir/parse.ts"
import { print } from "../../src/ir/print.ts"
import { primitive } from "../../src/primitives/index.ts"
import { cost, simpler } from "../../src/verify/shrink/shrink.ts"
import { failure, refused } from "../support/kernels.ts"

const refs = { o: MemRef.inout(i32, [4]) }
const declared = (options: object): Kernel.Any =>
  Kernel.make("declared", { grid: [2], refs, ...options } as { grid: [2]; refs: typeof refs }, function* ({ o }) {
    yield* MemRef.store(o, 1)
  }) as Kernel.Any
const traced = (kernel: Kernel.Any): Promise<Program> => Effect.runPromise(kernel.trace as Effect.Effect<Program>)

describe("the threads that a kernel declares", () => {
  it("stand in its program, and their effect among its effects", async () => {
    const kernel = declared({ threads: 3 })
    expect((await traced(kernel)).threads).toBe(3)
    expect(await Effect.runPromise(Kernel.effects(kernel) as Effect.Effect<unknown>)).toEqual(["Threads", "Write(o)"])
  })
  it("are there even if it is one, and not if none are declared", async () => {
    expect((await traced(declared({ threads: 1 }))).threads).toBe(1)
    for (const options of [{}, { threads: undefined }]) {
      const kernel = declared(options)
      expect(Object.hasOwn(await traced(kernel), "threads")).toBe(false)
      expect(await Effect.runPromise(Kernel.effects(kernel) as Effect.Effect<unknown>)).toEqual(["Write(o)"])
    }
  })
  it.each([0, -1, 1.5, NaN, "2", null, [2]])("cannot be %j", (threads) =>
    refused("InvalidKernel", declared({ threads }), {}, { says: [`${String(threads)} threads`, "at least 1"] })
  )
})

describe("the text and the JSON of a kernel", () => {
  it("have its threads, and give them back", async () => {
    const program = await traced(declared({ threads: 4 }))
    const text = print(program)
    expect(text.split("\n").slice(2, 4)).toEqual(["grid [2]", "threads 4"])
    expect(Result.getOrThrow(parse(text)).threads).toBe(4)
    for (const again of [
      await Effect.runPromise(Kernel.parse(text)),
      await Effect.runPromise(
        Effect.flatMap(Kernel.toJson(declared({ threads: 4 })) as Effect.Effect<unknown>, (json) =>
          Kernel.fromJson(JSON.parse(JSON.stringify(json)))
        )
      )
    ])
      expect(print(await traced(again))).toBe(text)
  })
  it("say nothing of a kernel without", async () => {
    const kernel = declared({})
    expect(print(await traced(kernel))).not.toContain("threads")
    expect(await Effect.runPromise(Kernel.toJson(kernel) as Effect.Effect<object>)).not.toHaveProperty("threads")
  })
  it("are refused where the number is none", async () => {
    const text = print(await traced(declared({ threads: 4 })))
    const error = await failure(Kernel.parse(text.replace("threads 4", "threads 2.5")))
    expect(error.reason).toMatchObject({ _tag: "InvalidProgram", detail: expect.stringContaining("2.5 threads") })
    const unread = await failure(Kernel.parse(text.replace("threads 4", "threads many")))
    expect(unread.reason).toMatchObject({
      _tag: "ParseError",
      line: 4,
      detail: expect.stringContaining("number of threads")
    })
  })
})

describe("a program with threads shrinks", () => {
  const start = (threads: number) => traced(declared({ threads }))
  it("to one without, and to fewer threads", async () => {
    const program = await start(8)
    const candidates = [...simpler(program, primitive)]
    for (const candidate of candidates) {
      expect(check(candidate, primitive)).toBeUndefined()
      expect(cost(candidate)).toBeLessThan(cost(program))
    }
    const threads = new Set(candidates.map((p) => p.threads))
    for (const n of [undefined, 1, 2, 4, 7, 8]) expect(threads).toContain(n)
  })
  it("and never to none or to more", async () => {
    for (const { threads } of simpler(await start(1), primitive)) expect([undefined, 1]).toContain(threads)
    for (const { threads } of simpler(await traced(declared({})), primitive)) expect(threads).toBeUndefined()
  })
})

describe("a kernel with threads that another calls", () => {
  const callee = (threads: number | undefined, access: "inout" | "out" = "inout") =>
    Kernel.make(
      "callee",
      {
        grid: [2],
        refs: { o: { ...MemRef.inout(i32, [4]), access } },
        scratch: { s: Scratch.workgroup(i32, [4]) },
        ...(threads === undefined ? {} : { threads })
      },
      function* ({ o, s }) {
        yield* MemRef.store(s, 1)
        yield* MemRef.accumulate(o, yield* MemRef.load(s))
      }
    )
  const caller = (inner: ReturnType<typeof callee>, threads?: number): Kernel.Any =>
    Kernel.make("caller", { grid: [1], refs, ...(threads === undefined ? {} : { threads }) }, function* ({ o }) {
      yield* Kernel.call(inner as any, { o } as never) as Effect.Effect<void>
    }) as Kernel.Any

  it("runs in each thread of a caller with as many", async () => {
    const program = await traced(caller(callee(2), 2))
    expect(program.threads).toBe(2)
    expect(print(program)).toContain("accumulate o")
  })
  it("needs no threads to be called by a kernel that has some", async () => {
    expect((await traced(caller(callee(undefined), 2))).threads).toBe(2)
  })
  it.each([
    [2, undefined, "and its caller as 1"],
    [1, undefined, "and its caller as 1"],
    [2, 3, "and its caller as 3"]
  ])("%s threads are refused in a caller with %s", (own, outer, says) =>
    refused(
      "TypeMismatch",
      caller(callee(own), outer),
      { o: [0, 0, 0, 0] },
      {
        says: [`kernel "callee" runs as ${own} threads`, says, `threads: ${own}`],
        at: "yield* Kernel.call(inner"
      }
    )
  )
  it("is refused where each thread would set its results to 0", () =>
    refused(
      "TypeMismatch",
      caller(callee(2, "out") as any, 2),
      { o: [0, 0, 0, 0] },
      {
        says: ['each thread would set "o"', "declare it inout"]
      }
    ))
})

describe("loops and branches in a kernel with threads", () => {
  it("are traced as ever", async () => {
    const kernel = Kernel.make("loops", { grid: [1], refs, threads: 2 }, function* ({ o }) {
      yield* Control.forEach(0, 4, function* (i) {
        yield* MemRef.accumulate(MemRef.at(o, [i]), i)
      })
    })
    expect(print(await traced(kernel as Kernel.Any))).toContain("fori")
  })
})
