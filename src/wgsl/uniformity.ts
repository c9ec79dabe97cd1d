/**
 * Which values WGSL can see to be the same in all invocations.
 *
 * All that decides about control flow is the same by construction; where WGSL's analysis cannot follow (values from
 * memory that is written, or from one invocation's registers) it goes through `workgroupUniformLoad`, elsewhere it need not.
 */
import type { Expr, Lowered, Stmt } from "../ir/lowered.ts"
import { eachExpr } from "./walk.ts"

/** Memory that no invocation writes: what is read at the same index is the same. */
const constants = (lowered: Lowered): ReadonlySet<string> =>
  new Set(lowered.memories.filter((m) => m.space === "storage" && !m.writable).map((m) => m.name))
const differsIn = (names: ReadonlySet<string>, fixed: ReadonlySet<string>, e: Expr): boolean => {
  let found = false
  eachExpr(e, (x) => {
    if (x._tag === "Local" ? names.has(x.name) : x._tag === "Load" && !fixed.has(x.memory)) found = true
  })
  return found
}

/** Names of the locals that may differ between invocations, as far as WGSL knows. */
const differing = (lowered: Lowered, fixed: ReadonlySet<string>): ReadonlySet<string> => {
  const names = new Set<string>(["lane", "el", "slot", "subgroup_lane"])
  let grown = true
  const differs = (e: Expr): boolean => differsIn(names, fixed, e)
  const add = (name: string): void => {
    if (names.has(name)) return
    names.add(name)
    grown = true
  }
  const walk = (body: ReadonlyArray<Stmt>, divergent: boolean): void => {
    for (const s of body) {
      if ((s._tag === "Let" || s._tag === "Var" || s._tag === "Assign") && (divergent || differs(s.value))) add(s.name)
      if (s._tag === "Atomic" && s.name !== undefined) add(s.name)
      if (s._tag === "Reserve") add(s.name)
      if (s._tag === "Subgroup") s.names.forEach(add)
      if (s._tag === "Each") walk(s.body, true)
      if (s._tag === "Loop") walk(s.body, divergent)
      if (s._tag === "For") {
        const apart = divergent || differs(s.from) || differs(s.to)
        if (apart) add(s.name)
        walk(s.body, apart)
      }
      if (s._tag === "If") for (const branch of [s.then, s.else]) walk(branch, divergent || differs(s.condition))
    }
  }
  while (grown) {
    grown = false
    walk(lowered.body, false)
  }
  return names
}

/** Makes plain names of what WGSL can see to be uniform anyway. */
export const uniformity = (lowered: Lowered): Lowered => {
  const fixed = constants(lowered)
  const names = differing(lowered, fixed)
  const simplify = (body: ReadonlyArray<Stmt>): ReadonlyArray<Stmt> =>
    body.map((s): Stmt => {
      if (s._tag === "Uniform" && !differsIn(names, fixed, s.value))
        return { _tag: "Let", name: s.name, type: s.type, value: s.value }
      if (s._tag === "For" || s._tag === "Loop") return { ...s, body: simplify(s.body) }
      if (s._tag === "If") return { ...s, then: simplify(s.then), else: simplify(s.else) }
      return s
    })
  return { ...lowered, body: simplify(lowered.body) }
}
