/**
 * Bugs that others reported: barriers in text that an author writes (74, 79, 80). The library places all other barriers.
 *
 * A barrier that not every invocation is known to reach is refused by WGSL's analysis, when the kernel is compiled, with
 * the author's own line; with the condition inside the step instead of around the barrier the kernels give the right sums.
 */
import { describe, expect, it } from "vitest"
import { i32, Inline, Kernel, MemRef, Tile } from "../../src/index.ts"
import { gpu } from "../support/interpreters.ts"
import { kernelError, onEach } from "../support/kernels.ts"

const lines = (...of: ReadonlyArray<string>) => of.join("\n")

/** Sums 1 to 8, in every cell of `o`, by text that works on `s`. */
const summing = (name: string, wgsl: string) => {
  const tree = Inline.block(name, { operands: { s: Inline.readwrite(i32, [8]) }, results: {}, wgsl })
  return Kernel.make(name, { grid: [1], refs: { o: MemRef.out(i32, [8]) } }, function* ({ o }) {
    yield* MemRef.store(o, Tile.iota(i32, [8], 0).add(1))
    yield* tree({ s: o })
    yield* MemRef.store(o, yield* MemRef.load(MemRef.at(o, [0])))
  })
}

describe("a barrier that only some invocations reach is an error with the author's line", () => {
  it.each([
    [
      "74: under a test of the lane",
      lines(
        "if (lane < 4) {",
        "  s_store(i32(lane), s_load(i32(lane)) + s_load(i32(lane) + 4));",
        "  storageBarrier();",
        "}"
      ),
      3
    ],
    [
      "79: in a loop that lanes leave one after the other",
      lines("var turn = 0;", "loop {", "  storageBarrier();", "  if (i32(lane) < turn) { break; }", "  turn++;", "}"),
      3
    ],
    [
      "80: behind a `continue` of idle lanes",
      lines(
        "for (var d = 4; d > 0; d /= 2) {",
        "  if (i32(lane) >= d) { continue; }",
        "  s_store(i32(lane), s_load(i32(lane)) + s_load(i32(lane) + d));",
        "  storageBarrier();",
        "}"
      ),
      4
    ]
  ])("%s", async (_, wgsl, line) => {
    const error = await kernelError("InlineError", summing("tree", wgsl), {}, gpu)
    expect(error).toMatchObject({ inline: "tree", line })
    expect(error.shown).toContain("uniform")
  })
})

describe("the same with the barrier reached by all", () => {
  it("80: a tree sum of 1 to 8 is 36", async () => {
    const wgsl = lines(
      "for (var d = 4; d > 0; d /= 2) {",
      "  storageBarrier();",
      "  if (i32(lane) < d) { s_store(i32(lane), s_load(i32(lane)) + s_load(i32(lane) + d)); }",
      "}"
    )
    await onEach(summing("tree", wgsl), {}, { o: new Array(8).fill(36) }, { on: [gpu] })
  })
})
