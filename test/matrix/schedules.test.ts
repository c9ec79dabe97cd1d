/** The lowered pipeline, run in lockstep: the same under every schedule, and no invocation sees what another may not have written. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { i32, Kernel, MemRef, Pipeline, Scratch } from "../../src/index.ts"
import type { Program } from "../../src/ir/program.ts"
import { anyArrays, difference } from "../wgsl/agree.ts"
import { random } from "../wgsl/random.ts"
import { tiled } from "./reference.ts"

/** Factors in scratch of either kind and in tiles, and an accumulator that is read, set and a factor itself. */
const mixed = Kernel.make(
  "mixed",
  {
    grid: [Kernel.sequential(2)],
    refs: { a: MemRef.in(i32, [6, 6]), o: MemRef.inout(i32, [6, 6]), p: MemRef.out(i32, [1, 1]) },
    scratch: {
      acc: Pipeline.accumulator(i32, [6, 6]),
      one: Pipeline.accumulator(i32, [1, 1]),
      x: Scratch.workgroup(i32, [6, 6]),
      y: Scratch.register(i32, [6, 6])
    }
  },
  function* ({ a, acc, o, one, p, x, y }) {
    const tile = yield* MemRef.load(a)
    yield* MemRef.store(x, tile)
    yield* MemRef.store(y, tile.add(1))
    yield* Pipeline.multiplyAccumulate(acc, x, y, { transposeA: true })
    yield* Pipeline.multiplyAccumulate(
      one,
      MemRef.at(x, [MemRef.slice(2, 1), ":"]),
      MemRef.at(x, [":", MemRef.slice(4, 1)])
    )
    yield* MemRef.store(x, 0)
    yield* Pipeline.wait()
    yield* Pipeline.multiplyAccumulate(acc, yield* Pipeline.read(acc), MemRef.transpose(o))
    yield* Pipeline.wait()
    yield* MemRef.store(o, yield* Pipeline.read(acc))
    yield* Pipeline.set(acc, tile)
    yield* MemRef.store(p, yield* Pipeline.read(one))
  }
)

describe.each([
  ["a product in blocks", tiled([9, 10, 6], 4, 3) as Kernel.Any],
  ["factors of all kinds", mixed as Kernel.Any]
])("%s", (_, kernel) => {
  const sizes = [1, 4, 16, 64]
  const schedules = sizes.flatMap((workgroupSize) => [
    { workgroupSize },
    { workgroupSize, registerWords: 0 },
    { workgroupSize, registerWords: 0, workgroupBytes: 1024 }
  ])
  it.each(schedules)("under %j", async (schedule) => {
    const program = (await Effect.runPromise(kernel.trace as Effect.Effect<Program>)) as Program
    const args = anyArrays(random(5), program)
    expect(await Effect.runPromise(difference(undefined, program, args, schedule))).toBeUndefined()
  })
})
