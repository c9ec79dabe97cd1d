import { Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { messageReason } from "../../src/gpu/pipelines.ts"
import type { Module } from "../../src/wgsl/module.ts"
import {
  count,
  eventually,
  module,
  onOwnDevice,
  reason,
  runtime,
  slow,
  slowInput,
  softwareDevice,
  withInline
} from "./support.ts"

const run = softwareDevice()
const compileReason = (subject: Module) => run(Effect.flatMap(runtime, ({ compile }) => reason(compile(subject))))

describe("a module that does not compile", () => {
  it("fails with InlineError in the inline's own lines when the mistake is in an inline", async () => {
    const syntax = await compileReason(withInline("let a = x;\nlet b = a +;\nreturn b;"))
    expect(syntax).toMatchObject({ _tag: "InlineError", inline: "gelu", line: 2 })
    const types = await compileReason(withInline("return\n  x\n  * true;"))
    expect(types).toMatchObject({ _tag: "InlineError", inline: "gelu" })
    expect((types as { line: number }).line).toBeGreaterThanOrEqual(1)
    expect((types as { line: number }).line).toBeLessThanOrEqual(3)
    const unknown = await compileReason(withInline("return no_such_name(x);"))
    expect(unknown).toMatchObject({ _tag: "InlineError", line: 1, detail: expect.stringContaining("no_such_name") })
  })

  it("fails with DeviceError that names the line when the mistake is elsewhere", async () => {
    const good = withInline("return x;")
    const told = await compileReason({ ...good, code: `${good.code}\nfn f() -> u32 { return 1.5; }` })
    expect(told).toMatchObject({ _tag: "DeviceError", stage: "shader" })
    expect((told as { detail: string }).detail).toMatch(/^line \d+: /)
  })

  it("takes the first error in an inline before errors outside, and warnings for nothing", () => {
    const error = (lineNum: number, type = "error") => ({ type, message: `at ${lineNum}`, lineNum })
    const subject = { ...count(1), inlineLines: [{ inline: "f", line: 10, count: 3 }] }
    expect(messageReason(subject, [error(10, "warning")])).toBeUndefined()
    expect(messageReason(subject, [error(9), error(12), error(10)])).toMatchObject({ inline: "f", line: 3 })
    expect(messageReason(subject, [error(13), error(9)])).toMatchObject({
      _tag: "DeviceError",
      detail: "line 13: at 13"
    })
  })

  it("fails with DeviceError when the text is right and does not fit the bindings", async () => {
    const told = await compileReason({ ...count(1), bindings: [{ name: "o", access: "read", words: 1 }] })
    expect(told).toMatchObject({ _tag: "DeviceError", stage: "pipeline" })
  })
})

describe("a module that the device is too small for", () => {
  const base = count(1)
  const limited: ReadonlyArray<readonly [string, Partial<Module>]> = [
    [
      "maxStorageBuffersPerShaderStage",
      { bindings: Array.from({ length: 13 }, (_, k) => ({ name: `r${k}`, access: "read_write", words: 1 }) as const) }
    ],
    ["maxComputeInvocationsPerWorkgroup", { workgroupSize: 2 ** 20 }],
    ["maxComputeWorkgroupStorageSize", { workgroupBytes: 2 ** 30 }],
    ["maxStorageBufferBindingSize", { bindings: [{ name: "o", access: "read_write", words: 2 ** 40 }] }],
    ["maxStorageBufferBindingSize", { spillWords: 2 ** 40 }]
  ]
  it.each(limited)("fails with LimitExceeded of %s before anything is compiled", (limit, change) =>
    run(
      Effect.gen(function* () {
        const { compile, execute, stats } = yield* runtime
        for (const told of [
          yield* reason(compile({ ...base, ...change })),
          yield* reason(execute({ ...base, ...change }, new Map()))
        ]) {
          expect(told).toMatchObject({ _tag: "LimitExceeded", limit })
          const { allowed, hint, requested } = told as { allowed: number; hint: string; requested: number }
          expect(requested).toBeGreaterThan(allowed)
          expect(hint).not.toBe("")
        }
        expect(stats()).toMatchObject({ compiles: 0, buffers: 0 })
      })
    )
  )

  it("counts the spill buffer among the storage buffers", () =>
    run(
      Effect.gen(function* () {
        const { compile } = yield* runtime
        const bindings = Array.from(
          { length: 12 },
          (_, k) => ({ name: `r${k}`, access: "read_write", words: 1 }) as const
        )
        expect(yield* reason(compile({ ...base, bindings, spillWords: 1 }))).toMatchObject({
          limit: "maxStorageBuffersPerShaderStage",
          allowed: 12,
          requested: 13
        })
      })
    ))
})

describe("wrong inputs", () => {
  it("fail with DeviceError that names the binding", () =>
    run(
      Effect.gen(function* () {
        const { execute } = yield* runtime
        expect(yield* reason(execute(count(2), new Map([["o", new Uint32Array(3)]])))).toMatchObject({
          _tag: "DeviceError",
          stage: 'input "o"'
        })
        expect(yield* reason(execute(slow(1), new Map()))).toMatchObject({ stage: 'input "n"' })
      })
    ))
})

describe("a lost device", () => {
  it("fails a run in progress with DeviceLost, and leaves no buffer in use", () =>
    onOwnDevice((gpu, { device }) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(reason(gpu.execute(slow(), slowInput)))
        yield* eventually(() => gpu.stats().running === 1)
        device.destroy()
        expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "DeviceLost" })
        yield* eventually(() => gpu.stats().running === 0)
        expect(gpu.stats().buffers).toBe(gpu.stats().pooledBuffers)
      })
    ))

  it("fails all of many overlapping runs", () =>
    onOwnDevice((gpu, { device }) =>
      Effect.gen(function* () {
        const runs = Array.from({ length: 8 }, () => reason(gpu.execute(slow(8), slowInput)))
        const fiber = yield* Effect.forkChild(Effect.all(runs, { concurrency: "unbounded" }))
        yield* eventually(() => gpu.stats().running === 8)
        device.destroy()
        expect(new Set((yield* Fiber.join(fiber)).map((r) => r._tag))).toEqual(new Set(["DeviceLost"]))
      })
    ))

  it("fails every later compile and run with DeviceLost", () =>
    onOwnDevice((gpu, { device, isLost, lost }) =>
      Effect.gen(function* () {
        yield* gpu.execute(count(1), new Map())
        expect(isLost()).toBeUndefined()
        device.destroy()
        expect(yield* lost).toBe(isLost())
        expect(yield* reason(gpu.execute(count(1), new Map()))).toMatchObject({ _tag: "DeviceLost" })
        expect(yield* reason(gpu.compile(count(2, { note: "new" })))).toMatchObject({ _tag: "DeviceLost" })
      })
    ))

  it("fails a compile and a run that start in the very moment of the loss", () =>
    onOwnDevice((gpu, { device }) =>
      Effect.gen(function* () {
        yield* gpu.compile(count(1))
        device.destroy()
        const told = yield* Effect.all(
          [reason(gpu.execute(count(1), new Map())), reason(gpu.compile(count(1, { note: "new" })))],
          { concurrency: 2 }
        )
        expect(told.map((r) => r._tag)).toEqual(["DeviceLost", "DeviceLost"])
      })
    ))
})

describe("a kernel's error", () => {
  it("names the kernel", () =>
    run(
      Effect.gen(function* () {
        const { execute } = yield* runtime
        const subject = module({ kernel: "mine", code: "", programs: 1, bindings: [] })
        const error = yield* Effect.flip(execute(subject, new Map()))
        expect(error.kernel).toBe("mine")
        expect(error.message).toContain('kernel "mine"')
      })
    ))
})
