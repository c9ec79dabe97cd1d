/** The gaps that we accept, interpreter by interpreter: what changes here is a promise to users that changes. */
import type { Layer } from "effect"
import * as api from "effect-kernels"
import type { Discharge, Effects, Gpu, Simulator } from "effect-kernels"
import { describe, expect, expectTypeOf, it } from "vitest"
import { absent } from "../../scripts/absent.ts"
import { current } from "../../scripts/generate.ts"
import { primitives } from "../../src/primitives/index.ts"

/** Every label of effects, by its name. */
interface Labels {
  readonly Core: Effects.Core
  readonly Pipeline: Effects.Pipeline
  readonly Inline: Effects.Inline<string>
  readonly Subgroup: Effects.Subgroup
  readonly Threads: Effects.Threads
  readonly Semaphore: Effects.Semaphore
  readonly Debug: Effects.Debug
  readonly Dynamic: Effects.Dynamic
}
type Claims<L> = L extends Layer.Layer<infer Out, any, any> ? Extract<Out, Effects.Any> : never
type Claimed<L> = { [K in keyof Labels]: [Labels[K]] extends [Claims<L>] ? K : never }[keyof Labels]

describe("the effects that a layer claims in its type", () => {
  it("are among these", () => {
    expectTypeOf<Labels[keyof Labels]>().toEqualTypeOf<Effects.Any>()
  })
  it("Discharge has the core, work in flight and semaphores, in whatever order it runs", () => {
    type Has = "Core" | "Debug" | "Pipeline" | "Semaphore"
    expectTypeOf<Claimed<typeof Discharge.layer>>().toEqualTypeOf<Has>()
    expectTypeOf<Claimed<ReturnType<typeof Discharge.layerOrdered>>>().toEqualTypeOf<Has>()
  })
  it("the Simulator has all but inlines without a rule", () => {
    type Has = "Core" | "Debug" | "Pipeline" | "Semaphore" | "Subgroup" | "Threads"
    expectTypeOf<Claimed<ReturnType<typeof Simulator.layer>>>().toEqualTypeOf<Has>()
  })
  it("Gpu has the core, work in flight, subgroups and every inline", () => {
    expectTypeOf<Claimed<typeof Gpu.layer>>().toEqualTypeOf<"Core" | "Debug" | "Pipeline" | "Inline" | "Subgroup">()
  })
})

describe("the primitives that an interpreter has no rule for", () => {
  const gaps = primitives.flatMap((p) =>
    Object.entries(p.gaps ?? {}).map(([interpreter, { reason }]) => [p.name, interpreter, reason])
  )
  it("are these, for these reasons", () => {
    expect(gaps).toEqual([
      ...["threadId", "copyArrive"].flatMap((name) =>
        ["Discharge", "Gpu"].map((on) => [name, on, "it runs each program instance as one thread of control"])
      ),
      ["semaphoreWait", "Gpu", "WebGPU guarantees no forward progress between workgroups"],
      ...["Ballot", "Lane", "Reduce", "Scan", "Shuffle", "Size"].map((name) => [
        `subgroup${name}`,
        "Discharge",
        "the result depends on the subgroup size of a device"
      ]),
      ["inline", "Discharge", "it is WGSL without a rule that says what it means"],
      ["inline", "Simulator", "it is WGSL without a rule that says what it means"]
    ])
  })
  it("are none that their records do not name", () => {
    const silent = primitives.flatMap((p) => [
      ...(p.wgsl === undefined && p.gaps?.["Gpu"] === undefined ? [`${p.name} on Gpu`] : []),
      ...((p.evaluate ?? p.control ?? p.discharge) === undefined && p.gaps?.["Discharge"] === undefined
        ? [`${p.name} on Discharge`]
        : []),
      ...((p.simulate ?? p.evaluate ?? p.lanes) === undefined ? [`${p.name} in the Simulator`] : [])
    ])
    expect(silent).toEqual([])
  })
})

describe("what is not in the API", () => {
  const publicNames = Object.entries(api).flatMap(([name, module]) => [name, ...Object.keys(module)])

  it("is told with its reason in the documentation", () => {
    expect(absent.map(({ feature }) => feature)).toEqual([
      "clusters and distributed shared memory",
      "tensor memory",
      "multicast copies",
      "remote copies"
    ])
    const page = current("docs/primitives.md")
    for (const { feature, reason } of absent) expect(page).toContain(`- ${feature}: ${reason}.`)
  })
  it("has no name in it", () => {
    expect(publicNames.length).toBeGreaterThan(150)
    expect(publicNames.filter((name) => /cluster|distributed|tensorMemory|tmem|multicast|remote/i.test(name))).toEqual(
      []
    )
  })
})
