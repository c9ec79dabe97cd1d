/**
 * Bugs that others reported, which the Simulator finds: threads that do not meet, and waits for what never comes (74, 79,
 * 89).
 */
import { describe, expect, it } from "vitest"
import { Atomic, Barrier, bool, Control, i32, type Kernel, Scratch, Semaphore } from "../../../src/index.ts"
import { check, compare, type Expected, found, kernel, schedules, silent } from "../../support/simulated.ts"
import { M, T } from "../../support/dynamic.ts"

const range = (n: number, from = 0) => Int32Array.from({ length: n }, (_, i) => from + i)
const stuck = (at: string, rest: Partial<Expected> = {}): Expected => ({ tag: "Stuck", ref: "", at: [at], ...rest })
const diverging = (...at: ReadonlyArray<string>): Expected => ({
  tag: "BarrierMisuse",
  ref: "",
  at,
  like: { misuse: "divergence" }
})

describe("a barrier that not all threads come to", () => {
  // 74: a prefix sum over bins that the first quarter of the threads fills.
  const bins = (n: number, where: "inside" | "both" | "outside") => {
    const quarter = n / 4
    return kernel(
      { x: M.in(i32, [quarter]), o: M.out(i32, [n]) },
      function* ({ o, s, x }) {
        const t = yield* Control.threadId()
        yield* Control.when(t.lt(quarter), function* () {
          yield* M.store(M.at(s, [t]), yield* M.load(M.at(x, [t])))
          if (where !== "outside") yield* Barrier.sync() // 74: inside
        })
        if (where === "both") yield* Barrier.sync() // 74: outside
        if (where === "outside") yield* Barrier.sync()
        const all: any = where === "inside" ? 0 : T.sum(yield* M.load(s))
        yield* M.store(M.at(o, [t]), all)
      },
      { threads: n, scratch: { s: Scratch.workgroup(i32, [quarter]) } }
    )
  }
  it.each([8, 16, 64])("74: and of %i threads the others end", (n) =>
    found(bins(n, "inside"), { x: range(n / 4, 1) }, stuck("74: inside"))
  )
  it.each([8, 16, 64])("74: and of %i threads the others come to another one", (n) =>
    found(bins(n, "both"), { x: range(n / 4, 1) }, diverging("74: inside", "74: outside"))
  )
  it.each([8, 16, 64])("74: not where all %i threads come to it", (n) => {
    const sum = ((n / 4) * (n / 4 + 1)) / 2
    return silent(bins(n, "outside"), { x: range(n / 4, 1) }, { results: { o: Array.from({ length: n }, () => sum) } })
  })
  it("74: in the other branch, in a loop, in a scope", async () => {
    const branched = kernel(
      { o: M.inout(i32, [2]) },
      function* ({ o }) {
        const t: any = yield* Control.threadId()
        yield* Scratch.scoped(Scratch.register(i32, []), function* (own) {
          yield* M.store(own, t)
          yield* Control.forEach(0, 2, function* () {
            yield* Control.cond(
              (yield* M.load(own)).eq(0),
              () => Barrier.sync(), // 74: one branch
              () => Barrier.sync() // 74: other branch
            )
          })
        })
        yield* M.store(M.at(o, [t]), 1)
      },
      { threads: 2 }
    )
    await found(branched, { o: Int32Array.of(0, 0) }, diverging("74: one branch", "74: other branch"))
  })
  it("74: the waiting threads are named, with what they wait for", async () => {
    const { findings } = await check(bins(8, "inside"), { x: range(2) })
    const [finding] = findings
    if (finding?._tag !== "Stuck") return expect(finding?._tag).toBe("Stuck")
    expect(finding.waiting.map((w) => w.place.thread).sort()).toEqual([0, 1])
    for (const { detail } of finding.waiting) expect(detail).toMatch(/^all 8 threads, of which 2 are here; thread .*7/)
  })

  // 79: thread t takes t + 1 turns of a loop with a barrier in it.
  const uneven = (n: number, how: "while" | "for" | "even", isMetAfter: boolean): Kernel.Any =>
    kernel(
      { o: M.inout(i32, [n]) },
      function* ({ o }) {
        const t: any = yield* Control.threadId()
        if (how === "while")
          yield* Control.whileLoop(
            { i: T.of(i32, 0), goesOn: T.of(bool, true) },
            function* ({ goesOn }: any) {
              return goesOn
            },
            function* ({ i }: any) {
              yield* Barrier.sync() // 79: in the loop
              return { i: i.add(1), goesOn: t.gt(i) }
            } as any
          )
        else
          yield* Control.forEach(0, how === "for" ? t.add(1) : n, function* (i) {
            yield* Barrier.sync() // 79: in the loop
            yield* Control.when(i.le(t), () => M.accumulate(M.at(o, [t]), 1))
          })
        if (isMetAfter) yield* Barrier.sync() // 79: after the loop
      },
      { threads: n }
    )
  const o = (n: number) => ({ o: new Int32Array(n) })
  it.each([2, 4, 8])("79: in a loop that %i threads leave one after the other", async (n) => {
    await found(uneven(n, "while", false), o(n), stuck("79: in the loop"))
    await found(uneven(n, "for", false), o(n), stuck("79: in the loop"))
  })
  it.each([2, 4])("79: in such a loop, before another barrier (%i threads)", async (n) => {
    await found(uneven(n, "while", true), o(n), diverging("79: in the loop", "79: after the loop"))
    await found(uneven(n, "for", true), o(n), diverging("79: in the loop", "79: after the loop"))
  })
  it.each([2, 4, 8])("79: not where all %i threads take as many turns", async (n) => {
    await silent(uneven(n, "even", true), o(n), { results: { o: range(n, 1) } })
  })
  it("79: names who has ended and who waits", async () => {
    const { findings } = await check(uneven(4, "for", false), o(4))
    const [finding] = findings
    if (finding?._tag !== "Stuck") return expect(finding?._tag).toBe("Stuck")
    expect(finding.waiting.map((w) => w.place.thread).sort()).toEqual([1, 2, 3])
    for (const { detail } of finding.waiting)
      expect(detail).toBe("all 4 threads, of which 3 are here; thread 0 has ended")
  })
  it("79: a barrier that counts arrivals, of which one never comes", async () => {
    const counted = (arrivals: number) =>
      kernel(
        { o: M.inout(i32, [4]) },
        function* ({ b, o }) {
          const t: any = yield* Control.threadId()
          yield* Control.when(t.gt(0), function* () {
            yield* Barrier.arrive(b)
            yield* Barrier.wait(b) // 79: waits
          })
          yield* M.store(M.at(o, [t]), t)
        },
        { threads: 4, scratch: { b: Barrier.scratch({ arrivals }) } }
      )
    await found(counted(4), o(4), [stuck("79: waits", { ref: "b" })])
    await silent(counted(3), o(4), { results: { o: [0, 1, 2, 3] } })
  })
})

describe("a program instance that waits for another", () => {
  const refs = { flag: M.inout(i32, []), x: M.inout(i32, []), o: M.inout(i32, []) }
  const args = { flag: Int32Array.of(0), x: Int32Array.of(0), o: Int32Array.of(0) }
  const handedOver = (set: (r: any) => Generator<any, any, any>, wait: (r: any) => Generator<any, any, any>) =>
    kernel(
      refs,
      function* (r) {
        yield* Control.cond(
          (yield* Control.programId(0)).eq(0),
          function* () {
            yield* M.store(r.x, 7) // 89: given
            yield* set(r)
          },
          function* () {
            yield* wait(r)
            yield* M.store(r.o, yield* M.load(r.x)) // 89: taken
          }
        )
      },
      { grid: [2] }
    )
  const spin = (look: (flag: any) => any) =>
    function* ({ flag }: any): Generator<any, any, any> {
      yield* Control.whileLoop(
        T.of(i32, 0) as any,
        function* () {
          return (yield* look(flag)).eq(0)
        } as any,
        function* (i: any) {
          return i
        }
      )
    }
  const plain = handedOver(
    function* ({ flag }) {
      yield* M.store(flag, 1) // 89: set
    },
    spin((flag) => M.load(flag)) // 89: looked at
  )
  const stepped = handedOver(
    function* ({ flag }) {
      yield* Atomic.exchange(flag, 1)
    },
    spin((flag) => Atomic.compareExchange(flag, 0, 0)) // 89: asked
  )
  const signalled = handedOver(
    function* ({ flag }) {
      yield* Semaphore.signal(flag)
    },
    function* ({ flag }) {
      yield* Semaphore.wait(flag) // 89: awaited
    }
  )
  const race = (ref: string, ...at: ReadonlyArray<string>): Expected => ({ tag: "Race", ref, at, like: { among: "programs" } }) // prettier-ignore

  it("89: by a flag that is plain memory, or whose steps order nothing else", async () => {
    await found(plain, args, [race("flag", "89: set", "89: looked at"), race("x", "89: given", "89: taken")])
    await found(stepped, args, race("x", "89: given", "89: taken"))
    await silent(stepped, args, { atomics: "acquireRelease" })
  })
  it("89: by a semaphore, which is right where both are there", () => silent(signalled, args))
  it.each([
    ["semaphore", signalled, "89: awaited", {}],
    ["flag", stepped, "89: asked", { atomics: "acquireRelease" }]
  ] as const)("89: in vain by a %s, if it alone is there", async (_, waiting, mark, options) => {
    const one = { ...options, resident: 1 }
    for (const how of schedules) {
      const { findings } = await check(waiting, args, { ...one, schedules: [how], smallest: false })
      const isLast = how.schedule === "reversed"
      expect(findings.map((f) => [f._tag, f.ref])).toEqual(isLast ? [["Stuck", "flag"]] : [])
    }
    const { findings } = await check(waiting, args, one)
    expect(findings).toHaveLength(1)
    compare(findings[0]!, stuck(mark, { ref: "flag", like: { first: { program: [1] } } }))
  })
  it("89: for what comes after it in a row of instances, of which few are there", async () => {
    const chain = (n: number, step: 1 | -1) =>
      kernel(
        { turns: M.inout(i32, [n + 2]), o: M.inout(i32, [n]) },
        function* ({ o, turns }) {
          const p = yield* Control.programId(0)
          yield* Semaphore.wait(M.at(turns, [p.add(1 - step)])) // 89: its turn
          yield* M.store(M.at(o, [p]), p)
          yield* Semaphore.signal(M.at(turns, [p.add(1)]))
        },
        { grid: [n] }
      )
    const given = (n: number, first: number) => {
      const turns = new Int32Array(n + 2)
      turns[first] = 1
      return { turns, o: new Int32Array(n) }
    }
    await silent(chain(4, 1), given(4, 0))
    const { findings } = await check(chain(4, -1), given(4, 5), { resident: 2 })
    expect(findings).toHaveLength(1)
    compare(findings[0]!, stuck("89: its turn", { ref: "turns" }))
  })
  it("89: for each other, whoever comes first", async () => {
    const crossed = kernel(
      { flags: M.inout(i32, [2]), o: M.inout(i32, [2]) },
      function* ({ flags, o }) {
        const p: any = yield* Control.programId(0)
        yield* Semaphore.wait(M.at(flags, [p])) // 89: crossed
        yield* Semaphore.signal(M.at(flags, [p.neg().add(1)]))
        yield* M.store(M.at(o, [p]), 1)
      },
      { grid: [2] }
    )
    const both = { flags: Int32Array.of(0, 0), o: Int32Array.of(0, 0) }
    await found(crossed, both, stuck("89: crossed", { ref: "flags" }))
    await silent(crossed, { ...both, flags: Int32Array.of(1, 0) })
  })
})
