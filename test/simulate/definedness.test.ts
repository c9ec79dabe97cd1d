/**
 * Undefined elements are followed to where they matter: to results, conditions and indices, each reported once; and no
 * further than they matter.
 */
import { describe, expect, it } from "vitest"
import { Atomic, bf16, bool, Control, Copy, f32, i32, i8, Kernel, Pipeline, Scratch, u32 } from "../../src/index.ts"
import { M, T } from "../support/dynamic.ts"
import { check, type Expected, found, kernel, schedules, silent } from "../support/simulated.ts"

const A: any = Atomic
const four = (dtype: any = i32, access: "in" | "out" | "inout" = "out") => M[access](dtype, [4])
const fresh = (dtype: any = i32) => ({ scratch: { s: Scratch.workgroup(dtype, [4]) } })
const uninitialised = (at: ReadonlyArray<string>, like: object = {}, ref = "s"): Expected => ({
  tag: "Uninitialised",
  ref,
  at,
  like: { origin: "scratch", reaches: "result", ...like }
})
const element = (v: any, k: number) => T.reshape(T.slice(v, { starts: [k], sizes: [1] }), [])
type Body = (refs: any) => Generator<any, void, any>
const only = T.iota(i32, [4]).eq(2)
const set: Body = function* ({ s }) {
  yield* M.store(s, T.iota(i32, [4]))
}
/** With the scratch as it is, the finding; with all of it stored first, nothing. */
const both = async (
  body: Body,
  at: ReadonlyArray<string>,
  like: object = {},
  rest: object = fresh()
): Promise<void> => {
  const refs = { c: M.in(bool, []), o: four(i32, "inout") }
  const args = { c: Uint8Array.of(1), o: new Int32Array(4) }
  await found(kernel(refs, body, rest), args, uninitialised(at, like))
  const right = kernel(
    refs,
    function* (r) {
      yield* set(r)
      yield* body(r)
    },
    rest
  )
  await silent(right, args)
}

describe("a finding arises", () => {
  it("where an undefined element reaches a result, of the element and both places", async () => {
    const sum = kernel(
      { o: four() },
      function* ({ o, s }) {
        yield* M.store(s, 1, { mask: T.iota(i32, [4]).ne(2) })
        yield* M.store(o, (yield* M.load(s)).add(1)) // first
      },
      fresh()
    )
    await found(sum, {}, { ...uninitialised(["first", "first"]), element: [2] })
  })
  it("where it reaches a condition: of a branch, a loop, a bound, a mask", async () => {
    const reaches = { reaches: "condition" }
    const branch: Body = function* ({ o, s }) {
      const v = yield* M.load(M.at(s, [1])) // read
      yield* Control.when(v.eq(0), () => M.store(o, 1)) // asked
    }
    await both(branch, ["read", "asked"], reaches)
    const loop: Body = function* ({ o, s }) {
      const v = yield* M.load(M.at(s, [1])) // read
      const goesOn = function* (i: any): Generator<any, any, any> {
        return i.lt(v)
      }
      const step: any = function* (i: any): Generator<any, any, any> {
        yield* M.store(o, i)
        return i.add(1)
      }
      yield* Control.whileLoop(T.of(i32, 0), goesOn, step) // asked
    }
    await both(loop, ["read", "asked"], reaches)
    const bound: Body = function* ({ o, s }) {
      const v = yield* M.load(M.at(s, [3])) // read
      yield* Control.forEach(0, v, (i) => M.store(M.at(o, [i]), 1)) // asked
    }
    await both(bound, ["read", "asked"], reaches)
    const mask: Body = function* ({ o, s }) {
      const v = yield* M.load(s) // read
      yield* M.store(o, 1, { mask: v.gt(1) }) // asked
    }
    await both(mask, ["read", "asked"], reaches)
    const masked: Body = function* ({ o, s }) {
      const v = yield* M.load(s) // read
      yield* M.store(o, yield* M.load(o, { mask: v.gt(1), other: 7 })) // asked
    }
    await both(masked, ["read", "asked"], reaches)
  })
  it("where it reaches an index: of an element, a slice, a gather", async () => {
    const views: ReadonlyArray<(o: any, v: any) => any> = [
      (o, v) => M.at(o, [element(v, 1)]),
      (o, v) => M.at(o, [M.slice(element(v, 0), 4)])
    ]
    for (const view of views) {
      const index: Body = function* ({ o, s }) {
        const v = yield* M.load(s) // read
        yield* M.store(view(o, v), 1) // picked
      }
      await both(index, ["read", "picked"], { reaches: "index" })
    }
    const gathered: Body = function* ({ o, s }) {
      const v = yield* M.load(s) // read
      yield* M.store(o, yield* M.load(M.at(o, [v]))) // picked
    }
    await both(gathered, ["read", "picked"], { reaches: "index" })
    const scattered: Body = function* ({ o, s }) {
      const v = yield* M.load(s) // read
      yield* M.store(M.at(o, [v]), 1) // picked
    }
    await both(scattered, ["read", "picked"], { reaches: "index" })
  })
  it("once, however often and wherever it arrives", async () => {
    const often: Body = function* ({ o, s }) {
      const v = yield* M.load(s) // read
      yield* Control.forEach(0, 3, function* (i) {
        yield* Control.when(T.sum(v).eq(i), () => M.store(o, i)) // asked
      })
      yield* M.store(o, v)
    }
    await both(often, ["read", "asked"], { reaches: "condition" })
  })
  it("for each place that reads, by itself", async () => {
    const twice = kernel(
      { o: four(), p: four() },
      function* ({ o, p, s }) {
        yield* M.store(o, yield* M.load(s))
        yield* M.store(p, yield* M.load(s))
      },
      fresh()
    )
    const { findings } = await check(twice, {}, { schedules })
    expect(findings.map((f) => f._tag)).toEqual(["Uninitialised", "Uninitialised"])
  })
})

describe("nothing is found", () => {
  const clean: ReadonlyArray<readonly [string, Body]> = [
    [
      "where a selection by a defined condition leaves it out",
      function* ({ o, s }) {
        yield* M.store(M.at(s, [2]), 5)
        yield* M.store(o, T.select(only, yield* M.load(s), 0))
      }
    ],
    [
      "where a defined mask leaves it out",
      function* ({ o, s }) {
        yield* M.store(M.at(s, [2]), 5)
        yield* M.store(o, yield* M.load(s, { mask: only, other: 9 }))
      }
    ],
    [
      "where one element that holds is enough",
      function* ({ o, s }) {
        yield* M.store(M.at(s, [2]), 5)
        yield* Control.when(T.any((yield* M.load(s)).gt(4)), () => M.store(o, 1))
      }
    ],
    [
      "where an integer is multiplied by 0, or bits are masked off",
      function* ({ o, s }) {
        const v = yield* M.load(s)
        yield* M.store(o, v.mul(0).add(v.and(0)))
      }
    ],
    [
      "where what was read is not used, or stored to what is not used",
      function* ({ o, s }) {
        yield* M.store(s, (yield* M.load(s)).add(1))
        yield* M.store(o, 1)
      }
    ],
    [
      "where it is written over in the end",
      function* ({ o, s }) {
        yield* M.store(o, yield* M.load(s))
        yield* M.store(o, 1)
      }
    ],
    [
      "where what is stored is masked off",
      function* ({ o, s }) {
        yield* M.store(M.at(s, [2]), 5)
        yield* M.store(o, yield* M.load(s), { mask: only })
      }
    ],
    [
      "where an index is not defined that a mask leaves out",
      function* ({ o, s }) {
        yield* M.store(M.at(s, [2]), 1)
        yield* M.store(M.at(o, [yield* M.load(s)]), 1, { mask: only })
      }
    ]
  ]
  it.each(clean)("%s", async (_, body) => {
    await silent(kernel({ o: four(i32, "inout") }, body, fresh()), { o: new Int32Array(4) })
  })
  it("where zeros are trusted, of each kind by itself", async () => {
    const rest = fresh()
    const refs = { x: M.in(i32, [5], { block: [4], index: () => [1] }), o: four(), p: four() }
    const all = kernel(
      refs,
      function* ({ o, s, x }) {
        yield* M.store(o, (yield* M.load(s)).add(T.sum(yield* M.load(x))))
      },
      rest
    )
    const args = { x: new Int32Array(5) }
    const origins = async (trusted: any) =>
      (await check(all, args, { trusted })).findings.map((f) => (f._tag === "Uninitialised" ? f.origin : f._tag)).sort()
    expect(await origins(["scratch"])).toEqual(["output", "padding"])
    expect(await origins(["padding"])).toEqual(["output", "scratch"])
    expect(await origins(["scratch", "padding"])).toEqual(["output"])
    expect(await origins(["scratch", "padding", "output"])).toEqual([])
  })
})

describe("an undefined element is carried", () => {
  it("by copies in flight", () =>
    both(
      function* ({ o, s }) {
        yield* Copy.wait(yield* (Copy as any).start(s, o) as any) // copied
      },
      ["copied", "copied"]
    ))
  it("by swaps", () =>
    both(
      function* ({ o, s }) {
        const before = yield* M.swap(s, 1) // swapped
        yield* M.store(o, before) // stored
      },
      ["swapped", "stored"]
    ))
  it("by atomic steps, in what they leave and in what they give", async () => {
    const left: Body = function* ({ o, s }) {
      yield* A.add(s, 1) // stepped
      yield* M.store(o, yield* M.load(s)) // stored
    }
    await both(left, ["stepped", "stored"])
    const given: Body = function* ({ o, s }) {
      const before = yield* A.max(M.at(s, [1]), 9) // stepped
      yield* M.store(o, before) // stored
    }
    await both(given, ["stepped", "stored"])
    const compared: Body = function* ({ o, s }) {
      const before = yield* A.compareExchange(s, 0, 5) // stepped
      yield* M.store(o, before) // stored
    }
    await both(compared, ["stepped", "stored"])
  })
  it("by carries of loops, results of branches, scopes and called kernels", async () => {
    const carried: Body = function* ({ o, s }) {
      const v = yield* M.load(s) // read
      const step: any = function* (_: any, acc: any): Generator<any, any, any> {
        return acc.add(v)
      }
      yield* M.store(o, yield* Control.fori(0, 2, T.zeros(i32, [4]), step) as any) // stored
    }
    await both(carried, ["read", "stored"])
    const branched: Body = function* ({ c, o, s }) {
      const holds = yield* M.load(c)
      const read: any = function* (): Generator<any, any, any> {
        return yield* M.load(s) // read
      }
      const zeros: any = function* (): Generator<any, any, any> {
        return T.zeros(i32, [4])
      }
      yield* M.store(o, yield* Control.cond(holds, read, zeros) as any) // stored
    }
    await both(branched, ["read", "stored"])
    const scoped: Body = function* ({ o, s }) {
      yield* Scratch.scoped(Scratch.register(i32, [4]), function* (own: any): Generator<any, any, any> {
        yield* M.store(own, yield* M.load(s)) // read
        yield* M.store(o, yield* M.load(own)) // stored
      } as any)
    }
    await both(scoped, ["read", "stored"])
    const callee = kernel({ a: M.in(i32, [4]), b: M.inout(i32, [4]) }, function* ({ a, b }) {
      yield* M.store(b, yield* M.load(a)) // called
    })
    const calling: Body = function* ({ o, s }) {
      yield* (Kernel as any).call(callee, { a: s, b: o })
    }
    await both(calling, ["called", "called"])
  })
  it.each([
    ["i8", i8, i32],
    ["bf16", bf16, f32],
    ["u32, seen as f32", u32, u32]
  ])("by refs of other dtypes: %s", async (_, dtype: any, wide: any) => {
    const of = (isSet: boolean) =>
      kernel(
        { o: four(dtype) },
        function* ({ o, s }) {
          if (isSet) yield* M.store(s, 1)
          const v = yield* M.load(dtype === u32 ? M.bitcast(s, f32) : s) // read
          yield* M.store(dtype === u32 ? M.bitcast(o, f32) : o, v.mul(wide === i32 ? 2 : 1)) // stored
        },
        fresh(dtype)
      )
    await found(of(false), {}, uninitialised(["read", "stored"]))
    await silent(of(true), {})
  })
  it("by rows, not by the other ones", async () => {
    const rows = (row: number) =>
      kernel(
        { o: M.out(i32, [2]) },
        function* ({ m, o }) {
          yield* M.store(M.at(m, [0]), 1)
          yield* M.store(o, T.sum(yield* M.load(m), { axis: 1 }).add(0), { mask: T.iota(i32, [2]).eq(row) }) // summed
          yield* M.store(M.at(o, [1 - row]), 0)
        },
        { scratch: { m: Scratch.workgroup(i32, [2, 3]) } }
      )
    await found(rows(1), {}, { ...uninitialised(["summed", "summed"], {}, "m"), element: [1, 0] })
    await silent(rows(0), {})
  })
})

describe("a product whose blocks reach over the edge along the axis that is summed", () => {
  const product = (isMasked: { readonly a: boolean; readonly b: boolean }, dtype: any, pipelined: boolean) =>
    kernel(
      {
        a: M.in(dtype, [2, 3], { block: [2, 4], index: () => [0, 0] }),
        b: M.in(dtype, [3, 2], { block: [4, 2], index: () => [0, 0] }),
        o: M.out(dtype, [2, 2])
      },
      function* ({ a, acc, b, o }) {
        const inside = T.iota(i32, [4]).lt(3)
        const left = yield* M.load(a, isMasked.a ? { mask: T.reshape(inside, [1, 4]) } : {}) // left
        const right = yield* M.load(b, isMasked.b ? { mask: T.reshape(inside, [4, 1]) } : {}) // right
        if (!pipelined) return void (yield* M.store(o, T.dot(left, right))) // product
        yield* (Pipeline as any).set(acc, 0)
        yield* (Pipeline as any).multiplyAccumulate(acc, left, right)
        yield* Pipeline.wait()
        yield* M.store(o, yield* (Pipeline as any).read(acc)) // product
      },
      pipelined ? { scratch: { acc: Pipeline.accumulator(dtype, [2, 2]) } } : {}
    )
  const args = (Host: any) => ({ a: Host.of(1, 2, 3, 4, 5, 6), b: Host.of(1, 2, 3, 4, 5, 6) })
  const padding = { origin: "padding" }
  const [none, left, right, masked] = [
    { a: false, b: false },
    { a: true, b: false },
    { a: false, b: true },
    { a: true, b: true }
  ]
  it.each([false, true])("is found, whichever of them is not masked, pipelined or not: %s", async (pipelined) => {
    await found(product(left, f32, pipelined), args(Float32Array), uninitialised(["right", "product"], padding, "b"))
    await found(product(right, f32, pipelined), args(Float32Array), uninitialised(["left", "product"], padding, "a"))
    const { findings } = await check(product(none, f32, pipelined), args(Float32Array), { schedules })
    expect(findings.map((f) => f._tag)).toEqual(["Uninitialised"])
    await silent(product(masked, f32, pipelined), args(Float32Array))
  })
  it.each([false, true])(
    "is not, of integers, where one is masked: 0 times anything is 0, pipelined or not: %s",
    async (pipelined) => {
      await silent(product(left, i32, pipelined), args(Int32Array))
      await silent(product(right, i32, pipelined), args(Int32Array))
    }
  )
})
