/**
 * The closing line of a CI run, from vitest's JSON report and two exit codes: `N passed, N failed`.
 *
 * `npm run check` counts as one test. A test file that fails before its tests run, a run that fails without a failed test
 * (an unhandled error, say) and a run that leaves no report count as one failure each, so that nothing fails in silence.
 */
export interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly testResults: ReadonlyArray<{
    readonly status: string
    readonly assertionResults: ReadonlyArray<{ readonly status: string }>
  }>
}

export const summary = (report: Report | undefined, checkCode: number, testCode: number) => {
  const checkFailed = checkCode === 0 ? 0 : 1
  const brokenFiles = (report?.testResults ?? []).filter(
    (file) => file.status === "failed" && !file.assertionResults.some((a) => a.status === "failed")
  ).length
  const counted = (report?.numFailedTests ?? 0) + brokenFiles
  const silent = counted === 0 && (testCode !== 0 || report === undefined || report.numPassedTests === 0) ? 1 : 0
  const failed = counted + silent + checkFailed
  const passed = (report?.numPassedTests ?? 0) + (1 - checkFailed)
  const skipped = report?.numPendingTests ?? 0
  const line = `${passed} passed, ${failed} failed` + (skipped > 0 ? `, ${skipped} skipped` : "")
  return { line, exitCode: failed > 0 ? 1 : 0 }
}
