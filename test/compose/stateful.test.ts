/** Bodies over values as refs, scans over refs, and loops whose condition and body touch the same ref. */
import { Effect } from "effect"
import { describe, expect, expectTypeOf, it } from "vitest"
import { bool, Control, type Effects, f32, i32, Kernel, MemRef, Scratch, Tile } from "../../src/index.ts"
import { kernelError, onEach, pointedAt, single } from "../support/kernels.ts"

const range = (n: number, from = 0): Int32Array => Int32Array.from({ length: n }, (_, k) => k + from)
const out = { x: MemRef.in(i32, [4]), o: MemRef.out(i32, [4]) }
const x = Int32Array.of(5, 6, 7, 8)

describe("runState", () => {
  it("runs a body over values as refs, and gives what they hold in the end", async () => {
    const k = single(out, function* ({ o, x }) {
      const init = {
        a: yield* MemRef.load(x),
        n: Tile.of(i32, 3),
        odd: Tile.of(bool, false),
        h: Tile.ones(f32, [2, 2])
      }
      const end = yield* Control.runState(init, function* ({ a, h, n, odd }) {
        yield* MemRef.store(MemRef.at(a, [1]), yield* MemRef.load(n))
        yield* MemRef.accumulate(n, 4)
        yield* MemRef.store(odd, (yield* MemRef.load(odd)).not())
        yield* MemRef.accumulate(MemRef.at(h, [":", 0]), 2)
      })
      expectTypeOf(end.n).toEqualTypeOf<Tile.Tile<"i32", []>>()
      expectTypeOf(end.h.shape).toEqualTypeOf<[2, 2]>()
      const sums = Tile.sum(end.h).convert(i32).add(end.odd.convert(i32).mul(100)).add(end.n.mul(1000))
      yield* MemRef.store(o, end.a.add(sums))
    })
    // 1+1+3+3 = 8, odd, n = 7
    await onEach(k, { x }, { o: [7113, 7111, 7115, 7116] })
  })
  it("75: starts anew each time; bodies nest, with refs and tiles from around them, and constants in between", async () => {
    const k = single(out, function* ({ o, x }) {
      yield* Control.forEach(0, 4, function* (i) {
        const outer = yield* Control.runState({ s: Tile.of(i32, 1) }, function* ({ s }) {
          const inner = yield* Control.runState({ s: Tile.of(i32, 10), u: Tile.of(i32, 0) }, function* (in_) {
            yield* MemRef.accumulate(s, i)
            yield* MemRef.accumulate(in_.s, yield* MemRef.load(s))
            yield* MemRef.store(in_.u, yield* MemRef.load(MemRef.at(x, [i])))
          })
          yield* MemRef.accumulate(s, inner.s.mul(100).add(inner.u))
        })
        yield* MemRef.store(MemRef.at(o, [i]), outer.s)
      })
    })
    const expected = [0, 1, 2, 3].map((i) => 1 + i + (10 + 1 + i) * 100 + x[i]!)
    await onEach(k, { x }, { o: expected })
  })
  it("costs Memory, and the effects on refs from around it; what those are stays", async () => {
    const k = Kernel.make("k", { grid: [1], refs: out }, function* ({ o, x }) {
      const { s } = yield* Control.runState({ s: Tile.of(i32, 0) }, function* ({ s }) {
        yield* MemRef.accumulate(s, Tile.sum(yield* MemRef.load(x)))
      })
      yield* MemRef.store(o, s)
    })
    expectTypeOf<Kernel.Effects<typeof k>>().toEqualTypeOf<Effects.Read<"x"> | Effects.Write<"o"> | Effects.Memory>()
    expect(await Effect.runPromise(Kernel.effects(k))).toEqual(["Memory", "Read(x)", "Write(o)"])
    await onEach(k, { x }, { o: [26, 26, 26, 26] })
  })
  it("fails on what is no tile, on a body that gives a value, and on refs used after their end", async () => {
    const made = (body: () => Effect.Effect<any, any, any>) =>
      Kernel.make("k", { grid: [1], refs: out }, function* () {
        yield* body() as Effect.Effect<void>
      })
    const state = Control.runState as any
    const init = { s: Tile.of(i32, 0) }
    const shown = async (tag: "TypeMismatch" | "ForeignValue", kernel: Kernel.Any) =>
      (await kernelError(tag, kernel, { x })).shown
    expect(
      await shown(
        "TypeMismatch",
        made(() => state({ s: 1 }, function* () {}))
      )
    ).toContain('"s" is no tile')
    const returning = () =>
      state(init, function* () {
        return 1
      })
    expect(await shown("TypeMismatch", made(returning))).toContain("the body returns a value")
    let kept: any
    const leaking = () =>
      Effect.andThen(
        state(init, function* ({ s }: any) {
          kept = s
        }),
        Effect.suspend(() => MemRef.load(kept))
      )
    expect(await shown("ForeignValue", made(leaking as any))).toContain("its scope has ended")
  })
})

describe("a scan over refs", () => {
  const rows = { x: MemRef.in(i32, [3, 2]), y: MemRef.inout(i32, [3, 2]), o: MemRef.out(i32, [3]) }
  const scanning = (reverse: boolean) =>
    Kernel.make(
      "scanning",
      { grid: [1], refs: { ...rows, last: MemRef.out(i32, [2]) } },
      function* ({ last, o, x, y }) {
        const end = yield* Control.scan(
          { in: { x, y }, out: { y, o } },
          Tile.ones(i32, [2]),
          function* (carry, { x, y }, i) {
            expectTypeOf(x).toEqualTypeOf<Tile.Tile<"i32", [2]>>()
            const next = carry.mul(2).add(x)
            return { carry: next, out: { y: y.add(next), o: Tile.sum(next).mul(10).add(i) } }
          },
          { reverse }
        )
        yield* MemRef.store(last, end)
      }
    )
  /** A plain loop. */
  const expected = (reverse: boolean, x: Int32Array, y: Int32Array) => {
    let carry = [1, 1]
    const [o, after] = [[0, 0, 0], [...y]]
    for (const i of reverse ? [2, 1, 0] : [0, 1, 2]) {
      carry = carry.map((c, k) => c * 2 + x[i * 2 + k]!)
      carry.forEach((c, k) => (after[i * 2 + k]! += c))
      o[i] = (carry[0]! + carry[1]!) * 10 + i
    }
    return { o, y: after, last: carry }
  }
  it.each([false, true])("73: is the plain loop over its rows; reversed: %s", async (reverse) => {
    const k = scanning(reverse)
    expectTypeOf<Kernel.Effects<typeof k>>().toEqualTypeOf<
      Effects.Read<"x" | "y"> | Effects.Write<"y" | "o"> | Effects.Write<"last">
    >()
    const [x, y] = [range(6, 1), range(6, 100)]
    await onEach(k, { x, y }, expected(reverse, x, y))
    expect(await Effect.runPromise(Kernel.print(k))).toMatch(
      reverse ? /load x\[-%\d+ \+ 2, 0 \+: 2\]/ : /load x\[%\d+, 0 \+: 2\]/
    )
  })
  it("goes over views and blocks; without outputs it folds, without inputs it fills", async () => {
    const k = Kernel.make(
      "k",
      {
        grid: [2],
        refs: {
          x: MemRef.in(i32, [2, 4], { block: [null, 4], index: (i) => [i, 0] }),
          o: MemRef.out(i32, [2, 4], { block: [null, 4], index: (i) => [i, 0] })
        }
      },
      function* ({ o, x }) {
        const odd = MemRef.at(x, [MemRef.slice(1, 2, 2)])
        const sum = yield* Control.scan({ in: { odd } }, Tile.of(i32, 0), function* (sum, { odd }) {
          return { carry: sum.mul(10).add(odd) }
        })
        yield* Control.scan({ out: { o } }, { n: sum }, function* ({ n }, _, i) {
          return { carry: { n: n.add(1) }, out: { o: n.mul(10).add(i) } }
        })
      }
    )
    await onEach(k, { x: range(8) }, { o: [130, 141, 152, 163, 570, 581, 592, 603] })
  })
  it("of no rows gives the carry it began with", async () => {
    const k = single({ x: MemRef.in(i32, [0, 2]), o: MemRef.out(i32, [1]) }, function* ({ o, x }) {
      const end = yield* Control.scan({ in: { x } }, Tile.of(i32, 7), function* (n, { x }) {
        return { carry: n.add(Tile.sum(x)) }
      })
      yield* MemRef.store(o, end)
    })
    await onEach(k, { x: new Int32Array(0) }, { o: [7] })
  })
  it("fails where rows do not fit, are forgotten, or are no rows", async () => {
    const scan = (refs: (all: any) => unknown, step: unknown) =>
      Kernel.make(
        "k",
        { grid: [1], refs: { ...rows, n: MemRef.in(i32, [2]), s: MemRef.out(i32, []) } },
        function* (all) {
          yield* (Control.scan as any)(refs(all), Tile.of(i32, 0), function* () {
            return step
          })
        }
      )
    const args = { x: range(6), y: range(6), n: range(2) }
    const carry = Tile.of(i32, 0)
    const shown = async (kernel: Kernel.Any) => (await kernelError("TypeMismatch", kernel, args)).shown
    expect(await shown(scan(({ n, x }) => ({ in: { x, n } }), { carry }))).toContain('"x" has 3 rows, "n" 2')
    expect(await shown(scan(() => ({}), { carry }))).toContain("no ref to go over")
    expect(await shown(scan(({ s }) => ({ out: { s } }), { carry }))).toContain('"s" is a ref without axes')
    expect(await shown(scan(() => ({ in: { t: carry } }), { carry }))).toContain('"t" is no ref')
    expect(await shown(scan(({ o, x }) => ({ in: { x }, out: { o } }), { carry }))).toContain('no row for "o"')
    expect(await shown(scan(({ x }) => ({ in: { x } }), { carry, out: { q: 1 } }))).toContain('a row for "q"')
    const short = scan(({ x, y }) => ({ in: { x }, out: { y } }), { carry, out: { y: Tile.zeros(i32, [5]) } })
    expect(await shown(short)).toContain("a tile of shape [5] does not fit the ref's [2]")
    expect(pointedAt(await kernelError("TypeMismatch", short, args))).toContain("(Control.scan as any)(")
    expect(await shown(scan(({ x }) => ({ in: { x } }), {}))).toContain("the body gives nothing, the carry is i32[]")
  })
})

describe("a branch", () => {
  it("is taken by a value that the refs hold when it is reached", async () => {
    const k = single({ x: MemRef.inout(i32, [4]), o: MemRef.out(i32, [4]) }, function* ({ o, x }) {
      yield* Control.forEach(0, 4, function* (i) {
        const here = MemRef.at(x, [MemRef.slice(0, 1)])
        const which = yield* MemRef.load(MemRef.at(x, [0]))
        const taken = yield* Control.cond(
          which.rem(2).eq(0),
          function* () {
            yield* MemRef.accumulate(here, 3)
            return which
          },
          function* () {
            yield* MemRef.store(here, Tile.expandDims(which.div(2), 0))
            return which.neg()
          }
        )
        yield* MemRef.store(MemRef.at(o, [i]), taken)
      })
    })
    const expected = (first: number) => {
      const o: Array<number> = []
      let at = first
      for (let i = 0; i < 4; i++) {
        o.push(at % 2 === 0 ? at : -at)
        at = at % 2 === 0 ? at + 3 : Math.trunc(at / 2)
      }
      return { x: [at, 0, 0, 0], o }
    }
    for (const first of [0, 5, 14]) await onEach(k, { x: Int32Array.of(first, 0, 0, 0) }, expected(first))
  })
})

describe("a while loop", () => {
  it("shares one state between condition and body, also where both change it", async () => {
    const k = single({ n: MemRef.scalar(i32), o: MemRef.out(i32, [4]) }, function* ({ n, o }) {
      yield* Scratch.scoped(Scratch.workgroup(i32, [2]), function* (s) {
        const [asked, done] = [MemRef.at(s, [0]), MemRef.at(s, [1])]
        const turns = yield* Control.whileLoop(
          Tile.of(i32, 0),
          function* () {
            yield* MemRef.accumulate(asked, 1)
            return (yield* MemRef.load(asked)).add(yield* MemRef.load(done)).lt(n)
          },
          function* (turns) {
            yield* MemRef.accumulate(done, yield* MemRef.load(asked))
            return turns.add(1)
          }
        )
        yield* MemRef.store(MemRef.at(o, [MemRef.slice(0, 2)]), yield* MemRef.load(s))
        yield* MemRef.store(MemRef.at(o, [2]), turns)
      })
    })
    const expected = (n: number) => {
      let [asked, done, turns] = [0, 0, 0]
      while (++asked + done < n) {
        done += asked
        turns++
      }
      return [asked, done, turns, 0]
    }
    for (const n of [0, 1, 2, 3, 12, 20]) await onEach(k, { n }, { o: expected(n) })
  })
})
