/** A line that says what is being done, rewritten in place on a terminal; elsewhere only the finished lines are printed. */
const terminal = process.stderr.isTTY

export const doing = (step: number, steps: number, what: string): void => {
  if (!terminal) return
  const width = 24
  const filled = Math.round((step / steps) * width)
  process.stderr.write(`\r\x1b[2K[${"█".repeat(filled)}${"·".repeat(width - filled)}] ${step}/${steps} ${what}`)
}
/** Prints a line for good. */
export const done = (line: string): void => {
  if (terminal) process.stderr.write("\r\x1b[2K")
  console.log(line)
}
