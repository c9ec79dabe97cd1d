import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { dispatchCap, maxSpillBytes, planDispatches } from "../../src/gpu/dispatches.ts"

describe("planDispatches", () => {
  it("113: runs each workgroup exactly once, within the grid's limit and the cap", () =>
    fc.assert(
      fc.property(
        fc.nat(3000),
        fc.integer({ min: 1, max: 40 }),
        fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constant(Infinity)),
        (programs, max, cap) => {
          let next = 0
          for (const { base, x, y } of planDispatches(programs, max, cap)) {
            expect(base).toBe(next)
            expect(Math.min(x, y)).toBeGreaterThanOrEqual(1)
            expect(Math.max(x, y)).toBeLessThanOrEqual(max)
            expect(x * y).toBeLessThanOrEqual(cap)
            next += x * y
          }
          expect(next).toBe(programs)
        }
      )
    ))

  it("needs at most two dispatches for whatever 32 bits count, on a device with the usual limit", () => {
    for (const programs of [1, 65535, 65536, 65535 * 65535])
      expect(planDispatches(programs, 65535, Infinity).length).toBeLessThanOrEqual(2)
  })
})

describe("dispatchCap", () => {
  it("lets spill memory fill its limit, and one workgroup always run", () => {
    expect(dispatchCap(0)).toBe(Infinity)
    expect(dispatchCap(maxSpillBytes / 4)).toBe(4)
    expect(dispatchCap(maxSpillBytes * 3)).toBe(1)
  })
})
