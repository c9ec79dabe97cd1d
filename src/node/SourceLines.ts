/**
 * Source files for reports, read from disk, so that a report shows the lines around what it finds.
 *
 * Positions are taken as they are: source maps are not followed, and nothing is fetched.
 */
import { readFileSync } from "node:fs"
import { Layer } from "effect"
import { type Lines, SourceLines } from "../simulate/sourceLines.ts"

/** The text of a file; `undefined` for what cannot be read, and for http(s) addresses. */
export const sourceLines: Lines = (path) => {
  if (/^https?:/.test(path)) return undefined
  try {
    // A file URL of Windows leaves a slash before the drive.
    return readFileSync(path.replace(/^\/(?=[A-Za-z]:)/, ""), "utf8")
  } catch {
    return undefined
  }
}

/** Reports show the lines of files that can be read. */
export const layer: Layer.Layer<never> = Layer.succeed(SourceLines, sourceLines)
