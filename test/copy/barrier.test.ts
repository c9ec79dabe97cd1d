/** Copies that arrive at a barrier. */
import { Effect } from "effect"
import { describe, expect, expectTypeOf, it } from "vitest"
import { Barrier, Control, Copy, type Effects, i32, Kernel, MemRef, Scratch } from "../../src/index.ts"
import { onEach, refused } from "../support/kernels.ts"

const range = (n: number) => Int32Array.from({ length: n }, (_, i) => i + 1)

describe("a copy with a barrier", () => {
  const kernel = Kernel.make(
    "filled",
    {
      grid: [1],
      refs: { x: MemRef.in(i32, [4]), y: MemRef.in(i32, [4]), before: MemRef.out(i32, [4]), o: MemRef.out(i32, [4]) },
      scratch: {
        a: Scratch.workgroup(i32, [4]),
        b: Scratch.workgroup(i32, [4]),
        full: Barrier.scratch({ arrivals: 3 })
      }
    },
    function* ({ a, b, before, full, o, x, y }) {
      yield* Copy.start(x, a, { barrier: full })
      yield* Copy.start(y, b, { barrier: full })
      yield* MemRef.store(before, yield* MemRef.load(a))
      yield* Barrier.arrive(full)
      yield* Barrier.wait(full)
      yield* MemRef.store(o, (yield* MemRef.load(a)).add(yield* MemRef.load(b)))
    }
  )
  const args = { x: range(4), y: Int32Array.of(10, 20, 30, 40) }

  it("lands and arrives when the barrier is waited for", () =>
    onEach(kernel, args, { before: [0, 0, 0, 0], o: [11, 22, 33, 44] }))
  it("writes its destination, in types and in the program", async () => {
    type E = Kernel.Effects<typeof kernel>
    expectTypeOf<Effects.Read<"x"> | Effects.Write<"o"> | Effects.Memory>().toExtend<E>()
    expect(await Effect.runPromise(Kernel.effects(kernel))).toContain("Read(y)")
  })
  it("is waited for at its own of several, in loops", () =>
    onEach(
      Kernel.make(
        "halves",
        {
          grid: [1],
          refs: { x: MemRef.in(i32, [6]), o: MemRef.out(i32, [6]) },
          scratch: { buffer: Scratch.workgroup(i32, [2]), full: Barrier.scratch({ arrivals: 1, barriers: 2 }) }
        },
        function* ({ buffer, full, o, x }) {
          yield* Control.forEach(0, 3, function* (i) {
            for (const half of [0, 1])
              yield* Copy.start(MemRef.at(x, [i.mul(2).add(half)]), MemRef.at(buffer, [half]), {
                barrier: Barrier.at(full, half)
              })
            for (const half of [1, 0]) {
              yield* Barrier.wait(Barrier.at(full, half))
              yield* MemRef.store(MemRef.at(o, [i.mul(2).add(half)]), yield* MemRef.load(MemRef.at(buffer, [half])))
            }
          })
        }
      ),
      { x: range(6) },
      { o: [1, 2, 3, 4, 5, 6] }
    ))
})

describe("mistakes", () => {
  const wrong = (body: (r: any) => Generator<any, any, never>) =>
    Kernel.make(
      "wrong",
      {
        grid: [1],
        refs: { x: MemRef.in(i32, [4]) },
        scratch: { a: Scratch.workgroup(i32, [4]), full: Barrier.scratch({ arrivals: 1 }) }
      },
      body as any
    ) as Kernel.Any
  const args = { x: range(4) }

  it("a barrier that is never waited for leaves the copy in flight", () =>
    refused(
      "Unbalanced",
      wrong(function* ({ a, full, x }) {
        yield* Copy.start(x, a, { barrier: full }) // here
      }),
      args,
      { says: ['"a"'], at: "// here" }
    ))
  it("a wait in a loop for a copy from outside", () =>
    refused(
      "Unbalanced",
      wrong(function* ({ a, full, x }) {
        yield* Copy.start(x, a, { barrier: full })
        yield* Control.forEach(0, 1, function* () {
          yield* Barrier.wait(full) // here
        })
      }),
      args,
      { says: ["started outside of a loop"], at: "// here" }
    ))
  it("something else as a barrier", () =>
    refused(
      "TypeMismatch",
      wrong(function* ({ a, x }) {
        yield* Copy.start(x, a, { barrier: a as any }) // here
      }),
      args,
      { says: ["is no barrier", "Barrier.scratch"], at: "// here" }
    ))
})
