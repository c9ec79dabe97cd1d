/** Loads, stores, swaps and accumulations of elements that are narrower than a word, through every kind of view. */
import { describe, it } from "vitest"
import { Block, Control, DType, i32, Kernel, MemRef, Scratch, Tile } from "../../src/index.ts"
import { single } from "../support/kernels.ts"
import { dtypes, gives, host, kept, narrow, some } from "./support.ts"

const M: any = MemRef
/** Numbers of the widened dtype, most of which the dtype does not have. */
const wide = (n: number): ReadonlyArray<number> => Array.from({ length: n }, (_, k) => (k * 1009) % 701)

describe.each(narrow)("memory of %s", (name) => {
  const dtype: any = dtypes[name]
  const wider: any = DType.of(DType.widened(name))
  const keep = kept[name]
  const one = (refs: any, body: (refs: any) => Generator<any, void, never>): Kernel.Any => single(refs, body as any)

  it("keeps what is stored as a conversion to the dtype would, and gives it back widened", async () => {
    const k = one({ x: M.in(wider, [13]), o: M.out(dtype, [13]), again: M.out(wider, [13]) }, function* (r) {
      yield* M.store(r.o, yield* M.load(r.x))
      yield* M.store(r.again, yield* M.load(r.o))
    })
    const x = name === "f16" ? some(name, 13) : wide(13)
    await gives(k, { x: host(DType.widened(name), x) }, { o: x.map(keep), again: x.map(keep) })
  })
  it("takes parts, strides, transposes and reshapes, of odd lengths, and leaves what lies between", async () => {
    const k = one({ x: M.in(dtype, [3, 5]), o: M.inout(dtype, [15]), t: M.out(dtype, [5, 3]) }, function* (r) {
      yield* M.store(M.at(r.o, [M.slice(1, 5, 3)]), yield* M.load(M.at(r.x, [1])))
      yield* M.store(M.transpose(r.t), yield* M.load(r.x))
      yield* M.store(M.at(M.reshape(r.o, [5, 3]), [2, 2]), 3)
    })
    const [x, o] = [some(name, 15), some(name, 15, 50)]
    const after = o.map((v, i) => (i % 3 === 1 ? x[5 + (i - 1) / 3]! : i === 8 ? 3 : v))
    const t = Array.from({ length: 15 }, (_, i) => x[(i % 3) * 5 + Math.floor(i / 3)]!)
    await gives(k, { x: host(name, x), o: host(name, o) }, { o: after, t })
  })
  it("loads and stores under masks, with another value where they are false", async () => {
    const k = one({ x: M.in(dtype, [11]), o: M.inout(dtype, [11]), p: M.out(dtype, [11]) }, function* (r) {
      const mask = Tile.iota(i32, [11]).rem(3).eq(0)
      yield* M.store(r.o, yield* M.load(r.x), { mask })
      yield* M.store(r.p, yield* M.load(r.x, { mask, other: 5 }))
    })
    const [x, o] = [some(name, 11), some(name, 11, 20)]
    const where = (other: (i: number) => number) => x.map((v, i) => (i % 3 === 0 ? v : other(i)))
    await gives(k, { x: host(name, x), o: host(name, o) }, { o: where((i) => o[i]!), p: where(() => 5) })
  })
  it("gathers and scatters, and gives 0 outside", async () => {
    const k = one(
      { x: M.in(dtype, [7]), i: M.in(i32, [9]), o: M.out(dtype, [9]), s: M.inout(dtype, [7]) },
      function* (r) {
        const at = yield* M.load(r.i)
        yield* M.store(r.o, yield* M.load(M.at(r.x, [at])))
        yield* M.store(M.at(r.s, [Tile.iota(i32, [7]).mul(3).rem(7)]), yield* M.load(r.x))
      }
    )
    const x = some(name, 7)
    const i = [6, 0, -1, 3, 3, 7, 1000000, 2, 5]
    const s = [0, 5, 3, 1, 6, 4, 2].map((k) => x[k]!)
    await gives(
      k,
      { x: host(name, x), i: Int32Array.from(i), s: host(name, some(name, 7, 9)) },
      { o: i.map((k) => x[k] ?? 0), s }
    )
  })
  it("swaps", async () => {
    const k = one(
      { x: M.in(dtype, [9]), s: M.inout(dtype, [9]), o: M.out(dtype, [9]), p: M.out(dtype, []) },
      function* (r) {
        yield* M.store(r.o, yield* M.swap(r.s, yield* M.load(r.x)))
        yield* M.store(r.p, yield* M.swap(M.at(r.s, [4]), 1))
      }
    )
    const [x, s] = [some(name, 9), some(name, 9, 30)]
    const args = { x: host(name, x), s: host(name, s) }
    await gives(k, args, { o: s, s: x.map((v, i) => (i === 4 ? 1 : v)), p: [x[4]!] })
  })
  it("adds in the widened dtype and keeps each sum, duplicates one after another", async () => {
    const k = one({ x: M.in(dtype, [9]), o: M.inout(dtype, [9]), n: M.inout(dtype, [3]) }, function* (r) {
      yield* M.accumulate(r.o, yield* M.load(r.x))
      yield* M.accumulate(M.at(r.n, [Tile.iota(i32, [9]).rem(2)]), yield* M.load(r.x))
    })
    const [x, o] = [some(name, 9), some(name, 9, 40)]
    const n = x.reduce((sums, v, i) => sums.map((s, j) => (j === i % 2 ? keep(s + v) : s)), [1, 2, 3])
    const args = { x: host(name, x), o: host(name, o), n: host(name, [1, 2, 3]) }
    await gives(k, args, { o: o.map((v, i) => keep(v + x[i]!)), n })
  })
  it("is cut into blocks with ragged ends, which read as 0 and are cropped", async () => {
    const block = { block: [4], index: (i: any) => [i] }
    const k = Kernel.make(
      "blocks",
      {
        grid: [4],
        refs: {
          x: M.in(dtype, [13], block),
          o: M.out(dtype, [13], block),
          sums: M.out(wider, [4], { block: [null], index: (i: any) => [i] })
        }
      } as any,
      function* (r: any): any {
        const v = yield* M.load(r.x)
        yield* M.store(r.o, v)
        yield* M.store(r.sums, Tile.sum(v.min(3)))
      } as any
    )
    const x = some(name, 13)
    const sums = [0, 1, 2, 3].map((b) => x.slice(4 * b, 4 * b + 4).reduce((s, v) => s + Math.min(3, v), 0))
    await gives(k as any, { x: host(name, x) }, { o: x, sums })
  })
  it("has windows that reach over both ends", async () => {
    const k = Kernel.make(
      "windows",
      {
        grid: [5],
        refs: {
          x: M.in(dtype, [5], { block: [Block.element(3)], index: (i: any) => [i.sub(1)] }),
          o: M.out(dtype, [5, 3], { block: [null, 3], index: (i: any) => [i, 0] })
        }
      } as any,
      function* (r: any): any {
        yield* M.store(r.o, yield* M.load(r.x))
      } as any
    )
    const x = some(name, 5, 7)
    const o = Array.from({ length: 15 }, (_, k) => x[Math.floor(k / 3) + (k % 3) - 1] ?? 0)
    await gives(k as any, { x: host(name, x) }, { o })
  })
  it("may be scratch, in workgroup memory, registers and scopes, which starts as 0 and keeps as other memory does", async () => {
    const k = Kernel.make(
      "scratch",
      {
        grid: [Kernel.sequential(3)],
        refs: {
          x: M.in(dtype, [3, 5], { block: [null, 5], index: (i: any) => [i, 0] }),
          o: M.out(dtype, [5]),
          p: M.out(dtype, [5])
        },
        scratch: { sum: Scratch.workgroup(dtype, [5]), last: Scratch.register(dtype, [5]) }
      } as any,
      function* (r: any): any {
        const v = yield* M.load(r.x)
        yield* M.accumulate(M.at(r.sum, [Tile.iota(i32, [5]).mul(-1).add(4)]), v)
        const before = yield* M.swap(r.last, v.add(v))
        yield* Scratch.scoped(Scratch.workgroup(dtype, [5] as any), function* (s: any): any {
          yield* M.accumulate(s, before)
          yield* M.store(r.p, yield* M.load(s))
        } as any)
        yield* Control.when((yield* Control.programId(0)).eq(2), function* () {
          yield* M.store(r.o, yield* M.load(r.sum))
        } as any)
      } as any
    )
    const x = some(name, 15)
    const o = [4, 3, 2, 1, 0].map((j) => [0, 1, 2].reduce((s, i) => keep(s + x[5 * i + j]!), 0))
    await gives(k as any, { x: host(name, x) }, { o, p: x.slice(5, 10).map((v) => keep(v + v)) })
  })
  it("is left alone where a kernel does not touch it, may be empty, and starts as 0", async () => {
    const refs = { a: M.inout(dtype, [3]), e: M.inout(dtype, [0]), o: M.out(dtype, [5]), i: M.in(dtype, [1]) }
    const k = one(refs, function* (r) {
      yield* M.store(r.e, yield* M.load(r.e))
      yield* M.store(M.at(r.o, [1]), yield* M.load(M.at(r.i, [0])))
    })
    const a = some(name, 3, 3)
    await gives(k, { a: host(name, a), e: host(name, []), i: host(name, [7]) }, { a, e: [], o: [0, 7, 0, 0, 0] })
  })
})
