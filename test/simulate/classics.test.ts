/** The classics of racing kernels: found under every schedule, and silent where they are right. */
import { describe, it } from "vitest"
import { Atomic, Barrier, Control, Copy, f32, i32, Kernel, MemRef, Pipeline, Scratch, Tile } from "../../src/index.ts"
import { finds, isSilent } from "../support/simulator.ts"

const range = (n: number, from = 0) => Array.from({ length: n }, (_, i) => from + i)

describe("cells that program instances share", () => {
  it("two program instances write one cell", async () => {
    const k = (size: number) =>
      Kernel.make("two", { grid: [2], refs: { o: MemRef.inout(i32, [2]) } }, function* ({ o }) {
        const id = yield* Control.programId(0)
        yield* MemRef.store(MemRef.at(o, [id.rem(size)]), id) // write
      })
    await finds(k(1), { o: new Int32Array(2) }, ["Race among programs on o: write"])
    await isSilent(k(2), { o: new Int32Array(2) }, { o: [0, 1] })
  })
  it("four program instances store the same value to one scalar", async () => {
    const refs = { o: MemRef.inout(i32, []) }
    const k = Kernel.make("same", { grid: [4], refs }, function* ({ o }) {
      yield* MemRef.store(o, 7) // write
    })
    const one = Kernel.make("one", { grid: [4], refs }, function* ({ o }) {
      yield* Control.when((yield* Control.programId(0)).eq(0), () => MemRef.store(o, 7))
    })
    const atomic = Kernel.make("atomic", { grid: [4], refs }, function* ({ o }) {
      yield* Atomic.max(o, 7)
    })
    await finds(k, { o: Int32Array.of(0) }, ["Race among programs on o: write"])
    await isSilent(one, { o: Int32Array.of(0) }, { o: [7] })
    await isSilent(atomic, { o: Int32Array.of(0) }, { o: [7] })
  })
})

describe("a tree reduction in workgroup memory", () => {
  /** One level: the lower half adds what the upper half holds; then all meet, unless this barrier was removed. */
  const kernel = (threads: number, removed?: number) =>
    Kernel.make(
      "tree",
      {
        grid: [2],
        threads,
        refs: { x: MemRef.in(i32, [2, threads]), o: MemRef.out(i32, [2]) },
        scratch: { s: Scratch.workgroup(i32, [threads]) }
      },
      function* ({ o, s, x }) {
        const [program, thread] = [yield* Control.programId(0), yield* Control.threadId()]
        const at = MemRef.at(s, [thread])
        yield* MemRef.store(at, yield* MemRef.load(MemRef.at(x, [program, thread]))) // fill
        if (removed !== 0) yield* Barrier.sync()
        for (const level of range(Math.log2(threads), 1)) {
          const half = threads / 2 ** level
          yield* Control.when(thread.lt(half), function* () {
            const other = yield* MemRef.load(MemRef.at(s, [thread.add(half)])) // read
            yield* MemRef.store(at, (yield* MemRef.load(at)).add(other)) // add
          })
          if (removed !== level) yield* Barrier.sync()
        }
        const sum = yield* MemRef.load(MemRef.at(s, [0])) // result
        yield* Control.when(thread.eq(0), () => MemRef.store(MemRef.at(o, [program]), sum))
      }
    )
  it.each([8, 16, 64])("%i threads: silent with all its barriers, a race without any one of them", async (threads) => {
    const levels = Math.log2(threads)
    const x = Int32Array.from(range(2 * threads))
    const sums = [0, 1].map((p) => range(threads, p * threads).reduce((a, b) => a + b))
    await isSilent(kernel(threads), { x }, { o: sums })
    for (const removed of range(levels + 1)) {
      const sides = removed === 0 ? "fill, read" : removed === levels ? "add, result" : "add, read"
      await finds(kernel(threads, removed), { x }, [`Race among threads on s: ${sides}`])
    }
  })
})

describe("a pipeline of copies and products", () => {
  const steps = 6
  /** The block of the step that comes next but one is fetched once `inFlight` products may be in flight. */
  const kernel = (buffers: number, delayRelease: number) =>
    Kernel.make(
      "pipeline",
      {
        grid: [2],
        refs: { a: MemRef.in(f32, [steps, 2, 2]), b: MemRef.in(f32, [2, 2]), o: MemRef.out(f32, [2, 2, 2]) },
        scratch: { ring: Scratch.workgroup(f32, [buffers, 2, 2]), acc: Pipeline.accumulator(f32, [2, 2]) }
      },
      function* ({ a, acc, b, o, ring }) {
        const id = yield* Control.programId(0)
        const ahead = buffers - 1 - delayRelease
        const start = (step: Tile.I32) => {
          const to = MemRef.at(ring, [step.rem(buffers)])
          return Copy.start(MemRef.at(a, [step]), to, { when: step.lt(steps) })
        }
        const first = []
        for (const step of range(ahead)) first.push(yield* start(Tile.of(i32, step)))
        const carry = Object.fromEntries(first.map((token, k) => [`t${k}`, token]))
        const last = yield* Control.fori(0, steps, carry, function* (step, flying) {
          const next = yield* start(step.add(ahead))
          const all = [...range(ahead).map((k) => flying[`t${k}`]!), next]
          yield* Copy.wait(all[0]!) // land
          yield* Pipeline.multiplyAccumulate(acc, MemRef.at(ring, [step.rem(buffers)]), b) // product
          yield* Pipeline.wait(1)
          return Object.fromEntries(all.slice(1).map((token, k) => [`t${k}`, token]))
        })
        for (const token of Object.values(last)) yield* Copy.wait(token)
        yield* Pipeline.wait()
        yield* MemRef.store(MemRef.at(o, [id]), yield* Pipeline.read(acc))
      }
    )
  const args = { a: Float32Array.from(range(steps * 4)), b: Float32Array.of(1, 0, 0, 1) }
  const sums = range(4).map((i) => range(steps).reduce((sum, step) => sum + 4 * step + i, 0))
  it.each([2, 3, 4])(
    "%i buffers: a product is in flight when its factor is fetched anew, unless that is delayed",
    async (buffers) => {
      await finds(kernel(buffers, 0), args, ["Race among multiplyAccumulate on ring: land, product"])
      await isSilent(kernel(buffers, 1), args, { o: [...sums, ...sums] })
    }
  )
})
