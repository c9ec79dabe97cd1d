/** `tsx scripts/print-summary.ts REPORT CHECK_CODE TEST_CODE`: prints the closing line of a CI run and exits accordingly. */
import { readFileSync } from "node:fs"
import { type Report, summary } from "./summary.ts"

const [path = "", checkCode = "1", testCode = "1"] = process.argv.slice(2)
const read = (): Report | undefined => {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Report
  } catch (cause) {
    console.error(`no report of the tests: ${String(cause)}`)
    return undefined
  }
}
const { line, exitCode } = summary(read(), Number(checkCode), Number(testCode))
console.log(line)
process.exitCode = exitCode
