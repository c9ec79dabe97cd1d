/**
 * Loops that wait for another program instance are refused on Gpu, which promises no progress of one workgroup while
 * another runs; loops that end by their own doing are not.
 *
 * Conformance case 93 and bug 89.
 */
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { Atomic, Control, i32, Kernel, MemRef, Semaphore, Tile } from "../../src/index.ts"
import type { Program } from "../../src/ir/program.ts"
import { compile } from "../../src/wgsl/compile.ts"
import { gpu, interpreters } from "../support/interpreters.ts"
import { onEach, refused, results } from "../support/kernels.ts"

type Shared = MemRef.MemRef<"s", "i32", [4], "inout">
type Table = MemRef.MemRef<"x", "i32", [4], "in">
interface Refs {
  readonly s: Shared
  readonly s2: MemRef.MemRef<"s2", "i32", [4], "inout">
  readonly x: Table
  readonly n: Tile.I32
}
type Body = (refs: Refs) => Generator<any, void, never>
const kernel = (programs: number, body: Body) =>
  Kernel.make(
    "k",
    {
      grid: [programs],
      refs: { s: MemRef.inout(i32, [4]), s2: MemRef.inout(i32, [4]), x: MemRef.in(i32, [4]), n: MemRef.scalar(i32) }
    },
    body as any
  ) as Kernel.Any
const args = { s: new Int32Array(4), s2: new Int32Array(4), x: new Int32Array(4), n: 1 }
const nothing = Tile.of(i32, 0)
/** A loop that carries one number. */
const loop = (test: (i: Tile.I32) => Generator<any, any, never>, body: (i: Tile.I32) => Generator<any, any, never>) =>
  Control.whileLoop(nothing, test as any, body as any) as Effect.Effect<Tile.I32>
const idle = function* (i: Tile.I32) {
  return i
}
const first = (s: Shared) => MemRef.at(s, [0])

const spins: ReadonlyArray<[string, Body]> = [
  [
    "89: on a flag that a store of another program instance sets",
    function* ({ s, s2 }) {
      const i = yield* Control.programId(0)
      yield* Control.cond(
        i.eq(0),
        function* () {
          yield* MemRef.store(first(s), 1)
        },
        function* () {
          yield* loop(function* () {
            return (yield* MemRef.load(first(s))).eq(0)
          }, idle)
          yield* MemRef.store(MemRef.at(s2, [i]), 1)
        }
      )
    }
  ],
  [
    "93: by compare-and-exchange on a lock",
    function* ({ s, s2 }) {
      yield* loop(function* () {
        return (yield* Atomic.compareExchange(first(s), 0, 1)).ne(0)
      }, idle)
      yield* MemRef.store(MemRef.at(s2, [0]), (yield* MemRef.load(MemRef.at(s2, [0]))).add(1))
      yield* Atomic.exchange(first(s), 0)
    }
  ],
  [
    "on a lock, taken in the body, with what was found carried",
    function* ({ s }) {
      const found = function* () {
        return yield* Atomic.compareExchange(first(s), 0, 1)
      }
      yield* Control.whileLoop(
        { was: Tile.of(i32, 1), turns: nothing },
        function* ({ was }) {
          return was.eq(1)
        },
        function* ({ turns }) {
          return { was: yield* found(), turns: turns.add(1) }
        }
      )
    }
  ],
  [
    "by test-and-set",
    function* ({ s }) {
      yield* loop(function* () {
        return (yield* Atomic.exchange(first(s), 1)).eq(1)
      }, idle)
    }
  ],
  [
    "for a ticket to be served",
    function* ({ s }) {
      const mine = yield* Atomic.add(MemRef.at(s, [1]), 1)
      yield* loop(function* () {
        return (yield* Semaphore.read(first(s))).ne(mine)
      }, idle)
      yield* Semaphore.signal(first(s))
    }
  ],
  [
    "with an atomic read, while it counts and writes elsewhere",
    function* ({ s, s2 }) {
      yield* loop(
        function* () {
          return (yield* Atomic.or(first(s), 0)).lt(4)
        },
        function* (i) {
          yield* Atomic.add(MemRef.at(s2, [i.rem(4)]), 1)
          return i.add(1)
        }
      )
      yield* Atomic.add(first(s), 1)
    }
  ],
  [
    "inside a loop and a branch",
    function* (refs) {
      yield* Semaphore.signal(first(refs.s))
      yield* Control.forEach(0, refs.n, (k) =>
        Control.when(k.gt(0), function* () {
          yield* loop(function* () {
            return (yield* MemRef.load(MemRef.at(refs.s, [k]))).lt(k)
          }, idle)
        })
      )
    }
  ]
]

const ends: ReadonlyArray<[string, Body, ReadonlyArray<number>]> = [
  [
    "tries again with what it has found",
    function* ({ s }) {
      yield* Control.whileLoop(
        { old: yield* MemRef.load(first(s)), done: Tile.of(i32, 0) },
        function* ({ done }) {
          return done.eq(0)
        },
        function* ({ old }) {
          const seen = yield* Atomic.compareExchange(first(s), old, old.add(3))
          return { old: seen, done: seen.eq(old).convert(i32) }
        }
      )
    },
    [12, 0, 0, 0]
  ],
  [
    "tries again with what it reads anew",
    function* ({ s }) {
      yield* loop(
        function* (done) {
          return done.eq(0)
        },
        function* () {
          const old = yield* Semaphore.read(first(s))
          return (yield* Atomic.compareExchange(first(s), old, old.add(3))).eq(old).convert(i32)
        }
      )
    },
    [12, 0, 0, 0]
  ],
  [
    "asks a bounded number of times",
    function* ({ s }) {
      yield* loop(
        function* (i) {
          return (yield* MemRef.load(MemRef.at(s, [3]))).eq(0).and(i.lt(5))
        },
        function* (i) {
          return i.add(1)
        }
      )
      yield* Atomic.add(first(s), 1)
    },
    [4, 0, 0, 0]
  ],
  [
    "draws work until there is none",
    function* ({ s }) {
      yield* loop(function* () {
        return (yield* Atomic.add(first(s), 1)).lt(10)
      }, idle)
    },
    [14, 0, 0, 0]
  ],
  [
    "looks at what it writes itself",
    function* ({ s }) {
      const own = MemRef.at(s, [yield* Control.programId(0)])
      yield* loop(
        function* () {
          return (yield* MemRef.load(own)).lt(7)
        },
        function* (i) {
          yield* MemRef.store(own, (yield* MemRef.load(own)).add(1))
          return i
        }
      )
    },
    [7, 7, 7, 7]
  ],
  [
    "takes what it can take once",
    function* ({ s }) {
      yield* loop(function* () {
        return (yield* Atomic.compareExchange(first(s), 0, 1)).eq(0)
      }, idle)
    },
    [1, 0, 0, 0]
  ],
  [
    "follows links",
    function* ({ s, x }) {
      const end = yield* loop(
        function* (i) {
          return (yield* MemRef.load(MemRef.at(x, [i]))).gt(0)
        },
        function* (i) {
          return i.add(yield* MemRef.load(MemRef.at(x, [i])))
        }
      )
      yield* Atomic.max(MemRef.at(s, [end]), 1)
    },
    [1, 0, 0, 0]
  ]
]

describe("a loop that only another program instance can end", () => {
  it.each(spins)("is refused on Gpu: %s", async (_, body) => {
    await refused("Unsupported", kernel(4, body), args, {
      on: gpu,
      says: [
        "Gpu cannot run while: only another program instance can end this loop",
        "WebGPU guarantees no forward progress between workgroups",
        "a second one"
      ]
    })
  })
  it("is no loop of one program instance: a lock that nobody else holds is free", async () => {
    const [, lock] = spins.find(([name]) => name.startsWith("93"))!
    await onEach(kernel(1, lock), args, { s: [0, 0, 0, 0], s2: [1, 0, 0, 0] })
  })
  it("93: takes turns where program instances run one after the other", async () => {
    const [, lock] = spins.find(([name]) => name.startsWith("93"))!
    for (const programs of [1, 2, 3, 4, 8])
      expect(await results(kernel(programs, lock), args)).toMatchObject({
        s: Int32Array.of(0, 0, 0, 0),
        s2: Int32Array.of(programs, 0, 0, 0)
      })
  })
})

describe("a loop of several program instances that ends by its own doing", () => {
  it.each(ends)("runs on each interpreter: it %s", async (_, body, s) => {
    for (const on of interpreters) expect([...((await results(kernel(4, body), args, on))["s"]! as any)]).toEqual(s)
  })
  it("is told apart by what the program holds, not by how it was written", async () => {
    const program = await Effect.runPromise(kernel(4, spins[0]![1]).trace as Effect.Effect<Program>)
    const alone = { ...program, grid: [{ size: 4, semantics: "sequential" as const }] }
    expect(Result.isFailure(compile(program))).toBe(true)
    expect(Result.isSuccess(compile(alone))).toBe(true)
  })
})
