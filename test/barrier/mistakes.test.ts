/**
 * Misuse of barriers. What the program shows fails when it is traced, with the place; a wait that only the run finds to be in
 * vain fails then, and never hangs.
 *
 * The conformance cases 112, 114, 116 and 117, as they are with one thread of control; further threads come with the simulator.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Atomic, Barrier, Control, i32, Kernel, MemRef, Scratch, Tile } from "../../src/index.ts"
import { interpreters } from "../support/interpreters.ts"
import { failure, kernelError, onEach, refused } from "../support/kernels.ts"

type Body = (b: Barrier.Ref<[]>, n: Tile.I32, o: MemRef.MemRef<"o", "i32", [4], "out">) => Generator<any, void, never>
const kernel = (
  arrivals: number,
  body: Body,
  grid: ReadonlyArray<number | ReturnType<typeof Kernel.sequential>> = [1]
) =>
  Kernel.make(
    "k",
    {
      grid,
      refs: { n: MemRef.scalar(i32), o: MemRef.out(i32, [4]) },
      scratch: { b: Barrier.scratch({ arrivals }) }
    },
    ({ b, n, o }) => body(b, n, o)
  ) as Kernel.Any
const args = { n: 2 }
const times = (n: number | Tile.I32, body: () => Effect.Effect<any, any, any>) => Control.forEach(0, n, body)

describe("what a program shows is refused when it is traced", () => {
  it("117: a wait on a barrier at which nobody arrives", async () => {
    const k = kernel(1, function* (b) {
      yield* Barrier.wait(b)
    })
    const error = await kernelError("Deadlock", k, args)
    expect(error).toMatchObject({
      ref: "b",
      program: [0],
      detail: expect.stringContaining("1 arrivals, of which there are 0")
    })
    await refused("Deadlock", k, args, { says: ['deadlock in program [0] at "b"'], at: "yield* Barrier.wait(b)" })
    expect(await failure(Kernel.print(k))).toMatchObject({ reason: { _tag: "Deadlock" } })
  })
  it("a second wait for one phase, also in a later turn of a loop", async () => {
    const twice = kernel(1, function* (b) {
      yield* Barrier.arrive(b)
      yield* times(2, () => Barrier.wait(b))
    })
    await refused("Deadlock", twice, args, { says: ["of which there are 0"], at: "times(2" })
    const short = kernel(2, function* (b) {
      yield* times(3, function* () {
        yield* Barrier.arrive(b)
      } as any)
      yield* times(2, () => Barrier.wait(b))
    })
    await refused("Deadlock", short, args, { says: ["2 arrivals, of which there are 1"] })
  })
  it("112: two arrivals that complete two phases without a wait in between", async () => {
    const k = kernel(1, function* (b) {
      yield* Barrier.arrive(b)
      yield* Barrier.arrive(b)
      yield* Barrier.wait(b)
    })
    await refused("Unbalanced", k, args, {
      says: ['barrierArrive of "b": a phase completes while the one before has not been waited for', "wait in between"],
      at: "yield* Barrier.arrive(b)"
    })
  })
  it("114: a first wait after the second phase is complete", async () => {
    const k = kernel(2, function* (b) {
      yield* times(4, () => Barrier.arrive(b))
      yield* times(2, () => Barrier.wait(b))
    })
    await refused("Unbalanced", k, args, { says: ["has not been waited for"] })
  })
  it("116: a scope that ends with one of two arrivals, that of the kernel or one of its own", async () => {
    const k = kernel(2, function* (b) {
      yield* Barrier.arrive(b)
    })
    await refused("Unbalanced", k, args, {
      says: ['of "b": its scope ends with 1 of the 2 arrivals of a phase'],
      at: "Barrier.arrive(b)"
    })
    const scoped = kernel(1, function* (_, n) {
      yield* Control.when(n.gt(0), () => Scratch.scoped(Barrier.scratch({ arrivals: 3 }), (own) => Barrier.arrive(own)))
    })
    await refused("Unbalanced", scoped, args, { says: ["1 of the 3 arrivals"], at: "Barrier.arrive(own)" })
  })
  it("a scope that ends with a phase that nobody has waited for", async () => {
    const k = kernel(2, function* (b) {
      yield* times(2, () => Barrier.arrive(b))
    })
    await refused("Unbalanced", k, args, { says: ["nothing has waited for it"] })
  })
  it("after all cells of the sequential axes, on which branches may depend", async () => {
    const body: Body = function* (b) {
      yield* Barrier.arrive(b)
      yield* Control.when((yield* Control.programId(0)).eq(2), () => Barrier.wait(b))
    }
    await onEach(kernel(3, body, [Kernel.sequential(3)]), args, {})
    await refused("Unbalanced", kernel(3, body, [Kernel.sequential(4)]), args, { says: ["1 of the 3"] })
    await refused("Deadlock", kernel(4, body, [Kernel.sequential(3)]), args, { says: ["there are 3"] })
  })
  it("one of several barriers, found through the loop's variable", async () => {
    const k = (turns: number) =>
      Kernel.make(
        "k",
        { grid: [1], refs: { o: MemRef.out(i32, [1]) }, scratch: { b: Barrier.scratch({ arrivals: 1, barriers: 2 }) } },
        function* ({ b }) {
          yield* Control.forEach(0, turns, (i) => Barrier.arrive(Barrier.at(b, i.rem(2))))
          yield* Control.forEach(0, turns, (i) =>
            Barrier.wait(
              Barrier.at(
                b,
                i
                  .mul(-1)
                  .add(turns - 1)
                  .rem(2)
              )
            )
          )
        }
      )
    await onEach(k(2), {}, { o: [0] })
    await refused("Unbalanced", k(3), {}, { says: ['barrierArrive of "b"'] })
  })
  it("after branches and loops of any length that leave it as it was", async () => {
    const k = kernel(1, function* (b, n) {
      const pair = function* () {
        yield* Barrier.arrive(b)
        yield* Barrier.wait(b)
      }
      yield* times(n, pair as any)
      yield* Control.when(n.gt(1), pair)
      yield* Barrier.wait(b)
    })
    await refused("Deadlock", k, args, { says: ["of which there are 0"], at: "yield* Barrier.wait(b)" })
  })
  it("a program from text as well", async () => {
    const k = kernel(1, function* (b) {
      yield* Barrier.arrive(b)
      yield* Barrier.wait(b)
    })
    const text = await Effect.runPromise(Kernel.print(k) as Effect.Effect<string>)
    const without = text.split("\n").filter((line) => !line.includes("barrierArrive"))
    expect(await failure(Kernel.parse(without.join("\n")))).toMatchObject({ reason: { _tag: "Deadlock", ref: "b" } })
    const open = text.split("\n").filter((line) => !line.includes("barrierWait") && !line.includes("assert"))
    expect(await failure(Kernel.parse(open.join("\n")))).toMatchObject({ reason: { _tag: "Unbalanced", ref: "b" } })
  })
})

describe("what only the run knows", () => {
  it("is not refused before: branches and loops may make up for each other", async () => {
    const k = kernel(2, function* (b, n, o) {
      yield* Control.cond(
        n.gt(1),
        function* () {
          yield* Barrier.arrive(b)
        },
        function* () {}
      )
      yield* times(n, () => Barrier.arrive(b))
      yield* Control.when(yield* Barrier.test(b), () => Barrier.wait(b))
      yield* MemRef.store(MemRef.at(o, [0]), (yield* Barrier.test(b)).convert(i32))
    })
    await onEach(k, { n: 0 }, { o: [0, 0, 0, 0] })
    await onEach(k, { n: 1 }, { o: [0, 0, 0, 0] })
    await onEach(k, { n: 3 }, { o: [1, 0, 0, 0] })
  })
  it("is not refused where a program is too long to be followed", async () => {
    const k = kernel(1, function* (b, _, o) {
      yield* times(60_000, function* () {
        yield* Barrier.arrive(b)
        yield* Barrier.wait(b)
      } as any)
      yield* MemRef.store(o, 1)
    })
    await onEach(k, args, { o: [1, 1, 1, 1] })
  })
  it("is a deadlock where a wait is in vain, told on each interpreter with its place", async () => {
    const k = kernel(
      2,
      function* (b, n, o) {
        const i = yield* Control.programId(0)
        yield* times(n.sub(i), () => Barrier.arrive(b))
        yield* Barrier.wait(b)
        yield* MemRef.store(o, 1)
      },
      [3]
    )
    for (const on of interpreters) {
      const error = await kernelError("Deadlock", k, { n: 3 }, on)
      expect(error, on.name).toMatchObject({ ref: "b", program: [2] })
      await refused(
        "Deadlock",
        k,
        { n: 3 },
        {
          on,
          says: ['deadlock in program [2] at "b": nothing completes the phase of 2'],
          at: "yield* Barrier.wait(b)"
        }
      )
    }
    await onEach(k, { n: 4 }, { o: [1, 1, 1, 1] })
  })
  it("is a deadlock where there is no such barrier", async () => {
    const k = Kernel.make(
      "k",
      {
        grid: [1],
        refs: { n: MemRef.scalar(i32), o: MemRef.out(i32, [1]) },
        scratch: { b: Barrier.scratch({ arrivals: 1, barriers: 2 }) }
      },
      function* ({ b, n }) {
        yield* Barrier.arrive(Barrier.at(b, n))
        yield* Barrier.wait(Barrier.at(b, n))
      }
    )
    await onEach(k, { n: 1 }, { o: [0] })
    for (const on of interpreters)
      for (const n of [2, -1]) expect((await kernelError("Deadlock", k, { n }, on)).ref).toBe("b")
  })
})

describe("a barrier is taken by its own operations only", () => {
  const declared = (spec: any, body: (b: any, o: any) => Generator<any, void, never>) =>
    Kernel.make("k", { grid: [1], refs: { o: MemRef.out(i32, [4]) }, scratch: { b: spec } }, ({ b, o }: any) =>
      body(b, o)
    ) as Kernel.Any
  const one = Barrier.scratch({ arrivals: 1 })
  it.each<[string, (b: any) => any]>([
    ["load", (b) => MemRef.load(b)],
    ["store", (b) => MemRef.store(b, 1)],
    ["atomic", (b) => Atomic.add(b, 1)],
    ["view", (b) => MemRef.load(MemRef.at(b, [0] as any))]
  ])("and not by %s", async (name, operation) => {
    const k = declared(one, function* (b) {
      yield* operation(b)
    })
    await refused("TypeMismatch", k, {}, { says: [`${name}: a barrier is no memory`, "the operations of Barrier"] })
  })
  it("nor in a call of another kernel", async () => {
    const callee = Kernel.make("callee", { grid: [1], refs: { x: MemRef.inout(i32, []) } }, function* () {})
    const k = declared(one, function* (b) {
      yield* Kernel.call(callee, { x: b })
    })
    await refused("TypeMismatch", k, {}, { says: ['"x" is no ref'] })
  })
  it("which take nothing else", async () => {
    for (const operation of [Barrier.arrive, Barrier.wait, Barrier.test] as ReadonlyArray<(b: any) => any>)
      for (const wrong of [1, undefined, "b", Tile.of(i32, 1)])
        await refused(
          "TypeMismatch",
          declared(one, function* () {
            yield* operation(wrong)
          }),
          {},
          { says: ["the first argument is no barrier"] }
        )
    const plain = declared(Scratch.workgroup(i32, []), function* (s) {
      yield* Barrier.arrive(s)
    })
    await refused("TypeMismatch", plain, {}, { says: ["barrierArrive: the first argument is no barrier"] })
    const picked = declared(one, function* (_, o) {
      yield* Barrier.arrive(Barrier.at(o, 0))
    })
    await refused("TypeMismatch", picked, {}, { says: ["barrierAt: the first argument is no barrier"] })
  })
  it("one at a time, and within bounds", async () => {
    const two = Barrier.scratch({ arrivals: 1, barriers: 2 })
    const all = declared(two, function* (b) {
      yield* Barrier.wait(b)
    })
    await refused("TypeMismatch", all, {}, { says: ["barriers of shape [2]", "pick one with Barrier.at"] })
    const outside = declared(two, function* (b) {
      yield* Barrier.arrive(Barrier.at(b, 2))
    })
    await refused("InvalidIndex", outside, {}, { says: ["static index 2 is out of range"] })
  })
  it.each([0, -1, 1.5, NaN, 2 ** 31, undefined])("declared with %s arrivals, is refused", async (arrivals: any) => {
    const spec = Barrier.scratch({ arrivals })
    await refused(
      "InvalidKernel",
      declared(spec, function* () {}),
      {},
      {
        says: ['scratch "b": a barrier of', "a whole number of at least 1"]
      }
    )
    const scoped = declared(one, function* () {
      yield* Scratch.scoped(spec, function* () {})
    })
    await refused("TypeMismatch", scoped, {}, { says: ["a whole number of at least 1"] })
  })
  it("declared with a number of barriers that makes no sense, is refused", async () => {
    for (const barriers of [-1, 0.5])
      await refused(
        "InvalidKernel",
        declared(Barrier.scratch({ arrivals: 1, barriers }), function* () {}),
        {},
        {
          says: ['scratch "b" has shape']
        }
      )
  })
  it("in its own kernel and scope, and not forgotten", async () => {
    let kept: any
    const first = declared(one, function* (b) {
      kept = b
    })
    await onEach(first, {}, { o: [0, 0, 0, 0] })
    const foreign = declared(one, function* () {
      yield* Barrier.arrive(kept)
    })
    await refused("ForeignValue", foreign, {}, { says: ["it belongs to kernel"] })
    const late = declared(one, function* () {
      let out: any
      yield* Scratch.scoped(one, function* (b) {
        out = b
      })
      yield* Barrier.arrive(out)
    })
    await refused("ForeignValue", late, {}, { says: ["its scope has ended"] })
    const lost = declared(one, function* (b) {
      Barrier.arrive(b)
    })
    await refused("Unyielded", lost, {}, { says: ["barrierArrive was made and never run"] })
  })
})
