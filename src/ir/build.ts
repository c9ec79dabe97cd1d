/** Builds programs as data, with types and effects from the primitives' own rules. */
import type { Lookup } from "./check.ts"
import type { Draft, Scope } from "./primitive.ts"
import type { Aval, Atom, Eqn, InlineDef, Params, RefType, Region, Scratch, Source, Var } from "./program.ts"
import { TypingError } from "./typing.ts"

export class Builder {
  readonly scope: Scope
  readonly inlines: Record<string, InlineDef> = {}
  private readonly lookup: Lookup
  private readonly types = new Map<string, RefType>()
  private next = 0
  private emitted: Array<Eqn> = []

  constructor(lookup: Lookup, rank: number) {
    this.lookup = lookup
    this.scope = {
      rank,
      ref: (name) => this.known(this.types.get(name), `ref "${name}"`),
      inline: (name) => this.known(this.inlines[name], `inline "${name}"`)
    }
  }
  private known<A>(found: A | undefined, what: string): A {
    if (found === undefined) throw new TypingError(`there is no ${what}`)
    return found
  }

  declare(ref: RefType & { readonly name: string }): void {
    this.types.set(ref.name, ref)
  }
  fresh({ dtype, shape }: Aval): Var {
    return { _tag: "Var", dtype, shape, id: this.next++ }
  }

  /** Emits an equation; throws `TypingError` where the operands do not fit, and emits nothing then. */
  emit(
    primitive: string,
    operands: ReadonlyArray<Atom>,
    rest: Partial<Draft> = {},
    source?: Source
  ): ReadonlyArray<Var> {
    const draft: Draft = { params: {}, indices: [], refs: [], regions: [], operands, ...rest }
    const record = this.known(this.lookup(primitive), `primitive ${primitive}`)
    const types = record.typing(draft, this.scope)
    const effects = record.effects(draft, this.scope)
    const results = types.map((aval) => this.fresh(aval))
    this.emitted.push({ primitive, ...draft, results, effects, source })
    return results
  }
  /** The one result of a pure primitive over tiles. */
  op(primitive: string, operands: ReadonlyArray<Atom>, params: Params = {}): Var {
    return this.emit(primitive, operands, { params })[0]!
  }

  /** Makes a region; what `body` emits is in it. */
  region(
    params: ReadonlyArray<Aval>,
    body: (params: ReadonlyArray<Var>) => ReadonlyArray<Atom>,
    refs: ReadonlyArray<Scratch> = []
  ): Region {
    const outer = this.emitted
    this.emitted = []
    try {
      for (const ref of refs) this.declare(ref)
      const vars = params.map((aval) => this.fresh(aval))
      const results = body(vars)
      return { params: vars, refs, eqns: this.emitted, results }
    } finally {
      this.emitted = outer
    }
  }
  /** Equations emitted so far in the current region. */
  get length(): number {
    return this.emitted.length
  }
}

/** Runs what may not type; nothing comes of it then. */
export const attempt = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch (error) {
    if (error instanceof TypingError) return undefined
    throw error
  }
}
