/** How often each primitive occurred with each dtype. */
import type { Verify } from "effect-kernels/verify"
import * as DType from "../src/DType.ts"
import type { Family } from "../src/ir/primitive.ts"
import { type Aval, type Eqn, equations, refTypes } from "../src/ir/program.ts"
import { primitive, primitives } from "../src/primitives/index.ts"
import { isGenerated } from "../src/verify/generate/program.ts"
import { instances } from "../src/verify/generate/refs.ts"

/** The dtype that an equation is about: its ref's, or the one that decides its rule, else that of what it gives or takes. */
const dtypeOf = (eqn: Eqn, refs: ReadonlyMap<string, Aval>): DType.Name | undefined => {
  const [use] = eqn.refs
  if (use !== undefined) return refs.get(use.name)?.dtype
  const { elementwise, family } = primitive(eqn.primitive)!
  if (elementwise !== undefined) return eqn.operands.at(-1)?.dtype
  if (family === "reduce" || family === "dot") return eqn.operands[0]?.dtype
  return eqn.results[0]?.dtype ?? eqn.operands[0]?.dtype
}
/** Families whose equations are about regions and not about elements. */
const structural: ReadonlyArray<Family> = ["control", "scratch", "grid", "inline"]
const other = "other"
const listed = primitives.filter(isGenerated)
/** Primitives that no program holds. */
export const unlisted: ReadonlyArray<string> = primitives.filter((p) => !isGenerated(p)).map((p) => p.name)

export class Counts {
  private readonly counts = new Map<string, Map<string, number>>()
  add({ program }: Verify.Case): void {
    const refs = refTypes(program)
    for (const eqn of equations(program.body)) {
      const row = this.counts.get(eqn.primitive) ?? new Map<string, number>()
      this.counts.set(eqn.primitive, row)
      const isStructural = structural.includes(primitive(eqn.primitive)!.family)
      const column = (isStructural ? undefined : dtypeOf(eqn, refs)) ?? other
      row.set(column, (row.get(column) ?? 0) + 1)
    }
  }
  /** Equations of a primitive. */
  private total(name: string): number {
    return [...(this.counts.get(name)?.values() ?? [])].reduce((sum, n) => sum + n, 0)
  }
  /** Primitives that occurred less often than `least` times. */
  rare(least: number): ReadonlyArray<string> {
    return listed.map((p) => p.name).filter((name) => this.total(name) < least)
  }
  /** A line per primitive, a column per dtype. */
  table(): string {
    const columns = [...DType.names, other, "all"]
    const cell = (text: string | number) => String(text).padStart(7)
    const line = (name: string, cells: ReadonlyArray<string | number>) => name.padEnd(20) + cells.map(cell).join("")
    const rows = listed.map(({ name }) => {
      const row = this.counts.get(name)
      return line(name, [...columns.slice(0, -1).map((c) => row?.get(c) ?? "·"), this.total(name)])
    })
    return [line("primitive", columns), ...rows].join("\n")
  }
}

const holds =
  (names: RegExp) =>
  ({ program }: Verify.Case): boolean =>
    [...equations(program.body)].some((eqn) => names.test(eqn.primitive))
const features: ReadonlyArray<readonly [name: string, has: (c: Verify.Case) => boolean]> = [
  ["several instances", ({ program }) => instances(program.grid) > 1],
  ["threads", ({ program }) => program.threads !== undefined],
  ["barriers", holds(/^barrier|^sync/)],
  ["copies", holds(/^copy/)],
  ["products", holds(/^multiplyAccumulate/)],
  ["semaphores", holds(/^semaphore/)],
  ["loops", holds(/^fori|^while/)]
]
/** A line that says how many of some programs have what the Simulator is about. */
export const shares = (cases: ReadonlyArray<Verify.Case>): string =>
  features.map(([name, has]) => `${name} ${Math.round((100 * cases.filter(has).length) / cases.length)} %`).join(", ")
