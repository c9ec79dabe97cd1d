/**
 * The driver of discharge: walks the equations of a program, asks each primitive's rule, and holds the rule to its contract.
 *
 * All variables get new ids, so that a rule may rewrite one region in several places.
 */
import { InvalidProgram, NotImplemented, Unsupported } from "../Errors.ts"
import { sameType, showType } from "../ir/aval.ts"
import { printEqn } from "../ir/print.ts"
import type { Discharged, DischargeContext, Draft, Primitive, RefValues, Scope } from "../ir/primitive.ts"
import {
  type Atom,
  type Aval,
  type Eqn,
  isPure,
  isVar,
  onlyReports,
  type Program,
  type RefType,
  refTypes,
  type Region,
  regionEffects,
  type Var
} from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import { Stop, stop } from "./stop.ts"

export interface Options {
  readonly lookup: (name: string) => Primitive | undefined
  readonly discharges: (ref: string) => boolean
  /** Effects on other refs may stay. */
  readonly partial: boolean
}

export class Rewriter {
  private readonly program: Program
  private readonly options: Options
  private readonly types: ReadonlyMap<string, RefType>
  private readonly scope: Scope
  private readonly env = new Map<number, Atom>()
  private readonly keptScratch = new Set<string>()
  private next = 0
  /** What refs hold at this place. */
  private values: Map<string, Atom> = new Map()
  /** Where equations are emitted to. */
  private emitted: Array<Eqn> = []

  constructor(program: Program, options: Options) {
    this.program = program
    this.options = options
    this.types = refTypes(program)
    this.scope = {
      ref: (name) => {
        const type = this.types.get(name)
        if (type === undefined) throw new TypingError(`there is no ref "${name}"`)
        return type
      },
      rank: program.grid.length,
      inline: (name) => {
        const def = program.inlines[name]
        if (def === undefined) throw new TypingError(`there is no inline "${name}"`)
        return def
      }
    }
  }

  /** The body as a function of what the refs of `names` hold. */
  body(names: ReadonlyArray<string>): Region {
    const { body, discharged } = this.program
    return this.build(
      names.map((name) => this.types.get(name)!),
      (params) => {
        const entry = new Map(names.map((name, k) => [name, params[k]!]))
        const out = this.inline(
          body,
          discharged.map((name) => entry.get(name)!),
          entry
        )
        return names.map((name) => {
          const before = discharged.indexOf(name)
          return before < 0 ? out.refs.get(name)! : out.results[before]!
        })
      }
    )
  }

  invalid(eqn: Eqn, detail: string): never {
    const neighbours = this.emitted.slice(-3).map(printEqn).join("\n")
    return stop(this.program.name, new InvalidProgram({ equation: printEqn(eqn), detail, neighbours }))
  }

  private build(params: ReadonlyArray<Aval>, body: (params: ReadonlyArray<Var>) => ReadonlyArray<Atom>): Region {
    const outer = this.emitted
    this.emitted = []
    const vars = params.map((aval) => this.fresh(aval))
    const results = body(vars)
    const region: Region = { params: vars, refs: [], eqns: this.emitted, results }
    this.emitted = outer
    return region
  }

  private inline(region: Region, args: ReadonlyArray<Atom>, values: RefValues = new Map()): Discharged {
    const outer = this.values
    this.values = new Map([...outer, ...values])
    region.params.forEach((p, k) => this.env.set(p.id, args[k]!))
    for (const eqn of region.eqns) this.equation(eqn)
    const results = region.results.map((atom) => this.substitute(atom))
    const refs = this.values
    this.values = outer
    return { results, refs }
  }

  private fresh({ dtype, shape }: Aval): Var {
    return { _tag: "Var", dtype, shape, id: this.next++ }
  }

  private substitute(atom: Atom): Atom {
    if (!isVar(atom)) return atom
    const value = this.env.get(atom.id)
    if (value !== undefined) return value
    const detail = `%${atom.id} is used and nothing binds it`
    return stop(this.program.name, new InvalidProgram({ equation: `%${atom.id}`, detail, neighbours: "" }))
  }

  private equation(old: Eqn): void {
    const eqn: Eqn = {
      ...old,
      operands: old.operands.map((atom) => this.substitute(atom)),
      indices: old.indices.map((atom) => this.substitute(atom))
    }
    const record = this.options.lookup(eqn.primitive)
    if (record === undefined) return this.missing(eqn, "this version does not know it")
    const out = this.stays(eqn, record) ? this.copy(eqn) : this.apply(eqn, record)
    this.commit(eqn, out)
  }

  /** Whether the equation needs no rule: it changes no memory, or discharge is partial and it touches other refs only. */
  private stays(eqn: Eqn, record: Primitive): boolean {
    if (eqn.regions.length > 0) return isPure(eqn) && record.discharge === undefined
    // Both ends of what is in flight are rewritten, or none: its refs need not be discharged together.
    if (record.token !== undefined) return false
    const touches = [...eqn.refs.map((use) => use.name), ...eqn.effects.flatMap((e) => ("ref" in e ? [e.ref] : []))]
    return onlyReports(eqn) || (this.options.partial && !touches.some(this.options.discharges))
  }

  private copy(eqn: Eqn): Discharged {
    const regions = eqn.regions.map((region) => this.build(region.params, (args) => this.inline(region, args).results))
    return { results: this.emit(eqn, eqn.primitive, { ...eqn, regions }), refs: new Map() }
  }

  private apply(eqn: Eqn, record: Primitive): Discharged {
    const gap = record.gaps?.["Discharge"]
    if (record.discharge === undefined) return this.missing(eqn, gap?.reason, gap?.hint)
    return record.discharge(
      this.context(eqn, () => this.missing(eqn, gap?.reason, gap?.hint)),
      eqn
    )
  }

  /** Takes over what a rule gives, if it kept its contract. */
  private commit(eqn: Eqn, out: Discharged): void {
    if (out.results.length !== eqn.results.length)
      this.invalid(
        eqn,
        `the discharge rule of ${eqn.primitive} gives ${out.results.length} results, not ${eqn.results.length}`
      )
    eqn.results.forEach((old, k) => {
      const value = out.results[k]!
      if (!sameType(value, old))
        this.invalid(
          eqn,
          `the discharge rule of ${eqn.primitive} gives ${showType(value)} as result ${k}, not ${showType(old)}`
        )
      this.env.set(old.id, value)
    })
    for (const [name, value] of out.refs) this.update(eqn, name, value)
  }

  private update(eqn: Eqn, name: string, value: Atom): void {
    const rule = `the discharge rule of ${eqn.primitive}`
    const declared = eqn.effects.some((e) => (e._tag === "Write" || e._tag === "Accum") && e.ref === name)
    if (!declared) this.invalid(eqn, `${rule} changes "${name}", which the equation does not write`)
    if (!this.options.discharges(name)) this.invalid(eqn, `${rule} changes "${name}", which is not being discharged`)
    const type = this.types.get(name)
    if (type === undefined || !sameType(value, type))
      this.invalid(
        eqn,
        `${rule} gives "${name}" the type ${showType(value)}, not ${type ? showType(type) : "that of a ref"}`
      )
    this.values.set(name, value)
  }

  private missing(eqn: Eqn, reason = "it has no discharge rule", hint?: string): never {
    throw new Stop(
      new NotImplemented({
        primitive: eqn.primitive === "inline" ? String(eqn.params["inline"]) : eqn.primitive,
        interpreter: "Discharge",
        kernel: this.program.name,
        reason,
        source: eqn.source?.show(),
        hint: hint ?? "run it on Gpu, give it a discharge rule, or use standard primitives"
      })
    )
  }

  private refuse(eqn: Eqn, detail: string, hint: string): never {
    const source = eqn.source?.show()
    const at = source === undefined ? {} : { source }
    return stop(
      this.program.name,
      new Unsupported({ primitive: eqn.primitive, interpreter: "Discharge", detail, hint, ...at })
    )
  }

  private emit(from: Eqn, primitive: string, draft: Partial<Draft> & Pick<Draft, "operands">): ReadonlyArray<Var> {
    const full: Draft = { params: {}, indices: [], refs: [], regions: [], ...draft }
    const record = this.options.lookup(primitive)
    if (record === undefined)
      return this.invalid(from, `the discharge rule of ${from.primitive} emits ${primitive}, which is unknown`)
    this.keepScratch(from, full.regions)
    try {
      const results = record.typing(full, this.scope).map((aval) => this.fresh(aval))
      const effects = record.effects(full, this.scope)
      const { indices, operands, params, refs, regions } = full
      this.emitted.push({ primitive, params, operands, indices, refs, regions, results, effects, source: from.source })
      return results
    } catch (e) {
      if (e instanceof TypingError)
        return this.invalid(from, `${primitive}, emitted for ${from.primitive}: ${e.detail}`)
      throw e
    }
  }

  /** Names of scratch are unique in a program, so a region that keeps its scratch cannot stand in two places. */
  private keepScratch(from: Eqn, regions: ReadonlyArray<Region>): void {
    for (const { name } of regions.flatMap((r) => r.refs)) {
      if (this.keptScratch.has(name))
        this.refuse(from, `scratch "${name}" would stand in two places`, `discharge "${name}" too`)
      this.keptScratch.add(name)
    }
  }

  private context(eqn: Eqn, missing: () => never): DischargeContext {
    return {
      value: (ref) =>
        this.values.get(ref) ?? this.invalid(eqn, `"${ref}" has no value here: it is not being discharged`),
      discharges: this.options.discharges,
      aval: (ref) => this.scope.ref(ref),
      written: (regions) => this.written(regions),
      emit: (primitive, draft) => this.emit(eqn, primitive, draft),
      build: (params, body) => this.build(params, body),
      inline: (region, args, values) => this.inline(region, args, values),
      refuse: (detail, hint) => this.refuse(eqn, detail, hint),
      missing
    }
  }

  private written(regions: ReadonlyArray<Region>): ReadonlyArray<string> {
    const names = new Set<string>()
    for (const e of regions.flatMap(regionEffects))
      if ((e._tag === "Write" || e._tag === "Accum") && this.options.discharges(e.ref)) names.add(e.ref)
    return [...names]
  }
}
