/**
 * Reuse of buffers (104, 106), as the Simulator sees it: what a copy brings, or a product reads, is overwritten too early.
 */
import { describe, it } from "vitest"
import { Barrier, Control, Copy, f32, i32, Kernel, MemRef, Pipeline, Scratch } from "../../src/index.ts"
import { finds, isSilent } from "../support/simulator.ts"

const range = (n: number) => Array.from({ length: n }, (_, i) => i)
const steps = 5

describe("buffers in turn, filled by copies of one thread", () => {
  /** Copies go so many steps ahead; each is waited for before it is read, or `late` steps later. */
  const kernel = (buffers: number, ahead: number, late: number) =>
    Kernel.make(
      "ring",
      {
        grid: [1],
        refs: { x: MemRef.in(i32, [steps]), o: MemRef.out(i32, [steps]) },
        scratch: { ring: Scratch.workgroup(i32, [buffers]) }
      },
      function* ({ o, ring, x }) {
        const fetch = function* (step: number) {
          if (step < steps) yield* Copy.start(MemRef.at(x, [step]), MemRef.at(ring, [step % buffers])) // copy
          yield* Copy.commit()
        }
        for (const step of range(ahead)) yield* fetch(step)
        for (const step of range(steps)) {
          yield* fetch(step + ahead)
          yield* Copy.waitGroups(ahead + late) // wait
          yield* MemRef.store(MemRef.at(o, [step]), yield* MemRef.load(MemRef.at(ring, [step % buffers]))) // read
        }
        yield* Copy.waitGroups(0)
      }
    )
  const args = { x: Int32Array.of(1, 2, 3, 4, 5) }
  const right = [1, 2, 3].flatMap((buffers) => range(buffers).map((ahead) => [buffers, ahead] as const))
  it.each(right)("104: of %i, with copies %i steps ahead: no finding", async (buffers, ahead) => {
    await isSilent(kernel(buffers, ahead, 0), args, { o: [1, 2, 3, 4, 5] })
  })
  it.each(right)("104: of %i, %i steps ahead, and read while its own copy may be in flight: a race", (buffers, ahead) =>
    finds(kernel(buffers, ahead, 1), args, ["Race among copy on ring: read, wait"])
  )
})

describe("buffers in turn, emptied by copies of one thread", () => {
  /** A buffer is filled again when at most so many copies out of the buffers are outstanding. */
  const kernel = (buffers: number, outstanding: number) =>
    Kernel.make(
      "outwards",
      {
        grid: [1],
        refs: { o: MemRef.out(i32, [steps]) },
        scratch: { ring: Scratch.workgroup(i32, [buffers]) }
      },
      function* ({ o, ring }) {
        for (const step of range(steps)) {
          yield* Copy.waitGroups(outstanding)
          yield* MemRef.store(MemRef.at(ring, [step % buffers]), step + 1) // fill
          yield* Copy.start(MemRef.at(ring, [step % buffers]), MemRef.at(o, [step])) // copy
          yield* Copy.commit()
        }
        yield* Copy.waitGroups(0)
      }
    )
  it.each([1, 2, 3].flatMap((buffers) => range(4).map((outstanding) => [buffers, outstanding] as const)))(
    "104: of %i, filled again while %i copies may be outstanding: a race when they are as many as the buffers",
    async (buffers, outstanding) => {
      const k = kernel(buffers, outstanding)
      if (outstanding < buffers) await isSilent(k, {}, { o: [1, 2, 3, 4, 5] })
      else await finds(k, {}, ["Race among copy on ring: copy, fill"])
    }
  )
})

describe("buffers in turn, handed from a thread that copies to one that reads", () => {
  /** With or without the wait that a buffer is free, or that it is full. */
  const kernel = (buffers: number, without?: "free" | "full") =>
    Kernel.make(
      "handed",
      {
        grid: [1],
        threads: 2,
        refs: { x: MemRef.in(i32, [steps]), o: MemRef.out(i32, [steps]) },
        scratch: {
          ring: Scratch.workgroup(i32, [buffers]),
          full: Barrier.scratch({ arrivals: 1, barriers: steps }),
          free: Barrier.scratch({ arrivals: 1, barriers: steps })
        }
      },
      function* ({ free, full, o, ring, x }) {
        const at = (step: number) => MemRef.at(ring, [step % buffers])
        yield* Control.cond(
          (yield* Control.threadId()).eq(0),
          function* () {
            for (const step of range(steps)) {
              if (step >= buffers) {
                yield* Barrier.wait(Barrier.at(full, step - buffers))
                if (without !== "free") yield* Barrier.wait(Barrier.at(free, step - buffers))
              }
              yield* Copy.start(MemRef.at(x, [step]), at(step), { barrier: Barrier.at(full, step) }) // copy
            }
            const waited = without === "free" ? 0 : steps - buffers
            for (const step of range(steps).slice(waited)) yield* Barrier.wait(Barrier.at(free, step))
          },
          function* () {
            for (const step of range(steps)) {
              if (without !== "full") yield* Barrier.wait(Barrier.at(full, step))
              yield* MemRef.store(MemRef.at(o, [step]), yield* MemRef.load(at(step))) // read
              yield* Barrier.arrive(Barrier.at(free, step))
            }
            if (without === "full") for (const step of range(steps)) yield* Barrier.wait(Barrier.at(full, step))
          }
        )
      }
    )
  const args = { x: Int32Array.of(1, 2, 3, 4, 5) }
  it.each([1, 2, 3])("106: of %i: each is waited for, filled and emptied: no finding", (buffers) =>
    isSilent(kernel(buffers), args, { o: [1, 2, 3, 4, 5] })
  )
  it.each([1, 2, 3])("106: of %i: a read that does not wait for its copy is a race", (buffers) =>
    finds(kernel(buffers, "full"), args, ["Race among copy on ring: copy, read"])
  )
  it.each([1, 2, 3])("106: of %i: a copy that does not wait for the read before is a race", (buffers) =>
    finds(kernel(buffers, "free"), args, ["Race among copy on ring: copy, read"])
  )
})

describe("a matrix pipeline over buffers in turn", () => {
  const k = 6
  const refs = {
    a: MemRef.in(f32, [k, 2, 2]),
    b: MemRef.in(f32, [2, 2]),
    o: MemRef.out(f32, [2, 2])
  }
  const a = Float32Array.from(range(k * 4), (_, i) => i)
  const b = Float32Array.of(1, 0, 0, 1)
  const o = range(4).map((i) => range(k).reduce((sum, step) => sum + 4 * step + i, 0))
  /** The copy for the next step but `ahead` goes into its buffer while `inFlight` products may still read. */
  const kernel = (buffers: number, inFlight: number) =>
    Kernel.make(
      "products",
      {
        grid: [1],
        refs,
        scratch: { ring: Scratch.workgroup(f32, [buffers, 2, 2]), acc: Pipeline.accumulator(f32, [2, 2]) }
      },
      function* ({ a, acc, b, o, ring }) {
        const at = (step: number) => MemRef.at(ring, [step % buffers])
        yield* Copy.wait(yield* Copy.start(MemRef.at(a, [0]), at(0))) // fill
        for (const step of range(k)) {
          yield* Pipeline.multiplyAccumulate(acc, at(step), b) // product
          yield* Pipeline.wait(inFlight)
          // prettier-ignore
          if (step + 1 < k) yield* Copy.wait(yield* Copy.start(MemRef.at(a, [step + 1]), at(step + 1))) // fill
        }
        yield* Pipeline.wait()
        yield* MemRef.store(o, yield* Pipeline.read(acc))
      }
    )
  it.each([1, 2, 3].flatMap((buffers) => range(4).map((inFlight) => [buffers, inFlight] as const)))(
    "106: %i buffers, %i products in flight when the next is filled: a race when they are as many as the buffers",
    async (buffers, inFlight) => {
      if (inFlight < buffers) await isSilent(kernel(buffers, inFlight), { a, b }, { o })
      else await finds(kernel(buffers, inFlight), { a, b }, ["Race among multiplyAccumulate on ring: fill, product"])
    }
  )

  /** Products of a software pipeline's blocks, of which so many are in flight when its step ends. */
  const emitted = (maxConcurrentSteps: number, delayRelease: number, inFlight: number) =>
    Kernel.make(
      "emitted",
      { grid: [1], refs, scratch: { acc: Pipeline.accumulator(f32, [2, 2]) } },
      function* ({ a, acc, b, o }) {
        // prettier-ignore
        yield* Pipeline.emit( // blocks
          {
            grid: [k],
            in: { x: Pipeline.block(a, { block: [1, 2, 2], index: (step) => [step, 0, 0] }) },
            maxConcurrentSteps,
            delayRelease
          },
          undefined,
          function* (_, { x }) {
            yield* Pipeline.multiplyAccumulate(acc, MemRef.at(x, [0]), b) // product
            yield* Pipeline.wait(inFlight)
          }
        )
        yield* Pipeline.wait()
        yield* MemRef.store(o, yield* Pipeline.read(acc))
      }
    )
  const cases = [1, 2, 3, 4].flatMap((depth) =>
    range(depth).flatMap((delay) => range(3).map((inFlight) => [depth, delay, inFlight] as const))
  )
  it.each(cases)(
    "106: emit with %i steps at once and release %i steps late, %i products in flight: a race when released too early",
    async (depth, delay, inFlight) => {
      const kernel = emitted(depth, delay, inFlight)
      if (inFlight <= delay || depth === 1) await isSilent(kernel, { a, b }, { o })
      else await finds(kernel, { a, b }, ["Race among multiplyAccumulate on x: blocks, product"])
    }
  )
})
