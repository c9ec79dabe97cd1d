import { describe, expect, it } from "vitest"
import { measure, table } from "../../bench/support.ts"

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const right = (result: Float32Array) => expect([...result]).toEqual([1, 2])

describe("the benchmarks", () => {
  it("run the subjects in turn, and say how long each took against the first", async () => {
    const order: Array<string> = []
    const subject = (name: string, milliseconds: number) => async () => {
      order.push(name)
      await sleep(milliseconds)
      return Float32Array.of(1, 2)
    }
    const timings = await measure(
      { quick: subject("q", 5), slow: subject("s", 40) },
      { rounds: 3, warmup: 1, check: right }
    )
    expect(order.join("")).toBe("qsqsqsqs")
    expect(timings.quick.ratio).toBe(1)
    expect(timings.slow.ratio).toBeGreaterThan(2)
    expect(timings.slow.fastest).toBeLessThanOrEqual(timings.slow.median)
    expect(timings.slow.median).toBeLessThanOrEqual(timings.slow.slowest)
  })
  it("do not take an old result for a new one", async () => {
    const kept = Float32Array.of(1, 2)
    await expect(measure({ idle: () => kept }, { rounds: 1, warmup: 1, check: right })).rejects.toThrow()
    const records = { idle: () => ({ o: kept }) }
    const check = ({ o }: { readonly o: Float32Array }) => right(o)
    kept.set([1, 2])
    await expect(measure(records, { rounds: 2, warmup: 0, check })).rejects.toThrow()
  })
  it("stop at the first wrong result", async () => {
    await expect(measure({ wrong: () => Float32Array.of(1, 3) }, { rounds: 1, check: right })).rejects.toThrow()
  })
  it("print a table whose columns stand in line", () => {
    const row = { median: 1.5, fastest: 1, slowest: 12.25, ratio: 1 }
    expect(table({ discharge: row, gpu: { ...row, median: 3, ratio: 2 } })).toBe(
      [
        "           median ms  fastest  slowest  ratio",
        "discharge       1.50     1.00     12.3   1.00",
        "gpu             3.00     1.00     12.3   2.00"
      ].join("\n")
    )
  })
})
