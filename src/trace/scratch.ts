/**
 * Declarations of scratch as the trace sees them: one memory each, and the refs that a body gets to it.
 *
 * A union is one memory of 32-bit words; each alternative is a view of its first words, whose bits are seen as the
 * alternative's dtype. So it means what views mean, on every interpreter.
 */
import * as DType from "../DType.ts"
import type { Role, Scratch } from "../ir/program.ts"
import { called, checkRole } from "../ir/role.ts"
import { checkPlacement, placementOf } from "../ir/placement.ts"
import { TypingError } from "../ir/typing.ts"
import * as Shape from "../Shape.ts"
import { at, bitcast, type MemRefImpl, reshape, type RoleRef } from "./ref.ts"

export interface ScratchSpec {
  readonly dtype: DType.DType<DType.Name>
  readonly shape: Shape.Shape
  readonly space: "workgroup" | "register"
  readonly tiling?: ReadonlyArray<number>
  readonly swizzle?: number
  readonly role?: Role | undefined
}
/** Alternatives that share memory. */
export interface UnionSpec {
  readonly "~alternatives": { readonly [name: string]: Part }
}
/** What a union's alternative is: scratch, a record of parts that lie one after the other, or again a union. */
export type Part = ScratchSpec | UnionSpec | { readonly [name: string]: Part }
/** A ref, or refs by name, in the form of the declaration. */
export type ScratchRefs = MemRefImpl | RoleRef | { readonly [name: string]: ScratchRefs }

const isRecord = (u: unknown): u is { readonly [name: string]: unknown } => typeof u === "object" && u !== null
export const isUnion = (u: unknown): u is UnionSpec => isRecord(u) && "~alternatives" in u
/** Whether it is one declaration, and no record of them. */
const isSpec = (u: unknown): u is ScratchSpec =>
  isRecord(u) && isRecord(u["dtype"]) && DType.names.includes(u["dtype"]["name"] as DType.Name)

/** Element positions are i32. */
const maxElements = 2 ** 31 - 1
/** Throws `TypingError` where an array of that shape makes no sense. */
export const checkArray = (what: string, { shape }: { readonly shape: Shape.Shape }): void => {
  if (!Array.isArray(shape) || !Shape.isValid(shape))
    throw new TypingError(
      `${what} has shape ${Array.isArray(shape) ? Shape.show(shape) : String(shape)}`,
      "dimensions are whole numbers of at least 0"
    )
  if (Shape.size(shape) > maxElements)
    throw new TypingError(`${what} has ${Shape.size(shape)} elements`, `at most ${maxElements} are possible`)
}

const wordDTypes: ReadonlyArray<DType.Name> = ["f32", "i32", "u32"]
const wordsOfSpec = (path: string, spec: ScratchSpec): number => {
  const { dtype, role, shape, swizzle, tiling } = spec
  const what = `scratch "${path}"`
  if (role !== undefined)
    throw new TypingError(
      `${what} is ${called(role.kind)}, and shares memory in a union`,
      "declare it beside the union"
    )
  if (!wordDTypes.includes(dtype.name))
    throw new TypingError(
      `${what} is ${dtype.name}, and shares memory in a union`,
      "what is written through one alternative is read as 32-bit words through another: declare f32, i32 or u32"
    )
  checkArray(what, spec)
  if (swizzle !== undefined || tiling !== undefined)
    throw new TypingError(
      `${what} has a layout of its own, and shares memory in a union`,
      "alternatives see the same words in the same order: leave out tiling and swizzle"
    )
  return Shape.size(shape)
}
const partsOf = (path: string, parts: unknown): ReadonlyArray<readonly [string, Part]> => {
  const entries = isRecord(parts) ? Object.entries(parts) : []
  if (entries.length === 0)
    throw new TypingError(`"${path}" of the scratch declares nothing`, "give declarations of scratch by name")
  return entries as ReadonlyArray<readonly [string, Part]>
}
/** Words that a part takes. */
const words = (path: string, part: Part): number => {
  if (isSpec(part)) return wordsOfSpec(path, part)
  const inside = partsOf(path, isUnion(part) ? part["~alternatives"] : part)
  const sizes = inside.map(([name, p]) => words(`${path}.${name}`, p))
  return isUnion(part) ? Math.max(...sizes) : sizes.reduce((a, b) => a + b, 0)
}

/** The memory that a declaration asks for; throws `TypingError` where there is none. */
export const memoryOf = (name: string, spec: ScratchSpec | UnionSpec): Omit<Scratch, "name"> => {
  if (isUnion(spec)) {
    const memory = { dtype: "u32", shape: [words(name, spec)], space: "workgroup" } as const
    checkArray(`scratch "${name}"`, memory)
    return memory
  }
  const what = `scratch "${name}"`
  if (!isSpec(spec))
    throw new TypingError(
      `${what} is no declaration with a dtype`,
      "make it with Scratch.workgroup or Scratch.register"
    )
  checkArray(what, spec)
  const placement = placementOf(spec)
  checkPlacement(what, spec.shape, placement)
  const role = spec.role === undefined ? {} : { role: spec.role }
  const memory = { dtype: spec.dtype.name, shape: spec.shape, space: spec.space, ...role, ...placement }
  checkRole(what, memory)
  return memory
}

/** The part of a union that begins at a word. */
const refsOfPart = (part: Part, memory: MemRefImpl, start: number): ScratchRefs => {
  if (isSpec(part)) {
    const { dtype, shape } = part
    const size = Shape.size(shape)
    const range = at(memory, [{ "~slice": size, start, size, stride: 1 }])
    const values = dtype.name === memory.dtype ? range : bitcast(range, dtype.name)
    return shape.length === 1 ? values : reshape(values, shape)
  }
  let next = start
  const inside = Object.entries(isUnion(part) ? part["~alternatives"] : part)
  return Object.fromEntries(
    inside.map(([name, p]) => {
      const ref = refsOfPart(p, memory, isUnion(part) ? start : next)
      next += words(name, p)
      return [name, ref]
    })
  )
}
/** What the body gets for a declaration whose memory is this ref's. */
export const scratchRefs = (spec: ScratchSpec | UnionSpec, memory: MemRefImpl | RoleRef): ScratchRefs =>
  isUnion(spec) ? refsOfPart(spec, memory as MemRefImpl, 0) : memory
