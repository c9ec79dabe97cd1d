/** Happens-before: what one actor has released and another acquired is in order, and nothing else is. */
import { describe, expect, it } from "vitest"
import { accessBy, acquireFrom, type Actor, known, nothing, release, sees } from "../../src/simulate/actors.ts"
import { History } from "../../src/simulate/history.ts"
import type { Eqn } from "../../src/ir/program.ts"

const eqn: Eqn = {
  primitive: "store",
  params: {},
  operands: [],
  indices: [],
  refs: [],
  regions: [],
  results: [],
  effects: [],
  source: undefined
}
let ids = 0
const actor = (fields: Partial<Actor> = {}): Actor => ({
  id: ids++,
  program: () => [0],
  instance: 0,
  thread: 0,
  by: "thread",
  time: 0,
  clock: new Map(),
  proxy: undefined,
  ...fields
})
/** One hands on all it knows, and the other takes it. */
const handOver = (from: Actor, to: Actor): void => {
  const view = nothing()
  release(from, view)
  acquireFrom(to, view)
}

describe("what an actor has in its view", () => {
  it("is all that it did itself", () => {
    const a = actor()
    expect(sees(a, accessBy(a, eqn, "write"))).toBe(true)
  })
  it("is nothing of others, until it has acquired what they released", () => {
    const [a, b] = [actor(), actor()]
    const before = accessBy(a, eqn, "write")
    expect(sees(b, before)).toBe(false)
    handOver(a, b)
    expect(sees(b, before)).toBe(true)
    expect(sees(b, accessBy(a, eqn, "write"))).toBe(false)
  })
  it("goes on through a third", () => {
    const [a, b, c] = [actor(), actor(), actor()]
    const first = accessBy(a, eqn, "write")
    handOver(a, b)
    handOver(b, c)
    expect(sees(c, first)).toBe(true)
    expect(sees(a, accessBy(c, eqn, "read"))).toBe(false)
  })
  it("is, for a copy that needs fences, no write that stands behind the last one; reads need none", () => {
    const thread = actor({ proxy: new Map() })
    const copy = () => actor({ by: "copy", clock: known(thread), proxy: new Map(thread.proxy) })
    const [write, read] = [accessBy(thread, eqn, "write"), accessBy(thread, eqn, "read")]
    expect(sees(copy(), write)).toBe(false)
    expect(sees(copy(), read)).toBe(true)
    thread.proxy = known(thread)
    expect(sees(copy(), write)).toBe(true)
  })
})

describe("two accesses to an element by actors that nothing orders", () => {
  const kinds = ["read", "write", "add", "exchange", "look"] as const
  /** Whether the two race, whichever comes first. */
  const races = (one: (typeof kinds)[number], other: (typeof kinds)[number]): boolean => {
    const history = new History()
    history.touch(3, accessBy(actor(), eqn, one))
    return history.touch(3, accessBy(actor(), eqn, other)) !== undefined
  }
  const isStep = (kind: string): boolean => kind === "add" || kind === "exchange" || kind === "look"
  const expected = (one: string, other: string): boolean => {
    if (one === "write" || other === "write") return true
    if (one === "look" || other === "look") return false
    return isStep(one) !== isStep(other)
  }
  it.each(kinds.flatMap((one) => kinds.map((other) => [one, other] as const)))("%s and %s", (one, other) => {
    expect(races(one, other)).toBe(expected(one, other))
    expect(races(other, one)).toBe(expected(one, other))
  })
  it("do not race at different elements", () => {
    const history = new History()
    history.touch(0, accessBy(actor(), eqn, "write"))
    expect(history.touch(1, accessBy(actor(), eqn, "write"))).toBeUndefined()
  })
  it("do not race once one has acquired what the other released", () => {
    const [a, b] = [actor(), actor()]
    const history = new History()
    history.touch(0, accessBy(a, eqn, "write"))
    handOver(a, b)
    expect(history.touch(0, accessBy(b, eqn, "write"))).toBeUndefined()
  })
  it("are found although a third has read the element in between", () => {
    const [reader, second, writer] = [actor(), actor(), actor()]
    const history = new History()
    const early = accessBy(reader, eqn, "read")
    history.touch(0, early)
    history.touch(0, accessBy(second, eqn, "read"))
    handOver(second, writer)
    expect(history.touch(0, accessBy(writer, eqn, "write"))).toBe(early)
  })
  it("are found although the same actor has read the element again", () => {
    const [a, b] = [actor(), actor()]
    const history = new History()
    history.touch(0, accessBy(a, eqn, "read"))
    handOver(a, b)
    const again = accessBy(a, eqn, "read")
    history.touch(0, again)
    expect(history.touch(0, accessBy(b, eqn, "write"))).toBe(again)
  })
})

describe("steps on an element that nothing orders", () => {
  const other = (
    [one, as]: readonly ["add" | "max" | "exchange", string],
    [two, as2]: readonly ["add" | "max" | "exchange", string]
  ) => {
    const history = new History()
    history.touch(0, accessBy(actor(), eqn, one, as))
    return history.otherStep(0, accessBy(actor(), eqn, two, as2)) !== undefined
  }
  it("commute if they are of one kind, on numbers of one dtype", () => {
    expect(other(["add", "words"], ["add", "words"])).toBe(false)
    expect(other(["add", "words"], ["max", "i32"])).toBe(true)
    expect(other(["add", "words"], ["add", "f32"])).toBe(true)
    expect(other(["max", "i32"], ["max", "u32"])).toBe(true)
  })
  it("are what flags and locks are made of, if they exchange", () => {
    expect(other(["exchange", "words"], ["add", "words"])).toBe(false)
    expect(other(["exchange", "words"], ["exchange", "words"])).toBe(false)
  })
})
