/** Bodies over values as refs, and loops over the rows of refs, as the trace emits them. */
import { Effect } from "effect"
import { load, store } from "./access.ts"
import { fori, inScope } from "./control.ts"
import { standingAt } from "./position.ts"
import { at, isMemRef, type MemRefImpl } from "./ref.ts"
import type { Source } from "../ir/program.ts"
import { isTile, lift, refuse, type TileImpl } from "./tile.ts"
import { type Body, control, runBody } from "./tracer.ts"

type AnyBody = Body<unknown, unknown, unknown> | unknown
type Record<A> = { readonly [name: string]: A }
type Gen<A> = Generator<Effect.Effect<any, any, any>, A, any>

const recordOf = (name: string, source: Source, what: string, u: unknown): Record<unknown> =>
  typeof u === "object" && u !== null && !isTile(u) && !isMemRef(u)
    ? (u as Record<unknown>)
    : refuse(name, source, `${what} are no record`, "give them by name")
const named = <A>(names: ReadonlyArray<string>, values: ReadonlyArray<A>): Record<A> =>
  Object.fromEntries(names.map((name, k) => [name, values[k]!]))

/** Runs a body over scratch that starts as these tiles; gives the tiles that it holds in the end. */
export const runState = (init: unknown, body: (refs: Record<MemRefImpl>) => AnyBody) =>
  control("runState", (state, source) =>
    Effect.suspend(() => {
      const given = Object.entries(recordOf("runState", source, "initial values", init))
      const names = given.map(([name]) => name)
      const tiles = given.map(([name, u]): TileImpl =>
        isTile(u) ? u : refuse("runState", source, `"${name}" is no tile`, "make a number one with Tile.of")
      )
      const decls = tiles.map((t, k) => ({
        name: names[k]!,
        dtype: t.dtype,
        shape: t.shape,
        space: "workgroup" as const
      }))
      return inScope(state, decls, source, (refs) =>
        Effect.gen(function* (): Gen<Record<TileImpl>> {
          for (const [k, ref] of refs.entries()) yield* standingAt(source, () => store(ref, tiles[k], undefined))
          const value = yield* runBody(state, () => body(named(names, refs)))
          if (value !== undefined) refuse("runState", source, "the body returns a value", "store it to one of its refs")
          const last: Array<TileImpl> = []
          for (const ref of refs) last.push(yield* standingAt(source, () => load(ref, undefined)))
          return named(names, last)
        })
      )
    })
  )

interface ScanRefs {
  readonly in?: Record<unknown>
  readonly out?: Record<unknown>
}
const refsOf = (source: Source, what: string, u: unknown): Record<MemRefImpl> => {
  const refs = recordOf("scan", source, what, u ?? {})
  for (const [name, ref] of Object.entries(refs))
    if (!isMemRef(ref) || ref.shape.length === 0)
      refuse("scan", source, `"${name}" is ${isMemRef(ref) ? "a ref without axes" : "no ref"}`, "scans go over axis 0")
  return refs as Record<MemRefImpl>
}
const lengthOf = (source: Source, refs: ReadonlyArray<readonly [string, MemRefImpl]>): number => {
  const [first] = refs
  if (first === undefined) return refuse("scan", source, "no ref to go over", "give at least one")
  const length = first[1].shape[0]!
  for (const [name, ref] of refs)
    if (ref.shape[0] !== length)
      refuse(
        "scan",
        source,
        `"${first[0]}" has ${length} rows, "${name}" ${ref.shape[0]}`,
        "refs of a scan have as many rows"
      )
  return length
}
const outputsOf = (source: Source, step: unknown, out: Record<MemRefImpl>): Record<unknown> => {
  const given = recordOf("scan", source, "what the body gives", step)["out"] ?? {}
  const rows = recordOf("scan", source, "rows that the body gives", given)
  const [missing] = Object.keys(out).filter((name) => rows[name] === undefined)
  const [extra] = Object.keys(rows).filter((name) => out[name] === undefined)
  if (missing !== undefined) refuse("scan", source, `the body gives no row for "${missing}"`)
  if (extra !== undefined)
    refuse("scan", source, `the body gives a row for "${extra}", which is no out ref of the scan`)
  return rows
}

/** Threads a carry over the rows of refs, first to last or last to first: loads each, and stores what the body gives. */
export const scan = (
  refs: ScanRefs,
  init: any,
  body: (carry: unknown, rows: Record<TileImpl>, i: TileImpl) => AnyBody,
  reverse: boolean
) =>
  control("scan", (state, source) =>
    Effect.suspend(() => {
      const from = refsOf(source, "in refs", recordOf("scan", source, "refs", refs)["in"])
      const to = refsOf(source, "out refs", refs.out)
      const length = lengthOf(source, [...Object.entries(from), ...Object.entries(to)])
      return standingAt(source, () =>
        fori(0, length, init, (k, carry) =>
          Effect.gen(function* (): Gen<unknown> {
            const i = reverse ? lift("sub", [length - 1, k]) : k
            const rows: { [name: string]: TileImpl } = {}
            for (const [name, ref] of Object.entries(from))
              rows[name] = yield* standingAt(source, () => load(at(ref, [i]), undefined))
            const step = yield* runBody(state, () => body(carry, rows, i))
            const given = outputsOf(source, step, to)
            for (const [name, ref] of Object.entries(to))
              yield* standingAt(source, () => store(at(ref, [i]), given[name], undefined))
            return (step as { readonly carry: unknown }).carry
          })
        )
      )
    })
  )
