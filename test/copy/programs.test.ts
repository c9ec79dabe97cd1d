/** Programs with copies as data: what the checker finds, text and JSON, discharge of some refs only. */
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { discharge as dischargeProgram } from "../../src/discharge/discharge.ts"
import { check } from "../../src/ir/check.ts"
import { fromJson, toJson } from "../../src/ir/codec.ts"
import { parse } from "../../src/ir/parse.ts"
import { print } from "../../src/ir/print.ts"
import type { Atom, Params, Program } from "../../src/ir/program.ts"
import { TypingError } from "../../src/ir/typing.ts"
import type { View } from "../../src/ir/view.ts"
import { primitive } from "../../src/primitives/index.ts"
import { affine, at, type Builder, i, program, range, ref, scratch, t } from "../support/ir.ts"

const x4 = ref("x", "i32", [4], "in")
const o4 = ref("o", "i32", [4])
const p4 = ref("p", "i32", [4])
const start = (b: Builder, to = "o", from = "x", operands: ReadonlyArray<Atom> = [], view: View = []) =>
  b.op("copyStart", operands, { params: { to }, refs: [{ name: from, view }] })[0]!
const wait = (b: Builder, token: Atom, on = "o", op = "store", more: ReadonlyArray<Atom> = []) =>
  b.op("copyWait", [token, ...more], { params: { op }, refs: [{ name: on, view: [] }] })
const of = (body: (b: Builder) => void, scoped: ReadonlyArray<ReturnType<typeof scratch>> = []): Program =>
  program({ refs: [x4, o4, p4], scoped }, body)

/** What the checker says of a program, and of its text and JSON. */
const found = (p: Program) => {
  const finding = check(p, primitive)
  const again = check(Result.getOrThrow(fromJson(toJson(p))), primitive)
  expect(again?.detail.replace(/, (started|first) at [^ ]*/g, "")).toBe(
    finding?.detail.replace(/, (started|first) at [^ ]*/g, "")
  )
  expect(Result.getOrThrow(parse(print(p))).body.eqns.length).toBe(p.body.eqns.length)
  return finding
}

const good: { readonly [name: string]: Program } = {
  "a copy": of((b) => {
    wait(b, start(b))
  }),
  "a masked copy that adds, with a fence": of((b) => {
    const token = start(b, "o", "x", [t(true)])
    b.op("fence", [])
    wait(b, token, "o", "add", [t(true)])
  }),
  "a copy carried through a loop": of((b) => {
    const [last] = b.fori(i(0), i(3), [start(b)], (_, token) => {
      wait(b, token!)
      return [start(b)]
    })
    wait(b, last!)
  }),
  "a copy carried through a loop that leaves it alone": of((b) => {
    const [last] = b.while(
      [start(b)],
      () => t(false),
      (token) => [token!]
    )
    wait(b, last!)
  }),
  "copies that change places": of((b) => {
    const [a, c] = b.fori(i(0), i(3), [start(b), start(b)], (_, a, c) => [c!, a!])
    wait(b, c!)
    wait(b, a!)
  }),
  "a copy that one of two branches starts": of((b) => {
    wait(
      b,
      b.cond(
        t(true),
        () => [start(b)],
        () => [start(b, "o", "p")]
      )[0]!
    )
  }),
  "a copy that both branches wait for": of((b) => {
    const token = start(b)
    const both = () => void wait(b, token)
    b.cond(t(true), both, both)
  }),
  "a copy that leaves a scope, and one that enters it": of(
    (b) => {
      const outer = start(b)
      const [inner] = b.scoped([scratch("s", "i32", [4])], () => {
        wait(b, outer)
        return [start(b, "p", "s")]
      })
      wait(b, inner!, "p")
    },
    [scratch("s", "i32", [4])]
  )
}
const bad: ReadonlyArray<readonly [name: string, says: string, at: string, p: Program]> = [
  ["is never awaited", "never waited for", "copyStart", of((b) => void start(b))],
  [
    "is awaited twice",
    "twice",
    "copyWait",
    of((b) => {
      const token = start(b)
      wait(b, token)
      wait(b, token)
    })
  ],
  [
    "is used by arithmetic",
    "used by neg while it is in flight",
    "neg",
    of((b) => {
      const token = start(b)
      b.one("neg", [token])
      wait(b, token)
    })
  ],
  [
    "is stored",
    "used by store",
    "store",
    of((b) => {
      const token = start(b)
      b.store("o", token)
      wait(b, token)
    })
  ],
  [
    "is a mask, an index or a bound",
    "used by fori",
    "fori",
    program({ refs: [ref("n", "i32", [], "in"), ref("o", "i32", [])] }, (b) => {
      const token = start(b, "o", "n")
      b.fori(i(0), token, [], () => [])
      wait(b, token)
    })
  ],
  [
    "is the condition of a branch",
    "used by cond",
    "cond",
    program({ refs: [ref("c", "bool", [], "in"), ref("o", "bool", [])] }, (b) => {
      const token = start(b, "o", "c")
      b.cond(token, () => [])
      wait(b, token)
    })
  ],
  [
    "is the condition of a loop",
    "is the condition of a loop",
    "while",
    program({ refs: [ref("c", "bool", [], "in"), ref("o", "bool", [])] }, (b) => {
      b.while(
        [],
        () => start(b, "o", "c"),
        () => []
      )
    })
  ],
  [
    "is carried into the condition of a loop and decides there",
    "in the condition of a loop",
    "while",
    program({ refs: [ref("c", "bool", [], "in"), ref("o", "bool", [])] }, (b) => {
      const [last] = b.while(
        [start(b, "o", "c")],
        (token) => token!,
        (token) => [token!]
      )
      wait(b, last!)
    })
  ],
  [
    "is awaited in one branch",
    "in one branch only",
    "cond",
    of((b) => {
      const token = start(b)
      b.cond(
        t(true),
        () => void wait(b, token),
        () => []
      )
    })
  ],
  [
    "is awaited in the other branch",
    "in one branch only",
    "cond",
    of((b) => {
      const token = start(b)
      b.cond(
        t(true),
        () => [],
        () => void wait(b, token)
      )
    })
  ],
  [
    "leaves one branch only",
    'a copy to "o" in one branch is a value in the other',
    "cond",
    of((b) => {
      const value = b.load("x")
      wait(
        b,
        b.cond(
          t(true),
          () => [start(b)],
          () => [value]
        )[0]!
      )
    })
  ],
  [
    "goes to one ref in one branch and to another in the other",
    'a copy to "o" in one branch is a copy to "p" in the other',
    "cond",
    of((b) => {
      wait(
        b,
        b.cond(
          t(true),
          () => [start(b)],
          () => [start(b, "p")]
        )[0]!
      )
    })
  ],
  [
    "is carried and dropped",
    "carried into a loop and dropped",
    "fori",
    of((b) => {
      const [last] = b.fori(i(0), i(3), [start(b)], () => [start(b)])
      wait(b, last!)
    })
  ],
  [
    "is carried and becomes a value",
    'a copy to "o" before a loop is a value after a turn of it',
    "fori",
    of((b) => {
      const value = b.load("x")
      b.fori(i(0), i(3), [start(b)], (_, token) => {
        wait(b, token!)
        return [value]
      })
    })
  ],
  [
    "comes out of a loop that carried a value in",
    'a value before a loop is a copy to "o" after a turn of it',
    "fori",
    of((b) => {
      b.fori(i(0), i(3), [b.load("x")], () => [start(b)])
    })
  ],
  [
    "is awaited in a loop, at each turn",
    "in a loop that it was started outside of",
    "copyWait",
    of((b) => {
      const token = start(b)
      b.fori(i(0), i(3), [], () => void wait(b, token))
    })
  ],
  [
    "is handed out of a loop that it was started outside of",
    "in a loop that it was started outside of",
    "fori",
    of((b) => {
      const token = start(b)
      const [last] = b.fori(i(0), i(3), [start(b)], (_, mine) => {
        wait(b, mine!)
        return [token]
      })
      wait(b, last!)
    })
  ],
  [
    "lands elsewhere",
    'lands in "p"',
    "copyWait",
    of((b) => {
      wait(b, start(b), "p")
    })
  ],
  [
    "is no copy at all",
    "not in flight",
    "copyWait",
    of((b) => {
      wait(b, b.load("x"))
    })
  ]
]

describe("the checker accepts, also as text and as JSON,", () => {
  it.each(Object.entries(good))("%s", (_, p) => {
    expect(found(p)).toBeUndefined()
    expect(print(Result.getOrThrow(parse(print(p))))).toBe(print(p))
    expect(check(Result.getOrThrow(parse(print(p))), primitive)).toBeUndefined()
  })
})
describe("the checker finds a copy that", () => {
  it.each(bad)("%s", (_, says, at, p) => {
    const finding = found(p)
    expect(finding?.detail).toContain(says)
    expect(finding?.equation).toContain(at)
    expect(finding?.neighbours).toContain(">")
  })
  it("does something else than it declares", () => {
    const p = of((b) => void wait(b, start(b)))
    const [first, second] = p.body.eqns
    const without = (k: number) => ({
      ...p.body.eqns[k]!,
      effects: p.body.eqns[k]!.effects.filter((e) => e._tag !== "Memory")
    })
    expect(check({ ...p, body: { ...p.body, eqns: [without(0), second!] } }, primitive)?.detail).toContain(
      "Memory, Read(x)"
    )
    expect(check({ ...p, body: { ...p.body, eqns: [first!, without(1)] } }, primitive)?.detail).toContain(
      "Memory, Write(o)"
    )
  })
  it("goes nowhere", () => {
    const p = of((b) => void wait(b, start(b)))
    const [first, second] = p.body.eqns
    const lost = (params: Params) => ({ ...p, body: { ...p.body, eqns: [{ ...first!, params }, second!] } })
    expect(check(lost({}), primitive)?.detail).toContain('parameter "to" is missing')
    expect(check(lost({ to: "q" }), primitive)?.detail).toContain('no ref "q"')
  })
})
describe("an equation has no type", () => {
  const scope = { ref: () => ({ dtype: "f32", shape: [4] }) as const, rank: 1, inline: () => undefined as never }
  const type = (name: string, params: Params, operands: ReadonlyArray<Atom>) => () =>
    primitive(name)!.typing({ params, operands, indices: [], refs: [{ name: "x", view: [] }], regions: [] }, scope)
  const data: Atom = { _tag: "Var", id: 0, dtype: "f32", shape: [4] }
  it.each([
    ["copyWait", {}, [data], "cannot land by undefined"],
    ["copyWait", { op: "exchange" }, [data], "cannot land by exchange"],
    ["copyWait", { op: "and" }, [data], "f32 has no atomic and"],
    ["copyWait", { op: "store" }, [], "takes a value"],
    ["copyWait", { op: "store" }, [{ ...data, shape: [] }], "f32[] cannot land in f32[4]"],
    ["copyWait", { op: "store" }, [{ ...data, dtype: "i32" }], "the value is i32"],
    ["copyWait", { op: "store" }, [data, data], "mask is f32"],
    ["copyStart", { to: 3 }, [], 'parameter "to"'],
    ["copyStart", { to: "x" }, [data], "mask is f32"],
    ["copyStart", { to: "x" }, [t(true), t(true)], "takes a value and perhaps a mask"]
  ] as ReadonlyArray<readonly [string, Params, ReadonlyArray<Atom>, string]>)(
    "%s %j",
    (name, params, operands, says) => {
      expect(type(name, params, operands)).toThrow(TypingError)
      expect(type(name, params, operands)).toThrow(says)
    }
  )
  it("that is a fence of something", () => {
    expect(type("fence", {}, [])).toThrow("takes tiles only")
  })
})

describe("discharge of some refs", () => {
  const p = program({ refs: [ref("x", "i32", [8]), ref("o", "i32", [8])] }, (b) => {
    const half = at(range(affine(2), 4))
    const token = (to: string, from: string) => start(b, to, from, [t(true)], half)
    const first = token("o", "x")
    b.op("fence", [])
    b.op("copyWait", [first, t(true)], { params: { op: "add" }, refs: [{ name: "o", view: half }] })
    const second = token("x", "o")
    b.op("copyWait", [second], { params: { op: "max" }, refs: [{ name: "x", view: half }] })
    const third = token("o", "o")
    b.op("copyWait", [third], { params: { op: "store" }, refs: [{ name: "o", view: half }] })
  })
  it.each([[["x"]], [["o"]], [["x", "o"]], [[]]])("%j leaves plain loads and stores of the others", async (only) => {
    const out = await Effect.runPromise(dischargeProgram(p, { only }))
    expect(check(out, primitive)).toBeUndefined()
    const left = out.body.eqns.flatMap((eqn) => eqn.refs.map((use) => use.name))
    for (const name of only) expect(left).not.toContain(name)
    expect(print(out)).not.toContain("copy")
    // What is left is discharged in turn, to the same program.
    const rest = await Effect.runPromise(dischargeProgram(out))
    const whole = await Effect.runPromise(dischargeProgram(p))
    expect(rest.body.eqns.map((eqn) => eqn.primitive)).toEqual(whole.body.eqns.map((eqn) => eqn.primitive))
  })
})
