/** Plants a fault in a program that has none. */
import { Effect } from "effect"
import type { Verify } from "effect-kernels/verify"
import type { Builder } from "../../src/ir/build.ts"
import type { Program, Region } from "../../src/ir/program.ts"
import { remake } from "../../src/passes/rebuild.ts"
import { primitive } from "../../src/primitives/index.ts"
import type { Draw } from "../../src/verify/generate/draw.ts"
import type { Fault, Kind } from "./fault.ts"
import { cellsAlong, choose, has, type Place } from "./place.ts"
import { type Expected, int, Writer } from "./write.ts"

export interface Planted {
  readonly program: Program
  readonly expected: Expected
}
const suits = ({ grid, threads }: Program, { among }: Kind): boolean =>
  grid.every((axis) => axis.size > 0) && (threads !== undefined) === (among === "threads")

/** Some loops or branches around what is written. */
const nested = (writer: Writer, depth: number, write: () => void): void => {
  const way = depth === 0 ? 0 : writer.draw.below(4)
  if (way < 2) return write()
  const deeper = () => nested(writer, depth - 1, write)
  if (way === 2) writer.times(writer.draw.between(1, 3), deeper)
  else writer.when(writer.value("eq", [int(1), int(1)]), deeper)
}
/** All parts in one place, in a scope of their own. */
const scoped = (writer: Writer, { parts, scratch = [] }: Fault, { among }: Kind): void => {
  const write = () => parts.forEach((part) => part())
  if (scratch.length === 0) return write()
  const params = among === "threads" ? { collective: true } : {}
  writer.emit("scoped", [], [], { regions: [writer.region(write, scratch)], params })
}
/** Writes a fault into a program. */
const insert = (program: Program, kind: Kind, fault: Fault, place: Place, writer: Writer): Program | undefined => {
  const { parts, refs = [], scratch = [] } = fault
  const before = (region: Region, position: number, builder: Builder): void => {
    if (region !== place.region) return
    writer.builder = builder
    if (place.holds) parts.forEach((write, k) => place.positions[k] === position && write())
    else if (place.positions[0] === position)
      nested(writer, kind.mends === undefined ? 2 : 0, () => scoped(writer, fault, kind))
  }
  const more = (region: Region) => (place.holds && region === place.region ? scratch : [])
  return remake(program, { before, more, refs: [...program.refs, ...refs] }, primitive)
}

/** One fault of a kind in a program without faults; nothing where the program does not suit it. */
export const plant = (c: Verify.Case, kind: Kind, draw: Draw): Effect.Effect<Planted | undefined, unknown> =>
  Effect.gen(function* () {
    const { program } = c
    const parallel = cellsAlong(program, "parallel")
    const isMended = kind.mends !== undefined && has(program, kind.mends)
    if (!suits(program, kind) || (kind.among === "instances" && parallel < 2)) return undefined
    if (isMended && cellsAlong(program, "sequential") > 1) return undefined
    const writer = new Writer(draw, program)
    const fault = kind.write(writer)
    const place = yield* choose(c, draw, {
      parts: fault.parts.length,
      together: kind.together ?? false,
      hasScratch: fault.scratch !== undefined,
      collective: kind.among === "threads",
      atEnd: isMended,
      instances: fault.instances ?? []
    })
    if (place === undefined) return undefined
    const planted = insert(program, kind, fault, place, writer)
    if (planted === undefined) throw new Error(`a fault of kind "${kind.name}" does not type`)
    return { program: planted, expected: fault.expected() }
  })
