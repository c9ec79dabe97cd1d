/** Inline WGSL of both grains, each with a rule that says what it means, so that interpreters can be compared. */
import * as DType from "../../DType.ts"
import {
  type Atom,
  type Aval,
  type InlineArg,
  type InlineDef,
  literal,
  type Region,
  type Var
} from "../../ir/program.ts"
import * as Shape from "../../Shape.ts"
import type { Builder } from "../../ir/build.ts"
import type { Gen, RefPlan } from "./state.ts"
import * as Tiles from "./tiles.ts"
import { type Seen, view } from "./views.ts"

type Numeric = "f32" | "f16" | "i32" | "u32"
const numeric: ReadonlyArray<Numeric> = ["f32", "f16", "i32", "u32"]
const typeName = (dtype: DType.Name): string => (dtype === "f16" ? "f32" : DType.widened(dtype))

/** A use of an inline: what it is, its operands, and what it means. */
interface Use {
  readonly def: InlineDef
  readonly operands: ReadonlyArray<Atom>
  readonly refs: ReadonlyArray<Seen>
  readonly rule: (b: Builder, params: ReadonlyArray<Var>) => ReadonlyArray<Atom>
}

const arg = (
  name: string,
  dtype: DType.Name,
  kind: InlineArg["kind"] = "tile",
  shape: Shape.Shape | null = null
): InlineArg => ({
  name,
  kind,
  dtype,
  shape
})
const elementwise = (
  name: string,
  args: ReadonlyArray<InlineArg>,
  results: ReadonlyArray<readonly [name: string, dtype: DType.Name]>,
  wgsl: string
): InlineDef => ({
  name,
  grain: "elementwise",
  args,
  results: results.map(([result, dtype]) => ({ name: result, dtype, shape: null })),
  wgsl,
  source: null
})

const twice = (gen: Gen): Use => {
  const x = Tiles.anyTile(gen, numeric)
  return {
    def: elementwise(`twice_${x.dtype}`, [arg("x", x.dtype)], [["y", x.dtype]], "return x + x;"),
    operands: [x],
    refs: [],
    rule: (b, [p]) => [b.op("add", [p!, p!])]
  }
}
const blend = (gen: Gen): Use => {
  const yes = Tiles.anyTile(gen, numeric)
  const { dtype, shape } = yes
  const args = [arg("c", "bool"), arg("yes", dtype), arg("no", dtype)]
  return {
    def: elementwise(`blend_${dtype}`, args, [["y", dtype]], "if (c) { return yes; }\nreturn no;"),
    operands: [Tiles.mask(gen, shape), yes, Tiles.stretching(gen, yes)],
    refs: [],
    rule: (b, params) => [b.op("select", params)]
  }
}
const split = (gen: Gen): Use => ({
  def: elementwise(
    "split",
    [arg("x", "i32")],
    [
      ["low", "i32"],
      ["big", "bool"]
    ],
    "return split_result(x & 15i, x > 15i);"
  ),
  operands: [Tiles.anyTile(gen, ["i32"])],
  refs: [],
  rule: (b, [x]) => [b.op("and", [x!, literal("i32", 15)]), b.op("gt", [x!, literal("i32", 15)])]
})

const block = (
  name: string,
  args: ReadonlyArray<InlineArg>,
  results: InlineDef["results"],
  wgsl: string
): InlineDef => ({
  name,
  grain: "block",
  args,
  results,
  wgsl,
  source: null
})
/** The loop that shares `n` elements among the invocations. */
const shared = (n: number, body: string): string =>
  `for (var i = i32(lane); i < ${n}i; i += i32(lanes)) {\n  ${body}\n}`
/** Part of a name that tells types apart. */
const typed = ({ dtype, shape }: Aval): string => [dtype, ...shape].join("_")
const typeOf = ({ dtype, shape }: Aval): Aval => ({ dtype, shape })

const reverse = (gen: Gen): Use => {
  const x = Tiles.anyTile(gen, numeric)
  const n = Shape.size(x.shape)
  const name = `reverse_${typed(x)}`
  return {
    def: block(
      name,
      [arg("x", x.dtype, "tile", x.shape)],
      [{ name: "y", ...typeOf(x) }],
      shared(n, `y_store(i, x_load(${n - 1}i - i));`)
    ),
    operands: [x],
    refs: [],
    rule: (b, [p]) => [b.op("flip", [p!], { axes: x.shape.map((_, d) => d) })]
  }
}
const through = (seen: Seen) => ({ refs: [seen.use], indices: seen.indices })
const bump = (gen: Gen, ref: RefPlan): Use => {
  const seen = view(gen, ref, true)
  const { dtype } = seen.aval
  const text = shared(Shape.size(seen.aval.shape), `r_store(i, r_load(i) + ${typeName(dtype)}(1));`)
  return {
    def: block(`bump_${typed(seen.aval)}`, [arg("r", dtype, "readwrite", seen.aval.shape)], [], text),
    operands: [],
    refs: [seen],
    rule: (b) => {
      const [before] = b.emit("load", [], through(seen))
      b.emit("store", [b.op("add", [before!, literal(DType.widened(dtype), 1)])], through(seen))
      return []
    }
  }
}
const put = (gen: Gen, ref: RefPlan): Use => {
  const seen = view(gen, ref, true)
  const { dtype, shape } = seen.aval
  const args = [arg("x", DType.widened(dtype), "tile", shape), arg("r", dtype, "write", shape)]
  return {
    def: block(`put_${typed(seen.aval)}`, args, [], shared(Shape.size(shape), "r_store(i, x_load(i));")),
    operands: [Tiles.tile(gen, Tiles.shown(seen.aval))],
    refs: [seen],
    rule: (b, [x]) => {
      b.emit("store", [x!], through(seen))
      return []
    }
  }
}
const total = (gen: Gen, ref: RefPlan): Use => {
  const seen = view(gen, ref, false)
  const { dtype, shape } = seen.aval
  const n = Shape.size(shape)
  const text = `if (lane == 0u) {\n  var s = ${typeName(dtype)}(0);\n  for (var i = 0i; i < ${n}i; i++) { s += r_load(i); }\n  t_store(0i, s);\n}`
  return {
    def: block(
      `total_${typed(seen.aval)}`,
      [arg("r", dtype, "read", shape)],
      [{ name: "t", dtype: DType.widened(dtype), shape: [] }],
      text
    ),
    operands: [],
    refs: [seen],
    rule: (b) => {
      const [all] = b.emit("load", [], through(seen))
      return [b.op("reduceSum", [b.op("reshape", [all!], { shape: [n] })], { axes: [0], keepDims: false })]
    }
  }
}

const isNumeric = (ref: RefPlan): boolean => ref.seen.dtype !== "bool" && ref.seen.dtype !== "f16"
const choose = (gen: Gen): Use => {
  const writable = gen.refs.filter((r) => (r.policy === "own" || r.policy === "free") && isNumeric(r))
  const readable = gen.refs.filter((r) => r.policy !== "accumulate" && isNumeric(r))
  const way = gen.draw.weighted([0, 1, 2, 3, 4, 5, 6], (w) =>
    w < 4 ? 2 : w < 6 ? (writable.length > 0 ? 2 : 0) : readable.length > 0 ? 2 : 0
  )
  if (way < 4) return [twice, blend, split, reverse][way]!(gen)
  return way === 6 ? total(gen, gen.draw.of(readable)) : [bump, put][way - 4]!(gen, gen.draw.of(writable))
}

/** A use of inline WGSL; `ruled` says whether it tells what it means. */
export const inline = (gen: Gen, ruled: boolean): void => {
  const { def, operands, refs, rule } = choose(gen)
  gen.builder.inlines[def.name] = def
  const types = operands.map(typeOf)
  const regions: ReadonlyArray<Region> = ruled ? [gen.builder.region(types, (params) => rule(gen.builder, params))] : []
  const indices = refs.flatMap((r) => r.indices)
  gen.budget--
  const uses = refs.map((r) => r.use)
  const draft = { params: { inline: def.name }, refs: uses, indices, regions }
  for (const result of gen.builder.emit(
    "inline",
    operands.map((o) => gen.use(o)),
    draft
  ))
    gen.add(result)
}
