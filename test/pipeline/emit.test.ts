/** Software pipelines: the same results as the plain loop, at every depth. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Block, Control, f32, i32, Kernel, MemRef, Pipeline, Scratch, Tile } from "../../src/index.ts"
import { interpreters } from "../support/interpreters.ts"
import { onEach, refused, results } from "../support/kernels.ts"

const depths = [1, 2, 3, 4, 7]
const range = (n: number, from = 0) => Int32Array.from({ length: n }, (_, i) => from + i)
const floats = (n: number) => Float32Array.from({ length: n }, (_, i) => ((i * 7) % 11) - 5)

/** The kernel of every depth gives on each interpreter what the plain loop gives on Discharge. */
const atEveryDepth = async (make: (maxConcurrentSteps: number) => Kernel.Any, args: {}, expected?: {}) => {
  const plain = expected ?? (await results(make(1), args))
  for (const depth of depths) await onEach(make(depth), args, plain as any)
}

describe("the results are those of the plain loop", () => {
  it("with in and out blocks that follow the steps, the last ones ragged", () =>
    atEveryDepth(
      (maxConcurrentSteps) =>
        Kernel.make(
          "scaled",
          { grid: [1], refs: { x: MemRef.in(i32, [10]), o: MemRef.out(i32, [10]) } },
          function* (r) {
            yield* Pipeline.emit(
              {
                grid: [4],
                in: { x: Pipeline.block(r.x, { block: [3], index: (i) => [i] }) },
                out: { o: Pipeline.block(r.o, { block: [3], index: (i) => [i] }) },
                maxConcurrentSteps
              },
              undefined,
              function* (_, { o, x }) {
                yield* MemRef.store(o, (yield* MemRef.load(x)).mul(2))
              }
            )
          }
        ),
      { x: range(10) },
      { o: range(10).map((x) => 2 * x) }
    ))

  it("with a carry, and a product over blocks along k", () =>
    atEveryDepth(
      (maxConcurrentSteps) =>
        Kernel.make(
          "matmul",
          {
            grid: [2, 2],
            refs: {
              a: MemRef.in(f32, [6, 10], { block: [3, 10], index: (i) => [i, 0] }),
              b: MemRef.in(f32, [10, 8], { block: [10, 4], index: (_, j) => [0, j] }),
              o: MemRef.out(f32, [6, 8], { block: [3, 4], index: (i, j) => [i, j] })
            }
          },
          function* ({ a, b, o }) {
            const sum = yield* Pipeline.emit(
              {
                grid: [4],
                in: {
                  x: Pipeline.block(a, { block: [3, 3], index: (k) => [0, k] }),
                  y: Pipeline.block(b, { block: [3, 4], index: (k) => [k, 0] })
                },
                maxConcurrentSteps
              },
              Tile.zeros(f32, [3, 4]),
              function* (acc, { x, y }) {
                return acc.add(Tile.dot(yield* MemRef.load(x), yield* MemRef.load(y)))
              }
            )
            yield* MemRef.store(o, sum)
          }
        ),
      { a: floats(60), b: floats(80) }
    ))

  it("where an out block stays over several steps, is read in them, and comes back later", () =>
    atEveryDepth(
      (maxConcurrentSteps) =>
        Kernel.make(
          "visits",
          { grid: [1], refs: { x: MemRef.in(i32, [12]), o: MemRef.inout(i32, [4]) } },
          function* (r) {
            yield* Pipeline.emit(
              {
                grid: [2, 3, 2],
                in: { x: Pipeline.block(r.x, { block: [1], index: (i, j, k) => [i.mul(6).add(j.mul(2)).add(k)] }) },
                // Blocks 0 0 1 1 0 0, 0 0 1 1 0 0.
                out: { o: Pipeline.block(r.o, { block: [2], index: (_, j) => [j.rem(2)] }) },
                maxConcurrentSteps
              },
              undefined,
              function* (_, { o, x }, i) {
                const value = Tile.broadcast(yield* MemRef.load(x), [2])
                yield* MemRef.store(o, (yield* MemRef.load(o)).mul(3).add(value).add(i))
              }
            )
          }
        ),
      { x: range(12, 1), o: Int32Array.of(1, 2, 3, 4) }
    ))

  it("where only part of an out block is written", () =>
    atEveryDepth(
      (maxConcurrentSteps) =>
        Kernel.make("parts", { grid: [1], refs: { o: MemRef.inout(i32, [6]) } }, function* (r) {
          yield* Pipeline.emit(
            {
              grid: [3],
              out: { o: Pipeline.block(r.o, { block: [2], index: (i) => [i] }) },
              maxConcurrentSteps
            },
            undefined,
            function* (_, { o }, i) {
              yield* MemRef.store(MemRef.at(o, [1]), i)
            }
          )
        }),
      { o: range(6, 10) },
      { o: [10, 0, 12, 1, 14, 2] }
    ))

  it("with squeezed, element, bounded and gathered blocks, and positions outside", () =>
    atEveryDepth(
      (maxConcurrentSteps) =>
        Kernel.make(
          "kinds",
          { grid: [1], refs: { x: MemRef.in(i32, [5, 6]), o: MemRef.out(i32, [4, 12]) } },
          function* ({ o, x }) {
            yield* Pipeline.emit(
              {
                grid: [4],
                in: {
                  row: Pipeline.block(x, { block: [null, Block.element(3)], index: (i) => [i.mul(2), i.sub(1)] }),
                  some: Pipeline.block(x, {
                    block: [null, Block.bounded(4)],
                    index: (i) => [i, Block.span(i, i)]
                  }),
                  picked: Pipeline.block(x, {
                    block: [null, Block.gather(3)],
                    index: (i) => [i, Tile.iota(i32, [3]).mul(i)]
                  })
                },
                out: { o: Pipeline.block(o, { block: [null, 12], index: (i) => [i, 0] }) },
                maxConcurrentSteps
              },
              undefined,
              function* (_, refs) {
                yield* MemRef.store(MemRef.at(refs.o, [MemRef.slice(0, 3)]), yield* MemRef.load(refs.row))
                yield* MemRef.store(MemRef.at(refs.o, [MemRef.slice(3, 4)]), yield* MemRef.load(refs.some))
                yield* MemRef.store(MemRef.at(refs.o, [MemRef.slice(7, 3)]), yield* MemRef.load(refs.picked))
              }
            )
          }
        ),
      { x: range(30, 1) }
    ))

  it("one inside the other, and inside loops", () =>
    atEveryDepth(
      (maxConcurrentSteps) =>
        Kernel.make(
          "nested",
          { grid: [1], refs: { x: MemRef.in(i32, [3, 8]), o: MemRef.out(i32, [3]) } },
          function* ({ o, x }) {
            yield* Control.forEach(0, 2, function* () {
              yield* Pipeline.emit(
                {
                  grid: [3],
                  in: { row: Pipeline.block(x, { block: [null, 8], index: (i) => [i, 0] }) },
                  out: { cell: Pipeline.block(o, { block: [null], index: (i) => [i] }) },
                  maxConcurrentSteps
                },
                undefined,
                function* (_, { cell, row }) {
                  const sum = yield* Pipeline.emit(
                    {
                      grid: [4],
                      in: { part: Pipeline.block(row, { block: [2], index: (k) => [k] }) },
                      maxConcurrentSteps
                    },
                    Tile.of(i32, 0),
                    function* (acc, { part }, k) {
                      return acc
                        .mul(2)
                        .add(Tile.sum(yield* MemRef.load(part)))
                        .add(k)
                    }
                  )
                  yield* MemRef.store(cell, (yield* MemRef.load(cell)).add(sum))
                }
              )
            })
          }
        ),
      { x: range(24) }
    ))

  it("with index maps that depend on what the body has loaded", () =>
    atEveryDepth(
      (maxConcurrentSteps) =>
        Kernel.make(
          "pages",
          { grid: [1], refs: { pages: MemRef.in(i32, [4]), x: MemRef.in(i32, [8]), o: MemRef.out(i32, [4, 2]) } },
          function* ({ o, pages, x }) {
            const page = yield* MemRef.load(pages)
            yield* Pipeline.emit(
              {
                grid: [4],
                in: { x: Pipeline.block(x, { block: [2], index: (i) => [Tile.reshape(Tile.take(page, i), [])] }) },
                out: { o: Pipeline.block(o, { block: [null, 2], index: (i) => [i, 0] }) },
                maxConcurrentSteps
              },
              undefined,
              function* (_, refs) {
                yield* MemRef.store(refs.o, yield* MemRef.load(refs.x))
              }
            )
          }
        ),
      { pages: Int32Array.of(3, 0, 9, 1), x: range(8) },
      { o: [6, 7, 0, 1, 0, 0, 2, 3] }
    ))

  it.each([[0], [1], [2, 0], [1, 1]])("over a grid of %j", (...grid) =>
    atEveryDepth(
      (maxConcurrentSteps) =>
        Kernel.make(
          "few",
          { grid: [1], refs: { x: MemRef.in(i32, [2]), o: MemRef.out(i32, []) } },
          function* ({ o, x }) {
            const sum = yield* Pipeline.emit(
              { grid, in: { x: Pipeline.block(x, { block: [1], index: (i) => [i] }) }, maxConcurrentSteps },
              Tile.of(i32, 100),
              function* (acc, { x }) {
                return acc.add(Tile.sum(yield* MemRef.load(x)))
              }
            )
            yield* MemRef.store(o, sum)
          }
        ),
      { x: Int32Array.of(5, 6) },
      { o: [grid.includes(0) ? 100 : 105] }
    )
  )

  it("with blocks kept for steps to come, in program instances side by side", () =>
    atEveryDepth(
      (maxConcurrentSteps) =>
        Kernel.make(
          "instances",
          {
            grid: [3],
            refs: { x: MemRef.in(i32, [3, 6], { block: [null, 6], index: (i) => [i, 0] }), o: MemRef.out(i32, [3]) }
          },
          function* ({ o, x }) {
            const last = yield* Pipeline.emit(
              {
                grid: [6],
                in: { x: Pipeline.block(x, { block: [1], index: (i) => [i] }) },
                maxConcurrentSteps,
                delayRelease: maxConcurrentSteps - 1
              },
              Tile.of(i32, 0),
              function* (acc, { x }) {
                return acc.mul(3).add(Tile.sum(yield* MemRef.load(x)))
              }
            )
            yield* MemRef.store(MemRef.at(o, [yield* Control.programId(0)]), last)
          }
        ),
      { x: range(18) }
    ))
})

describe("what the body does to other memory stays in order", () => {
  it("scratch, and refs that are no stream", () =>
    atEveryDepth(
      (maxConcurrentSteps) =>
        Kernel.make(
          "beside",
          {
            grid: [1],
            refs: { x: MemRef.in(i32, [5]), log: MemRef.out(i32, [5]) },
            scratch: { last: Scratch.workgroup(i32, []) }
          },
          function* ({ last, log, x }) {
            yield* Pipeline.emit(
              { grid: [5], in: { x: Pipeline.block(x, { block: [1], index: (i) => [i] }) }, maxConcurrentSteps },
              undefined,
              function* (_, { x }, i) {
                const value = Tile.sum(yield* MemRef.load(x))
                const before = yield* MemRef.swap(last, value)
                yield* MemRef.store(MemRef.at(log, [i]), value.sub(before))
              }
            )
          }
        ),
      { x: Int32Array.of(1, 4, 9, 16, 25) },
      { log: [1, 3, 5, 7, 9] }
    ))
})

describe("the program", () => {
  it("starts the copies of a step before it waits for those of the step at hand", async () => {
    const k = Kernel.make(
      "order",
      { grid: [1], refs: { x: MemRef.in(i32, [8]), o: MemRef.out(i32, []) } },
      function* (r) {
        const sum = yield* Pipeline.emit(
          { grid: [4], in: { x: Pipeline.block(r.x, { block: [2], index: (i) => [i] }) }, maxConcurrentSteps: 2 },
          Tile.of(i32, 0),
          function* (acc, { x }) {
            return acc.add(Tile.sum(yield* MemRef.load(x)))
          }
        )
        yield* MemRef.store(r.o, sum)
      }
    )
    for (const on of interpreters) expect((await results(k, { x: range(8) }, on))["o"]).toEqual(Int32Array.of(28))
    const text = await Effect.runPromise(Kernel.print(k))
    const inLoop = text.slice(text.indexOf("fori"))
    expect(inLoop.indexOf("copyStart")).toBeGreaterThan(0)
    expect(inLoop.indexOf("copyStart")).toBeLessThan(inLoop.indexOf("copyWait"))
    expect(text.indexOf("copyStart")).toBeLessThan(text.indexOf("fori"))
  })
})

describe("mistakes fail with a position", () => {
  const pipeline = (options: (r: any) => {}, body?: (refs: any, r: any) => Generator<any, any, never>, init?: any) =>
    Kernel.make("wrong", { grid: [1], refs: { x: MemRef.in(i32, [8]), o: MemRef.out(i32, [8]) } }, function* (r: any) {
      yield* Pipeline.emit(options(r) as any, init, function* (carry: any, refs: any) {
        if (body !== undefined) return yield* body(refs, r) as any
        return carry
      } as any)
    } as any) as Kernel.Any
  const block = (ref: any, options = { block: [2], index: (i: any) => [i] }) => Pipeline.block(ref, options as any)
  const args = { x: range(8) }
  const at = "yield* Pipeline.emit("

  it.each([
    ["a grid that is none", () => ({ grid: [1.5] }), ["a grid of 1.5"]],
    ["a depth of 0", () => ({ grid: [2], maxConcurrentSteps: 0 }), ["maxConcurrentSteps is 0"]],
    [
      "a delay as long as the pipeline",
      () => ({ grid: [2], maxConcurrentSteps: 2, delayRelease: 2 }),
      ["kept for 2 more steps", "less than maxConcurrentSteps"]
    ],
    ["a stream that is no block", (r: any) => ({ grid: [2], in: { a: r.x } }), ['in "a"', "Pipeline.block"]],
    [
      "one ref as in and out",
      (r: any) => ({ grid: [2], in: { a: block(r.o) }, out: { b: block(r.o) } }),
      ['"a" and "b" are both ref "o"']
    ],
    ["two streams of one name", (r: any) => ({ grid: [2], in: { a: block(r.x) }, out: { a: block(r.o) } }), ['"a"']],
    [
      "a block that does not fit",
      (r: any) => ({ grid: [2], in: { a: block(r.x, { block: [2, 2], index: (i: any) => [i] }) } }),
      ['block "a"', "2 axes"]
    ]
  ])("%s", (_, options, says) => refused("TypeMismatch", pipeline(options), args, { says, at }))

  it("an out stream over an in ref", () =>
    refused(
      "AccessViolation",
      pipeline((r: any) => ({ grid: [2], out: { a: block(r.x) } })),
      args,
      { says: ['"x"'] }
    ))
  it("a body that writes around an in stream, or around an out stream", async () => {
    const around = pipeline(
      (r) => ({ grid: [2], in: { a: block(r.o) } }),
      function* (_, r) {
        yield* MemRef.store(MemRef.at(r.o, [0]), 1)
      }
    )
    await refused("TypeMismatch", around, args, { says: ['writes ref "o"', 'read ahead as "a"'], at })
    const beside = pipeline(
      (r) => ({ grid: [2], out: { a: block(r.o) } }),
      function* (_, r) {
        yield* MemRef.load(r.o)
      }
    )
    await refused("TypeMismatch", beside, args, { says: ['uses ref "o"', 'kept as "a"'], at })
  })
  it("a carry that changes its type", () =>
    refused(
      "TypeMismatch",
      pipeline(
        (r) => ({ grid: [2], in: { a: block(r.x) } }),
        function* () {
          return Tile.of(f32, 1)
        },
        Tile.of(i32, 0)
      ),
      args,
      { says: ["the body gives f32[], the carry is i32[]"], at }
    ))
})
