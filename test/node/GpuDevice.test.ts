import { Effect, Layer, Logger, References } from "effect"
import { describe, expect, it } from "vitest"
import { GpuDevice as Service } from "../../src/GpuDevice.ts"
import { GpuDevice } from "../../src/node.ts"
import { importPeer, peers, resolvePeer } from "../../src/node/peer.ts"

const build = (layer: Layer.Layer<Service, unknown>) => Effect.runPromise(Effect.provide(Service, Layer.fresh(layer)))

describe("GpuDevice.layerSoftware", () => {
  it("gives SwiftShader, again and again, several at once too", async () => {
    const devices = await Promise.all(Array.from({ length: 4 }, () => build(GpuDevice.layerSoftware)))
    devices.push(await build(GpuDevice.layerSoftware))
    for (const device of devices)
      expect(device).toMatchObject({ software: true, description: expect.stringContaining("SwiftShader") })
    expect(new Set(devices.map((d) => d.device)).size).toBe(5)
  })

  it("leaves the process's environment as it was", async () => {
    const before = { ...process.env }
    await build(GpuDevice.layerSoftware)
    expect(process.env).toEqual(before)
  })
})

describe("GpuDevice.layer", () => {
  it("gives a device and logs at debug level which", async () => {
    const lines: Array<unknown> = []
    const logger = Logger.make<unknown, void>(({ message }) => void lines.push(message))
    const device = await Effect.provide(Service, Layer.fresh(GpuDevice.layer)).pipe(
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, "Debug"),
      Effect.runPromise
    )
    expect(device.description).not.toBe("")
    expect(lines.join()).toContain(device.description)
    expect(lines.join().includes("(software)")).toBe(device.software)
  })
})

describe("an optional peer that is missing", () => {
  it.each([
    ["import", importPeer("@effect-kernels/absent@1.2.3")],
    ["path", resolvePeer("@effect-kernels/absent@1.2.3")]
  ])("fails with GpuUnavailable and the command that installs it (%s)", async (_, effect) => {
    expect(await Effect.runPromise(Effect.flip(effect))).toMatchObject({
      _tag: "GpuUnavailable",
      detail: expect.stringContaining("@effect-kernels/absent"),
      hint: "npm install --save-dev --save-exact @effect-kernels/absent@1.2.3"
    })
  })
  it("is none of those that this repository has", () =>
    Effect.runPromise(Effect.all([importPeer(peers.webgpu), resolvePeer(peers.swiftshader)])))
})
