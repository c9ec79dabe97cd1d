/** Every case of the conformance list has a test with its number, or stands here with the reason why it cannot run. */
import { describe, expect, it } from "vitest"
import { numbered } from "../support/numbered.ts"

const cases = {
  basics: [1, 2, 3, 5, 6, 7, 8, 10, 11, 12],
  indexing: [14, 15, 16, 17, 19, 20, 21, 24, 25, 26, 27, 28, 29, 31, 32, 34, 35, 38],
  masks: [39, 40, 42, 43, 45],
  grid: [47, 48, 50, 51, 53, 55, 56, 58, 59, 60, 62, 64, 65, 66, 67],
  control: [68, 69, 70, 71, 72, 73, 75, 76],
  numerics: [78, 79, 81, 82, 83, 85, 87],
  atomics: [89, 90, 92, 93, 95],
  synchronisation: [96, 97, 99, 100, 102, 104, 106, 108, 109, 111],
  barriers: [112, 114, 116, 117],
  refusals: [119, 120, 121, 122, 123, 124, 126, 127, 128]
}
const cannotRun: Readonly<Record<number, string>> = {
  121: "a signal to a semaphore of another device: a signal takes no device, because WebGPU shares no memory between devices",
  123: "memory that outlives a launch: nothing in the interface says it; what a run leaves is in its results"
}

describe("the conformance cases", () => {
  const tested = numbered(["conformance"])
  const all = Object.values(cases).flat()

  it.each(all.map((number) => [number]))("%i is a test with its number, or cannot run for a reason", (number) => {
    expect(tested.has(number), `case ${number} is neither tested nor given a reason`).toBe(!(number in cannotRun))
  })
  it("are the only numbers that tests or reasons have", () => {
    const named = [...tested, ...Object.keys(cannotRun).map(Number)]
    expect(named.filter((number) => !all.includes(number))).toEqual([])
  })
})
