/** The only list of primitives: documentation, coverage, contract tests and the generator are computed from it. */
import type { Primitive } from "../ir/primitive.ts"
import * as arithmetic from "./arithmetic.ts"
import * as atomic from "./atomic.ts"
import * as barrier from "./barrier.ts"
import * as bitwise from "./bitwise.ts"
import * as compare from "./compare.ts"
import * as control from "./control.ts"
import * as convert from "./convert.ts"
import * as copy from "./copy.ts"
import * as debug from "./debug.ts"
import * as dot from "./dot.ts"
import * as grid from "./grid.ts"
import * as inline from "./inline.ts"
import * as math from "./math.ts"
import * as matrix from "./matrix.ts"
import * as memory from "./memory.ts"
import * as reduce from "./reduce.ts"
import * as scratch from "./scratch.ts"
import * as semaphore from "./semaphore.ts"
import * as shape from "./shape.ts"
import * as subgroup from "./subgroup.ts"

const families: ReadonlyArray<{ readonly [exported: string]: Primitive }> = [
  arithmetic,
  math,
  compare,
  bitwise,
  convert,
  shape,
  reduce,
  dot,
  matrix,
  memory,
  atomic,
  grid,
  control,
  scratch,
  copy,
  barrier,
  semaphore,
  subgroup,
  debug,
  inline
]

const byOwnName = (a: Primitive, b: Primitive): number => (a.name < b.name ? -1 : 1)
/** All primitives, family by family; sorted, because bundlers list a module's exports in orders of their own. */
export const primitives: ReadonlyArray<Primitive> = families.flatMap((family) => Object.values(family).sort(byOwnName))

const byName: ReadonlyMap<string, Primitive> = new Map(primitives.map((p) => [p.name, p]))
/** The primitive of that name. */
export const primitive = (name: string): Primitive | undefined => byName.get(name)
