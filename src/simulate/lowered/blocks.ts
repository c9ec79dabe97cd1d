/** Walks over the blocks of the lowered form, and the barriers in them. */
import type { Lowered, Stmt } from "../../ir/lowered.ts"
import type { Site } from "./report.ts"
import { showStatement } from "./show.ts"

/** A statement that may hold barriers, with its blocks replaced. */
const mapBlocks = (s: Stmt, f: (block: ReadonlyArray<Stmt>, name: string) => ReadonlyArray<Stmt>): Stmt => {
  if (s._tag === "For" || s._tag === "Loop") return { ...s, body: f(s.body, "body") }
  if (s._tag === "If") return { ...s, then: f(s.then, "then"), else: f(s.else, "else") }
  return s
}
/** The sites of a block's statements, given the path of the block. */
export const sitesOf = (body: ReadonlyArray<Stmt>, prefix: string): ReadonlyArray<Site> => {
  let comment: string | undefined
  return body.map((s, k) => {
    if (s._tag === "Comment") comment = s.text
    return { path: `${prefix}${k}`, text: showStatement(s), ...(comment === undefined ? {} : { comment }) }
  })
}

/** One barrier: a call that waits for one address space. */
export interface BarrierSite {
  readonly number: number
  readonly space: "workgroup" | "storage"
  readonly site: Site
}
const spaces = ["workgroup", "storage"] as const

/** The barriers of a lowered kernel, numbered from 0; a statement that waits for both address spaces is two. */
export const barriersOf = ({ body }: Lowered): ReadonlyArray<BarrierSite> => {
  const found: Array<BarrierSite> = []
  const walk = (block: ReadonlyArray<Stmt>, prefix: string): void => {
    const sites = sitesOf(block, prefix)
    block.forEach((s, k) => {
      if (s._tag === "Barrier")
        for (const space of spaces) if (s[space]) found.push({ number: found.length, space, site: sites[k]! })
      mapBlocks(s, (inner, name) => {
        walk(inner, `${prefix}${k}.${name}.`)
        return inner
      })
    })
  }
  walk(body, "")
  return found
}
/** How many barriers a lowered kernel has. */
export const barrierCount = (lowered: Lowered): number => barriersOf(lowered).length

/** The kernel without barrier `n` of {@link barriersOf}; the kernel itself if it has none of that number. */
export const withoutBarrier = (lowered: Lowered, n: number): Lowered => {
  let number = 0
  const isKept = (isThere: boolean): boolean => isThere && number++ !== n
  const walk = (block: ReadonlyArray<Stmt>): ReadonlyArray<Stmt> =>
    block.flatMap((s) => {
      if (s._tag !== "Barrier") return [mapBlocks(s, walk)]
      const workgroup = isKept(s.workgroup)
      const storage = isKept(s.storage)
      return workgroup || storage ? [{ ...s, workgroup, storage }] : []
    })
  return { ...lowered, body: walk(lowered.body) }
}
