/**
 * Whether every multiply-accumulate is waited for before its accumulator is looked at, set, or gone.
 *
 * Along the equations goes, for each accumulator with something in flight, how many multiply-accumulates were issued since
 * its last one: its age. They finish in the order in which they were issued, so a wait for at most n clears every age from n
 * on. Where paths meet, the smaller age stays: it takes the stricter wait.
 */
import { equations, type Eqn, type Region } from "./program.ts"

/** The equation that is wrong, the accumulator, what is wrong and what to do. */
export interface Unbalance {
  readonly eqn: Eqn
  readonly ref: string
  readonly detail: string
  readonly hint: string
}
interface Flight {
  readonly age: number
  readonly issued: Eqn
}
type InFlight = ReadonlyMap<string, Flight>
const nothing: InFlight = new Map()
/** What is in flight where a turn of a loop comes back to its start, and where the loop is left. */
interface Turn {
  readonly end: InFlight
  readonly exit: InFlight
}

const join = (a: InFlight, b: InFlight): InFlight => {
  const out = new Map(a)
  for (const [name, flight] of b) if (flight.age < (out.get(name)?.age ?? Infinity)) out.set(name, flight)
  return out
}
const equal = (a: InFlight, b: InFlight): boolean =>
  a.size === b.size && [...a].every(([name, { age }]) => b.get(name)?.age === age)

/** Carries a finding out of the walk. */
class Found {
  readonly unbalance: Unbalance
  constructor(unbalance: Unbalance) {
    this.unbalance = unbalance
  }
}
const refuse = (eqn: Eqn, ref: string, detail: string, hint: string): never => {
  throw new Found({ eqn, ref, detail, hint })
}

class Walk {
  /** Turns that a loop can take until nothing changes: ages only fall, and start below the number of equations. */
  private readonly turns: number
  /**
   * What was in flight where the turns of a loop begin. A loop around it comes by again with at least that, so the search
   * goes on from there: to begin anew each time would take time exponential in the depth.
   */
  private readonly heads = new Map<Eqn, InFlight>()
  constructor(body: Region) {
    const issues = [...equations(body)].filter((eqn) => eqn.primitive === "multiplyAccumulate")
    const accumulators = new Set(issues.map((eqn) => eqn.refs[0]!.name)).size
    this.turns = accumulators * (issues.length + 1) + 1
  }

  region(region: Region, entry: InFlight, what = "scope"): InFlight {
    const after = region.eqns.reduce((state, eqn) => this.step(eqn, state), entry)
    for (const { name } of region.refs) {
      const flight = after.get(name)
      if (flight !== undefined)
        refuse(flight.issued, name, `the ${what} ends while it is in flight`, "wait for it: yield* Pipeline.wait()")
    }
    return after
  }
  /** What is in flight after a loop, whose turns begin with at least what the search has found for them so far. */
  private loop(eqn: Eqn, entry: InFlight, turn: (state: InFlight) => Turn): InFlight {
    let head = join(this.heads.get(eqn) ?? nothing, entry)
    let last = turn(head)
    for (let left = this.turns; left > 0; left--) {
      const next = join(head, last.end)
      if (equal(next, head)) break
      head = next
      last = turn(head)
    }
    this.heads.set(eqn, head)
    return last.exit
  }
  private step(eqn: Eqn, state: InFlight): InFlight {
    const [first, second] = eqn.regions
    switch (eqn.primitive) {
      case "multiplyAccumulate": {
        const older = [...state].map(([name, f]) => [name, { ...f, age: f.age + 1 }] as const)
        return new Map([...older, [eqn.refs[0]!.name, { age: 0, issued: eqn }]])
      }
      case "pipelineWait":
        return new Map([...state].filter(([, { age }]) => age < (eqn.params["atMost"] as number)))
      case "accumulatorRead":
      case "accumulatorSet": {
        const { name } = eqn.refs[0]!
        const does = eqn.primitive === "accumulatorRead" ? "read" : "set"
        if (state.has(name))
          refuse(
            eqn,
            name,
            `it is ${does} while a multiply-accumulate is in flight`,
            "wait first: yield* Pipeline.wait()"
          )
        return state
      }
      case "cond":
        return join(this.region(first!, state), this.region(second!, state))
      case "fori":
        return this.loop(eqn, state, (head) => {
          const end = this.region(first!, head)
          return { end, exit: isEntered(eqn) ? end : head }
        })
      case "while":
        return this.loop(eqn, state, (head) => {
          const exit = this.region(first!, head)
          return { end: this.region(second!, exit), exit }
        })
      default:
        return eqn.regions.reduce((s, r) => this.region(r, s), state)
    }
  }
}
/** Whether a counted loop runs at least once for certain. */
const isEntered = ({ operands: [lo, hi] }: Eqn): boolean =>
  lo?._tag === "Literal" && hi?._tag === "Literal" && lo.value < hi.value

/** The first place where a multiply-accumulate is lost or looked at too early, or `undefined`. */
export const unbalance = (body: Region): Unbalance | undefined => {
  try {
    new Walk(body).region(body, nothing, "kernel")
    return undefined
  } catch (error) {
    if (error instanceof Found) return error.unbalance
    throw error
  }
}
