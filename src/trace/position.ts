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

interface Stack {
  readonly stack?: string
}
class Captured implements Source {
  private readonly captured: Stack
  private shown: string | undefined | null = null
  constructor(captured: Stack) {
    this.captured = captured
  }
  show(): string | undefined {
    if (this.shown === null) this.shown = firstForeignFrame(this.captured.stack ?? "")
    return this.shown
  }
}

type CaptureStackTrace = (into: object, above: Function) => void
const captureStackTrace = (Error as { readonly captureStackTrace?: CaptureStackTrace }).captureStackTrace

/** Up to `frames` of the stack above a function that is running. */
const above = (entry: Function, frames: number): Source => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = captureStackTrace === undefined ? depth : frames
  const captured = captureStackTrace === undefined ? new Error() : {}
  captureStackTrace?.(captured, entry)
  Error.stackTraceLimit = limit
  return new Captured(captured)
}

let here: Source | undefined
/**
 * Runs what a public function does, with its caller as the position of all that is made meanwhile.
 *
 * Of a caller that is known, one frame is enough; frames are what captured stacks cost.
 */
export const calledAt = <A>(entry: Function, f: () => A): A => {
  if (here !== undefined) return f()
  here = above(entry, 1)
  try {
    return f()
  } finally {
    here = undefined
  }
}

/** Runs `f` with a position that is known as that of all that is made meanwhile. */
export const standingAt = <A>(source: Source, f: () => A): A => {
  const outer = here
  here = source
  try {
    return f()
  } finally {
    here = outer
  }
}

/** The position of the caller outside the library. */
export const capture = (): Source => here ?? above(capture, depth)
