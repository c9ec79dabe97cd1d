/** What a user of the packed package writes; the test compiles it against the published declarations and runs it. */
import { Effect } from "effect"
import { Discharge, f32, Interpreter, Kernel, MemRef } from "effect-kernels"

const saxpy = Kernel.make(
  "saxpy",
  {
    grid: [4],
    refs: {
      a: MemRef.scalar(f32),
      x: MemRef.in(f32, [16], { block: [4], index: (i) => [i] }),
      y: MemRef.in(f32, [16], { block: [4], index: (i) => [i] }),
      o: MemRef.out(f32, [16], { block: [4], index: (i) => [i] })
    }
  },
  function* ({ a, o, x, y }) {
    const v = yield* MemRef.load(x)
    yield* MemRef.store(o, v.mul(a).add(yield* MemRef.load(y)))
  }
)

const ramp = Float32Array.from({ length: 16 }, (_, i) => i)
const run = Kernel.run(saxpy, { a: 2, x: ramp, y: new Float32Array(16).fill(1) })
const strict: Effect.Effect<{ readonly o: Float32Array }, unknown, never> = run.pipe(Effect.provide(Discharge.layer))
const lenient = run.pipe(Interpreter.provide(Discharge.layer))

// @ts-expect-error the declarations must be typed enough to see that `y` is missing
export const incomplete = () => Kernel.run(saxpy, { a: 2, x: ramp })

const [one, two] = await Effect.runPromise(Effect.all([strict, lenient]))
console.log(JSON.stringify([[...one.o], [...two.o]]))
