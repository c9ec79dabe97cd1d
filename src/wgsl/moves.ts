/** Moving values into the places of several variables, as if at once. */
import type { Expr, Memory } from "../ir/lowered.ts"
import type { BlockContext } from "../ir/primitive.ts"
import { type Atom, isVar, type Var } from "../ir/program.ts"
import * as Shape from "../Shape.ts"
import type { State } from "./elements.ts"

interface Move {
  readonly to: Var
  readonly place: Memory
  readonly value: Atom
}

/** Memory that computing an atom reads, and whether only where the atom's element stands. */
const reads = (state: State, atom: Atom): ReadonlyMap<Memory, boolean> => {
  const found = new Map<Memory, boolean>()
  const seen = new Set<string>()
  const work: Array<{ readonly atom: Atom; readonly same: boolean }> = [{ atom, same: true }]
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (!isVar(next.atom) || seen.has(`${next.atom.id}${next.same}`)) continue
    seen.add(`${next.atom.id}${next.same}`)
    const place = state.allocation.places.get(next.atom.id)
    if (place !== undefined) found.set(place, (found.get(place) ?? true) && next.same)
    const site = state.facts.definitions.get(next.atom.id)!.site
    if (place !== undefined || site === undefined || state.layouts.of(next.atom) !== "Lazy") continue
    if (site.rule._tag === "Block") continue
    const access = site.rule._tag === "Element" ? site.rule.access : () => "same"
    const operands = [...site.eqn.operands, ...site.eqn.indices]
    for (const [k, o] of operands.entries())
      work.push({ atom: o, same: next.same && access(site.eqn, k, state.workgroupSize) === "same" })
  }
  return found
}

/** Whether another of the moves may overwrite what this one reads before it has read it. */
const conflicts = (state: State, move: Move, all: ReadonlyArray<Move>): boolean => {
  const from = reads(state, move.value)
  return all.some((other) => {
    const same = from.get(other.place)
    return same !== undefined && !(same && Shape.size(other.to.shape) === Shape.size(move.to.shape))
  })
}

/** Copies the value to memory of its own first. */
const aside = (ctx: BlockContext, move: Move): Memory => {
  const copy = ctx.scratch(move.to.dtype, Shape.size(move.to.shape))
  ctx.each(move.to.shape, (element) =>
    ctx.emit({ _tag: "Store", memory: copy.name, index: element.linear(), value: ctx.same(move.value, element) })
  )
  return copy
}

const moveTiles = (state: State, ctx: BlockContext, moves: ReadonlyArray<Move>): void => {
  const copies = new Map<Move, Memory>()
  for (const m of moves) if (conflicts(state, m, moves)) copies.set(m, aside(ctx, m))
  for (const size of new Set(moves.map((m) => Shape.size(m.to.shape)))) {
    const together = moves.filter((m) => Shape.size(m.to.shape) === size)
    ctx.each([size], (element) => {
      const values = together.map((m): Expr => {
        const copy = copies.get(m)
        const value: Expr =
          copy === undefined
            ? ctx.same(m.value, element)
            : { _tag: "Load", memory: copy.name, index: element.linear(), dtype: copy.dtype }
        return together.length === 1 ? value : state.builder.let("next", value)
      })
      together.forEach((m, k) => ctx.result(m.to, element, values[k]!))
    })
  }
}

const moveSplats = (state: State, ctx: BlockContext, to: ReadonlyArray<Var>, from: ReadonlyArray<Atom>) => {
  const changed = to
    .map((v, k) => ({
      target: state.splats.get(v.id)!,
      value: ctx.at(
        from[k]!,
        from[k]!.shape.map(() => ctx.algebra.constant(0))
      )
    }))
    .filter(({ target, value }) => !(value._tag === "Local" && target._tag === "Local" && value.name === target.name))
  const values = changed.map(({ value }) =>
    changed.length === 1 || value._tag === "Const" ? value : state.builder.named("next", value)
  )
  return () =>
    changed.forEach(({ target }, k) => {
      if (target._tag === "Local") ctx.emit({ _tag: "Assign", name: target.name, value: values[k]! })
    })
}

/** Single values are read before tiles are moved, and written after, since tiles may be computed from them. */
export const move = (state: State, ctx: BlockContext, to: ReadonlyArray<Var>, from: ReadonlyArray<Atom>): void => {
  const splat = to.map((v) => Shape.size(v.shape) === 1)
  const assign = moveSplats(
    state,
    ctx,
    to.filter((_, k) => splat[k]),
    from.filter((_, k) => splat[k])
  )
  const tiles: Array<Move> = []
  to.forEach((variable, k) => {
    const place = state.allocation.places.get(variable.id)
    const value = from[k]!
    if (place === undefined || splat[k] || (isVar(value) && state.allocation.places.get(value.id) === place)) return
    tiles.push({ to: variable, place, value })
  })
  if (tiles.length > 0) moveTiles(state, ctx, tiles)
  assign()
}
