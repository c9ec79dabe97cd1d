import { Effect, Layer } from "effect"
import { Discharge, f32, Inline, Interpreter, Kernel, MemRef, type Tile } from "effect-kernels"
import { type Example, runIfMain, samples } from "./support/example.ts"

const wgsl = "return 0.5 * x * (1.0 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)));"

/** Gelu as WGSL alone: the kernel that uses it costs `Inline<"gelu">`. */
export const gelu = Inline.elementwise("gelu", { args: { x: f32 }, result: f32, wgsl })

/** What it means, over whole tiles. */
export const meaning = ({ x }: { readonly x: Tile.Tile<"f32", ReadonlyArray<number>> }) =>
  x.mul(0.5).mul(x.add(x.mul(x).mul(x).mul(0.044715)).mul(0.7978845608).tanh().add(1))

/** The same WGSL with its meaning: an ordinary primitive on every interpreter. */
export const taughtGelu = Inline.elementwise("taughtGelu", { args: { x: f32 }, result: f32, wgsl, discharge: meaning })

const n = 200
const refs = { x: MemRef.in(f32, [n]), o: MemRef.out(f32, [n]) }

export const activated = Kernel.make("activated", { grid: [1], refs }, function* ({ x, o }) {
  yield* MemRef.store(o, yield* gelu(yield* MemRef.load(x)))
})
export const taught = Kernel.make("taught", { grid: [1], refs }, function* ({ x, o }) {
  yield* MemRef.store(o, yield* taughtGelu(yield* MemRef.load(x)))
})

const x = samples(n)
const expected = x.map((v) => 0.5 * v * (1 + Math.tanh(0.7978845608 * (v + 0.044715 * v ** 3))))

/** Without a rule, the CPU says so: typed, with the place and what to do. */
export const refused = Kernel.run(activated, { x }).pipe(
  Interpreter.provide(Discharge.layer),
  Effect.catchTag("NotImplemented", (e) => Effect.succeed(e.message))
)
/** A rule given by a layer, next to the interpreter that it teaches. */
export const taughtByLayer = Kernel.run(activated, { x }).pipe(
  Effect.provide(Layer.merge(Discharge.layer, Discharge.rule(gelu, meaning)))
)

export const example: Example = {
  name: "gelu",
  about: "inline WGSL with a discharge rule, on every interpreter",
  main: Kernel.run(taught, { x }),
  expected: { o: expected },
  tolerance: 2e-6
}
runIfMain(import.meta.url, example)
