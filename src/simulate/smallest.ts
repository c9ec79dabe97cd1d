/**
 * The smallest grid and shapes at which something persists, found by making a program smaller step by step.
 *
 * Greedy: each size falls as far as it can while what is looked for persists, again and again until nothing falls. What is
 * found is locally smallest, and the same each time.
 */
import { Effect } from "effect"
import type * as DType from "../DType.ts"
import { fromHost, storage, toHost } from "../ir/array.ts"
import { check } from "../ir/check.ts"
import { print } from "../ir/print.ts"
import type { Program, RefDecl } from "../ir/program.ts"
import { type Edits, remake } from "../passes/rebuild.ts"
import { primitive } from "../primitives/index.ts"
import * as Shape from "../Shape.ts"
import { type Knob, knobsOf } from "./smaller.ts"

export type Arrays = ReadonlyMap<string, DType.HostArray>
/** A program with host arrays for its `in` and `inout` refs. */
export interface Case {
  readonly program: Program
  readonly args: Arrays
}
/** Whether what is looked for is still there. It should be the same cause: a smaller program may have faults of its own. */
export type Persists<E = never, R = never> = (program: Program, args: Arrays) => Effect.Effect<boolean, E, R>
export interface SmallestOptions {
  /** How many programs are tried at most; 200, if left out. */
  readonly tries?: number
}

/** The first elements along each axis, as an array of the smaller ref. */
const crop = (from: RefDecl, to: RefDecl, host: DType.HostArray): DType.HostArray => {
  if (Shape.equals(from.shape, to.shape)) return host
  const { data } = fromHost(from, host)
  const cropped = storage(to.dtype, Shape.size(to.shape))
  const [stride, own] = [Shape.strides(from.shape), Shape.strides(to.shape)]
  for (let i = 0; i < cropped.length; i++) {
    let at = 0
    for (const [d, n] of to.shape.entries()) at += (Math.floor(i / own[d]!) % n) * stride[d]!
    cropped[i] = data[at]!
  }
  return toHost({ dtype: to.dtype, shape: to.shape, data: cropped })
}
const cropped = (from: Program, to: Program, args: Arrays): Arrays =>
  new Map(
    from.refs.flatMap((ref, k) => {
      const host = args.get(ref.name)
      return host === undefined ? [] : [[ref.name, crop(ref, to.refs[k]!, host)] as const]
    })
  )

class Search<E, R> {
  best: Case
  private readonly persists: Persists<E, R>
  private readonly seen = new Set<string>()
  private tries: number
  /** Programs that are made, most of which have no types or are known: they are cheap, and not for nothing. */
  private made: number

  constructor(start: Case, persists: Persists<E, R>, tries: number) {
    this.best = start
    this.persists = persists
    this.tries = tries
    this.made = 50 * tries
    this.seen.add(print(start.program))
  }
  get isOver(): boolean {
    return this.tries <= 0 || this.made <= 0
  }
  /** A case that is well formed and not known yet. */
  private candidate(edits: Edits): Case | undefined {
    this.made--
    const program = remake(this.best.program, edits, primitive)
    if (program === undefined || check(program, primitive) !== undefined) return undefined
    const text = print(program)
    if (this.seen.has(text)) return undefined
    this.seen.add(text)
    return { program, args: cropped(this.best.program, program, this.best.args) }
  }
  /** Takes the first smaller program in which it persists. */
  private readonly step = Effect.fnUntraced({ self: this }, function* (this: Search<E, R>, knob: Knob) {
    for (const edits of knob(this.best.program)) {
      if (this.isOver) return false
      const smaller = this.candidate(edits)
      if (smaller === undefined) continue
      this.tries--
      if (yield* this.persists(smaller.program, smaller.args)) {
        this.best = smaller
        return true
      }
    }
    return false
  })
  /** Turns each knob as far as it goes; says whether one did. */
  readonly pass = Effect.fnUntraced({ self: this }, function* (this: Search<E, R>) {
    const before = this.best
    for (const knob of knobsOf(before.program)) while (yield* this.step(knob)) continue
    return this.best !== before
  })
}

/**
 * A smaller case in which it persists: smaller grid, refs, blocks, scratch and loops, with the first elements of each
 * argument; the case itself, if there is none. Equations stay, in their order and with their sources.
 */
export const smallest = Effect.fnUntraced(function* <E, R>(
  start: Case,
  persists: Persists<E, R>,
  options: SmallestOptions = {}
) {
  const search = new Search(start, persists, options.tries ?? 200)
  while (!search.isOver && (yield* search.pass())) continue
  return search.best
})
