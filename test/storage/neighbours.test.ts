/** Elements that share a word, written by other invocations and program instances: nobody clobbers them. */
import { describe, expect, it } from "vitest"
import { Effect } from "effect"
import { Atomic, Control, DType, i32, Inline, Kernel, MemRef, Scratch, Tile, u8 } from "../../src/index.ts"
import { runtime, softwareDevice } from "../gpu/support.ts"
import { discharge, gpu } from "../support/interpreters.ts"
import { difference } from "../wgsl/agree.ts"
import { dtypes, gives, host, kept, narrow, some } from "./support.ts"

const M: any = MemRef
const run = softwareDevice()
const each = (n: number, refs: any, body: (refs: any) => Generator<any, any, any>): Kernel.Any =>
  Kernel.make("each", { grid: [n], refs } as any, body as any) as any
const own = { block: [null], index: (i: any) => [i] }

describe("scratch of storage dtypes that does not fit into workgroup memory", () => {
  it("keeps what it is added as other memory does, beside scratch with atomics", async () => {
    const scratch: any = {
      count: Scratch.workgroup(i32, [40]),
      ...Object.fromEntries(narrow.map((name) => [name, Scratch.workgroup(dtypes[name], [40])]))
    }
    const outs = Object.fromEntries(narrow.map((name) => [`${name}Out`, M.out(dtypes[name], [40])]))
    const k: any = Kernel.make(
      "spilling",
      { grid: [2], refs: { c: M.out(i32, [40]), ...outs }, scratch } as any,
      function* (r: any): any {
        yield* Atomic.add(M.at(r.count, [Tile.iota(i32, [40]).div(2)]), 1)
        for (const name of narrow) {
          yield* M.accumulate(
            r[name],
            Tile.iota(i32, [40])
              .mul(9)
              .sub(60)
              .convert(DType.of(DType.widened(name)) as any)
          )
          yield* M.accumulate(M.at(r[name], [Tile.iota(i32, [40]).rem(3)]), 1)
          if (name === "i8") yield* M.accumulate(M.bitcast(r.i8, u8), 200)
        }
        yield* Control.when((yield* Control.programId(0)).eq(1), function* (): any {
          yield* M.store(r.c, yield* M.load(r.count))
          for (const name of narrow) yield* M.store(r[`${name}Out`], yield* M.load(r[name]))
        } as any)
      } as any
    )
    const program: any = await Effect.runPromise(k.trace)
    for (const schedule of [{}, { workgroupBytes: 64 }, { workgroupBytes: 300, workgroupSize: 16 }]) {
      const arrays = new Map()
      expect(await run(Effect.flatMap(runtime, (on) => difference(on, program, arrays, schedule)))).toBeUndefined()
      expect(await Effect.runPromise(difference(undefined, program, arrays, schedule))).toBeUndefined()
    }
  })
})

describe.each(narrow)("program instances that share words of %s", (name) => {
  const dtype: any = dtypes[name]
  const keep = kept[name]
  const n = 203

  it("store, swap and add to an element each", async () => {
    const refs = {
      x: M.in(dtype, [n], own),
      o: M.out(dtype, [n], own),
      s: M.inout(dtype, [n], own),
      a: M.inout(dtype, [n], own),
      old: M.out(dtype, [n], own)
    }
    const k = each(n, refs, function* (r) {
      const v = yield* M.load(r.x)
      yield* M.store(r.o, v)
      yield* M.store(r.old, yield* M.swap(r.s, v))
      yield* M.accumulate(r.a, v)
    })
    const [x, s] = [some(name, n), some(name, n, 11)]
    const expected = { o: x, s: x, old: s, a: s.map((v, i) => keep(v + x[i]!)) }
    for (let times = 0; times < 3; times++)
      await gives(
        k,
        { x: host(name, x), s: host(name, s), a: host(name, s) },
        expected,
        times === 0 ? [discharge, gpu] : [gpu]
      )
  })
  it("store blocks whose ends lie in the middle of a word, in any order of elements", async () => {
    const block = { block: [7], index: (i: any) => [i] }
    const k = each(29, { x: M.in(dtype, [n], block), o: M.out(dtype, [n], block) }, function* (r) {
      const at = Tile.iota(i32, [7]).mul(3).rem(7)
      yield* M.store(M.at(r.o, [at]), yield* M.load(M.at(r.x, [at])))
    })
    const x = some(name, n, 5)
    await gives(k, { x: host(name, x) }, { o: x })
  })
  it("add to the same few elements, each time", async () => {
    const k = each(60, { o: M.inout(dtype, [5]) }, function* (r) {
      yield* M.accumulate(M.at(r.o, [Tile.iota(i32, [6]).rem(3).mul(2)]), 1)
    })
    const o = [1, 2, 3, 4, 5].map((v, i) =>
      i % 2 === 0 ? Array.from({ length: 120 }).reduce<number>((s) => keep(s + 1), v) : v
    )
    await gives(k, { o: host(name, [1, 2, 3, 4, 5]) }, { o })
  })
  it("are written by the text of an inline, element by element", async () => {
    const copy = Inline.block("copy", {
      operands: { x: Inline.read(dtype), o: Inline.write(dtype) } as any,
      results: {},
      wgsl: `for (var i = i32(lane); i < 7; i += i32(lanes)) { o_store(i, x_load(i) + x_load(7)); }`,
      discharge: function* ({ x, o }: any): any {
        yield* M.store(o, (yield* M.load(x)).add(0))
        return {}
      } as any
    } as any) as any
    const block = { block: [7], index: (i: any) => [i] }
    const k = each(29, { x: M.in(dtype, [n], block), o: M.out(dtype, [n], block) }, function* (r) {
      yield* copy(r)
    })
    const x = some(name, n, 9)
    await gives(k, { x: host(name, x) }, { o: x })
  })
  it("change words that are written by atomic steps alone, and read those that nobody writes as plain words", async () => {
    const k = each(n, { x: M.in(dtype, [n], own), o: M.out(dtype, [n], own) }, function* (r) {
      yield* M.store(r.o, yield* M.load(r.x))
    })
    const text = await Effect.runPromise(Kernel.wgsl(k as any) as Effect.Effect<string>)
    expect(text).toMatch(/var<storage, read> x: array<u32>;/)
    expect(text).toMatch(/var<storage, read_write> o: array<atomic<u32>>;/)
    expect(text).not.toMatch(/\bo\[[^\]]*\] =/)
  })
})
