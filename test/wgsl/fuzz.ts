import { Effect, Result } from "effect"
import * as DType from "../../src/DType.ts"
import { discharge } from "../../src/discharge/discharge.ts"
import { evaluate } from "../../src/discharge/evaluate.ts"
import { makeRuntime } from "../../src/gpu/runtime.ts"
import { fromWords, toWords } from "../../src/gpu/words.ts"
import { GpuDevice } from "../../src/GpuDevice.ts"
import * as Node from "../../src/node/GpuDevice.ts"
import { print } from "../../src/ir/print.ts"
import * as Shape from "../../src/Shape.ts"
import { compile } from "../../src/wgsl/compile.ts"
import { Generator, random } from "./random.ts"
const from = Number(process.argv[2] ?? 1), to = Number(process.argv[3] ?? 100), verbose = process.argv[4] === "v"
const main = Effect.gen(function* () {
  const device = yield* GpuDevice
  const runtime = yield* makeRuntime(device)
  let bad = 0, skipped = 0
  for (let seed = from; seed <= to; seed++) {
    const r = random(seed)
    let program
    try { program = new Generator(r, { largest: r.pick([40, 150, 400]), statements: r.pick([4, 10, 25]) }).generate() } catch (e) { console.log(seed, "GEN", String((e as Error).stack).slice(0, 300)); continue }
    const args = new Map<string, DType.HostArray>()
    for (const ref of program.refs) {
      const a = DType.hostArray(ref.dtype, Shape.size(ref.shape)) as any
      for (let i = 0; i < a.length; i++) a[i] = ref.dtype === "bool" ? r.below(2) : ref.dtype === "u32" ? r.below(6) : r.between(-4, 5)
      args.set(ref.name, a)
    }
    const schedule = r.pick([{}, {}, { workgroupSize: 8 }, { workgroupSize: 4, registerWords: 2 }, { workgroupBytes: 256 }, { registerWords: 0 }, { workgroupSize: 1 }])
    if (verbose) { console.log(print(program)); console.log(schedule) }
    const expected = yield* Effect.result(Effect.flatMap(discharge(program), (p) => evaluate(p as any, args)))
    if (Result.isFailure(expected)) { console.log(seed, "DIS", String((expected.failure as any).message).slice(0, 200)); skipped++; continue }
    let module
    try {
      const m = compile(program, { schedule })
      if (Result.isFailure(m)) { console.log(seed, "FAIL", m.failure.message); bad++; continue }
      module = m.success
    } catch (e) { console.log(seed, "THROW", (e as Error).stack!.split("\n").slice(0, 6).join("\n")); bad++; continue }
    if (verbose) console.log(module.code)
    const inputs = new Map<string, Uint32Array>()
    for (const b of module.bindings) { const ref = program.refs.find((x) => x.name === b.name)!; if (ref.access !== "out") inputs.set(b.name, toWords(ref.dtype, args.get(b.name)!) as any) }
    const out = yield* Effect.result(runtime.execute(module, inputs))
    if (Result.isFailure(out)) { console.log(seed, "GPU", String(out.failure.message).slice(0, 400)); bad++; continue }
    for (const ref of program.refs) {
      if (ref.access === "in") continue
      const w = out.success.get(ref.name)
      const size = Shape.size(ref.shape)
      const got = w === undefined ? (ref.access === "out" ? DType.hostArray(ref.dtype, size) : args.get(ref.name)!) : fromWords(ref.dtype, w.subarray(0, size) as any)
      const want = expected.success.get(ref.name)!
      for (let i = 0; i < size; i++) {
        const g = Number(got[i]), x = Number(want[i])
        const ok = g === x || (Number.isNaN(g) && Number.isNaN(x)) || (ref.dtype === "f32" && Math.abs(g - x) <= 1e-4 * Math.max(1, Math.abs(x)))
        if (!ok) { console.log(seed, "DIFF", ref.name, ref.dtype, i, "got", g, "want", x, JSON.stringify(schedule)); bad++; break }
      }
    }
  }
  console.log("done", from, to, "bad", bad, "skipped", skipped)
})
Effect.runPromise(Effect.scoped(main).pipe(Effect.provide(Node.layerSoftware)) as any).then(() => process.exit(0), (e) => { console.log("ERR", e); process.exit(1) })
