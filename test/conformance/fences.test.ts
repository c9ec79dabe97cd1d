/**
 * Fences between writes and what goes on beside a thread, as the Simulator sees them: 102.
 *
 * A commit of 102 is `Copy.fence`, which counts under `asyncProxy`.
 */
import { Effect } from "effect"
import { describe, it } from "vitest"
import { Barrier, Control, Copy, f32, i32, Kernel, MemRef, Pipeline, Scratch } from "../../src/index.ts"
import { finds, isSilent } from "../support/simulator.ts"

const range = (n: number) => Array.from({ length: n }, (_, i) => i)
/** Fences at those of the places that a number says. */
const fencesOf = (places: string, chosen: number) => (place: string) =>
  (chosen & (1 << places.indexOf(place))) === 0 ? Effect.void : Copy.fence()
const has = (places: string, chosen: number, place: string) => (chosen & (1 << places.indexOf(place))) !== 0
const onHopper = { asyncProxy: true }

describe("fences between a write and what a copy does with the cell", () => {
  const scratch = { cell: Scratch.workgroup(i32, []), landed: Scratch.workgroup(i32, []) }
  type Cell = Scratch.Ref<"i32", []>
  const x = MemRef.in(i32, [])
  /** A copy onto the cell, or of the cell. */
  const directions = ["onto", "of"] as const
  const start = (direction: (typeof directions)[number], refs: any) =>
    direction === "onto" ? Copy.start(refs.x, refs.cell) : Copy.start(refs.cell, refs.landed) // copy
  const result = (direction: (typeof directions)[number], refs: { readonly [name in "cell" | "landed"]: Cell }) =>
    MemRef.load(direction === "onto" ? refs.cell : refs.landed)

  const one = (direction: (typeof directions)[number], chosen: number) =>
    Kernel.make("one", { grid: [1], refs: { x, o: MemRef.out(i32, []) }, scratch }, function* (refs) {
      const fence = fencesOf("abcd", chosen)
      yield* fence("a")
      yield* MemRef.store(refs.cell, 5) // write
      yield* fence("b")
      const token = yield* start(direction, refs) // copy
      yield* fence("c")
      yield* Copy.wait(token) // land
      yield* fence("d")
      yield* MemRef.store(refs.o, yield* result(direction, refs))
    })
  const two = (direction: (typeof directions)[number], chosen: number) =>
    Kernel.make(
      "two",
      {
        grid: [1],
        threads: 2,
        refs: { x, o: MemRef.out(i32, []) },
        scratch: { ...scratch, written: Barrier.scratch({ arrivals: 1 }) }
      },
      function* (refs) {
        const fence = fencesOf("abcdef", chosen)
        yield* Control.cond(
          (yield* Control.threadId()).eq(0),
          function* () {
            yield* fence("a")
            yield* MemRef.store(refs.cell, 5) // write
            yield* fence("b")
            yield* Barrier.arrive(refs.written)
          },
          function* () {
            yield* fence("c")
            yield* Barrier.wait(refs.written)
            yield* fence("d")
            const token = yield* start(direction, refs) // copy
            yield* fence("e")
            yield* Copy.wait(token) // land
            yield* fence("f")
            yield* MemRef.store(refs.o, yield* result(direction, refs))
          }
        )
      }
    )
  const side = { onto: "land", of: "copy" }

  it.each(directions.flatMap((direction) => range(16).map((chosen) => [direction, chosen] as const)))(
    "102: in one thread, a copy %s the cell, fences %i: needed between the write and the copy, under asyncProxy alone",
    async (direction, chosen) => {
      const k = one(direction, chosen)
      const args = { x: 9 }
      const result = { o: [direction === "onto" ? 9 : 5] }
      const given = { x: Int32Array.of(args.x) }
      await isSilent(k, given, result)
      const race = [`Race among copy on cell: ${["write", side[direction]].sort().join(", ")}`]
      await finds(k, given, has("abcd", chosen, "b") ? [] : race, onHopper)
    }
  )
  it.each(directions.flatMap((direction) => range(64).map((chosen) => [direction, chosen] as const)))(
    "102: of two threads, a copy %s the cell, fences %i: by the writer before it arrives, or by the copier after it waits",
    async (direction, chosen) => {
      const k = two(direction, chosen)
      const given = { x: Int32Array.of(9) }
      await isSilent(k, given, { o: [direction === "onto" ? 9 : 5] })
      const race = [`Race among copy on cell: ${["write", side[direction]].sort().join(", ")}`]
      const fenced = has("abcdef", chosen, "b") || has("abcdef", chosen, "d")
      await finds(k, given, fenced ? [] : race, onHopper)
    }
  )

  it.each(range(8))("102: factors of products in flight are read as copies read, fences %i", async (chosen) => {
    const k = Kernel.make(
      "factors",
      {
        grid: [1],
        refs: { x: MemRef.in(f32, [2, 2]), o: MemRef.out(f32, [2, 2]) },
        scratch: { s: Scratch.workgroup(f32, [2, 2]), acc: Pipeline.accumulator(f32, [2, 2]) }
      },
      function* ({ acc, o, s, x }) {
        const fence = fencesOf("abc", chosen)
        yield* fence("a")
        yield* MemRef.store(s, yield* MemRef.load(x)) // write
        yield* fence("b")
        yield* Pipeline.multiplyAccumulate(acc, s, x) // product
        yield* fence("c")
        yield* Pipeline.wait()
        yield* MemRef.store(o, yield* Pipeline.read(acc))
      }
    )
    const given = { x: Float32Array.of(1, 2, 3, 4) }
    await isSilent(k, given, { o: [7, 10, 15, 22] })
    const race = ["Race among multiplyAccumulate on s: product, write"]
    await finds(k, given, has("abc", chosen, "b") ? [] : race, onHopper)
  })
  it("102: what a copy has brought needs no fence before the next copy takes it on", async () => {
    const k = Kernel.make("chain", { grid: [1], refs: { x, o: MemRef.out(i32, []) }, scratch }, function* (refs) {
      yield* Copy.wait(yield* Copy.start(refs.x, refs.cell))
      yield* Copy.wait(yield* Copy.start(refs.cell, refs.o))
    })
    await isSilent(k, { x: Int32Array.of(9) }, { o: [9] }, onHopper)
  })
})
