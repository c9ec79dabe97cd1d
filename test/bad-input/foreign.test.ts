/** Values that are used where they do not belong: of another kernel, of another trace, of a scope that has ended. */
import { describe, it } from "vitest"
import { Control, f32, i32, Kernel, MemRef, Scratch } from "../../src/index.ts"
import { args, dynamic, M, T } from "../support/dynamic.ts"
import { refused } from "../support/kernels.ts"

describe("ForeignValue, with the place, for", () => {
  const escaped = async () => {
    let kept: any
    await refused(
      "InvalidArgument",
      Kernel.make("donor", { grid: [1], refs: { a: MemRef.inout(f32, [4]) } }, function* ({ a }) {
        kept = { ref: a, tile: yield* MemRef.load(a) }
      }),
      {},
      { says: ['"a"'] }
    )
    return kept
  }
  it("a ref of another kernel", async () => {
    const { ref } = await escaped()
    const load = dynamic(function* () {
      yield* M.load(ref)
    })
    await refused("ForeignValue", load, args(), {
      says: ['ref "a"', 'belongs to kernel "donor"', "pass it"],
      at: "M.load(ref)"
    })
    const store = dynamic(function* () {
      yield* M.store(M.at(ref, [0]), 1)
    })
    await refused("ForeignValue", store, args(), {
      says: ['ref "a"', 'belongs to kernel "donor"'],
      at: "M.store(M.at(ref, [0]), 1)"
    })
  })
  it("a tile of another kernel, however it is combined", async () => {
    const { tile } = await escaped()
    const k = dynamic(function* (r) {
      yield* M.store(r.o, tile.add(1))
    })
    await refused("ForeignValue", k, args(), {
      says: ['a tile of kernel "donor"', "outside the kernel that made it"],
      at: "M.store(r.o, tile.add(1))"
    })
    const index = dynamic(function* (r) {
      yield* M.store(M.at(r.o, [T.sum(tile).convert(i32)]), 1)
    })
    await refused("ForeignValue", index, args(), { says: ['a tile of kernel "donor"'], at: "M.store(M.at(r.o" })
  })
  it("the refs and tiles of an earlier trace of the same kernel", async () => {
    let kept: any
    const k = () =>
      dynamic(function* (r) {
        kept ??= { ref: r.o, tile: yield* M.load(r.x) }
        yield* M.store(r.o, kept.tile)
      })
    await refused("InvalidArgument", k(), {}, { says: ['"x"'] })
    await refused("ForeignValue", k(), args(), { says: ['kernel "case"'], at: "M.store(r.o, kept.tile)" })
  })
  it("a tile of a loop, branch or scope that has ended", async () => {
    const loop = dynamic(function* (r) {
      let inside: any
      yield* Control.forEach(0, 3, function* (i) {
        inside = i
      })
      yield* M.store(r.o, inside.convert(f32))
    })
    const says = ["made inside a loop, branch or scope that has ended", "carry it out as a result"]
    await refused("ForeignValue", loop, args(), { says, at: "M.store(r.o, inside.convert(f32))" })
    const branch = dynamic(function* (r) {
      let inside: any
      yield* Control.when(T.sum(yield* M.load(r.x)).gt(0), function* () {
        inside = yield* M.load(r.x)
      })
      yield* M.store(r.o, inside)
    })
    await refused("ForeignValue", branch, args(), { says, at: "M.store(r.o, inside)" })
    const sibling = dynamic(function* (r) {
      let inside: any
      yield* Control.forEach(0, 3, function* () {
        inside = yield* M.load(r.x)
      })
      yield* Control.forEach(0, 3, function* () {
        yield* M.store(r.o, inside)
      })
    })
    await refused("ForeignValue", sibling, args(), { says, at: "M.store(r.o, inside)" })
  })
  it("scratch whose scope has ended", async () => {
    const k = dynamic(function* (r) {
      const kept: any = { ref: undefined }
      yield* Scratch.scoped(Scratch.workgroup(f32, [4]), function* (s) {
        kept.ref = s
      })
      yield* M.store(r.o, yield* M.load(kept.ref))
    })
    await refused("ForeignValue", k, args(), { says: ['ref "scratch"', "its scope has ended"], at: "M.load(kept.ref)" })
  })
})
