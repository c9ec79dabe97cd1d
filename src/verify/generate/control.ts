/** Branches, loops and scopes around statements. */
import { type Atom, type Aval, literal, type Region, type Scratch, type Var } from "../../ir/program.ts"
import { anyScratch, useScratch } from "./refs.ts"
import { initialise } from "./memory.ts"
import { fits, type Gen } from "./state.ts"
import * as Tiles from "./tiles.ts"

/** Writes some statements in the current region. */
export type Body = (gen: Gen) => void

/** A region whose body is statements and then `results`. */
const region = (
  gen: Gen,
  params: ReadonlyArray<Aval>,
  body: Body,
  results: (params: ReadonlyArray<Var>) => ReadonlyArray<Atom>
): Region =>
  gen.scope(() =>
    gen.builder.region(params, (vars) => {
      for (const v of vars) gen.add(v)
      body(gen)
      return results(vars).map((atom) => gen.use(atom))
    })
  )
const emit = (gen: Gen, primitive: string, operands: ReadonlyArray<Atom>, regions: ReadonlyArray<Region>): void => {
  gen.budget--
  for (const result of gen.builder.emit(primitive, operands, { regions })) gen.add(result)
}
const carries = (gen: Gen): ReadonlyArray<Atom> =>
  Array.from({ length: gen.draw.below(3) }, () => {
    const { draw } = gen
    const found = draw.chance(0.7) ? gen.find((v) => fits(v.shape)) : undefined
    return found ?? Tiles.fresh(gen, { dtype: Tiles.dtype(draw), shape: Tiles.shape(draw, draw.below(3)) })
  })
const types = (atoms: ReadonlyArray<Aval>): ReadonlyArray<Aval> => atoms.map(({ dtype, shape }) => ({ dtype, shape }))
const index: Aval = { dtype: "i32", shape: [] }

export const cond = (gen: Gen, body: Body): void => {
  const predicate = gen.use(Tiles.condition(gen))
  const results = types(carries(gen))
  const branch = () => region(gen, [], body, () => results.map((aval) => Tiles.tile(gen, aval)))
  emit(gen, "cond", [predicate], [branch(), branch()])
}

/** A number of turns: known, or only at run time; never many. */
const turns = (gen: Gen): Atom => {
  const known = gen.draw.chance(0.4) ? gen.find((v) => v.dtype === "i32" && v.shape.length === 0) : undefined
  return known === undefined ? literal("i32", gen.draw.below(4)) : gen.op("and", [known, literal("i32", 3)])
}
export const fori = (gen: Gen, body: Body): void => {
  const lo = literal("i32", gen.draw.chance(0.2) ? gen.draw.between(-1, 1) : 0)
  const hi = gen.use(turns(gen))
  const init = carries(gen).map((atom) => gen.use(atom))
  const params = [index, ...types(init)]
  const loop = region(gen, params, body, ([, ...vars]) =>
    vars.map((v) => (gen.draw.chance(0.8) ? Tiles.tile(gen, v) : v))
  )
  emit(gen, "fori", [lo, hi, ...init], [loop])
}

/** A loop over a counter of its own, so that it ends; condition and body may touch memory. */
export const whileLoop = (gen: Gen, body: Body): void => {
  const init = [literal("i32", 0), ...carries(gen).map((atom) => gen.use(atom))]
  const limit = literal("i32", gen.draw.between(1, 3))
  const before: Body = (g) => {
    if (g.draw.chance(0.3)) body(g)
  }
  const condition = region(gen, types(init), before, ([i]) => {
    const going = gen.op("lt", [i!, limit])
    return [gen.draw.chance(0.3) ? gen.op("and", [going, Tiles.condition(gen)]) : going]
  })
  const turn = region(gen, types(init), body, ([i, ...vars]) => [
    gen.op("add", [i!, literal("i32", 1)]),
    ...vars.map((v) => Tiles.tile(gen, v))
  ])
  emit(gen, "while", init, [condition, turn])
}

/** A scope with this scratch around what `body` writes; semaphores start as 0. */
export const within = (
  gen: Gen,
  refs: ReadonlyArray<Scratch>,
  body: () => void,
  semaphores: ReadonlyArray<Scratch> = []
): void => {
  const inner = gen.scope(() => {
    for (const ref of refs) useScratch(gen, ref)
    return gen.builder.region(
      [],
      () => {
        initialise(
          gen,
          refs.filter((ref) => !semaphores.includes(ref))
        )
        body()
        const found = gen.draw.chance(0.7) ? gen.find((v) => fits(v.shape)) : undefined
        return found === undefined ? [] : [found]
      },
      refs
    )
  })
  emit(gen, "scoped", [], [inner])
}
export const scoped = (gen: Gen, body: Body): void => {
  const refs = Array.from({ length: gen.draw.between(1, 2) }, () => anyScratch(gen))
  within(gen, refs, () => body(gen))
}
