/** What it costs to trace and to lower: the matmul example, and kernels of 10,000 equations. */
import { Effect, Result } from "effect"
import { f32, Kernel, MemRef, type Tile } from "effect-kernels"
import { matmul } from "../examples/matmul.ts"
import { equations, type Program } from "../src/ir/program.ts"
import { compile } from "../src/wgsl/compile.ts"
import { compare } from "./support.ts"

const traced = (kernel: Kernel.Any): Promise<Program> => Effect.runPromise(kernel.trace as Effect.Effect<Program>)
const count = (program: Program): Uint32Array => Uint32Array.of([...equations(program.body)].length)
const length = (text: string): Uint32Array => Uint32Array.of(text.length)

/** A fresh kernel each time, so that nothing is remembered from the run before. */
const product = () => matmul(512, 512, 512, { m: 32, k: 32, n: 32 })
const lowered = async () => length(Result.getOrThrow(compile(await traced(product()))).code)

const pure = () =>
  Kernel.make("pure", { grid: [1], refs: { x: MemRef.in(f32, [64]), o: MemRef.out(f32, [64]) } }, function* ({ x, o }) {
    let v: Tile.Tile<"f32", [64]> = yield* MemRef.load(x)
    for (let i = 0; i < 4999; i++) v = v.mul(1.5).add(v)
    yield* MemRef.store(o, v)
  })
const effectful = () =>
  Kernel.make("effectful", { grid: [1], refs: { x: MemRef.inout(f32, [64]) } }, function* ({ x }) {
    for (let i = 0; i < 5000; i++) yield* MemRef.store(x, yield* MemRef.load(x))
  })

const positive = (result: Uint32Array) => {
  if (!(result[0]! > 0)) throw new Error("nothing came out")
}
await compare(
  "matmul example",
  { trace: async () => count(await traced(product())), "trace and lower": lowered },
  { rounds: 30, warmup: 10, check: positive }
)
await compare(
  "10,000 equations",
  {
    "pure operations": async () => count(await traced(pure())),
    "loads and stores": async () => count(await traced(effectful()))
  },
  {
    rounds: 15,
    warmup: 5,
    check: (result) => {
      if (result[0] !== 10_000) throw new Error(`${result[0]} equations`)
    }
  }
)
