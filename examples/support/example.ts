/** What the examples share: a kernel run on given data, what must come out, and a way to run a file by itself. */
import type { Effect } from "effect"
import type { DType, Interpreter, KernelError, Effects } from "effect-kernels"

/** Arrays by the names of refs. */
export type Arrays = { readonly [name: string]: DType.HostArray }
export interface Example {
  readonly name: string
  /** One sentence: the idea. */
  readonly about: string
  /** Runs it on whatever interpreter is provided. */
  readonly main: Effect.Effect<Arrays, KernelError, Interpreter.Interpreter | Effects.Any>
  /** What must come out, computed without kernels. */
  readonly expected: Arrays
  /** Largest absolute difference; 0 where all arithmetic is exact, so that every interpreter gives the same bits. */
  readonly tolerance: number
}

/** Runs an example if its file is the one that Node was started with. */
export const runIfMain = (url: string, example: Example): void => {
  const started = (globalThis as { readonly process?: { readonly argv?: ReadonlyArray<string> } }).process?.argv?.[1]
  if (started === undefined || !url.endsWith(started.replaceAll("\\", "/"))) return
  // Through a variable, so that bundlers for the browser leave what is for Node alone.
  const node = "./node.ts"
  void import(/* @vite-ignore */ node).then((m: { readonly run: (example: Example) => Promise<void> }) =>
    m.run(example)
  )
}

/** Numbers that look random and are the same everywhere: whole multiples of 1/8 between -4 and 4. */
export const samples = (length: number, seed = 1): Float32Array<ArrayBuffer> => {
  let state = seed
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return ((state >>> 24) - 128) / 32
  }).map((x) => Math.round(x * 8) / 8)
}

/** Largest absolute difference between two arrays; infinite if one has NaN where the other has not. */
export const difference = (a: DType.HostArray, b: DType.HostArray): number => {
  let largest = a.length === b.length ? 0 : Infinity
  for (let i = 0; i < b.length; i++) {
    if (Object.is(a[i], b[i]) || a[i] === b[i]) continue
    const d = Math.abs(a[i]! - b[i]!)
    largest = Math.max(largest, Number.isNaN(d) ? Infinity : d)
  }
  return largest
}
