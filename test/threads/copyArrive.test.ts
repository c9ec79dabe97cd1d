/** Copies with a barrier in a kernel with threads: any of them may wait. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Barrier, Control, Copy, f32, i32, Kernel, MemRef, Scratch, Tile } from "../../src/index.ts"
import { type Eqn, equations, type Program, showEffect } from "../../src/ir/program.ts"
import { failure, refused } from "../support/kernels.ts"

const refs = { x: MemRef.in(i32, [2, 4]), o: MemRef.inout(i32, [4]), f: MemRef.inout(f32, [4]) }
const scratch = {
  s: Scratch.workgroup(i32, [2, 4]),
  b: Barrier.scratch({ arrivals: 1 }),
  bs: Barrier.scratch({ arrivals: 1, barriers: 2 })
}
const kernel = (body: (refs: any) => Generator<any, any, any>, threads = 2): Kernel.Any =>
  Kernel.make("copies", { grid: [1], refs, scratch, ...(threads === 0 ? {} : { threads }) }, body as any) as Kernel.Any
const traced = (of: Kernel.Any): Promise<Program> => Effect.runPromise(of.trace as Effect.Effect<Program>)
const named = async (of: Kernel.Any): Promise<ReadonlyArray<string>> =>
  [...equations((await traced(of)).body)].map((eqn) => eqn.primitive)
const arrival = async (of: Kernel.Any): Promise<Eqn> =>
  [...equations((await traced(of)).body)].find((eqn) => eqn.primitive === "copyArrive")!
const C: any = Copy

/** One thread copies, the other waits. */
const handedOver = function* ({ b, o, s, x }: any): Generator<any, any, any> {
  yield* Control.cond(
    (yield* Control.threadId()).eq(0),
    function* () {
      yield* C.start(MemRef.at(x, [0]), MemRef.at(s, [0]), { barrier: b })
    },
    function* () {
      yield* Barrier.wait(b)
      yield* MemRef.store(o, yield* MemRef.load(MemRef.at(s, [0])))
    }
  )
}

describe("Copy.start with a barrier in a kernel with threads", () => {
  it("is one equation, of the source, the destination and the barrier, that gives no token", async () => {
    const eqn = await arrival(kernel(handedOver))
    expect(eqn).toMatchObject({ params: { op: "store" }, operands: [], results: [] })
    expect(eqn.refs.map((use) => use.name)).toEqual(["x", "s", "b"])
    expect(eqn.effects.map(showEffect)).toEqual(["Memory", "Read(b)", "Read(x)", "Threads", "Write(b)", "Write(s)"])
  })
  it("does not land where the trace sees a wait", async () => {
    const waits = function* ({ b, s, x }: any) {
      yield* C.start(x, s, { barrier: b })
      yield* Barrier.wait(b)
    }
    expect(await named(kernel(waits))).toEqual(["copyArrive", "barrierWait", "assert"])
    expect(await named(kernel(waits, 1))).toEqual(["copyArrive", "barrierWait", "assert"])
  })
  it("needs no wait by the thread that starts it, nor one in its own loop or branch", async () => {
    const started = function* ({ b, s, x }: any) {
      yield* Control.forEach(0, 2, function* (i) {
        yield* C.start(MemRef.at(x, [i]), MemRef.at(s, [i]), { barrier: b })
      })
    }
    expect(await named(kernel(started))).toEqual(["fori", "copyArrive"])
    await refused("Unbalanced", kernel(started, 0), {}, { says: ["never waited for"] })
  })
  it.each([
    ["add", ["Accum(o)"]],
    ["max", ["Read(o)", "Write(o)"]],
    ["store", ["Write(o)"]]
  ])("lands by %s with the effects of that", async (op, effects) => {
    const eqn = await arrival(
      kernel(function* ({ b, o, x }) {
        yield* C.start(MemRef.at(x, [0]), o, { barrier: b, op })
      })
    )
    expect(eqn.params).toEqual({ op })
    expect(eqn.effects.map(showEffect).filter((e) => e.includes("(o)"))).toEqual(effects)
  })
  it("takes a mask and a condition as one operand", async () => {
    const of = (options: object) =>
      arrival(
        kernel(function* ({ b, o, x }) {
          yield* C.start(MemRef.at(x, [0]), o, { barrier: b, ...options })
        })
      )
    const mask = Tile.iota(i32, [4]).gt(1)
    expect((await of({ mask })).operands).toMatchObject([{ dtype: "bool", shape: [4] }])
    expect((await of({ when: true })).operands).toMatchObject([{ dtype: "bool", shape: [] }])
    expect((await of({ mask, when: Tile.of(i32, 1).gt(0) })).operands).toMatchObject([{ dtype: "bool", shape: [4] }])
  })
  it("shares the indices of its three views", async () => {
    const moving = kernel(function* ({ bs, s, x }) {
      const thread = yield* Control.threadId()
      yield* C.start(MemRef.at(x, [thread]), MemRef.at(s, [thread]), { barrier: Barrier.at(bs, thread) })
    })
    expect((await arrival(moving)).indices).toHaveLength(1)
    const text = (await Effect.runPromise(Kernel.print(moving) as Effect.Effect<string>)).split("\n")
    expect(text.find((line) => line.includes("copyArrive"))).toContain(
      '{op: "store"} x[%0, 0 +: 4] s[%0, 0 +: 4] bs[%0]'
    )
  })
  it("survives text and JSON, and is a copy to the next wait where no threads are declared", async () => {
    const text = await Effect.runPromise(Kernel.print(kernel(handedOver)) as Effect.Effect<string>)
    expect(await Effect.runPromise(Kernel.print(await Effect.runPromise(Kernel.parse(text))))).toBe(text)
    const json: unknown = await Effect.runPromise(Kernel.toJson(kernel(handedOver)) as Effect.Effect<unknown>)
    const again = await Effect.runPromise(Kernel.fromJson(JSON.parse(JSON.stringify(json))))
    expect(await Effect.runPromise(Kernel.print(again))).toBe(text)
    const alone = kernel(function* ({ b, s, x }) {
      yield* C.start(x, s, { barrier: b })
      yield* Barrier.wait(b)
    }, 0)
    expect(await named(alone)).toEqual(["copyStart", "copyWait", "barrierArrive", "barrierWait", "assert"])
  })
})

describe("such a copy is refused where", () => {
  const cases: ReadonlyArray<readonly [string, (refs: any) => Generator<any, any, any>, ReadonlyArray<string>]> = [
    [
      "shapes differ",
      function* ({ b, o, x }) {
        yield* C.start(x, o, { barrier: b })
      },
      ['"x" shows i32[2, 4]']
    ],
    [
      "dtypes differ",
      function* ({ b, f, x }) {
        yield* C.start(MemRef.at(x, [0]), f, { barrier: b })
      },
      ['"x" is i32, "f" is f32']
    ],
    [
      "it cannot land so",
      function* ({ b, o, x }) {
        yield* C.start(MemRef.at(x, [0]), o, { barrier: b, op: "mul" })
      },
      ["cannot land by mul"]
    ],
    [
      "the barrier is none",
      function* ({ o, s, x }) {
        yield* C.start(MemRef.at(x, [0]), o, { barrier: s })
      },
      ["`barrier` is no barrier", "Barrier.scratch"]
    ],
    [
      "the barrier is several",
      function* ({ bs, o, x }) {
        yield* C.start(MemRef.at(x, [0]), o, { barrier: bs })
      },
      ["barriers of shape [2]", "Barrier.at"]
    ]
  ]
  it.each(cases)("%s", (_, body, says) => refused("TypeMismatch", kernel(body), {}, { says, at: "yield* C.start" }))
  it("its destination is only read", () =>
    refused(
      "AccessViolation",
      kernel(function* ({ b, s, x }) {
        yield* C.start(s, x, { barrier: b })
      }),
      {},
      { says: ["in ref"] }
    ))
})

describe("the checker refuses a copyArrive", () => {
  const text = (line: string) => `effect-kernels 1
kernel k
grid [1]
threads 2
in x: i32[4]
inout o: i32[4]
body {
  scratch b: i32[] workgroup barrier(1)
  scratch bs: i32[2] workgroup barrier(1)
  scratch f: f32[4] workgroup
  scratch h: i32[2] workgroup
  scratch s: i32[] workgroup
  ${line}
}
`
  const effects = (to: string, at = "b", by = `Write(${to})`) =>
    `! ${["Memory", `Read(${at})`, "Read(x)", "Threads", `Write(${at})`, by].sort().join(", ")}`
  it("that is right in nothing", async () => {
    const good = text(`copyArrive {op: "store"} x o b ${effects("o")}`)
    expect(await Effect.runPromise(Kernel.print(await Effect.runPromise(Kernel.parse(good))))).toBe(good)
  })
  it.each([
    ["without a barrier", `copyArrive {op: "store"} x o ${effects("o")}`, "got 2 refs"],
    ["with a barrier too many", `copyArrive {op: "store"} x o b b ${effects("o")}`, 'ref "b" is a barrier'],
    [
      "whose third ref is plain memory",
      `copyArrive {op: "store"} x o s ${effects("o", "s")}`,
      'ref "s" is plain memory'
    ],
    ["whose source is a barrier", `copyArrive {op: "store"} b o b ${effects("o")}`, 'ref "b" is a barrier'],
    ["whose destination is a barrier", `copyArrive {op: "store"} x b b ${effects("b")}`, 'ref "b" is a barrier'],
    ["of several barriers", `copyArrive {op: "store"} x o bs ${effects("o", "bs")}`, "barriers of shape [2]"],
    ["of another dtype", `copyArrive {op: "store"} x f b ${effects("f")}`, "the value is i32, the view f32"],
    ["of another shape", `copyArrive {op: "store"} x h b ${effects("h")}`, "the value has shape [4]"],
    ["without a landing", `copyArrive x o b ${effects("o")}`, "cannot land by undefined"],
    ["with a number as mask", `copyArrive {op: "store"} x o b (1i) ${effects("o")}`, "the mask is i32"],
    ["with two masks", `copyArrive {op: "store"} x o b (true, true) ${effects("o")}`, "got 3 operands"],
    ["that hides its effects", `copyArrive {op: "store"} x o b ! Memory`, "the effects are declared as Memory"],
    [
      "to a ref that is only read",
      `copyArrive {op: "store"} o x b ! Memory, Read(b), Read(o), Threads, Write(b), Write(x)`,
      'ref "x" is declared as in'
    ]
  ])("%s", async (_, line, says) => {
    const { reason } = await failure(Kernel.parse(text(line)))
    expect(reason).toMatchObject({ _tag: "InvalidProgram", detail: expect.stringContaining(says) })
  })
})

describe("barriers of a kernel with threads", () => {
  it("are not judged by what one thread does", async () => {
    const waits = function* ({ b }: any) {
      yield* Barrier.wait(b)
    }
    await refused("Deadlock", kernel(waits, 0), {}, { says: ["0"] })
    expect(await named(kernel(waits))).toEqual(["barrierWait", "assert"])
    const text = await Effect.runPromise(Kernel.print(kernel(waits)) as Effect.Effect<string>)
    expect((await Effect.runPromise(Kernel.parse(text))).name).toBe("copies")
  })
  it("nor where a program has but the equations of threads", async () => {
    const text = await Effect.runPromise(Kernel.print(kernel(handedOver)) as Effect.Effect<string>)
    const open = text.replace("threads 2\n", "")
    expect(await Effect.runPromise(Kernel.print(await Effect.runPromise(Kernel.parse(open))))).toBe(open)
  })
})
