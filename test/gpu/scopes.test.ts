import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { makeRuntime } from "../../src/gpu/runtime.ts"
import { attempt, type Failure } from "../../src/gpu/scopes.ts"
import type { Device, ErrorFilter } from "../../src/gpu/webgpu.ts"
import { GpuDevice } from "../../src/GpuDevice.ts"
import { count, reason, runtime, softwareDevice } from "./support.ts"

const run = softwareDevice()

/** The stack of error scopes of a device that meets these errors. */
const scopes = (errors: { readonly [F in ErrorFilter]?: string }) => {
  const stack: Array<ErrorFilter> = []
  const device = {
    pushErrorScope: (filter: ErrorFilter) => void stack.push(filter),
    popErrorScope: async () => {
      const message = errors[stack.pop()!]
      return message === undefined ? null : { message }
    }
  } as Device
  return { device, stack }
}

describe("attempt", () => {
  const told = (errors: { readonly [F in ErrorFilter]?: string }): Promise<Failure | undefined> =>
    attempt(scopes(errors).device, () => 1).failure

  it("tells the error that explains the others: memory, then validation, then the rest", async () => {
    expect(await told({})).toBeUndefined()
    expect(await told({ internal: "i" })).toEqual({ filter: "internal", message: "i" })
    expect(await told({ internal: "i", validation: "v" })).toEqual({ filter: "validation", message: "v" })
    expect(await told({ validation: "v", "out-of-memory": "m" })).toEqual({ filter: "out-of-memory", message: "m" })
  })

  it("leaves the stack of scopes as it was before it returns, also when a call throws", async () => {
    const { device, stack } = scopes({})
    const { failure, value } = attempt(device, () => {
      throw new TypeError("wrong shape")
    })
    expect(stack).toEqual([])
    expect(value).toBeUndefined()
    expect(await failure).toMatchObject({ message: expect.stringContaining("wrong shape") })
  })
})

describe("a run that fails on the device", () => {
  /** The device, with an error of that kind in every scope while `armed`. */
  const faulty = (device: Device, filter: ErrorFilter) => {
    const state = { armed: false }
    const stack: Array<ErrorFilter> = []
    const overrides: Partial<Device> = {
      pushErrorScope: (pushed) => {
        stack.push(pushed)
        device.pushErrorScope(pushed)
      },
      popErrorScope: async () => {
        const fails = stack.pop() === filter && state.armed
        const error = await device.popErrorScope()
        return fails ? { message: "as told" } : error
      }
    }
    const proxy = new Proxy(device, {
      get: (target, key) => {
        const value = overrides[key as keyof Device] ?? target[key as keyof Device]
        return typeof value === "function" ? value.bind(target) : value
      }
    })
    return { state, device: proxy }
  }

  it.each([
    ["out-of-memory", { _tag: "OutOfMemory", bytes: 4096 + 256 + 4096, detail: "as told" }],
    ["validation", { _tag: "DeviceError", stage: "dispatch", detail: "as told" }],
    ["internal", { _tag: "DeviceError", stage: "dispatch", detail: "as told" }]
  ] as const)("gives a typed reason for %s, and does not reuse its buffers", (filter, expected) =>
    run(
      Effect.gen(function* () {
        const service = yield* GpuDevice
        const { device, state } = faulty(service.device, filter)
        const gpu = yield* makeRuntime({ ...service, device })
        yield* gpu.compile(count(1, { words: 1024 }))
        state.armed = true
        expect(yield* reason(gpu.execute(count(1, { words: 1024 }), new Map()))).toMatchObject(expected)
        expect(gpu.stats()).toMatchObject({ buffers: 0, bytes: 0, running: 0 })
        state.armed = false
        expect((yield* gpu.execute(count(1, { words: 1024 }), new Map())).get("o")![0]).toBe(1)
      })
    )
  )
})

describe("many runs after each other", () => {
  it("end with nothing in use and no rejection left unhandled", () =>
    run(
      Effect.gen(function* () {
        const rejections: Array<unknown> = []
        const note = (cause: unknown) => void rejections.push(cause)
        process.on("unhandledRejection", note)
        const { execute, stats } = yield* runtime
        for (let k = 0; k < 50; k++)
          yield* Effect.exit(execute(k % 5 === 0 ? { ...count(1), code: "?" } : count(k), new Map()))
        yield* Effect.promise(() => new Promise((done) => setTimeout(done, 20)))
        process.off("unhandledRejection", note)
        expect(rejections).toEqual([])
        expect(stats().buffers).toBe(stats().pooledBuffers)
      })
    ))
})
