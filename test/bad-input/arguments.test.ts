/** Wrong arguments of a run: named by ref, with what is expected and what was given, before anything runs. */
import { describe, expect, it } from "vitest"
import { bool, DType, f16, f32, i32, Kernel, MemRef, u32 } from "../../src/index.ts"
import { interpreters } from "../support/interpreters.ts"
import { failure, kernelError } from "../support/kernels.ts"

const k = Kernel.make(
  "taking",
  {
    grid: [1],
    refs: {
      x: MemRef.in(f32, [2, 2]),
      n: MemRef.scalar(i32),
      u: MemRef.scalar(u32),
      on: MemRef.scalar(bool),
      y: MemRef.inout(i32, [3]),
      h: MemRef.in(f16, [0]),
      o: MemRef.out(f32, [1])
    }
  },
  function* ({ o }) {
    yield* MemRef.store(o, 1)
  }
)
const good = { x: new Float32Array(4), n: 1, u: 1, on: true, y: new Int32Array(3), h: new DType.Float16Array(0) }
const cases: ReadonlyArray<readonly [what: string, args: any, ref: string, message: string]> = [
  ["is missing", { x: undefined }, "x", "expected Float32Array of 4, got nothing"],
  ["is null", { x: null }, "x", "expected Float32Array of 4, got null"],
  ["is a list", { x: [1, 2, 3, 4] }, "x", "expected Float32Array of 4, got Array of 4"],
  ["has another dtype", { x: new Int32Array(4) }, "x", "expected Float32Array of 4, got Int32Array of 4"],
  ["has a wider dtype", { x: new Float64Array(4) }, "x", "expected Float32Array of 4, got Float64Array of 4"],
  ["is too short", { x: new Float32Array(3) }, "x", "expected Float32Array of 4, got Float32Array of 3"],
  ["is too long", { y: new Int32Array(4) }, "y", "expected Int32Array of 3, got Int32Array of 4"],
  ["is a buffer", { x: new ArrayBuffer(16) }, "x", "expected Float32Array of 4, got ArrayBuffer"],
  ["is a number instead of an array", { y: 1 }, "y", "expected Int32Array of 3, got 1"],
  [
    "is empty where something is needed",
    { y: new Int32Array(0) },
    "y",
    "expected Int32Array of 3, got Int32Array of 0"
  ],
  [
    "is not empty where nothing is needed",
    { h: new Float32Array(0) },
    "h",
    "expected Float16Array of 0, got Float32Array of 0"
  ],
  [
    "is an array instead of a number",
    { n: Int32Array.of(1) },
    "n",
    "expected a number that i32 has, got Int32Array of 1"
  ],
  ["is a string", { n: "1" }, "n", "expected a number that i32 has, got a string"],
  ["is a fraction for an integer", { n: 1.5 }, "n", "expected a number that i32 has, got 1.5"],
  ["is NaN for an integer", { n: NaN }, "n", "expected a number that i32 has, got NaN"],
  ["is too large for an i32", { n: 2 ** 31 }, "n", "expected a number that i32 has, got 2147483648"],
  ["is negative for a u32", { u: -1 }, "u", "expected a number that u32 has, got -1"],
  ["is true for a number", { n: true }, "n", "expected a number that i32 has, got a boolean"],
  ["is 2 for a truth value", { on: 2 }, "on", "expected a number that bool has, got 2"],
  [
    "is given for an out ref",
    { o: new Float32Array(1) },
    "o",
    "expected nothing: it is an out ref, got Float32Array of 1"
  ],
  ["has a name that the kernel lacks", { z: 1 }, "z", "expected no argument of this name, got 1"]
]
describe("an argument that", () => {
  it.each(cases)("%s is InvalidArgument on every interpreter", async (_, change, ref, message) => {
    const args = Object.fromEntries(Object.entries({ ...good, ...change }).filter(([, v]) => v !== undefined)) as any
    for (const on of interpreters) {
      const error = await kernelError("InvalidArgument", k, args, on)
      expect(error.ref).toBe(ref)
      expect(error.shown).toBe(`kernel "taking": argument "${ref}": ${message}`)
    }
  })
  it.each([undefined, null, 1])("is no record at all (%s) is InvalidArgument", async (args) => {
    const error = await failure((Kernel.run as any)(k, args))
    expect(error).toMatchObject({
      _tag: "KernelError",
      reason: { _tag: "InvalidArgument", expected: "a record of arguments" }
    })
  })
})
