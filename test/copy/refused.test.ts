/** Copies that are used wrongly: each mistake is typed, and says where it was made. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { bool, Control, Copy, f16, f32, i32, Inline, type Kernel, MemRef, Scratch, Tile, u32 } from "../../src/index.ts"
import { type Case } from "../support/dynamic.ts"
import { kernelError, pointedAt, refused, single } from "../support/kernels.ts"

const C: any = Copy
const refs = {
  x: MemRef.in(i32, [2, 4]),
  y: MemRef.in(i32, [2, 4]),
  n: MemRef.scalar(i32),
  o: MemRef.out(i32, [2, 4]),
  p: MemRef.out(i32, [2, 4]),
  f: MemRef.out(f32, [2, 4]),
  h: MemRef.out(f16, [2, 4]),
  b: MemRef.inout(bool, [2, 4]),
  u: MemRef.out(u32, [2, 4])
}
const kernel = (body: (refs: any) => Generator<any, any, any>): Kernel.Any => single(refs, body as any)

const unbalanced: ReadonlyArray<Case> = [
  [
    "108: a copy that is never waited for",
    function* ({ o, x }) {
      yield* C.start(x, o) // here
    },
    ['copyStart of "o"', "never waited for", 'copy to "o", started at', "on every path"],
    "yield* C.start(x, o) // here"
  ],
  [
    "a copy that is waited for twice",
    function* ({ o, x }) {
      const token = yield* C.start(x, o)
      yield* C.wait(token)
      yield* C.wait(token) // again
    },
    ['copy to "o", started at', "twice", "first at", "use each token once"],
    "yield* C.wait(token) // again"
  ],
  [
    "a copy that is waited for in one branch",
    function* ({ n, o, x }) {
      const token = yield* C.start(x, o)
      yield* Control.when(n.gt(0), function* () {
        yield* C.wait(token)
      })
    },
    ['copy to "o"', "in one branch only", "wait for it in both"],
    "yield* Control.when(n.gt(0), function* () {"
  ],
  [
    "a copy that is started in a branch and left there",
    function* ({ n, o, x }) {
      yield* Control.when(n.gt(0), function* () {
        yield* C.start(x, o) // left
      })
    },
    ['copy to "o"', "never waited for"],
    "yield* C.start(x, o) // left"
  ],
  [
    "a copy that is started in a loop and left there",
    function* ({ o, x }) {
      yield* Control.forEach(0, 3, function* () {
        yield* C.start(x, o) // left
      })
    },
    ['copy to "o"', "never waited for"],
    "yield* C.start(x, o) // left"
  ],
  [
    "a copy that is waited for in a loop, at every turn",
    function* ({ o, x }) {
      const token = yield* C.start(x, o)
      yield* Control.forEach(0, 3, function* () {
        yield* C.wait(token) // every turn
      })
    },
    ['copy to "o"', "in a loop that it was started outside of", "carry its token"],
    "yield* C.wait(token) // every turn"
  ],
  [
    "a copy that is carried and dropped",
    function* ({ o, x }) {
      const token = yield* C.start(x, o)
      const last = yield* Control.fori(0, 3, token, function* () {
        return yield* C.start(x, o)
      })
      yield* C.wait(last)
    },
    ['copy to "o"', "carried into a loop and dropped"],
    "const last = yield* Control.fori(0, 3, token, function* () {"
  ],
  [
    "a copy that is carried and waited for before the loop as well",
    function* ({ o, x }) {
      const token = yield* C.start(x, o)
      yield* C.wait(token)
      const last = yield* Control.fori(0, 3, token, function* (_: unknown, t: any) {
        return t
      })
      yield* C.wait(last)
    },
    ['copy to "o"', "twice"],
    "const last = yield* Control.fori(0, 3, token, function* (_: unknown, t: any) {"
  ],
  [
    "a copy that leaves a loop and is not waited for",
    function* ({ o, x }) {
      yield* Control.fori(0, 3, yield* C.start(x, o), function* (_, t) {
        yield* C.wait(t)
        return yield* C.start(x, o)
      })
    },
    ['copy to "o"', "never waited for"],
    "yield* Control.fori(0, 3, yield* C.start(x, o), function* (_, t) {"
  ],
  [
    "a copy that is handed on twice by one turn",
    function* ({ o, x }) {
      const init = { a: yield* C.start(x, o), b: yield* C.start(x, o) }
      const last: any = yield* Control.fori(
        0,
        3,
        init as any,
        function* (_: unknown, { a, b }: any) {
          yield* C.wait(a)
          return { a: b, b }
        } as any
      )
      yield* C.wait(last.a)
      yield* C.wait(last.b)
    },
    ['copy to "o"', "twice"],
    "const last: any = yield* Control.fori("
  ],
  [
    "a copy that is waited for by the condition of its loop",
    function* ({ o, x }) {
      const last = yield* Control.whileLoop(
        yield* C.start(x, o),
        function* (t) {
          yield* C.wait(t) // asks
          return Tile.of(bool, false) as any
        },
        function* (t) {
          return t
        }
      )
      yield* C.wait(last)
    },
    ['copy to "o"', "in the condition of a loop", "wait for it in the body"],
    "yield* C.wait(t) // asks"
  ],
  [
    "a group that is never waited for",
    function* ({ o, p, x }) {
      yield* C.start(x, o)
      yield* C.commit()
      yield* C.start(x, p) // second
      yield* C.commit()
      yield* C.waitGroups(1)
    },
    ['copyStart of "p"', "never waited for"],
    "yield* C.start(x, p) // second"
  ],
  [
    "a copy that belongs to no group",
    function* ({ o, x }) {
      yield* C.commit()
      yield* C.start(x, o) // late
      yield* C.waitGroups(0)
    },
    ['copy to "o"', "never waited for"],
    "yield* C.start(x, o) // late"
  ],
  [
    "a group of a scope that is waited for after it",
    function* ({ o, x }) {
      yield* Scratch.scoped(Scratch.workgroup(i32, [1]), function* () {
        yield* C.start(x, o) // inside
        yield* C.commit()
      })
      yield* C.waitGroups(0)
    },
    ['copy to "o"', "never waited for"],
    "yield* C.start(x, o) // inside"
  ],
  [
    "a group that is waited for in a loop that it was started outside of",
    function* ({ o, x }) {
      yield* C.start(x, o)
      yield* C.commit()
      yield* Control.forEach(0, 3, function* () {
        yield* C.waitGroups(0) // in the loop
      })
    },
    ['waitGroups of "o"', "started outside of a loop", "carry its token"],
    "yield* C.waitGroups(0) // in the loop"
  ],
  [
    "a group that a loop's own groups push out",
    function* ({ o, p, x }) {
      yield* C.start(x, o)
      yield* C.commit()
      yield* Control.forEach(0, 3, function* () {
        yield* C.start(x, p)
        yield* C.commit()
        yield* C.waitGroups(1) // the oldest
      })
    },
    ['waitGroups of "o"', "started outside of a loop"],
    "yield* C.waitGroups(1) // the oldest"
  ],
  [
    "a group that is waited for in a branch that it was started outside of",
    function* ({ n, o, x }) {
      yield* C.start(x, o)
      yield* C.commit()
      yield* Control.when(n.gt(0), function* () {
        yield* C.waitGroups(0) // perhaps
      })
    },
    ['waitGroups of "o"', "started outside of a branch"],
    "yield* C.waitGroups(0) // perhaps"
  ]
]
const mismatches: ReadonlyArray<Case> = [
  [
    "unequal shapes",
    function* ({ o, x }) {
      yield* C.start(x, MemRef.at(o, [0]))
    },
    ["i32[2, 4]", "i32[4]", "equal shape"],
    "C.start"
  ],
  [
    "unequal dtypes",
    function* ({ f, x }) {
      yield* C.start(x, f)
    },
    ['"x" is i32', '"f" is f32', "convert"],
    "C.start"
  ],
  [
    "bits of floats",
    function* ({ f, x }) {
      yield* C.start(MemRef.bitcast(x, f32), f, { op: "xor" })
    },
    ["f32 has no atomic xor"],
    "C.start"
  ],
  [
    "the largest of halves",
    function* ({ h }) {
      yield* C.start(h, h, { op: "max" })
    },
    ["f16 has no atomic max"],
    "C.start"
  ],
  [
    "a sum of truth values",
    function* ({ b }) {
      yield* C.start(b, b, { op: "add" })
    },
    ["cannot add to bool"],
    "C.start"
  ],
  [
    "a landing that nobody knows",
    function* ({ o, x }) {
      yield* C.start(x, o, { op: "exchange" })
    },
    ["cannot land by exchange", "store, add"],
    "C.start"
  ],
  [
    "a tile as predicate",
    function* ({ o, x }) {
      yield* C.start(x, o, { when: (yield* MemRef.load(x as MemRef.MemRef<"x", "i32", [2, 4], "in">)).gt(0) })
    },
    ["bool[2, 4]", "bool scalar"],
    "C.start"
  ],
  [
    "a mask of another shape",
    function* ({ o, x }) {
      yield* C.start(x, o, { mask: Tile.ones(bool, [3]) })
    },
    ["[3]", "[2, 4]"],
    "C.start"
  ],
  [
    "a mask of numbers",
    function* ({ o, x }) {
      yield* C.start(x, o, { mask: Tile.ones(i32, [2, 4]) })
    },
    ["i32"],
    "C.start"
  ],
  [
    "a tile as source",
    function* ({ o }) {
      yield* C.start(Tile.ones(i32, [2, 4]), o)
    },
    ["a tile is not a ref"],
    "C.start"
  ],
  [
    "a wait for a tile",
    function* ({ n }) {
      yield* C.wait(n)
    },
    ["no token", "Copy.start"],
    "C.wait"
  ],
  [
    "a wait for nothing",
    function* () {
      yield* C.wait(undefined)
    },
    ["no token"],
    "C.wait"
  ],
  [
    "a token as a tile",
    function* ({ o, x }) {
      yield* MemRef.store(o, yield* C.start(x, o))
    },
    ["is not a tile"],
    "MemRef.store"
  ],
  [
    "less than no groups",
    function* () {
      yield* C.waitGroups(-1)
    },
    ["-1 groups"],
    "C.waitGroups"
  ],
  [
    "half a group",
    function* () {
      yield* C.waitGroups(0.5)
    },
    ["0.5 groups"],
    "C.waitGroups"
  ],
  [
    "a loop whose turns copy to another ref",
    function* ({ o, p, x }) {
      const last = yield* Control.fori(0, 3, yield* C.start(x, o), function* (_, t) {
        yield* C.wait(t)
        return yield* C.start(x, p)
      })
      yield* C.wait(last)
    },
    ['a copy of i32[2, 4] to "o"', 'a copy of i32[2, 4] to "p"'],
    "Control.fori"
  ],
  [
    "a loop whose turns copy through another view",
    function* ({ o, x }) {
      const half = MemRef.at(x, [0])
      const last = yield* Control.fori(0, 3, yield* C.start(half, MemRef.at(o, [0])), function* (_, t) {
        yield* C.wait(t)
        return yield* C.start(half, MemRef.reshape(MemRef.at(o, [":", MemRef.slice(0, 2)]), [4]))
      })
      yield* C.wait(last)
    },
    ['to "o"[·, :4]', 'to "o"[:2, ·:2] as [4]'],
    "Control.fori"
  ],
  [
    "a loop whose turns copy under a mask",
    function* ({ b, o, x }) {
      const mask = yield* MemRef.load(b as MemRef.MemRef<"b", "bool", [2, 4], "inout">)
      const last = yield* Control.fori(0, 3, yield* C.start(x, o), function* (_, t) {
        yield* C.wait(t)
        return yield* C.start(x, o, { mask })
      })
      yield* C.wait(last)
    },
    ["where bool[2, 4]"],
    "Control.fori"
  ],
  [
    "a loop that gives a tile for a token",
    function* ({ o, x }) {
      const last = yield* Control.fori(0, 3, yield* C.start(x, o), function* (_: unknown, t: any) {
        yield* C.wait(t)
        return yield* MemRef.load(x as MemRef.MemRef<"x", "i32", [2, 4], "in">)
      } as any)
      yield* C.wait(last)
    },
    ["the body gives i32[2, 4]", "a copy of"],
    "Control.fori"
  ],
  [
    "branches that land in different ways",
    function* ({ n, o, x }) {
      yield* C.wait(
        yield* Control.cond(
          n.gt(0),
          () => C.start(x, o),
          () => C.start(x, o, { op: "add" })
        )
      )
    },
    ['to "o"', "by add", "same types"],
    "Control.cond"
  ]
]

describe("a kernel is refused, at the line of the mistake, that has", () => {
  it.each(unbalanced)("%s", async (_, body, says, at) => {
    await refused("Unbalanced", kernel(body), {}, { says, at })
  })
  it.each(mismatches)("%s", async (_, body, says, at) => {
    await refused("TypeMismatch", kernel(body), {}, { says, at })
  })
  it("a copy to what is only read", async () => {
    await refused(
      "AccessViolation",
      kernel(function* ({ x, y }) {
        yield* C.wait(yield* C.start(x, y))
      }),
      {},
      { says: ['"y"', "only read"], at: "C.start(x, y)" }
    )
  })
  it("a start without yield*, which would copy nothing", async () => {
    const error = await kernelError(
      "Unyielded",
      kernel(function* ({ o, x }) {
        C.start(x, o)
      })
    )
    expect(error.primitive).toBe("copyStart")
  })
  it("a wait without yield*, which would leave the copy in flight", async () => {
    const error = await kernelError(
      "Unyielded",
      kernel(function* ({ o, x }) {
        C.wait(yield* C.start(x, o))
      })
    )
    expect(error.primitive).toBe("copyWait")
  })
  it("a token that is used after its loop", async () => {
    let kept: any
    const error = await kernelError(
      "ForeignValue",
      kernel(function* ({ o, x }) {
        yield* Control.forEach(0, 3, function* () {
          kept = yield* C.start(x, o)
        })
        yield* C.wait(kept) // after
      })
    )
    expect(error.shown).toContain('the copy to "o"')
    expect(error.shown).toContain("hand it out as a result")
    expect(pointedAt(error)).toBe("yield* C.wait(kept) // after")
  })
  it("a token whose destination's scope has ended", async () => {
    const error = await kernelError(
      "ForeignValue",
      kernel(function* ({ x }) {
        const token = yield* Scratch.scoped(Scratch.workgroup(i32, [2, 4]), (s) => C.start(x, s) as Effect.Effect<any>)
        yield* C.wait(token) // after
      })
    )
    expect(error.shown).toContain("its scope has ended")
    expect(pointedAt(error)).toBe("yield* C.wait(token) // after")
  })
  it("a token of another kernel", async () => {
    let kept: any
    const other = kernel(function* ({ o, x }) {
      kept = yield* C.start(x, o)
      yield* C.wait(kept)
    })
    await Effect.runPromise((other as any).trace)
    const error = await kernelError(
      "ForeignValue",
      kernel(function* () {
        yield* C.wait(kept)
      })
    )
    expect(error.shown).toContain('it belongs to kernel "case"')
  })
  it("an inline's rule that leaves a copy in flight", async () => {
    const lazy = Inline.block("lazy", {
      operands: { x: Inline.read(i32, [4]), o: Inline.write(i32, [4]) },
      results: {},
      wgsl: "",
      discharge: function* ({ o, x }: any) {
        yield* C.start(x, o)
      }
    } as any) as any
    await refused(
      "Unbalanced",
      kernel(function* ({ o, x }) {
        yield* lazy({ x: MemRef.at(x, [0]), o: MemRef.at(o, [0]) })
      }),
      {},
      { says: ['copy to "o"', "never waited for"] }
    )
  })
})
