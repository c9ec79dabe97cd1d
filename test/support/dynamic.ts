/** Kernels as a caller without types may write them, and tables of their mistakes. */
import { f32, i32, type Kernel, MemRef, Tile } from "../../src/index.ts"
import { single } from "./kernels.ts"

const four = { x: MemRef.in(f32, [4]), n: MemRef.in(i32, [4]), m: MemRef.in(f32, [2, 2]), o: MemRef.out(f32, [4]) }
/** What a caller without types may write, over refs `x`, `n`, `m` and `o`. */
export const dynamic = (body: (refs: any) => Generator<any, any, any>): Kernel.Any => single(four, body as any)
/** Arguments of a {@link dynamic} kernel. */
export const args = () => ({ x: new Float32Array(4), n: new Int32Array(4), m: new Float32Array(4) })
/** A mistake: in words, the body that makes it, what the message says, and the line that it points to. */
export type Case = readonly [
  what: string,
  body: (refs: any) => Generator<any, any, any>,
  says: ReadonlyArray<string>,
  at: string
]
export const T: any = Tile
export const M: any = MemRef
