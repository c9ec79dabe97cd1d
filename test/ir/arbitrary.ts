/** Arbitrary programs: any structure that the types allow, most of which mean nothing. */
import fc from "fast-check"
import * as DType from "../../src/DType.ts"
import type {
  Atom,
  Aval,
  Effect,
  Eqn,
  InlineDef,
  Param,
  Params,
  Program,
  Region,
  Scratch,
  Source,
  Var
} from "../../src/ir/program.ts"
import type { Affine, Entry, View } from "../../src/ir/view.ts"

const number = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -4, max: 9 }) },
  fc.double(),
  fc.constantFrom(-0, NaN, Infinity, -Infinity, 1e21, 5e-324)
)
const word = fc.constantFrom(
  "x",
  "yield",
  "scratch",
  "in",
  "body",
  "read",
  "gather",
  "inf",
  "__proto__",
  "constructor",
  "NaN",
  "'-0"
)
const name = fc.oneof(word, fc.string({ unit: "binary", maxLength: 6 }))
const dtype = fc.constantFrom(...DType.names)
const shape = fc.array(number, { maxLength: 3 })
const aval: fc.Arbitrary<Aval> = fc.record({ dtype, shape }, { noNullPrototype: true })
const variable: fc.Arbitrary<Var> = fc
  .tuple(fc.oneof(fc.nat(5), number), fc.oneof(fc.constant<Aval>({ dtype: "i32", shape: [] }), aval))
  .map(([id, a]) => ({ _tag: "Var", id, ...a }))
const atom: fc.Arbitrary<Atom> = fc.oneof(
  variable,
  fc.tuple(aval, number).map(([a, value]): Atom => ({ _tag: "Literal", ...a, value })),
  fc.tuple(dtype, number).map(([d, x]): Atom => ({ _tag: "Literal", dtype: d, shape: [], value: DType.round(d)(x) }))
)

const position = fc.oneof({ weight: 5, arbitrary: fc.nat(2) }, number)
const { affine } = fc.letrec<{ affine: Affine }>((tie) => ({
  affine: fc.record({
    constant: number,
    terms: fc.array(
      fc.record({
        coefficient: number,
        term: fc.oneof(
          { maxDepth: 2, depthIdentifier: "affine" },
          fc.record({ _tag: fc.constant("Index" as const), index: position }),
          fc.record({ _tag: fc.constantFrom("FloorDiv" as const, "Mod" as const), of: tie("affine"), by: number })
        )
      }),
      { maxLength: 2 }
    )
  })
}))
const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record(
    { _tag: fc.constant("Point" as const), at: affine, padded: fc.constant(true as const) },
    { requiredKeys: ["_tag", "at"] }
  ),
  fc.record(
    {
      _tag: fc.constant("Range" as const),
      start: affine,
      size: number,
      stride: fc.oneof(fc.constant(1), number),
      padded: fc.constantFrom(true as const, "wholly" as const)
    },
    { requiredKeys: ["_tag", "start", "size", "stride"] }
  ),
  fc.record({ _tag: fc.constant("Gather" as const), index: position })
)
const view: fc.Arbitrary<View> = fc.array(
  fc.oneof(
    fc.record({ _tag: fc.constant("Index" as const), at: fc.array(entry, { maxLength: 3 }) }),
    fc.record({ _tag: fc.constant("Reshape" as const), shape }),
    fc.record({ _tag: fc.constant("Transpose" as const), perm: shape }),
    fc.record({ _tag: fc.constant("Bitcast" as const), dtype })
  ),
  { maxLength: 3 }
)

const { param } = fc.letrec<{ param: Param }>((tie) => ({
  param: fc.oneof(
    { maxDepth: 3, depthIdentifier: "param" },
    number,
    name,
    fc.constantFrom(true, false, null),
    fc.array(tie("param"), { maxLength: 3 }),
    fc.dictionary(name, tie("param"), { maxKeys: 3, noNullPrototype: true })
  )
}))
const params: fc.Arbitrary<Params> = fc
  .tuple(
    fc.dictionary(name, param, { maxKeys: 2, noNullPrototype: true }),
    fc.option(fc.oneof(view as unknown as fc.Arbitrary<Param>, param))
  )
  .map(([rest, v]) => (v === null ? rest : { ...rest, view: v }))

const effect: fc.Arbitrary<Effect> = fc.oneof(
  fc.record({ _tag: fc.constantFrom("Read" as const, "Write" as const, "Accum" as const), ref: name }),
  fc.record({ _tag: fc.constantFrom("Memory" as const, "Pipeline" as const) }),
  fc.record({ _tag: fc.constant("Inline" as const), name })
)
const source: fc.Arbitrary<Source | undefined> = fc.option(
  fc.string().map((text) => ({ show: () => text })),
  { nil: undefined }
)
const some = <A>(item: fc.Arbitrary<A>) => fc.array(item, { maxLength: 3 })
const refUse = fc.record({ name, view })

const scratch: fc.Arbitrary<Scratch> = fc.record(
  {
    name,
    dtype,
    shape,
    space: fc.constantFrom("workgroup" as const, "register" as const),
    role: fc.oneof(
      fc.record({ kind: fc.constant("barrier" as const), arrivals: fc.nat() }),
      fc.constant({ kind: "accumulator" as const })
    ),
    tiling: shape,
    swizzle: number
  },
  { requiredKeys: ["name", "dtype", "shape", "space"] }
)
const { region } = fc.letrec<{ region: Region; eqn: Eqn }>((tie) => ({
  region: fc.record({
    params: some(variable),
    refs: some(scratch),
    eqns: fc.array(tie("eqn"), { maxLength: 4, depthIdentifier: "region" }),
    results: some(atom)
  }),
  eqn: fc.record({
    primitive: name,
    params,
    operands: some(atom),
    indices: some(
      fc.oneof(
        fc.nat(2).map((id): Var => ({ _tag: "Var", id, dtype: "i32", shape: [] })),
        atom
      )
    ),
    refs: fc.array(refUse, { maxLength: 2 }),
    regions: fc.oneof(
      { maxDepth: 2, depthIdentifier: "region" },
      fc.constant([]),
      fc.array(tie("region"), { maxLength: 2 })
    ),
    results: some(variable),
    effects: some(effect),
    source
  })
}))

const inlineValue = { name, dtype, shape: fc.option(shape) }
const inline: fc.Arbitrary<InlineDef> = fc.record({
  name,
  grain: fc.constantFrom("elementwise" as const, "block" as const),
  args: some(
    fc.record({
      ...inlineValue,
      kind: fc.constantFrom("tile" as const, "read" as const, "write" as const, "readwrite" as const)
    })
  ),
  results: some(fc.record(inlineValue)),
  wgsl: fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom("a", "\n", '"', "\r") })),
  source: fc.option(fc.string())
})
const named = (def: InlineDef): readonly [string, InlineDef] => [def.name, def]

const withoutThreads: fc.Arbitrary<Program> = fc.record({
  name,
  grid: some(fc.record({ size: number, semantics: fc.constantFrom("parallel" as const, "sequential" as const) })),
  refs: some(
    fc.record({
      name,
      dtype,
      shape,
      access: fc.constantFrom("in" as const, "out" as const, "inout" as const),
      scalar: fc.boolean()
    })
  ),
  body: region,
  discharged: some(name),
  inlines: fc
    .tuple(some(inline.map(named)), fc.array(fc.tuple(name, inline), { maxLength: 1 }))
    .map(([a, b]) => Object.fromEntries([...a, ...b]))
})
export const arbitraryProgram: fc.Arbitrary<Program> = fc
  .tuple(withoutThreads, fc.option(number, { nil: undefined }))
  .map(([program, threads]) => (threads === undefined ? program : { ...program, threads }))
