/** Copies in groups, which are waited for oldest first. */
import { describe, it } from "vitest"
import { Control, Copy, i32, MemRef, Scratch } from "../../src/index.ts"
import { onEach, single } from "../support/kernels.ts"

const n = 70
const range = (f = (k: number) => k) => Array.from({ length: n }, (_, k) => f(k))
const all = (value: number) => range(() => value)
const refs = {
  x: MemRef.in(i32, [n]),
  a: MemRef.out(i32, [n]),
  b: MemRef.out(i32, [n]),
  c: MemRef.out(i32, [n]),
  seen: MemRef.out(i32, [3])
}
const x = Int32Array.from(range((k) => k + 1))
const moved = range((k) => k + 1)

/** What `a`, `b` and `c` hold at their element 3. */
const look = function* ({ a, b, c, seen }: any): Generator<any, void, any> {
  for (const [k, ref] of [a, b, c].entries())
    yield* MemRef.store(MemRef.at(seen, [k]), (yield* MemRef.load(MemRef.at(ref, [3]))) as any)
}
const kernel = (body: (refs: any) => Generator<any, void, any>) => single(refs, body as any)

describe("groups of copies", () => {
  it("104: of two, one may be outstanding: the first has landed, the second has not", async () => {
    const k = kernel(function* (refs) {
      for (const ref of [refs.a, refs.b]) {
        yield* Copy.start(refs.x, ref)
        yield* Copy.commit()
      }
      yield* Copy.waitGroups(1)
      yield* look(refs)
      yield* Copy.waitGroups(0)
    })
    await onEach(k, { x }, { seen: [4, 0, 0], a: moved, b: moved })
  })
  it("104: of three, one may be outstanding; allowing two afterwards is harmless", async () => {
    const k = kernel(function* (refs) {
      for (const ref of [refs.a, refs.b, refs.c]) {
        yield* Copy.start(refs.x, ref)
        yield* Copy.commit()
      }
      yield* Copy.waitGroups(1)
      yield* Copy.waitGroups(2)
      yield* look(refs)
      yield* Copy.waitGroups(0)
    })
    await onEach(k, { x }, { seen: [4, 4, 0], c: moved })
  })
  it("hold all copies since the last one, and nothing that is not committed", async () => {
    const k = kernel(function* (refs) {
      yield* Copy.start(refs.x, refs.a)
      yield* Copy.start(refs.x, refs.b)
      yield* Copy.commit()
      const alone = yield* Copy.start(refs.x, refs.c)
      yield* Copy.waitGroups(0)
      yield* look(refs)
      yield* Copy.wait(alone)
    })
    await onEach(k, { x }, { seen: [4, 4, 0], c: moved })
  })
  it("may be empty, and count even so", async () => {
    const k = kernel(function* (refs) {
      yield* Copy.waitGroups(0)
      yield* Copy.start(refs.x, refs.a)
      yield* Copy.commit()
      yield* Copy.start(refs.x, refs.b)
      yield* Copy.commit()
      yield* Copy.commit()
      yield* Copy.waitGroups(2)
      yield* look(refs)
      yield* Copy.waitGroups(7)
      yield* Copy.waitGroups(0)
    })
    await onEach(k, { x }, { seen: [4, 0, 0], b: moved })
  })
  it("do without copies that were waited for by token, or handed on", async () => {
    const k = kernel(function* (refs) {
      const first = yield* Copy.start(refs.x, refs.a)
      const second = yield* Copy.start(refs.x, refs.b)
      yield* Copy.start(refs.x, refs.c)
      yield* Copy.commit()
      yield* Copy.wait(first)
      yield* MemRef.store(refs.a, 9)
      const last = yield* Control.fori(0, 3, second, function* (_, token) {
        yield* Copy.wait(token)
        return yield* Copy.start(refs.x as MemRef.MemRef<"x", "i32", [70], "in">, refs.b)
      })
      yield* Copy.waitGroups(0)
      yield* Copy.wait(last)
      yield* look(refs)
    })
    await onEach(k, { x }, { seen: [9, 4, 4], a: all(9), b: moved, c: moved })
  })
  it("are those of a loop's own body, where it starts and waits for them", async () => {
    const k = kernel(function* (refs) {
      yield* Control.forEach(0, 3, function* () {
        yield* Copy.start(refs.x, refs.a, { op: "add" } as any)
        yield* Copy.commit()
        yield* Copy.start(refs.a, refs.b)
        yield* Copy.commit()
        yield* Copy.waitGroups(0)
      } as any)
    })
    await onEach(k, { x }, { a: range((k) => 3 * (k + 1)), b: range((k) => 2 * (k + 1)) })
  })
  it("may be waited for in a scope that they were started outside of", async () => {
    const k = kernel(function* (refs) {
      yield* Copy.start(refs.x, refs.a)
      yield* Copy.commit()
      yield* Scratch.scoped(Scratch.workgroup(i32, [n]), function* (s: any) {
        yield* Copy.start(refs.x as MemRef.MemRef<"x", "i32", [70], "in">, s)
        yield* Copy.commit()
        yield* Copy.waitGroups(0)
        yield* MemRef.store(refs.b, yield* MemRef.load(s))
      } as any)
      yield* look(refs)
    })
    await onEach(k, { x }, { seen: [4, 4, 0] })
  })
})
