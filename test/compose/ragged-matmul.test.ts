/** Ragged matmul: any sizes of groups, any part of the groups here, and typed errors for sizes that make no sense. */
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { raggedGradient, raggedMatmul, type Sizes, startsOf } from "../../examples/ragged-matmul.ts"
import type { Kernel } from "../../src/index.ts"
import { failure, onEach } from "../support/kernels.ts"

interface Problem {
  readonly sizes: Sizes
  readonly groupSizes: Int32Array
  readonly groupOffset: number
}
const whole = (length: number, seed: number) => Float32Array.from({ length }, (_, k) => ((k * 7 + seed * 13) % 11) - 5)

const check = async ({ groupOffset, groupSizes, sizes }: Problem): Promise<void> => {
  const { k, local, m, n } = sizes
  const [x, y, w] = [whole(m * k, 1), whole(m * n, 2), whole(local * k * n, 3)]
  const starts = await Effect.runPromise(startsOf(groupSizes, m))
  const product = new Float32Array(m * n)
  const gradient = new Float32Array(local * k * n)
  for (let g = 0; g < local; g++)
    for (let row = starts[g + groupOffset] ?? m; row < (starts[g + groupOffset + 1] ?? m); row++)
      for (let e = 0; e < k * n; e++) {
        const [l, j] = [Math.floor(e / n), e % n]
        product[row * n + j]! += x[row * k + l]! * w[g * k * n + e]!
        gradient[g * k * n + e]! += x[row * k + l]! * y[row * n + j]!
      }
  const transposed = Float32Array.from(
    w,
    (_, at) => w[Math.floor(at / (n * k)) * k * n + (at % k) * n + (Math.floor(at / k) % n)]!
  )
  const rest = { groupOffset, starts, x, o: new Float32Array(m * n) }
  await onEach(raggedMatmul(sizes) as Kernel.Any, { ...rest, w }, { o: product })
  await onEach(raggedMatmul(sizes, { transposed: true }) as Kernel.Any, { ...rest, w: transposed }, { o: product })
  await onEach(raggedGradient(sizes) as Kernel.Any, { groupOffset, starts, x, y }, { o: gradient })
}
const problem: fc.Arbitrary<Problem> = fc
  .record({
    groupSizes: fc.array(fc.oneof(fc.constant(0), fc.nat(7)), { minLength: 1, maxLength: 4 }),
    local: fc.integer({ min: 1, max: 3 }),
    groupOffset: fc.integer({ min: 0, max: 4 }),
    k: fc.integer({ min: 1, max: 5 }),
    n: fc.integer({ min: 1, max: 5 }),
    tile: fc.record({ m: fc.integer({ min: 1, max: 4 }), n: fc.integer({ min: 1, max: 4 }) })
  })
  .map(({ groupOffset, groupSizes, k, local, n, tile }) => ({
    sizes: { m: groupSizes.reduce((a, b) => a + b, 0), k, n, groups: groupSizes.length, local, tile },
    groupSizes: Int32Array.from(groupSizes),
    groupOffset
  }))

describe("ragged matmul", () => {
  it("equals a plain loop for any sizes of groups, empty ones and groups that are elsewhere included", async () => {
    await fc.assert(fc.asyncProperty(problem, check), { seed: 11, numRuns: 12 })
  }, 120_000)
  it("has rows of 0 for groups that are elsewhere, and matrices of 0 for groups without rows", async () => {
    const sizes: Sizes = { m: 6, k: 2, n: 3, groups: 3, local: 2, tile: { m: 4, n: 2 } }
    for (const groupOffset of [0, 1, 2, 3, -1]) await check({ sizes, groupSizes: Int32Array.of(5, 0, 1), groupOffset })
  })
  it("fails before it runs, typed, for a negative size and for sizes that do not add up", async () => {
    const reason = async (sizes: ReadonlyArray<number>) => {
      const error = (await failure(startsOf(Int32Array.from(sizes), 6))) as any
      expect(error).toMatchObject({ _tag: "KernelError", reason: { _tag: "InvalidArgument", ref: "groupSizes" } })
      return error.message as string
    }
    expect(await reason([5, -1, 2])).toContain("expected sizes of at least 0, got -1 for group 1")
    expect(await reason([5, 2])).toContain("expected sizes that add up to 6, got sizes that add up to 7")
    expect(await reason([])).toContain("add up to 0")
  })
})
