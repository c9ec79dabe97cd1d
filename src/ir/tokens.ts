/**
 * Work in flight: what one equation starts, exactly one other waits for, on every path.
 *
 * A token is a value that an equation with `token: "gives"` makes. Once, it is taken by one with `token: "takes"`, or handed
 * on: into a loop as a carry and out of it, or out of a branch or scope as a result.
 */
import type { Primitive } from "./primitive.ts"
import { type Atom, type Eqn, isVar, type Region, type Var } from "./program.ts"

/** What is wrong with a token: at which equation, and where what is in flight was started. */
export interface Unbalance {
  readonly region: Region
  /** Number of the equation in its region. */
  readonly at: number
  readonly start: Eqn | undefined
  readonly detail: string
  readonly hint: string
}
class Found {
  readonly unbalance: Unbalance
  constructor(unbalance: Unbalance) {
    this.unbalance = unbalance
  }
}

interface Place {
  readonly region: Region
  readonly at: number
}
interface Token {
  readonly id: number
  readonly start: Eqn
  /** Where it is made, or enters a loop. */
  readonly place: Place
  /** How many regions around it run any number of times. */
  readonly depth: number
  /** `carry` enters a loop's body; `condition` is looked at by a loop's condition, which only passes it on. */
  readonly as: "start" | "carry" | "condition"
}

/** What an equation sends into the parameters of its regions, and where results of regions come out; by number. */
interface Flow {
  readonly operand: number
  readonly param: number
}
const loopFlows: { readonly [primitive: string]: Flow } = {
  fori: { operand: 2, param: 1 },
  while: { operand: 0, param: 0 }
}

const carryHint = "carry its token through, or wait for it before"
const to = (start: Eqn): string => String(start.params["to"])
/** `the copy to "x", started at file:1:2`. */
export const named = (start: Eqn): string => {
  const source = start.source?.show()
  return `the copy to "${to(start)}"${source === undefined ? "" : `, started at ${source}`}`
}

class Walk {
  private readonly lookup: (name: string) => Primitive | undefined
  private readonly tokens = new Map<number, Token>()
  /** What took a token. */
  private taken = new Map<number, Eqn>()
  /** The regions around that run any number of times, or are another matter on another interpreter. */
  private readonly around: Array<string> = []
  constructor(lookup: (name: string) => Primitive | undefined) {
    this.lookup = lookup
  }

  private refuse({ at, region }: Place, start: Eqn | undefined, detail: string, hint: string): never {
    throw new Found({ region, at, start, detail, hint })
  }
  private tokenOf(atom: Atom | undefined): Token | undefined {
    return atom !== undefined && isVar(atom) ? this.tokens.get(atom.id) : undefined
  }
  private declare(v: Var, start: Eqn, place: Place, as: Token["as"]): Token {
    const token = { id: v.id, start, place, depth: this.around.length, as }
    this.tokens.set(v.id, token)
    return token
  }
  /** Takes a token, by the equation at `place` or by the end of a region of it. */
  private take(token: Token, by: Eqn, place: Place): void {
    const { as, depth, id, start } = token
    const before = this.taken.get(id)
    if (as === "condition")
      this.refuse(place, start, `${named(start)} is taken in the condition of a loop`, "wait for it in the body")
    const outside = this.around[depth]
    if (outside !== undefined)
      this.refuse(
        place,
        start,
        `${named(start)} is waited for in a ${outside} that it was started outside of`,
        carryHint
      )
    if (before !== undefined) {
      const first = before.source?.show()
      const where = first === undefined ? "" : `, first at ${first}`
      this.refuse(place, start, `${named(start)} is waited for or handed on twice${where}`, "use each token once")
    }
    this.taken.set(id, by)
  }

  /** Walks a region; gives the starts of those of its results that are tokens. */
  region(region: Region, by: Eqn | undefined, place: Place, params: ReadonlyArray<Token> = []) {
    const own: Array<Token> = [...params]
    for (const [at, eqn] of region.eqns.entries()) own.push(...this.equation(eqn, { region, at }))
    const starts = region.results.map((atom) => {
      const token = this.tokenOf(atom)
      if (token !== undefined) this.take(token, by!, place)
      return token?.start
    })
    for (const token of own) if (!this.taken.has(token.id) && token.as !== "condition") this.dropped(token)
    return starts
  }
  private dropped({ as, place, start }: Token): never {
    return as === "carry"
      ? this.refuse(
          place,
          start,
          `${named(start)} is carried into a loop and dropped there`,
          "hand it on, or wait for it"
        )
      : this.refuse(place, start, `${named(start)} is never waited for`, "wait for each copy, on every path")
  }

  /** Walks an equation; gives the tokens among its results. */
  private equation(eqn: Eqn, place: Place): ReadonlyArray<Token> {
    const given = this.startsOf(eqn, place)
    return eqn.results.flatMap((v, k) => {
      const start = given[k]
      return start === undefined ? [] : [this.declare(v, start, place, "start")]
    })
  }
  private startsOf(eqn: Eqn, place: Place): ReadonlyArray<Eqn | undefined> {
    const flow = loopFlows[eqn.primitive]
    if (flow !== undefined) return this.loop(eqn, place, flow)
    const { token } = this.lookup(eqn.primitive)!
    if (token === "takes") this.wait(eqn, place)
    this.unused([...eqn.operands.slice(token === "takes" ? 1 : 0), ...eqn.indices], eqn, place)
    if (eqn.primitive === "cond") return this.branches(eqn, place)
    if (eqn.primitive === "scoped") return this.region(eqn.regions[0]!, eqn, place)
    for (const region of eqn.regions) this.inside(region, eqn, place)
    return token === "gives" ? [eqn] : []
  }
  private wait(eqn: Eqn, place: Place): void {
    const token = this.tokenOf(eqn.operands[0])
    if (token === undefined)
      return this.refuse(place, undefined, "what it waits for is not in flight", "give it the result of a start")
    this.take(token, eqn, place)
    const name = eqn.refs[0]!.name
    if (name !== to(token.start))
      this.refuse(place, token.start, `${named(token.start)} lands in "${name}"`, "wait for it where it goes to")
  }
  private unused(atoms: ReadonlyArray<Atom>, eqn: Eqn, place: Place): void {
    for (const atom of atoms) {
      const token = this.tokenOf(atom)
      if (token !== undefined)
        this.refuse(
          place,
          token.start,
          `${named(token.start)} is used by ${eqn.primitive} while it is in flight`,
          "wait for it and load what has landed"
        )
    }
  }
  /** Regions that hand nothing in flight on. */
  private inside(region: Region, eqn: Eqn, place: Place): void {
    this.around.push("rule")
    const start = this.region(region, eqn, place).find((s) => s !== undefined)
    this.around.pop()
    if (start !== undefined)
      this.refuse(place, start, `${named(start)} is handed out of ${eqn.primitive}`, "wait for it inside")
  }

  private loop(eqn: Eqn, place: Place, flow: Flow): ReadonlyArray<Eqn | undefined> {
    this.unused(eqn.operands.slice(0, flow.operand), eqn, place)
    const carried = eqn.operands.slice(flow.operand).map((atom) => {
      const token = this.tokenOf(atom)
      if (token !== undefined) this.take(token, eqn, place)
      return token?.start
    })
    this.around.push("loop")
    const body = eqn.regions.at(-1)!
    for (const region of eqn.regions) {
      const tokens = carried.flatMap((start, k) => {
        const v = region.params[k + flow.param]!
        return start === undefined ? [] : [this.declare(v, start, place, region === body ? "carry" : "condition")]
      })
      if (region !== body) this.condition(region, eqn, place, tokens)
      else
        this.region(region, eqn, place, tokens).forEach((start, k) =>
          this.sameKind(carried[k], start, place, "before a loop", "after a turn of it")
        )
    }
    this.around.pop()
    return carried
  }
  private condition(region: Region, eqn: Eqn, place: Place, tokens: ReadonlyArray<Token>): void {
    const [start] = this.region(region, eqn, place, tokens)
    if (start !== undefined)
      this.refuse(place, start, `${named(start)} is the condition of a loop`, "wait for it and load what has landed")
  }
  private branches(eqn: Eqn, place: Place): ReadonlyArray<Eqn | undefined> {
    const before = this.taken
    const known = [...this.tokens.values()]
    const branch = (k: number) => {
      this.taken = new Map(before)
      const starts = this.region(eqn.regions[k]!, eqn, place)
      return { starts, taken: this.taken }
    }
    const [yes, no] = [branch(0), branch(1)]
    for (const { id, start } of known)
      if (yes.taken.has(id) !== no.taken.has(id))
        this.refuse(
          place,
          start,
          `${named(start)} is waited for in one branch only`,
          "wait for it in both, or after them"
        )
    yes.starts.forEach((start, k) => this.sameKind(start, no.starts[k], place, "in one branch", "in the other"))
    return yes.starts
  }
  private sameKind(a: Eqn | undefined, b: Eqn | undefined, place: Place, here: string, there: string): void {
    if (a !== undefined && b !== undefined && to(a) === to(b)) return
    if (a === undefined && b === undefined) return
    const what = (start: Eqn | undefined) => (start === undefined ? "a value" : `a copy to "${to(start)}"`)
    this.refuse(place, a ?? b, `${what(a)} ${here} is ${what(b)} ${there}`, "hand on tokens of copies to one ref")
  }
}
/** The first token of a body that is not taken exactly once on every path. */
export const unbalanced = (body: Region, lookup: (name: string) => Primitive | undefined): Unbalance | undefined => {
  try {
    new Walk(lookup).region(body, undefined, { region: body, at: 0 })
    return undefined
  } catch (e) {
    if (e instanceof Found) return e.unbalance
    throw e
  }
}
