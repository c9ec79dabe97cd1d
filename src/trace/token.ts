/** Copies in flight as the trace sees them: the data on its way, where it goes, and how it lands. */
import { showType } from "../ir/aval.ts"
import type { Region, Source } from "../ir/program.ts"
import { unbalanced } from "../ir/tokens.ts"
import { primitive } from "../primitives/index.ts"
import type { Landing } from "../primitives/structural/copy.ts"
import * as Shape from "../Shape.ts"
import { type MemRefImpl, moved, type Position, type Step } from "./ref.ts"
import { BalanceError } from "./state.ts"
import { constant, isTile, type TileImpl } from "./tile.ts"

export const TypeId = "~effect-kernels/Copy/Token" as const

interface Flight {
  /** What a wait takes. */
  readonly data: TileImpl
  readonly to: MemRefImpl
  readonly op: Landing
  readonly when: TileImpl | undefined
  readonly mask: TileImpl | undefined
  readonly source: Source
}
export class TokenImpl {
  readonly [TypeId] = TypeId
  readonly dtype: string
  readonly shape: Shape.Shape
  readonly flight: Flight
  /** Waited for, or handed on. */
  taken = false
  constructor(flight: Flight) {
    this.dtype = flight.data.dtype
    this.shape = flight.data.shape
    this.flight = flight
  }
}
export const isToken = (u: unknown): u is TokenImpl => typeof u === "object" && u !== null && TypeId in u

/**
 * What is carried of a token: the data, then all that may differ from turn to turn, whether or not it does, so that the
 * token that enters a loop is of the same form as the one that a turn leaves.
 */
export const handOn = (token: TokenImpl): ReadonlyArray<TileImpl> => {
  token.taken = true
  const { data, mask, to, when } = token.flight
  const out = [data, when ?? constant("bool", 1), ...(mask === undefined ? [] : [mask])]
  moved(to, (at) => {
    const tile = isTile(at) ? at : constant("i32", at)
    out.push(tile)
    return tile
  })
  return out
}
/** The token over other tiles, in the order of {@link handOn}. */
export const over = ({ flight }: TokenImpl, next: () => TileImpl): TokenImpl => {
  const [data, when] = [next(), next()]
  const mask = flight.mask === undefined ? undefined : next()
  return new TokenImpl({ ...flight, data, when, mask, to: moved(flight.to, next) })
}

const positionForm = (p: Position): string =>
  p._tag === "Point"
    ? "·"
    : p._tag === "Gather"
      ? showType(p.index)
      : `${p.start === 0 ? "" : "·"}:${p.size}${p.stride === 1 ? "" : `:${p.stride}`}`
const stepForm = (step: Step): string =>
  step._tag === "Index"
    ? `[${step.at.map(positionForm).join(", ")}]`
    : step._tag === "Reshape"
      ? ` as ${Shape.show(step.shape)}`
      : step._tag === "Transpose"
        ? ` transposed ${Shape.show(step.perm)}`
        : step._tag === "Bitcast"
          ? ` as ${step.dtype}`
          : ` through ${JSON.stringify(step.transform)}`
/** The token as messages show it: equal for tokens that one loop can carry. */
export const formOf = ({ flight }: TokenImpl): string => {
  const { data, mask, op, to } = flight
  const steps = moved(to, (at) => (isTile(at) ? at : constant("i32", at))).steps.map(stepForm)
  const masked = mask === undefined ? "" : ` where ${showType(mask)}`
  const how = op === "store" ? "" : ` by ${op}`
  return `a copy of ${showType(data)} to "${to.name}"${steps.join("")}${how}${masked}`
}

/** What is wrong where a body leaves something in flight, or waits for it twice. */
export const tokenMistake = (body: Region): BalanceError | undefined => {
  const found = unbalanced(body, primitive)
  if (found === undefined) return undefined
  const { at, detail, hint, region, start } = found
  const eqn = start ?? region.eqns[at]!
  return new BalanceError(eqn.primitive, String(eqn.params["to"]), detail, hint, region.eqns[at]!.source)
}
