/** Atomics on the memory of one program instance: elements that meet in one cell all count there, too. */
import { describe, expect, it } from "vitest"
import { Atomic, Control, f32, i32, Kernel, MemRef, Scratch, Tile, u32 } from "../../src/index.ts"
import { interpreters } from "../support/interpreters.ts"
import { onEach, results } from "../support/kernels.ts"

const range = (n: number) => Array.from({ length: n }, (_, i) => i)
const drawn = (n: number, below: number) =>
  Int32Array.from(range(n), (i) => (Math.imul(i + 1, 2654435761) >>> 8) % below)
const block = (n: number) => ({ block: [n], index: (i: Tile.I32) => [i] as const })

describe("scratch", () => {
  it("takes a histogram of its own for each program instance, which then joins the others", async () => {
    const k = Kernel.make(
      "privateHistogram",
      {
        grid: [4],
        refs: { x: MemRef.in(i32, [200], block(50)), h: MemRef.out(i32, [5]), hi: MemRef.out(f32, [5]) },
        scratch: { own: Scratch.workgroup(i32, [5]), top: Scratch.workgroup(f32, [5]) }
      },
      function* ({ h, hi, own, top, x }) {
        const v = yield* MemRef.load(x)
        const bin = v.rem(5)
        yield* Atomic.add(MemRef.at(own, [bin]), 1)
        yield* Atomic.max(MemRef.at(top, [bin]), v.convert(f32).div(4))
        yield* Atomic.add(h, yield* MemRef.load(own))
        yield* Atomic.max(hi, yield* MemRef.load(top))
      }
    )
    const x = drawn(200, 60)
    const of = (bin: number) => Array.from(x).filter((v) => v % 5 === bin)
    await onEach(k, { x }, { h: range(5).map((b) => of(b).length), hi: range(5).map((b) => Math.max(...of(b)) / 4) })
  })
  it("gives every element of a tile a ticket, anew in each scope", async () => {
    const k = Kernel.make(
      "tickets",
      { grid: [3], refs: { o: MemRef.out(u32, [3, 40], { block: [null, 40], index: (i) => [i, 0] }) } },
      function* ({ o }) {
        yield* Control.forEach(0, 2, function* () {
          yield* Scratch.scoped(Scratch.workgroup(u32, [2]), function* (next) {
            const parity = Tile.iota(i32, [40]).rem(2)
            yield* MemRef.store(o, yield* Atomic.add(MemRef.at(next, [parity]), 1))
          })
        })
      }
    )
    for (const subject of interpreters) {
      const o = Array.from((await results(k, {}, subject))["o"]!)
      for (const program of range(3))
        for (const parity of [0, 1]) {
          const mine = o.slice(program * 40, (program + 1) * 40).filter((_, k) => k % 2 === parity)
          expect(
            mine.toSorted((a, b) => a - b),
            subject.name
          ).toEqual(range(20))
        }
    }
  })
  it("keeps what was counted over the cells of a sequential axis", async () => {
    const k = Kernel.make(
      "running",
      {
        grid: [2, Kernel.sequential(3)],
        refs: {
          x: MemRef.in(i32, [6, 10], { block: [null, 10], index: (i, j) => [i.mul(3).add(j), 0] }),
          o: MemRef.out(i32, [2, 4], { block: [null, 4], index: (i) => [i, 0] })
        },
        scratch: { own: Scratch.workgroup(i32, [4]) }
      },
      function* ({ o, own, x }) {
        yield* Atomic.add(MemRef.at(own, [yield* MemRef.load(x)]), 1)
        yield* MemRef.store(o, yield* MemRef.load(own))
      }
    )
    const x = drawn(60, 4)
    const count = (p: number, bin: number) => x.slice(p * 30, (p + 1) * 30).filter((v) => v === bin).length
    await onEach(k, { x }, { o: [0, 1].flatMap((p) => range(4).map((bin) => count(p, bin))) })
  })
  it("in registers, of one number and of a tile: read, then written", async () => {
    const k = Kernel.make(
      "registers",
      {
        grid: [2],
        refs: { o: MemRef.out(i32, [2, 5], { block: [null, 5], index: (i) => [i, 0] }) },
        scratch: { one: Scratch.register(i32, []), tile: Scratch.register(i32, [5]) }
      },
      function* ({ o, one, tile }) {
        const first = yield* Atomic.add(one, 3)
        const second = yield* Atomic.max(one, 2)
        const none = yield* Atomic.compareExchange(tile, 0, Tile.iota(i32, [5]))
        const last = yield* Atomic.compareExchange(tile, 4, 9, { mask: second.eq(3) })
        const sum = first.mul(1000).add(second.mul(100)).add(none.mul(10)).add(last)
        yield* MemRef.store(o, sum.add((yield* MemRef.load(tile)).mul(10000)))
      }
    )
    const o = range(5).map((k) => 300 + k + (k === 4 ? 9 : k) * 10000)
    await onEach(k, {}, { o: [...o, ...o] })
  })
  it("that is too large for a workgroup is as good", async () => {
    const k = Kernel.make(
      "spilled",
      {
        grid: [3],
        refs: { x: MemRef.in(i32, [300], block(100)), o: MemRef.out(i32, [4]), hi: MemRef.out(i32, []) },
        scratch: { own: Scratch.workgroup(i32, [6000]), other: Scratch.workgroup(f32, [5000]) }
      },
      function* ({ hi, o, other, own, x }) {
        const v = yield* MemRef.load(x)
        yield* MemRef.store(MemRef.at(other, [v]), v.convert(f32))
        yield* Atomic.add(MemRef.at(own, [v.mul(1999)]), 1)
        yield* Atomic.max(MemRef.at(own, [v.mul(0).add(7)]), v.sub(5))
        const counts = yield* MemRef.load(MemRef.at(own, [MemRef.slice(0, 4, 1999)]))
        yield* Atomic.add(o, counts)
        const most = Tile.max((yield* MemRef.load(other)).convert(i32), { axis: 0 })
        yield* Atomic.max(hi, most.mul(10).add(yield* MemRef.load(MemRef.at(own, [7]))))
      }
    )
    const x = drawn(300, 4)
    const o = range(4).map((bin) => x.filter((v) => v === bin).length)
    await onEach(k, { x }, { o, hi: [30] })
  })
})
