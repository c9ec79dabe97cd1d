/** Barriers as data: text, JSON, the checker, discharge in part. */
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { Barrier, Control, Discharge, i32, Kernel, MemRef, Scratch } from "../../src/index.ts"
import { check } from "../../src/ir/check.ts"
import { fromJson, toJson } from "../../src/ir/codec.ts"
import { parse } from "../../src/ir/parse.ts"
import { print } from "../../src/ir/print.ts"
import type { Program } from "../../src/ir/program.ts"
import { primitive } from "../../src/primitives/index.ts"
import { failure, onEach } from "../support/kernels.ts"

const kernel = Kernel.make(
  "k",
  {
    grid: [1],
    refs: { o: MemRef.out(i32, [2]) },
    scratch: { several: Barrier.scratch({ arrivals: 4, barriers: 3 }) }
  },
  function* ({ o, several }) {
    yield* Scratch.scoped(Barrier.scratch({ arrivals: 1 }), function* (b) {
      yield* Barrier.arrive(b)
      yield* Barrier.wait(b)
    })
    yield* MemRef.store(o, (yield* Barrier.test(Barrier.at(several, 2))).convert(i32).add(7))
    yield* Barrier.sync()
  }
)
const traced = () => Effect.runPromise(kernel.trace as Effect.Effect<Program>)
const text = `effect-kernels 1
kernel k
grid [1]
out o: i32[2]
body {
  scratch several: i32[3] workgroup barrier(4)
  scoped ! Memory {
    scratch barrier: i32[] workgroup barrier(1)
    barrierArrive barrier ! Memory, Read(barrier), Write(barrier)
    %0: bool[] = barrierWait barrier ! Memory, Read(barrier), Write(barrier)
    assert {detail: "nothing completes the phase of 1 that it waits for", kind: "deadlock", ref: "barrier"} (%0) ! Debug
  }
  %1: bool[] = barrierTest several[2] ! Memory, Read(several)
  %2: i32[] = convert {dtype: "i32"} (%1)
  %3: i32[] = add (%2, 7i)
  store o (%3) ! Write(o)
  sync ! Memory
}
`.replace("scoped ! Memory", "scoped ! Debug, Memory")

describe("a program with barriers", () => {
  it("says what they are, and comes back from text and JSON as it was", async () => {
    const program = await traced()
    expect(print(program)).toBe(text)
    expect(print(Result.getOrThrow(parse(text)))).toBe(text)
    expect(print(Result.getOrThrow(fromJson(JSON.parse(JSON.stringify(toJson(program))))))).toBe(text)
    expect(check(program, primitive)).toBeUndefined()
    await onEach(await Effect.runPromise(Kernel.parse(text)), {}, { o: [7, 7] })
  })
  it("has the effects of its barriers as Memory", async () => {
    expect(await Effect.runPromise(Kernel.effects(kernel))).toEqual(["Debug", "Memory", "Write(o)"])
  })
  it("may be discharged in parts, in any order", async () => {
    const part = await Effect.runPromise(Discharge.discharge(kernel, { only: ["several"] }))
    expect(print(part)).toContain("barrierArrive barrier")
    expect(print(part)).toContain("sync ! Memory")
    expect(print(part)).not.toContain("barrierTest")
    expect(check(part, primitive)).toBeUndefined()
    const rest = await Effect.runPromise(Discharge.discharge(part))
    expect(check(rest, primitive)).toBeUndefined()
    expect(print(rest)).not.toMatch(/barrier[AWT]|sync/)
  })
})

describe("a wait that nothing looks at", () => {
  it("never hangs: it says whether it found a phase, and takes none where it did not", async () => {
    const k = Kernel.make(
      "k",
      {
        grid: [1],
        refs: { n: MemRef.scalar(i32), o: MemRef.out(i32, [4]) },
        scratch: { b: Barrier.scratch({ arrivals: 2 }), several: Barrier.scratch({ arrivals: 2, barriers: 2 }) }
      },
      function* ({ b, n, o, several }) {
        const each = [b, Barrier.at(several, 1)]
        for (const [k, barrier] of each.entries()) {
          yield* Control.forEach(0, n, () => Barrier.arrive(barrier))
          yield* Barrier.wait(barrier)
          yield* Barrier.arrive(barrier)
          yield* MemRef.store(MemRef.at(o, [k + 2]), (yield* Barrier.test(barrier)).convert(i32))
        }
      }
    )
    let wait = 0
    const open = (await Effect.runPromise(Kernel.print(k))).replaceAll(/assert .*\((%\d+)\) ! Debug/g, (_, found) => {
      const [at, id] = [wait++, 100 + wait]
      return `%${id}: i32[] = convert {dtype: "i32"} (${found})\n  store o[${at}] (%${id}) ! Write(o)`
    })
    const parsed = await Effect.runPromise(Kernel.parse(open))
    await onEach(parsed, { n: 1 }, { o: [0, 0, 1, 1] })
    await onEach(parsed, { n: 2 }, { o: [1, 1, 0, 0] })
    await onEach(parsed, { n: 3 }, { o: [1, 1, 1, 1] })
  })
})

describe("the text and JSON of a barrier", () => {
  it.each([
    ["barrier(", /expected the number of arrivals/],
    ["barrier", /expected '\('/],
    ["barrier(4", /expected '\)'/],
    ["accumulate(4)", /expected the end of the line/]
  ])("is not %s", async (role, says) => {
    const error: any = await failure(Kernel.parse(text.replace("barrier(4)", role)))
    expect(error.reason).toMatchObject({ _tag: "ParseError", detail: expect.stringMatching(says) })
  })
  it("has no other form", async () => {
    const json: any = JSON.parse(JSON.stringify(toJson(await traced())))
    json.body.refs[0].role = { kind: "fence", arrivals: 1 }
    const error: any = await failure(Kernel.fromJson(json))
    expect(error.reason).toMatchObject({ _tag: "ParseError", detail: expect.stringContaining("body.refs[0].role") })
  })
})

describe("the checker", () => {
  const finding = (from: string, to: string) => {
    expect(text).toContain(from)
    return check(Result.getOrThrow(parse(text.replace(from, to))), primitive)?.detail
  }
  const arrive = "barrierArrive barrier !"
  it.each([
    [
      "memory taken as a barrier",
      "workgroup barrier(1)",
      "workgroup",
      /"barrier" is plain memory, and a barrier is needed/
    ],
    [
      "a ref taken as a barrier",
      "barrierTest several[2] ! Memory, Read(several)",
      "barrierTest o[1] ! Memory, Read(o)",
      /"o" is plain memory/
    ],
    [
      "a barrier taken as memory",
      "store o (%3) ! Write(o)",
      "store several (%3) ! Write(several)",
      /"several" is a barrier, and plain memory is needed/
    ],
    ["no arrivals", "barrier(4)", "barrier(0)", /a barrier of 0 arrivals/],
    ["part of an arrival", "barrier(4)", "barrier(1.5)", /a barrier of 1.5 arrivals/],
    ["a barrier of floats", "several: i32[3]", "several: f32[3]", /a barrier of f32\[3\]/],
    ["barriers in two dimensions", "several: i32[3]", "several: i32[3, 1]", /a barrier of i32\[3, 1\]/],
    ["effects left out", `${arrive} Memory, `, `${arrive} `, /declared as Read\(barrier\), Write\(barrier\)/],
    ["several barriers at once", "barrierTest several[2]", "barrierTest several", /pick one with Barrier.at/],
    ["an arrival with an operand", arrive, "barrierArrive barrier (1i) !", /takes 0 operands/],
    ["sync with an operand", "sync !", "sync (1i) !", /takes 0 operands/],
    ["sync without effect", "sync ! Memory", "sync", /declared as none/]
  ])("refuses %s", (_, from, to, says) => {
    expect(finding(from, to)).toMatch(says)
  })
})
