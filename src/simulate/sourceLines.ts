/** Where the text of source files comes from: this library reads no files itself. */
import { Context } from "effect"

/** The text of a file by its path, as positions name it; nothing, if it is not known. */
export type Lines = (path: string) => string | undefined
export const unknown: Lines = () => undefined

/**
 * The text of source files for reports. Knows none, unless one is provided: `SourceLines.layer` of `effect-kernels/node`
 * reads them.
 */
export const SourceLines = Context.Reference<Lines>("effect-kernels/SourceLines", { defaultValue: () => unknown })
