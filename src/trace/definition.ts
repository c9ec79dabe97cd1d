/** What a kernel is before it is traced, and whether it is declared as it must be. */
import * as DType from "../DType.ts"
import type { Access, GridAxis, RefDecl, Scratch } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import type * as Shape from "../Shape.ts"
import type { BlockOptions } from "./blocks.ts"
import { checkArray, isUnion, memoryOf, type ScratchSpec, type UnionSpec } from "./scratch.ts"
import type { Body } from "./tracer.ts"

export interface RefSpec {
  readonly dtype: DType.DType<DType.Name>
  readonly shape: Shape.Shape
  readonly access: Access
  readonly scalar: boolean
  readonly table?: boolean
  readonly block: BlockOptions | undefined
}
/** A kernel before it is traced. */
export interface Definition {
  readonly name: string
  readonly grid: ReadonlyArray<number | GridAxis>
  readonly threads?: number | undefined
  readonly refs: { readonly [name: string]: RefSpec }
  readonly scratch: { readonly [name: string]: ScratchSpec | UnionSpec }
  readonly body: (refs: any) => Body<unknown, unknown, unknown>
}

/** A mistake in the declaration of a kernel. */
export class DefinitionError extends Error {
  readonly detail: string
  readonly hint: string | undefined
  constructor(detail: string, hint?: string) {
    super(detail)
    this.detail = detail
    this.hint = hint
  }
}

const isRecord = (u: unknown): u is { readonly [name: string]: unknown } => typeof u === "object" && u !== null
const refuse = (what: string, hint: string): never => {
  throw new DefinitionError(what, hint)
}
const dtypeOf = (u: unknown): unknown => (isRecord(u) && isRecord(u["dtype"]) ? u["dtype"]["name"] : undefined)
const checkSpecs = (what: string, specs: unknown, hint: string): void => {
  if (!isRecord(specs)) return refuse(`the kernel declares no ${what}`, hint)
  for (const [name, spec] of Object.entries(specs))
    if (!isUnion(spec) && !DType.names.includes(dtypeOf(spec) as DType.Name))
      refuse(`${what} "${name}" is no declaration with a dtype`, hint)
}
const checkAxis = (axis: unknown, k: number): void => {
  const { semantics, size } = isRecord(axis) ? axis : { semantics: "parallel", size: axis }
  if (!Number.isInteger(size) || (size as number) < 0)
    refuse(`grid axis ${k} has size ${String(size)}`, "sizes are whole numbers of at least 0")
  if (semantics !== "parallel" && semantics !== "sequential")
    refuse(`grid axis ${k} is ${String(semantics)}`, "make it with Kernel.parallel or Kernel.sequential")
}
const checkThreads = (threads: unknown): void => {
  if (threads !== undefined && (!Number.isInteger(threads) || (threads as number) < 1))
    refuse(`the kernel has ${String(threads)} threads`, "give a whole number of at least 1, or leave it out")
}
/** Fails where callers that the type checker does not see give something else than a definition. */
export const checkForm = (def: Definition): void => {
  const { body, grid, name, refs, scratch, threads }: { readonly [field in keyof Definition]: unknown } = def
  if (typeof name !== "string" || name === "") refuse("the kernel has no name", "its name is the first argument")
  if (!Array.isArray(grid)) return refuse("the kernel has no grid", "give a list of sizes, one per axis")
  grid.forEach(checkAxis)
  checkThreads(threads)
  checkSpecs("ref", refs, "declare refs by name with MemRef.in, out, inout, scalar or table")
  checkSpecs("scratch", scratch, "declare scratch by name with Scratch.workgroup or Scratch.register")
  if (typeof body !== "function") refuse("the kernel has no body", "its body is a function* over the refs")
}

export const gridOf = (def: Definition): ReadonlyArray<GridAxis> =>
  def.grid.map((axis) => (typeof axis === "number" ? { size: axis, semantics: "parallel" } : axis))

/** What `f` gives; what is wrong with it is wrong with the declaration. */
const declared = <A>(f: () => A): A => {
  try {
    return f()
  } catch (e) {
    throw e instanceof TypingError ? new DefinitionError(e.detail, e.hint) : e
  }
}

export const refDecls = (def: Definition): ReadonlyArray<RefDecl> =>
  Object.entries(def.refs).map(([name, r]) => {
    declared(() => checkArray(`ref "${name}"`, r))
    if (r.scalar && DType.isStorage(r.dtype.name))
      throw new DefinitionError(
        `scalar "${name}" is ${r.dtype.name}, which only arrays are`,
        `declare it as ${DType.widened(r.dtype.name)}`
      )
    return { name, dtype: r.dtype.name, shape: r.shape, access: r.access, scalar: r.scalar }
  })
export const scratchDecls = (def: Definition): ReadonlyArray<Scratch> =>
  Object.entries(def.scratch).map(([name, s]) => {
    const memory = declared(() => memoryOf(name, s))
    if (name in def.refs)
      throw new DefinitionError(`scratch and a ref are both named "${name}"`, "give each its own name")
    return { name, ...memory }
  })
