/** A test case: a program, and a seed from which its arguments are made. */
import type * as DType from "../DType.ts"
import { toHost, zeros } from "../ir/array.ts"
import type { Program, RefDecl } from "../ir/program.ts"
import { Draw, seeded } from "./generate/draw.ts"
import { number } from "./generate/tiles.ts"

export interface Case {
  readonly program: Program
  /** Arguments of seed 0 are all 1 or true; every third seed has special values among them. */
  readonly seed: number
}
export type Arguments = ReadonlyMap<string, DType.HostArray>

const hash = (text: string): number => [...text].reduce((h, c) => Math.imul(h, 31) + c.codePointAt(0)!, 7)
const array = (ref: RefDecl, seed: number): DType.HostArray => {
  const out = zeros(ref)
  const draw = new Draw(seeded(seed ^ hash(ref.name)))
  for (let i = 0; i < out.data.length; i++)
    out.data[i] = seed === 0 ? 1 : number(draw, ref.dtype, seed % 3 === 2 ? 0.2 : 0)
  return toHost(out)
}

/** Arguments for the `in` and `inout` refs: small whole numbers, with which most arithmetic is exact. */
export const argumentsOf = ({ program, seed }: Case): Arguments =>
  new Map(program.refs.filter((r) => r.access !== "out").map((r) => [r.name, array(r, seed)]))
