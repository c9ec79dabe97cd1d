import { Effect } from "effect"
import { discharge } from "/work/main/src/discharge/discharge.ts"
import { evaluate } from "/work/main/src/discharge/evaluate.ts"
import { affine, at, f, i, point, program, range, ref } from "/work/main/test/support/ir.ts"
const go = async (name: string, p: any, args: any, cells: number) => {
  const t0 = performance.now()
  const d = await Effect.runPromise(discharge(p))
  const t1 = performance.now()
  await Effect.runPromise(evaluate(d, new Map(Object.entries(args))))
  const t2 = performance.now()
  console.log(name, "discharge", (t1 - t0).toFixed(1), "ms; eval", (t2 - t1).toFixed(1), "ms;", (((t2 - t1) * 1000) / cells).toFixed(2), "us/cell")
}
for (let k = 0; k < 2; k++) {
  const n = 1000, c = 256
  const row = at(point(affine(0, 1)), range(0, c))
  await go("softmax 1000x256", program({ grid: [n], refs: [ref("x", "f32", [n, c], "in"), ref("o", "f32", [n, c], "out")] }, (b) => {
    const id = b.programId(0)
    const v = b.load("x", row, [id])
    const m = b.one("reduceMax", [v], { axes: [0], keepDims: false })
    const e = b.one("exp", [b.one("sub", [v, m])])
    b.store("o", b.one("div", [e, b.one("reduceSum", [e], { axes: [0], keepDims: false })]), row, [id])
  }), { x: new Float32Array(n * c) }, n)
  const g = 100000
  const p1 = at(point(affine(0, 1)))
  await go("tiny cell", program({ grid: [g], refs: [ref("x", "f32", [g], "in"), ref("o", "f32", [g], "out")] }, (b) => {
    const id = b.programId(0)
    b.store("o", b.one("add", [b.load("x", p1, [id]), f(1)]), p1, [id])
  }), { x: new Float32Array(g) }, g)
  await go("fori accumulate", program({ refs: [ref("x", "f32", [g], "in"), ref("o", "f32", [g], "out")] }, (b) => {
    b.fori(i(0), i(g), [], (k) => b.accumulate("o", b.load("x", p1, [k!]), p1, [k!]))
  }), { x: new Float32Array(g) }, g)
}
