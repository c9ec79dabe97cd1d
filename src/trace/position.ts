/**
 * Source positions of equations.
 *
 * Capturing a stack costs microseconds, formatting it as much again: it stays unformatted until someone prints it.
 */
import type { Source } from "../ir/program.ts"

const library = new URL("..", import.meta.url).href
const foreign = /node_modules\/effect\/|node:internal|\(<anonymous>\)/
const frame = /(?:\(|at )((?:file:\/\/|https?:\/\/|\/|[A-Za-z]:\\)[^\s()]*:\d+:\d+)\)?$/
const depth = 10

/** Path of a frame without the scheme, so that terminals make it a link. */
const readable = (location: string): string => decodeURI(location.replace(/^file:\/\//, "").replace(/\?[^:]*/, ""))

/** `file:line:column` of the first frame outside the library and outside Effect. */
export const firstForeignFrame = (stack: string): string | undefined => {
  for (const line of stack.split("\n").slice(1)) {
    if (foreign.test(line) || line.includes(library) || line.includes(readable(library))) continue
    const found = frame.exec(line.trim())
    if (found !== null) return readable(found[1]!)
  }
  return undefined
}

class Captured implements Source {
  private readonly error: Error
  private shown: string | undefined | null = null
  constructor(error: Error) {
    this.error = error
  }
  show(): string | undefined {
    if (this.shown === null) this.shown = firstForeignFrame(this.error.stack ?? "")
    return this.shown
  }
}

/** The position of the caller outside the library. */
export const capture = (): Source => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = depth
  const error = new Error()
  Error.stackTraceLimit = limit
  return new Captured(error)
}
