/**
 * What it costs to check a kernel: a matrix product of 64³ in the Simulator, in the checker of its lowered form, and in the
 * detector of `wgsl_reflect`, which runs its WGSL one workgroup at a time and sees less; and cost per access as sizes grow.
 */
import { Effect, Result } from "effect"
import { type DType, Simulator } from "effect-kernels"
import { matmul } from "../examples/matmul.ts"
import { samples } from "../examples/support/example.ts"
import { fromWords, toWords } from "../src/gpu/words.ts"
import type { Program } from "../src/ir/program.ts"
import { checkLowered } from "../src/simulate/lowered/checker.ts"
import { simulate } from "../src/simulate/run.ts"
import { emitted, lowered } from "../test/support/lowered.ts"
import { emulate } from "../test/support/reflect.ts"
import { ways } from "../test/support/reflectFaults.ts"
import { compare, measure } from "./support.ts"

interface Product {
  readonly program: Program
  readonly args: ReadonlyMap<string, DType.HostArray>
  readonly size: number
}
const product = async (size: number, tile: number): Promise<Product> => {
  const args = new Map([
    ["a", samples(size * size, 1)],
    ["b", samples(size * size, 2)]
  ])
  const program = await Effect.runPromise(matmul(size, size, size, { m: tile, k: tile, n: tile }).trace)
  return { program, args, size }
}
const expectedOf = ({ args, size }: Product): Float64Array => {
  const [a, b] = [args.get("a")!, args.get("b")!]
  return Float64Array.from({ length: size * size }, (_, at) => {
    let sum = 0
    for (let k = 0; k < size; k++) sum += a[Math.floor(at / size) * size + k]! * b[k * size + (at % size)]!
    return sum
  })
}
const silent = (found: Iterable<unknown>): void => {
  const all = [...found]
  if (all.length > 0) throw new Error(`found ${JSON.stringify(all[0])}`)
}

const simulated = async ({ args, program }: Product): Promise<Float32Array> => {
  const { findings, results } = await Effect.runPromise(simulate(program, args))
  silent(findings)
  return results!.get("c") as Float32Array
}
const options = { schedule: { workgroupSize: 64 } }
const loweredChecked = async ({ args, program }: Product): Promise<Float32Array> => {
  const { lowered: of, storage } = lowered({ args, program }, options)
  const memories = storage()
  silent(Result.getOrThrow(checkLowered(of, memories)).findings)
  return Float32Array.from(memories.get("c")!)
}
const reflected = async ({ args, program, size }: Product): Promise<Float32Array> => {
  const module = emitted(program, options, (l) => l)
  const given = new Map([...args].map(([name, host]) => [name, toWords("f32", host)]))
  const { errors, logged, races, words } = emulate(module, given, ways())
  silent([...errors, ...logged, ...races])
  return fromWords("f32", words.get("c")!, size * size) as Float32Array
}

const whole = await product(64, 16)
const expected = expectedOf(whole)
const isRight = (result: Float32Array): void => {
  result.forEach((x, k) => {
    if (!(Math.abs(x - expected[k]!) <= 1e-3)) throw new Error(`element ${k} is ${x}, not ${expected[k]}`)
  })
}
await compare(
  "matmul 64³, tiles of 16, under one schedule; workgroups of 64",
  {
    Simulator: () => simulated(whole),
    "checker of the lowered form": () => loweredChecked(whole),
    "wgsl_reflect's detector": () => reflected(whole)
  },
  // The last one takes most of a minute or more each time.
  { rounds: 3, warmup: 0, check: isRight }
)
await compare(
  "matmul 64³, tiles of 16, all that Simulator.check does (three schedules)",
  {
    check: async () => {
      const kernel = matmul(64, 64, 64, { m: 16, k: 16, n: 16 })
      const args = { a: samples(64 * 64, 1), b: samples(64 * 64, 2) }
      const report = await Effect.runPromise(Simulator.check(kernel, args))
      silent(report.findings)
      return Float64Array.of(report.ran.accesses)
    }
  },
  {
    rounds: 5,
    check: (result) => {
      if (!(result[0]! > 0)) throw new Error("nothing was checked")
    }
  }
)

console.log("\ncost per access, one schedule\nsize  tile  accesses  median ms  ns per access")
for (const [size, tile] of [
  [32, 8],
  [64, 8],
  [128, 8],
  [32, 16],
  [64, 16],
  [128, 16]
] as const) {
  const of = await product(size, tile)
  const wanted = expectedOf(of)
  let accesses = 0
  const timings = await measure(
    {
      run: async () => {
        const outcome = await Effect.runPromise(simulate(of.program, of.args))
        accesses = outcome.accesses
        return outcome.results!.get("c") as Float32Array
      }
    },
    {
      rounds: 7,
      check: (result) => {
        if (result.some((x, k) => !(Math.abs(x - wanted[k]!) <= 1e-2))) throw new Error("a wrong product")
      }
    }
  )
  const { median } = timings.run
  const cells = [size, tile, accesses, median.toPrecision(3), ((median * 1e6) / accesses).toFixed(0)]
  console.log(cells.map((cell) => String(cell).padStart(9)).join(""))
}
