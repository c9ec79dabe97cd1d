/**
 * The JSON form of programs, as an Effect Schema: the structure of `Program` with its format version.
 *
 * Numbers that JSON has not (NaN, infinities, −0) are strings. A string parameter that reads like one of these is
 * preceded by an apostrophe, so that both come back as what they were.
 */
import { Option, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import * as DType from "../DType.ts"
import { ParseError } from "../Errors.ts"
import { formatVersion } from "./print.ts"
import { type Param, plainEffects, type Program, type Region, type Source } from "./program.ts"
import { suggest } from "./suggest.ts"
import type { Affine } from "./view.ts"

// --- numbers and parameters ---------------------------------------------------------------------------------------------

const specials = ["NaN", "Infinity", "-Infinity", "-0"] as const
type Special = (typeof specials)[number]
const encodeNumber = (n: number): number | Special =>
  Number.isFinite(n) && !Object.is(n, -0) ? n : Object.is(n, -0) ? "-0" : (String(n) as Special)
const isNumber = (u: unknown): u is number | Special => Number.isFinite(u) || specials.some((s) => s === u)
const Num = Schema.declare(isNumber, { expected: `a number, ${specials.map((s) => `"${s}"`).join(", ")}` }).pipe(
  Schema.decodeTo(Schema.Number, {
    decode: SchemaGetter.transform(Number),
    encode: SchemaGetter.transform(encodeNumber)
  })
)

const escaped = /^'*(?:NaN|-?Infinity|-0)$/
const isList = (param: Param | Schema.Json): param is ReadonlyArray<never> => Array.isArray(param)
const mapValues = <A, B>(record: { readonly [key: string]: A }, f: (a: A) => B): { readonly [key: string]: B } =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, f(value)]))

const encodeParam = (param: Param): Schema.Json => {
  if (typeof param === "number") return encodeNumber(param)
  if (typeof param === "string") return escaped.test(param) ? `'${param}` : param
  if (param === null || typeof param === "boolean") return param
  return isList(param) ? param.map(encodeParam) : mapValues(param as { readonly [key: string]: Param }, encodeParam)
}
const decodeParam = (json: Schema.Json): Param => {
  if (typeof json === "string") return !escaped.test(json) ? json : json.startsWith("'") ? json.slice(1) : Number(json)
  if (json === null || typeof json !== "object") return json
  return isList(json) ? json.map(decodeParam) : mapValues(json as { readonly [key: string]: Schema.Json }, decodeParam)
}
const AnyParam = Schema.declare((u: unknown): u is Param => u !== undefined)
const Params = Schema.Record(
  Schema.String,
  Schema.Json.pipe(
    Schema.decodeTo(AnyParam, {
      decode: SchemaGetter.transform(decodeParam),
      encode: SchemaGetter.transform(encodeParam)
    })
  )
)

// --- values and views ---------------------------------------------------------------------------------------------------

const aval = { dtype: Schema.Literals(DType.names), shape: Schema.Array(Num) }
const Var = Schema.Struct({ _tag: Schema.Literal("Var"), id: Num, ...aval })
const Literal = Schema.Struct({ _tag: Schema.Literal("Literal"), value: Num, ...aval })
const Atom = Schema.Union([Var, Literal]).annotate({ expected: "a Var or a Literal" })

const AffineRef = Schema.suspend((): Schema.Codec<Affine, unknown> => AffineForm)
const Term = Schema.Union([
  Schema.Struct({ _tag: Schema.Literal("Index"), index: Num }),
  Schema.Struct({ _tag: Schema.Literals(["FloorDiv", "Mod"]), of: AffineRef, by: Num })
]).annotate({ expected: "an Index, FloorDiv or Mod" })
const AffineForm = Schema.Struct({
  constant: Num,
  terms: Schema.Array(Schema.Struct({ coefficient: Num, term: Term }))
})
const Entry = Schema.Union([
  Schema.Struct({ _tag: Schema.Literal("Point"), at: AffineForm, padded: Schema.optionalKey(Schema.Literal(true)) }),
  Schema.Struct({
    _tag: Schema.Literal("Range"),
    start: AffineForm,
    size: Num,
    stride: Num,
    padded: Schema.optionalKey(Schema.Literals([true, "wholly"]))
  }),
  Schema.Struct({ _tag: Schema.Literal("Gather"), index: Num })
]).annotate({ expected: "a Point, Range or Gather" })
const Transform = Schema.Union([
  Schema.Struct({ _tag: Schema.Literal("Index"), at: Schema.Array(Entry) }),
  Schema.Struct({ _tag: Schema.Literal("Reshape"), shape: Schema.Array(Num) }),
  Schema.Struct({ _tag: Schema.Literal("Transpose"), perm: Schema.Array(Num) }),
  Schema.Struct({ _tag: Schema.Literal("Bitcast"), dtype: aval.dtype })
]).annotate({ expected: "an Index, Reshape, Transpose or Bitcast" })

// --- equations and regions ----------------------------------------------------------------------------------------------

const Effect = Schema.Union([
  Schema.Struct({ _tag: Schema.Literals(["Read", "Write", "Accum"]), ref: Schema.String }),
  Schema.Struct({ _tag: Schema.Literals(plainEffects) }),
  Schema.Struct({ _tag: Schema.Literal("Inline"), name: Schema.String })
]).annotate({ expected: `a Read, Write, Accum, Inline, ${plainEffects.join(", ")}` })

const isSource = (u: unknown): u is Source => typeof u === "object" && u !== null && "show" in u
/** A position that shows nothing is left out, as one that is not there. */
const Position = Schema.optionalKey(Schema.String).pipe(
  Schema.decodeTo(Schema.UndefinedOr(Schema.declare(isSource)), {
    decode: SchemaGetter.transformOptional((text: Option.Option<string>) =>
      Option.some(Option.isSome(text) ? { show: () => text.value } : undefined)
    ),
    encode: SchemaGetter.transformOptional((source: Option.Option<Source | undefined>) =>
      Option.fromUndefinedOr(Option.getOrUndefined(source)?.show())
    )
  })
)

const Role = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("barrier"), arrivals: Num }),
  Schema.Struct({ kind: Schema.Literal("accumulator") })
]).annotate({ expected: "a barrier or an accumulator" })
const Scratch = Schema.Struct({
  name: Schema.String,
  ...aval,
  space: Schema.Literals(["workgroup", "register"]),
  role: Schema.optionalKey(Role),
  tiling: Schema.optionalKey(aval.shape),
  swizzle: Schema.optionalKey(Num)
})
const RegionRef = Schema.suspend((): Schema.Codec<Region, unknown> => RegionForm)
const Equation = Schema.Struct({
  primitive: Schema.String,
  params: Params,
  operands: Schema.Array(Atom),
  indices: Schema.Array(Atom),
  refs: Schema.Array(Schema.Struct({ name: Schema.String, view: Schema.Array(Transform) })),
  regions: Schema.Array(RegionRef),
  results: Schema.Array(Var),
  effects: Schema.Array(Effect),
  source: Position
})
const RegionForm = Schema.Struct({
  params: Schema.Array(Var),
  refs: Schema.Array(Scratch),
  eqns: Schema.Array(Equation),
  results: Schema.Array(Atom)
})

// --- programs -----------------------------------------------------------------------------------------------------------

const inlineType = { name: Schema.String, dtype: aval.dtype, shape: Schema.NullOr(aval.shape) }
const Inline = Schema.Struct({
  name: Schema.String,
  grain: Schema.Literals(["elementwise", "block"]),
  args: Schema.Array(Schema.Struct({ ...inlineType, kind: Schema.Literals(["tile", "read", "write", "readwrite"]) })),
  results: Schema.Array(Schema.Struct(inlineType)),
  wgsl: Schema.String,
  source: Schema.NullOr(Schema.String)
})
const Ref = Schema.Struct({
  name: Schema.String,
  ...aval,
  access: Schema.Literals(["in", "out", "inout"]),
  scalar: Schema.Boolean
})
const isVersion = (u: unknown): u is typeof formatVersion => u === formatVersion
const Versioned = Schema.Struct({
  format: Schema.Literal("effect-kernels"),
  version: Schema.declare(isVersion, { expected: `format version ${formatVersion}` }),
  name: Schema.String,
  grid: Schema.Array(Schema.Struct({ size: Num, semantics: Schema.Literals(["parallel", "sequential"]) })),
  threads: Schema.optionalKey(Num),
  refs: Schema.Array(Ref),
  body: RegionForm,
  discharged: Schema.Array(Schema.String),
  inlines: Schema.Record(Schema.String, Inline)
})
const isProgram = (u: unknown): u is Program => typeof u === "object" && u !== null && "body" in u

/** Schema of programs; the encoded side is plain JSON and carries the format version. */
export const ProgramJson: Schema.Codec<Program, unknown> = Versioned.pipe(
  Schema.decodeTo(Schema.declare(isProgram), {
    decode: SchemaGetter.transform(({ format: _format, version: _version, ...program }) => program),
    encode: SchemaGetter.transform((program) => ({
      format: "effect-kernels" as const,
      version: formatVersion,
      ...program
    }))
  })
)

const encode = Schema.encodeSync(ProgramJson)
const decode = Schema.decodeUnknownResult(ProgramJson, { onExcessProperty: "error", reportInput: true })

/** The JSON form of a program; `fromJson` reads it back. */
export const toJson = (program: Program): unknown => encode(program)

// --- reading, with paths ------------------------------------------------------------------------------------------------

type Path = ReadonlyArray<PropertyKey>
const showPath = (path: Path): string =>
  path.map((key, k) => (typeof key === "number" ? `[${key}]` : `${k === 0 ? "" : "."}${String(key)}`)).join("")
const failure = (path: Path, message: string, whole = "the program"): ParseError =>
  new ParseError({ line: 0, column: 0, detail: `${path.length === 0 ? whole : showPath(path)}: ${message}` })

const format = SchemaIssue.makeFormatterStandardSchemaV1()
/** What is wrong with JSON that a schema does not accept, with the path of the first mistake. */
export const fromSchema = (error: Schema.SchemaError, whole?: string): ParseError => {
  const { message, path = [] } = format(error.issue).issues[0]!
  const keys = path.map((key) => (typeof key === "object" ? key.key : key))
  return failure(keys, message.length > 300 ? `${message.slice(0, 300)}…` : message, whole)
}

/** Decoding recurses; what is deeper than this may exhaust the stack. A region takes four levels. */
const maxDepth = 1024
const isTooDeep = (json: unknown, depth = 0): boolean =>
  typeof json === "object" &&
  json !== null &&
  (depth > maxDepth || Object.values(json).some((v) => isTooDeep(v, depth + 1)))

const unknownPrimitive = (region: Region, primitives: ReadonlySet<string>, path: Path): ParseError | undefined => {
  for (const [k, eqn] of region.eqns.entries()) {
    const at = [...path, "eqns", k]
    if (!primitives.has(eqn.primitive))
      return failure([...at, "primitive"], `unknown primitive ${eqn.primitive}${suggest(eqn.primitive, primitives)}`)
    for (const [r, inner] of eqn.regions.entries()) {
      const found = unknownPrimitive(inner, primitives, [...at, "regions", r])
      if (found !== undefined) return found
    }
  }
  return undefined
}

/**
 * The program that a JSON value in the form of `toJson` describes.
 *
 * Names of primitives must be among `primitives`, if given. The detail of the error begins with the path of the first
 * mistake; line and column are 0. The program is not checked: that is `check`.
 */
export const fromJson = (json: unknown, primitives?: ReadonlySet<string>): Result.Result<Program, ParseError> => {
  if (isTooDeep(json)) return Result.fail(failure([], `nested deeper than ${maxDepth} levels`))
  const decoded = decode(json)
  if (Result.isFailure(decoded)) return Result.fail(fromSchema(decoded.failure))
  const unknown = primitives === undefined ? undefined : unknownPrimitive(decoded.success.body, primitives, ["body"])
  return unknown === undefined ? Result.succeed(decoded.success) : Result.fail(unknown)
}
