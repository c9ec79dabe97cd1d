/**
 * Semaphores that program instances share. Discharge runs them one after the other; on Gpu they are signalled and read.
 *
 * Conformance case 121, signals to other devices, has no form here: a signal takes no device.
 */
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import {
  Control,
  Discharge,
  Gpu,
  i32,
  Interpreter,
  Kernel,
  MemRef,
  NotImplemented,
  Semaphore,
  Tile
} from "../../src/index.ts"
import { GpuDevice } from "../../src/node.ts"
import { compile } from "../../src/wgsl/compile.ts"
import type { Program } from "../../src/ir/program.ts"
import { discharge, gpu } from "../support/interpreters.ts"
import { failure, kernelError, onEach, results } from "../support/kernels.ts"

const gpuLayer = Gpu.layer.pipe(Layer.provide(GpuDevice.layerSoftware))
const reversed = Discharge.layerOrdered("reversed")
/** The last of three program instances waits for what the other two signal. */
const joined = Kernel.make(
  "joined",
  { grid: [3], refs: { done: MemRef.out(i32, []), o: MemRef.out(i32, [3]) } },
  function* ({ done, o }) {
    const i = yield* Control.programId(0)
    yield* Control.cond(
      i.lt(2),
      function* () {
        yield* MemRef.store(MemRef.at(o, [i]), i.add(10))
        yield* Semaphore.signal(done)
      },
      function* () {
        yield* Semaphore.wait(done, 2)
        const a = yield* MemRef.load(MemRef.at(o, [0]))
        yield* MemRef.store(MemRef.at(o, [2]), a.add(yield* MemRef.load(MemRef.at(o, [1]))))
      }
    )
  }
)

describe("on Discharge", () => {
  it("a wait finds what program instances before it have signalled", async () => {
    await onEach(joined, {}, { o: [10, 11, 21], done: [0] }, { on: [discharge] })
  })
  it("a wait for what only later ones signal is a deadlock", async () => {
    const exit = await Effect.runPromise(Effect.flip(Kernel.run(joined, {}).pipe(Effect.provide(reversed))))
    expect(exit.reason).toMatchObject({ _tag: "Deadlock", ref: "done", program: [2], values: [0, 2] })
  })
  it("an argument may say what was signalled before", async () => {
    const k = Kernel.make("k", { grid: [2], refs: { s: MemRef.inout(i32, [2]) } }, function* ({ s }) {
      yield* Semaphore.wait(s, 2, { decrement: false })
      yield* Semaphore.wait(MemRef.at(s, [yield* Control.programId(0)]), 2)
      yield* Semaphore.signal(s, 1)
    })
    await onEach(k, { s: Int32Array.of(3, 2) }, { s: [3, 2] }, { on: [discharge] })
    const error = await kernelError("Deadlock", k, { s: Int32Array.of(2, 2) })
    expect(error).toMatchObject({ program: [1], values: [1, 2] })
  })
})

describe("on Gpu", () => {
  it("a wait on a shared ref is not implemented, and the error says why", async () => {
    const error: any = await failure(Kernel.run(joined, {}).pipe(Interpreter.provide(gpuLayer)))
    expect(error).toBeInstanceOf(NotImplemented)
    expect(error).toMatchObject({ primitive: "semaphoreWait", interpreter: "Gpu", kernel: "joined" })
    expect(error.reason).toBe("WebGPU guarantees no forward progress between workgroups")
    expect(error.hint).toContain("a second one")
    expect(error.source).toContain("sharing.test.ts")
  })
  it("and falls back to an interpreter that has it", async () => {
    const either = Interpreter.orElse(gpuLayer, Discharge.layer)
    const { o } = await Effect.runPromise(Kernel.run(joined, {}).pipe(Effect.provide(either)))
    expect([...o]).toEqual([10, 11, 21])
  })
  it("also where there is one program instance only: what a program holds decides", async () => {
    const k = Kernel.make("k", { grid: [1], refs: { s: MemRef.out(i32, []) } }, function* ({ s }) {
      yield* Semaphore.signal(s)
      yield* Semaphore.wait(s)
    })
    const program = await Effect.runPromise(k.trace as Effect.Effect<Program>)
    expect(compile(program)).toMatchObject({ failure: { _tag: "NotImplemented", primitive: "semaphoreWait" } })
    await onEach(k, {}, { s: [0] }, { on: [discharge] })
  })
  it("no signal of several program instances is lost, and all are read", async () => {
    const k = Kernel.make(
      "k",
      { grid: [40], refs: { s: MemRef.inout(i32, [2]), o: MemRef.out(i32, [40]) } },
      function* ({ o, s }) {
        const i = yield* Control.programId(0)
        yield* Semaphore.signal(MemRef.at(s, [i.rem(2)]), i)
        yield* Semaphore.signal(MemRef.at(s, [Tile.zeros(i32, [3])]))
        yield* MemRef.store(MemRef.at(o, [i]), (yield* Semaphore.read(MemRef.at(s, [0]))).ge(3).convert(i32))
      }
    )
    // One step each: software adapters run workgroups one after the other, and would not show a lost signal.
    const code = await Effect.runPromise(Kernel.wgsl(k))
    expect(code).toContain("atomicAdd(&s[")
    expect(code).toContain("atomicLoad(&s[")
    const s = [380 + 120, 400 + 7]
    await onEach(k, { s: Int32Array.of(0, 7) }, { s, o: new Array(40).fill(1) })
  })
  it("a ref that is only read is read as any other", async () => {
    const k = Kernel.make(
      "k",
      { grid: [2], refs: { s: MemRef.in(i32, [3]), o: MemRef.out(i32, [3]) } },
      function* ({ o, s }) {
        yield* MemRef.store(o, yield* Semaphore.read(s))
      }
    )
    await onEach(k, { s: Int32Array.of(1, 2, 3) }, { o: [1, 2, 3] })
  })
  it("a kernel that is called with scratch waits on scratch", async () => {
    const callee = Kernel.make("callee", { grid: [2], refs: { s: MemRef.inout(i32, []) } }, function* ({ s }) {
      yield* Semaphore.signal(s, 3)
      yield* Semaphore.wait(s, 2)
    })
    const k = Kernel.make(
      "k",
      { grid: [1], refs: { o: MemRef.out(i32, []) }, scratch: { own: Semaphore.scratch([]) } },
      function* ({ o, own }) {
        yield* Kernel.call(callee, { s: own })
        yield* MemRef.store(o, yield* Semaphore.read(own))
      }
    )
    await onEach(k, {}, { o: [2] })
    expect(await results(k, {}, gpu)).toMatchObject({ o: Int32Array.of(2) })
  })
})
