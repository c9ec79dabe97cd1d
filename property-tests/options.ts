/** The command line of the long run. */
import { parseArgs } from "node:util"

export interface Options {
  readonly runs: number
  readonly seed: number
  /** Faults to plant of each kind. */
  readonly faults: number
}
const whole = (name: string, text: string): number => {
  const n = Number(text)
  if (!Number.isInteger(n) || n < 0) throw new Error(`--${name} takes a whole number, not "${text}"`)
  return n
}
export const readOptions = (argv: ReadonlyArray<string>): Options => {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      runs: { type: "string", default: "300" },
      seed: { type: "string", default: "1" },
      faults: { type: "string", default: "0" }
    }
  })
  return {
    runs: whole("runs", values.runs),
    seed: whole("seed", values.seed),
    faults: whole("faults", values.faults)
  }
}
