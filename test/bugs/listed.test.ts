/**
 * Every reported bug that lowering, discharge or a typed error has to get right has a test with its number, and so has every
 * one that the Simulator reports. Those that property tests find in what an author wrote are not listed.
 */
import { describe, expect, it } from "vitest"
import { numbered } from "../support/numbered.ts"

const bugs = {
  edges: [2, 4, 7, 8],
  softmax: [11, 14, 16],
  norms: [20, 23, 25, 26],
  floats: [28, 29, 31, 32, 34, 35, 37, 38, 40, 42],
  integers: [43, 44, 46, 47, 49, 50, 52, 53, 55, 56],
  layout: [58, 59, 61, 62, 64, 65, 67, 68, 70, 71],
  sharing: [73, 74, 79, 80, 82, 85, 86, 88, 89, 91, 92],
  scans: [94, 98, 103],
  limits: [112, 113, 115, 116, 118, 119, 121, 122, 124, 125, 127]
}
/** What the Simulator finds, by its tests in bugs/simulator. */
const simulated = {
  fills: [1, 4],
  races: [64, 73, 76, 77, 82, 83, 85, 88],
  sync: [74, 79, 89],
  memory: [67, 128, 130, 131],
  limits: [49, 55, 92, 113]
}
/** Tests of bugs that stand beside what they are about; no other name in these files begins with a number. */
const elsewhere: Readonly<Record<string, ReadonlyArray<number>>> = {
  "storage/bugs.test.ts": [25, 26, 58, 59, 64, 70],
  "gpu/dispatches.test.ts": [113],
  "bad-input/device.test.ts": [115, 124]
}

describe("the bugs that others reported", () => {
  const files = Object.keys(elsewhere)
  const tested = numbered(["bugs", ...files])

  it.each(Object.values(bugs).flatMap((of) => of.map((number) => [number])))("%i is a test with its number", (number) =>
    expect(tested.has(number), `no test has the number ${number}`).toBe(true)
  )
  it.each(Object.entries(simulated))("the Simulator's are tests with their numbers: %s", (name, numbers) => {
    const own = numbered([`bugs/simulator/${name}.test.ts`])
    expect([...own].toSorted((a, b) => a - b)).toEqual(numbers)
  })
  it.each(files)("has the tests that are said to be in %s", (file) => {
    expect([...numbered([file])].toSorted((a, b) => a - b)).toEqual(elsewhere[file])
  })
})
