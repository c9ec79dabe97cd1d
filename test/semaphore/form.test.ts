/** Semaphores as data, and what is refused of them. */
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { bool, i32, Kernel, MemRef, Semaphore, Tile, u32 } from "../../src/index.ts"
import { check } from "../../src/ir/check.ts"
import { fromJson, toJson } from "../../src/ir/codec.ts"
import { parse } from "../../src/ir/parse.ts"
import { print } from "../../src/ir/print.ts"
import type { Program } from "../../src/ir/program.ts"
import { primitive } from "../../src/primitives/index.ts"
import { kernelError, refused, single } from "../support/kernels.ts"

const kernel = Kernel.make(
  "k",
  {
    grid: [2],
    refs: { g: MemRef.inout(i32, [2]), n: MemRef.scalar(i32) },
    scratch: { s: Semaphore.scratch([2]) }
  },
  function* ({ g, n, s }) {
    yield* Semaphore.signal(s, n)
    yield* Semaphore.wait(MemRef.at(s, [1]), 2, { decrement: false })
    yield* Semaphore.signal(g, (yield* Semaphore.read(MemRef.at(s, [0]))).mul(0).add(1))
    yield* Semaphore.wait(g)
  }
)
const traced = () => Effect.runPromise(kernel.trace as Effect.Effect<Program>)

describe("a program with semaphores", () => {
  it("comes back from text and JSON as it was, and says which waits are up to others", async () => {
    const program = await traced()
    const text = print(program)
    expect(text).toContain("semaphoreSignal s (%0) ! Read(s), Write(s)")
    expect(text).toContain("semaphoreWaitLocal {decrement: false} s[1] (2i) ! Read(s), Write(s)")
    expect(text).toContain("semaphoreWait {decrement: true} g (1i) ! Read(g), Write(g), Semaphore")
    expect(print(Result.getOrThrow(parse(text)))).toBe(text)
    expect(print(Result.getOrThrow(fromJson(JSON.parse(JSON.stringify(toJson(program))))))).toBe(text)
    expect(check(program, primitive)).toBeUndefined()
    expect(await Effect.runPromise(Kernel.effects(kernel))).toEqual([
      "Debug",
      "Memory",
      "Read(g)",
      "Read(n)",
      "Semaphore",
      "Write(g)"
    ])
  })
})

describe("the checker", () => {
  it.each([
    [
      "a wait on a shared ref as one on scratch",
      "semaphoreWaitLocal {decrement: false} s[1] (2i) ! Read(s), Write(s)",
      "semaphoreWaitLocal {decrement: false} g[1] (2i) ! Read(g), Write(g)",
      /"g" is shared by program instances/
    ],
    [
      "a wait on a shared ref without its effect",
      "Write(g), Semaphore",
      "Write(g)",
      /has Read\(g\), Semaphore, Write\(g\)/
    ],
    ["a number below 0", "s[1] (2i)", "s[1] (-2i)", /the number is -2/],
    ["a number that is no i32", "s[1] (2i)", "s[1] (2u)", /must be a i32 scalar/],
    ["no number", "s[1] (2i)", "s[1]", /takes 1 operands, got 0/],
    ["a parameter that says nothing", "{decrement: false}", "{decrement: 1}", /the parameter decrement is 1/]
  ])("refuses %s", async (_, from, to, says) => {
    const text = print(await traced())
    expect(text).toContain(from)
    expect(check(Result.getOrThrow(parse(text.replace(from, to))), primitive)?.detail).toMatch(says)
  })
})

describe("what is no semaphore is refused", () => {
  const operations: ReadonlyArray<[string, (ref: any, n?: any) => any]> = [
    ["semaphoreSignal", Semaphore.signal],
    ["semaphoreWait", Semaphore.wait]
  ]
  const refs = {
    x: MemRef.in(i32, [4]),
    u: MemRef.inout(u32, [4]),
    b: MemRef.inout(bool, [4]),
    o: MemRef.out(i32, [4])
  }
  const args = { x: new Int32Array(4), u: new Uint32Array(4), b: new Uint8Array(4) }
  it.each(operations)("%s", async (name, operation) => {
    const of = (body: (r: any) => any) =>
      single(refs, function* (r) {
        yield* body(r)
      })
    await refused(
      "TypeMismatch",
      of(({ u }) => operation(u)),
      args,
      { says: [`${name}`, "the ref is u32[4]"] }
    )
    await refused(
      "TypeMismatch",
      of(({ b }) => operation(b)),
      args,
      { says: ["the ref is bool[4]"] }
    )
    await refused(
      "TypeMismatch",
      of(() => operation(Tile.of(i32, 1))),
      args,
      { says: [`${name}: a tile is not a ref`] }
    )
    await refused(
      "TypeMismatch",
      of(() => operation(undefined)),
      args,
      { says: ["the first argument is not a ref"] }
    )
    expect(
      (
        await kernelError(
          "AccessViolation",
          of(({ x }) => operation(x)),
          args
        )
      ).ref
    ).toBe("x")
    for (const n of [1.5, 2 ** 31, NaN, "1", {}, Tile.of(u32, 1), Tile.zeros(i32, [4])])
      await kernelError(
        "TypeMismatch",
        of(({ o }) => operation(o, n)),
        args
      )
    const lost = single(refs, function* (r) {
      operation(r.o)
    })
    await refused("Unyielded", lost, args, { says: [name] })
  })
  it("semaphoreRead", async () => {
    const k = single(refs, function* ({ u }) {
      yield* Semaphore.read(u as any)
    })
    await refused("TypeMismatch", k, args, { says: ["semaphoreRead: a semaphore is i32, the ref is u32[4]"] })
  })
  it("nor are elements that may be one waited for together", async () => {
    const k = single(refs, function* ({ o, x }) {
      yield* Semaphore.wait(MemRef.at(o, [yield* MemRef.load(x)]))
    })
    await refused("TypeMismatch", k, args, { says: ["may show one element twice", "one by one"] })
  })
})
