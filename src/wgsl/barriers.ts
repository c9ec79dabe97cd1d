/**
 * Barriers from what statements read and write.
 *
 * Along the statements goes the set of accesses since the last barrier; before an access that another invocation's earlier
 * one conflicts with stands a barrier. Loops are walked until nothing is added, so that the way back is seen.
 */
import type { AtomicOp, Expr, InlineOperand, Lowered, Memory, Stmt } from "../ir/lowered.ts"
import { ownKey, spelledOut } from "./ownership.ts"
import { blocksOf, eachExpr, eachStmt, expressionsOf } from "./walk.ts"

/** How the invocations share an access: each at a cell of its own, only the first, or any at any. */
interface Access {
  readonly memory: string
  /** Atomic steps of one kind, whose order does not show, or `write` for all others. */
  readonly kind: "read" | "write" | AtomicOp
  readonly by: "own" | "first" | "any"
  readonly key: string
}
/** Accesses since the last barrier, by memory. */
type Pending = Map<string, Map<string, Access>>

const commutes = (op: AtomicOp): boolean => op !== "exchange" && op !== "compareExchange"
const conflict = (a: Access, b: Access): boolean => {
  if (a.kind === b.kind && a.kind !== "write") return false
  if (a.by === "first" && b.by === "first") return false
  return !(a.by === "own" && b.by === "own" && a.key === b.key)
}
const union = (...all: ReadonlyArray<Pending>): Pending => {
  const out: Pending = new Map()
  for (const p of all)
    for (const [memory, accesses] of p) out.set(memory, new Map([...(out.get(memory) ?? []), ...accesses]))
  return out
}
const count = (pending: Pending): number => [...pending.values()].reduce((n, accesses) => n + accesses.size, 0)
const note = (pending: Pending, a: Access): void => {
  const known = pending.get(a.memory)
  if (known === undefined) pending.set(a.memory, new Map([[`${a.kind}${a.by}${a.key}`, a]]))
  else known.set(`${a.kind}${a.by}${a.key}`, a)
}

class Pass {
  private readonly memories: ReadonlyMap<string, Memory>
  /** Locals that keep one value as long as the program instance runs. */
  readonly fixed = new Set(["program"])
  readonly counters = new Map<string, number>()
  private inserted = 0
  private loops = 0
  private readonly breaks: Array<Array<Pending>> = []
  constructor(lowered: Lowered) {
    this.memories = new Map(lowered.memories.map((m) => [m.name, m]))
  }

  private space(memory: string): "workgroup" | "storage" | undefined {
    const space = this.memories.get(memory)?.space
    return space === "register" || space === undefined ? undefined : space === "workgroup" ? "workgroup" : "storage"
  }
  private isShared(memory: string): boolean {
    const m = this.memories.get(memory)!
    return m.space !== "register" && m.writable
  }
  private loads(e: Expr, by: (index: Expr) => Pick<Access, "by" | "key">, into: Array<Access>): void {
    eachExpr(e, (x) => {
      if (x._tag === "Load" && this.isShared(x.memory)) into.push({ memory: x.memory, kind: "read", ...by(x.index) })
    })
  }
  private shallow(s: Stmt, by: (index: Expr) => Pick<Access, "by" | "key">, into: Array<Access>): void {
    for (const e of expressionsOf(s)) this.loads(e, by, into)
    // The order shows in what was there before.
    if (s._tag === "Atomic")
      into.push({ memory: s.memory, kind: s.name === undefined && commutes(s.op) ? s.op : "write", ...by(s.index) })
    if ((s._tag === "Store" || s._tag === "Add") && this.isShared(s.memory)) {
      const { atomic } = this.memories.get(s.memory)!
      into.push({ memory: s.memory, kind: s._tag === "Add" && atomic ? "add" : "write", ...by(s.index) })
      if (s._tag === "Add" && !atomic) into.push({ memory: s.memory, kind: "read", ...by(s.index) })
    }
  }
  /** Whether an expression is made of nothing that changes. */
  private isFixed(e: Expr): boolean {
    let fixed = true
    eachExpr(e, (x) => {
      if (x._tag === "Load" || (x._tag === "Local" && !this.fixed.has(x.name))) fixed = false
    })
    return fixed
  }
  /** Everything that happens in a loop over elements. */
  private inEach(s: Stmt & { readonly _tag: "Each" }): ReadonlyArray<Access> {
    const into: Array<Access> = []
    const named = new Map<string, Expr>()
    eachStmt(s.body, (inner) => {
      if (inner._tag === "Let" && inner.type === "i32") named.set(inner.name, inner.value)
    })
    const by = (index: Expr): Pick<Access, "by" | "key"> => {
      if (s.count === 1) return { by: "first", key: "" }
      const key = ownKey(spelledOut(index, named), s.count, this)
      return key === undefined ? { by: "any", key: "" } : { by: "own", key }
    }
    const walk = (body: ReadonlyArray<Stmt>): void => {
      for (const inner of body) {
        this.shallow(inner, by, into)
        for (const b of blocksOf(inner)) walk(b)
      }
    }
    walk(s.body)
    return into
  }
  private accesses(s: Stmt): ReadonlyArray<Access> {
    if (s._tag === "Each") return this.inEach(s)
    const into: Array<Access> = []
    this.shallow(s, () => (s._tag === "Uniform" ? { by: "first", key: "" } : { by: "any", key: "" }), into)
    if (s._tag === "Inline") for (const o of s.operands) this.operand(o, into)
    return into
  }
  /** What an inline does through an operand, index tiles included. */
  private operand({ body, index, inside, memory, mode }: InlineOperand, into: Array<Access>): void {
    const any = { by: "any", key: "" } as const
    eachStmt(body, (s) => this.shallow(s, () => any, into))
    for (const e of [index, inside]) this.loads(e, () => any, into)
    if (!this.isShared(memory)) return
    if (mode !== "write") into.push({ memory, kind: "read", ...any })
    if (mode !== "read") into.push({ memory, kind: "write", ...any })
  }

  /** All accesses of statements, whatever the order. */
  private within(body: ReadonlyArray<Stmt>): ReadonlyArray<Access> {
    return body.flatMap((s) => [
      ...this.accesses(s),
      ...(s._tag === "Each" || s._tag === "Inline" ? [] : blocksOf(s).flatMap((b) => this.within(b)))
    ])
  }

  private clear(pending: Pending, workgroup: boolean, storage: boolean): void {
    for (const memory of pending.keys())
      if (this.space(memory) === "workgroup" ? workgroup : storage) pending.delete(memory)
  }
  private guard(accesses: ReadonlyArray<Access>, pending: Pending, out: Array<Stmt>): void {
    const clashes = accesses.filter((a) => [...(pending.get(a.memory)?.values() ?? [])].some((b) => conflict(a, b)))
    if (clashes.length === 0) return
    const workgroup = clashes.some((a) => this.space(a.memory) === "workgroup")
    const storage = clashes.some((a) => this.space(a.memory) === "storage")
    out.push({ _tag: "Barrier", workgroup, storage })
    this.inserted++
    this.clear(pending, workgroup, storage)
  }
  private loop(
    body: ReadonlyArray<Stmt>,
    entry: Pending
  ): { readonly body: ReadonlyArray<Stmt>; readonly pending: Pending } {
    this.loops++
    this.breaks.push([])
    let start = entry
    for (;;) {
      const before = this.inserted
      const end = union(start)
      body = this.walk(body, end)
      const next = union(start, end)
      if (this.inserted === before && count(next) === count(start)) break
      start = next
    }
    this.loops--
    return { body, pending: union(start, ...this.breaks.pop()!) }
  }

  private inner(s: Stmt, pending: Pending, out: Array<Stmt>): Stmt {
    const replace = (next: Pending): void => {
      pending.clear()
      for (const [k, v] of next) pending.set(k, v)
    }
    if (s._tag === "If") {
      const other = union(pending)
      const then = this.walk(s.then, pending)
      const otherwise = this.walk(s.else, other)
      replace(union(pending, other))
      return { ...s, then, else: otherwise }
    }
    if (s._tag === "For" || s._tag === "Loop") {
      // What stands before the loop is waited for once, not at each turn.
      this.guard(this.within(s.body), pending, out)
      const walked = this.loop(s.body, union(pending))
      replace(walked.pending)
      return { ...s, body: walked.body }
    }
    return s
  }
  walk(body: ReadonlyArray<Stmt>, pending: Pending): ReadonlyArray<Stmt> {
    const out: Array<Stmt> = []
    for (const s of body) {
      if (s._tag === "Barrier") this.clear(pending, s.workgroup, s.storage)
      if (s._tag === "Let" && (this.loops === 0 || this.isFixed(s.value))) this.fixed.add(s.name)
      if (s._tag === "For" && s.from._tag === "Const" && s.from.value >= 0 && s.to._tag === "Const")
        this.counters.set(s.name, s.to.value)
      const accesses = this.accesses(s)
      this.guard(accesses, pending, out)
      for (const a of accesses) note(pending, a)
      if (s._tag === "Uniform") this.clear(pending, true, false)
      if (s._tag === "BreakUnless") this.breaks.at(-1)?.push(union(pending))
      const walked = this.inner(s, pending, out)
      out.push(walked)
    }
    return out
  }
}

/** The same kernel with a barrier wherever one invocation needs what another did. */
export const barriers = (lowered: Lowered): Lowered => ({
  ...lowered,
  body: new Pass(lowered).walk(lowered.body, new Map())
})
