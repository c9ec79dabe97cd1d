/**
 * `npm run demo`: a photograph through a chain of kernels, each run on the CPU and on the GPU from the same input, compared,
 * timed, and written to `demo/out`; then a kernel that only a GPU can run.
 */
import { type Context, Effect, Layer } from "effect"
import { Discharge, type Effects, Gpu, GpuDevice, Interpreter, Kernel, type KernelError } from "effect-kernels"
import { GpuDevice as NodeDevice } from "effect-kernels/node"
import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Image from "./image.ts"
import * as Kernels from "./kernels.ts"
import { doing, done } from "./progress.ts"

const folder = fileURLToPath(new URL("out/", import.meta.url))
const save = (name: string, picture: Image.Picture) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}${name}.png`, Image.toPng(picture))
  done(`  demo/out/${name}.png`)
}

/** What both interpreters interpret, and where each is. */
type Both = Context.Context<Interpreter.Interpreter | Effects.Core>
interface Interpreters {
  readonly cpu: Both
  readonly gpu: Both
}
type Results = { readonly [ref: string]: Float32Array | Int32Array }
type Run<A> = Effect.Effect<A, KernelError, Interpreter.Interpreter | Effects.Core>

const timed = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<readonly [A, number], E, R> =>
  Effect.suspend(() => {
    const start = performance.now()
    return Effect.map(self, (a) => [a, performance.now() - start] as const)
  })

const largestDifference = (a: Results, b: Results): number => {
  let largest = 0
  for (const [ref, values] of Object.entries(a))
    for (let k = 0; k < values.length; k++) largest = Math.max(largest, Math.abs(values[k]! - b[ref]![k]!))
  return largest
}

const widths = [13, 28, 11, 11, 11, 11]
const row = (...cells: ReadonlyArray<string>) =>
  done(cells.map((cell, k) => (k < 2 ? cell.padEnd(widths[k]!) : cell.padStart(widths[k]!))).join(" "))
const milliseconds = (ms: number) => `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`

let step = 0
const steps = 18
/** Runs a kernel on the CPU once and on the GPU twice, since the first run there compiles; prints how they compare. */
const onBoth = Effect.fnUntraced(function* <A extends Results>(on: Interpreters, kernel: Kernel.Any, run: Run<A>) {
  const running = (where: string, context: Both) =>
    Effect.andThen(
      Effect.sync(() => doing(step++, steps, `${kernel.name} on ${where}`)),
      timed(Effect.provide(run, context))
    )
  const [cpu, cpuTime] = yield* running("Discharge", on.cpu)
  const [, firstTime] = yield* running("Gpu, with compilation", on.gpu)
  const [gpu, gpuTime] = yield* running("Gpu", on.gpu)
  const effects = (yield* Kernel.effects(kernel) as Effect.Effect<ReadonlyArray<string>>).join(" ")
  const times = [cpuTime, gpuTime, firstTime].map(milliseconds)
  row(kernel.name, effects, Number(largestDifference(cpu, gpu).toPrecision(2)).toString(), ...times)
  return { cpu, gpu }
})

/** The chain; every kernel gets what the GPU made of the one before. */
const pictures = Effect.fnUntraced(function* (on: Interpreters, { height, pixels, width }: Image.Picture) {
  const greyscale = Kernels.greyscale(height, width)
  const grey = yield* onBoth(on, greyscale, Kernel.run(greyscale, { pixels }))
  const blur = Kernels.blur(height, width)
  const soft = yield* onBoth(on, blur, Kernel.run(blur, { x: grey.gpu.grey }))
  const sobel = Kernels.sobel(height, width)
  const edges = yield* onBoth(on, sobel, Kernel.run(sobel, { x: soft.gpu.o }))
  const histogram = Kernels.histogram(height, width)
  const { bins } = (yield* onBoth(on, histogram, Kernel.run(histogram, { x: edges.gpu.o }))).gpu
  const { table } = (yield* onBoth(on, Kernels.equalisation, Kernel.run(Kernels.equalisation, { bins }))).gpu
  const equalise = Kernels.equalise(height, width)
  const equal = yield* onBoth(on, equalise, Kernel.run(equalise, { x: edges.gpu.o, table }))
  return [
    { name: "1-greyscale", cpu: grey.cpu.grey, gpu: grey.gpu.grey },
    { name: "2-blur", cpu: soft.cpu.o, gpu: soft.gpu.o },
    { name: "3-edges", cpu: edges.cpu.o, gpu: edges.gpu.o },
    { name: "4-equalised", cpu: equal.cpu.o, gpu: equal.gpu.o }
  ]
})

/** A kernel with inline WGSL: a typed failure where there is no rule for it, and the fallback that runs it all the same. */
const inline = Effect.fnUntraced(function* (height: number, width: number, x: Float32Array) {
  const run = Kernel.run(Kernels.contrast(height, width), { x })
  yield* run.pipe(
    Effect.as("It ran, which it should not."),
    Interpreter.provide(Discharge.layer),
    Effect.catchTag("NotImplemented", (e) => Effect.succeed(`NotImplemented: ${e.message}`)),
    Effect.map((line) => done(`\nOn Discharge alone:\n  ${line}`))
  )
  const { o } = yield* run.pipe(Effect.provide(Interpreter.orElse(Discharge.layer, Gpu.layer)))
  done("With Interpreter.orElse(Discharge.layer, Gpu.layer):")
  save("5-contrast", Image.fromGrey(width, height, o))
})

const main = Effect.gen(function* () {
  const photo = Image.boats()
  const { height, width } = photo
  const { description, software } = yield* GpuDevice.GpuDevice
  done(`A photograph of ${width} by ${height} pixels; the GPU is ${description}${software ? ", in software" : ""}.\n`)
  row("kernel", "effects", "difference", "Discharge", "Gpu", "first run")
  const on = { cpu: yield* Layer.build(Discharge.layer), gpu: yield* Layer.build(Gpu.layer) }
  const made = yield* pictures(on, photo)

  done("")
  const picture = (grey: Float32Array) => Image.fromGrey(width, height, grey)
  for (const { gpu, name } of made) save(name, picture(gpu))
  const line = (of: "cpu" | "gpu") => [photo, ...made.map((m) => picture(m[of]))].map(Image.half)
  save("side-by-side", Image.sheet([line("cpu"), line("gpu")]))
  yield* inline(height, width, made[0]!.gpu)
})

await main.pipe(
  Effect.scoped,
  Effect.provide(NodeDevice.layer),
  Effect.catch((error) =>
    Effect.sync(() => {
      console.error(error.message)
      process.exitCode = 1
    })
  ),
  Effect.runPromise
)
