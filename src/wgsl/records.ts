/**
 * The buffer that prints and assertions write to: how it is laid out, and the WGSL that takes places in it.
 *
 * Four counters; then a ring of places for failures, which nothing else takes; then the prints, one after the other. A
 * place begins with the number of the site, that of the program instance and that of its sequential cell; words of values
 * follow. Places are taken by the first invocation of a workgroup, so that those of one instance stand in its order.
 */
import type { Lowered, Stmt } from "../ir/lowered.ts"
import type { GridAxis } from "../ir/program.ts"
import type { Records } from "./module.ts"
import { eachStmt } from "./walk.ts"

export const counterWords = 4
/**
 * The counters: words of prints, prints that found no place, the rank of the first instance that failed (0 if none did, the
 * more the earlier), and how many took a place for a failure.
 */
export const countersOf = (words: Uint32Array) => {
  const [used, lost, first, failures] = words as unknown as readonly [number, number, number, number]
  return { used, lost, first, failures }
}
/** The instance of a rank. */
export const instanceOf = (rank: number): number => 0xffffffff - rank

/** Words at the beginning of a place. */
export const headWords = 3
/**
 * Places for failures. Only an instance that stands before all that have failed so far takes one, so that a place is used
 * again only when this many came one before the other.
 */
export const failurePlaces = 64
/** Words between the counters and the prints. */
export const failureArea = ({ failureWords }: Records): number => failurePlaces * failureWords

type Reserve = Stmt & { readonly _tag: "Reserve" }
/** What a kernel records; `undefined` if it records nothing. */
export const recordsOf = ({ body, sites = [] }: Lowered, grid: ReadonlyArray<GridAxis>): Records | undefined => {
  if (sites.length === 0) return undefined
  let failureWords = 0
  eachStmt(body, (s) => {
    if (s._tag === "Reserve" && s.kind === "failure") failureWords = Math.max(failureWords, headWords + s.words)
  })
  return { sites, grid, failureWords }
}

export const recordsBinding = (
  binding: number
): string => `struct EkRecords { used: atomic<u32>, lost: atomic<u32>, first: atomic<u32>, failures: atomic<u32>, words: array<u32> }
@group(0) @binding(${binding}) var<storage, read_write> ek_records: EkRecords;`

export const reserveText = ({ kind, name, site, words }: Reserve, cell: string): string =>
  `let ${name} = ek_${kind}(program, ${cell}, ${site}u, ${Math.min(headWords + words, 0xffffffff)}u);`
export const recordPlace = (index: string): string => `ek_records.words[${index}]`

/** After a failure an instance records nothing, so that what it has recorded came before. */
export const recordFunctions = (records: Records): ReadonlyArray<string> => [
  "var<private> ek_failed: bool;",
  `fn ek_place(at: u32, program: i32, cell: i32, site: u32) -> i32 {
  ek_records.words[at] = site;
  ek_records.words[at + 1u] = u32(program);
  ek_records.words[at + 2u] = u32(cell);
  return i32(at + ${headWords}u);
}`,
  `fn ek_print(program: i32, cell: i32, site: u32, words: u32) -> i32 {
  if (ek_failed) { return -1; }
  let room = arrayLength(&ek_records.words) - ${failureArea(records)}u;
  loop {
    let used = atomicLoad(&ek_records.used);
    if (words > room - used) {
      atomicAdd(&ek_records.lost, 1u);
      return -1;
    }
    let taken = atomicCompareExchangeWeak(&ek_records.used, used, used + words);
    if (taken.exchanged) { return ek_place(${failureArea(records)}u + used, program, cell, site); }
  }
}`,
  ...(records.failureWords === 0 ? [] : [failureFunction(records)])
]
const failureFunction = ({ failureWords }: Records): string =>
  `fn ek_failure(program: i32, cell: i32, site: u32, words: u32) -> i32 {
  if (ek_failed) { return -1; }
  ek_failed = true;
  let rank = 0xffffffffu - u32(program);
  if (atomicMax(&ek_records.first, rank) >= rank) { return -1; }
  let turn = atomicAdd(&ek_records.failures, 1u) % ${failurePlaces}u;
  return ek_place(turn * ${failureWords}u, program, cell, site);
}`
