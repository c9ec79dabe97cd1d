/** Kernels before they are judged: for those who look for mistakes. */
import { Context, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Barrier, Control, Copy, f32, i32, Kernel, MemRef, Pipeline, Scratch } from "../../src/index.ts"
import { equations } from "../../src/ir/program.ts"
import { type Draft, draftOf } from "../../src/trace/draft.ts"
import { failure } from "../support/kernels.ts"

const refs = { x: MemRef.in(i32, [4]), o: MemRef.out(i32, [4]), m: MemRef.in(f32, [2, 2]) }
const scratch = {
  s: Scratch.workgroup(i32, [4]),
  b: Barrier.scratch({ arrivals: 2 }),
  acc: Pipeline.accumulator(f32, [2, 2])
}
const kernel = (body: (refs: any) => Generator<any, any, any>): Kernel.Any =>
  Kernel.make("drafts", { grid: [1], refs, scratch }, body as any) as Kernel.Any
const drafted = (of: Kernel.Any): Promise<Draft> => Effect.runPromise(draftOf(of as any) as Effect.Effect<Draft>)
const primitives = ({ program }: Draft) => [...equations(program.body)].map((eqn) => eqn.primitive)

const mistakes: ReadonlyArray<readonly [string, (refs: any) => Generator<any, any, any>, object, string]> = [
  [
    "a copy that is never waited for",
    function* ({ o, x }) {
      yield* Copy.start(x, o)
    },
    { _tag: "Unbalanced", primitive: "copyStart", ref: "o" },
    "copyStart"
  ],
  [
    "a product in flight",
    function* ({ acc, m }) {
      yield* Pipeline.multiplyAccumulate(acc, m, m)
    },
    { _tag: "Unbalanced", primitive: "multiplyAccumulate", ref: "acc" },
    "multiplyAccumulate"
  ],
  [
    "a wait for a phase that will not be complete",
    function* ({ b }) {
      yield* Barrier.arrive(b)
      yield* Barrier.wait(b)
    },
    { _tag: "Deadlock", ref: "b" },
    "barrierWait"
  ],
  [
    "a phase that nothing waits for",
    function* ({ b }) {
      yield* Barrier.arrive(b)
      yield* Barrier.arrive(b)
    },
    { _tag: "Unbalanced", primitive: "barrierArrive", ref: "b" },
    "barrierArrive"
  ]
]

describe("a draft", () => {
  it.each(mistakes)("has the program and the mistake of %s, which a trace fails with", async (_, body, says, holds) => {
    const of = kernel(body)
    const draft = await drafted(of)
    expect(draft.mistake).toMatchObject(says)
    expect(primitives(draft)).toContain(holds)
    const error = await failure(of.trace as Effect.Effect<unknown, { readonly reason: unknown }>)
    expect(error).toMatchObject({ _tag: "KernelError", kernel: "drafts" })
    expect(error.reason).toEqual(draft.mistake)
  })
  it("of a kernel without mistakes is its trace", async () => {
    const of = kernel(function* ({ o, x }) {
      yield* Copy.wait(yield* Copy.start(x, o))
    })
    const draft = await drafted(of)
    expect(Object.hasOwn(draft, "mistake")).toBe(false)
    expect(draft.program).toBe(await Effect.runPromise(of.trace as Effect.Effect<unknown>))
    expect(await drafted(of)).toBe(draft)
  })
  it("has the first mistake of several, as a trace", async () => {
    const of = kernel(function* ({ acc, b, m, o, x }) {
      yield* Barrier.arrive(b)
      yield* Copy.start(x, o)
      yield* Pipeline.multiplyAccumulate(acc, m, m)
    })
    const { mistake } = await drafted(of)
    expect(mistake).toMatchObject({ primitive: "multiplyAccumulate" })
    expect(await failure(of.trace as Effect.Effect<unknown, unknown>)).toMatchObject({ reason: mistake })
  })
  it("is not there where the body leaves no program", async () => {
    const wrong = [
      kernel(function* ({ x }) {
        yield* MemRef.store(x, 1)
      }),
      kernel(function* ({ o }) {
        MemRef.store(o, 1)
      }),
      kernel(function* () {
        return 1
      })
    ]
    const tags = []
    for (const of of wrong) {
      const error: any = await failure(draftOf(of as any) as Effect.Effect<Draft, unknown>)
      expect(await failure(of.trace as Effect.Effect<unknown, unknown>)).toMatchObject({ reason: { ...error.reason } })
      tags.push(error.reason._tag)
    }
    expect(tags).toEqual(["AccessViolation", "Unyielded", "InvalidKernel"])
  })
  it("is traced anew where the body asks for services", async () => {
    class Turns extends Context.Service<Turns, number>()("Turns") {}
    const of = Kernel.make("asks", { grid: [1], refs }, function* ({ o }) {
      yield* Control.forEach(0, yield* Turns, function* (i) {
        yield* MemRef.store(MemRef.at(o, [i]), i)
      })
    })
    const turns = async (n: number) => {
      const { program } = await Effect.runPromise(
        Effect.provideService(draftOf(of as Kernel.Any as any) as Effect.Effect<Draft, never, Turns>, Turns, n)
      )
      return program.body.eqns.find((eqn) => eqn.primitive === "fori")!.operands[1]
    }
    expect(await turns(2)).toMatchObject({ value: 2 })
    expect(await turns(3)).toMatchObject({ value: 3 })
  })
  it("of a kernel from text has been judged", async () => {
    const text = await Effect.runPromise(
      Kernel.print(
        kernel(function* ({ o }) {
          yield* MemRef.store(o, 1)
        })
      ) as Effect.Effect<string>
    )
    const read = await Effect.runPromise(Kernel.parse(text))
    expect(await Effect.runPromise(draftOf(read))).toEqual({ program: await Effect.runPromise(read.trace) })
  })
})
