import { describe, expect, it } from "vitest"
import { type Report, summary } from "../scripts/summary.ts"

const file = (status: string, ...tests: ReadonlyArray<string>) => ({
  status,
  assertionResults: tests.map((s) => ({ status: s }))
})
const report = (passed: number, failed: number, files = [file("passed", "passed")], pending = 0): Report => ({
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: pending,
  testResults: files
})

describe("the closing line of CI", () => {
  it("counts the tests, and the check as one of them", () => {
    expect(summary(report(12, 0), 0, 0)).toEqual({ line: "13 passed, 0 failed", exitCode: 0 })
    expect(summary(report(12, 0), 1, 0)).toEqual({ line: "12 passed, 1 failed", exitCode: 1 })
    expect(summary(report(10, 2, [file("failed", "failed", "failed")]), 0, 1).line).toBe("11 passed, 2 failed")
  })
  it("says what was skipped", () => {
    expect(summary(report(3, 0, undefined, 2), 0, 0).line).toBe("4 passed, 0 failed, 2 skipped")
  })
  it("counts a test file that could not be loaded", () => {
    expect(summary(report(5, 0, [file("failed")]), 0, 1)).toEqual({ line: "6 passed, 1 failed", exitCode: 1 })
  })
  it("fails when the run failed and no test did, or when nothing was run or reported", () => {
    expect(summary(report(5, 0), 0, 1)).toEqual({ line: "6 passed, 1 failed", exitCode: 1 })
    expect(summary(report(0, 0, []), 0, 0).exitCode).toBe(1)
    expect(summary(undefined, 0, 0)).toEqual({ line: "1 passed, 1 failed", exitCode: 1 })
    expect(summary(undefined, 1, 139)).toEqual({ line: "0 passed, 2 failed", exitCode: 1 })
  })
})
