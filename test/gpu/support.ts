/** Hand-written modules, and a runtime on the software device. */
import { Cause, Effect, Exit, Layer, ManagedRuntime, type Scope } from "effect"
import { afterAll, expect } from "vitest"
import { KernelError, type Reason } from "../../src/Errors.ts"
import { makeRuntime, type Runtime } from "../../src/gpu/runtime.ts"
import { GpuDevice } from "../../src/GpuDevice.ts"
import * as NodeGpuDevice from "../../src/node/GpuDevice.ts"
import type { Module } from "../../src/wgsl/module.ts"

/** Runs effects on one software device per test file; where there is none, every test fails and says why. */
export const softwareDevice = () => {
  const managed = ManagedRuntime.make(NodeGpuDevice.layerSoftware)
  afterAll(() => managed.dispose())
  return <A, E>(effect: Effect.Effect<A, E, GpuDevice | Scope.Scope>): Promise<A> =>
    managed.runPromise(Effect.scoped(effect))
}

/** A runtime on the device in context. */
export const runtime: Effect.Effect<Runtime, never, GpuDevice | Scope.Scope> = Effect.flatMap(GpuDevice, makeRuntime)

/** A runtime on a software device of its own, which the test may destroy. */
export const onOwnDevice = <A, E>(
  use: (runtime: Runtime, device: GpuDevice["Service"]) => Effect.Effect<A, E, Scope.Scope>
): Promise<A> =>
  Effect.gen(function* () {
    const device = yield* GpuDevice
    return yield* use(yield* makeRuntime(device), device)
  }).pipe(Effect.scoped, Effect.provide(Layer.fresh(NodeGpuDevice.layerSoftware)), Effect.runPromise)

/** The reason with which an effect fails. */
export const reason = <A, R>(effect: Effect.Effect<A, KernelError, R>): Effect.Effect<Reason, never, R> =>
  Effect.map(Effect.exit(effect), (exit) => {
    if (Exit.isSuccess(exit)) throw new Error("expected a failure")
    const error = Cause.squash(exit.cause)
    expect(error).toBeInstanceOf(KernelError)
    return (error as KernelError).reason
  })

export const eventually = (condition: () => boolean): Effect.Effect<void> =>
  Effect.promise(() => expect.poll(condition, { timeout: 10_000, interval: 5 }).toBe(true))

export const words = (xs: ReadonlyArray<number>): Uint32Array => new Uint32Array(new Float32Array(xs).buffer)
export const floats = (xs: Uint32Array | undefined): Array<number> => [
  ...new Float32Array(xs!.buffer, xs!.byteOffset, xs!.length)
]

const params = (binding: number): string => `
struct Params { base: u32, zero: u32, count: u32, pad: u32 }
@group(0) @binding(${binding}) var<uniform> ek_params: Params;`
const entry = (size: number, body: string): string => `
@compute @workgroup_size(${size})
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) nwg: vec3u, @builtin(local_invocation_index) lane: u32) {
  let id = ek_params.base + wid.x + nwg.x * (wid.y + nwg.y * wid.z);
  if (id >= ek_params.count) { return; }
  ${body}
}`
const make = (module: Partial<Module> & Pick<Module, "kernel" | "code" | "programs" | "bindings">): Module => ({
  workgroupSize: 1,
  spillWords: 0,
  workgroupBytes: 0,
  inlineLines: [],
  ...module
})

/** y[i] = a * x[i] + y[i], 64 elements per workgroup. */
export const saxpy = (n: number): Module =>
  make({
    kernel: "saxpy",
    workgroupSize: 64,
    programs: Math.ceil(n / 64),
    bindings: [
      { name: "a", access: "read", words: 1 },
      { name: "x", access: "read", words: n },
      { name: "y", access: "read_write", words: n }
    ],
    code: `
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
${params(3)}
${entry(64, `let i = id * 64u + lane; if (i < ${n}u) { y[i] = a[0] * x[i] + y[i]; }`)}`
  })

/** o[id] += id + 1 by one invocation; `note` makes texts differ. */
export const count = (programs: number, options: { readonly words?: number; readonly note?: string } = {}): Module =>
  make({
    kernel: "count",
    programs,
    bindings: [{ name: "o", access: "read_write", words: options.words ?? programs }],
    code: `// ${options.note ?? ""}
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
${params(1)}
${entry(1, "o[id] += id + 1u;")}`
  })

/** Each workgroup adds 1 to the first and last word of its spill memory, which was 0, and gives out 1000 id + their sum. */
export const spill = (programs: number, spillWords: number): Module =>
  make({
    kernel: "spill",
    programs,
    spillWords,
    bindings: [{ name: "o", access: "read_write", words: programs }],
    code: `
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(1) var<storage, read_write> ek_spill: array<u32>;
${params(2)}
${entry(
  1,
  `let at = (id - ek_params.base) * ${spillWords}u;
  ek_spill[at] += 1u; ek_spill[at + ${spillWords - 1}u] += 1u;
  o[id] += 1000u * id + ek_spill[at] + ek_spill[at + ${spillWords - 1}u];`
)}`
  })

/** Keeps a software device busy for some tenths of a second, with `slowInput`. */
export const slow = (programs = 64): Module =>
  make({
    kernel: "slow",
    programs,
    bindings: [
      { name: "n", access: "read", words: 1 },
      { name: "o", access: "read_write", words: programs }
    ],
    code: `
@group(0) @binding(0) var<storage, read> n: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
${params(2)}
${entry(1, "var s = id; for (var i = 0u; i < n[0]; i++) { s = s * 1664525u + 1013904223u; } o[id] = s;")}`
  })
export const slowInput = new Map([["n", Uint32Array.of(150_000)]])

/** A module whose inline `gelu` stands in lines 5 to 7 and holds that text. */
export const withInline = (text: string): Module => {
  const head = `@group(0) @binding(0) var<storage, read_write> o: array<f32>;
struct Params { base: u32, zero: u32, count: u32, pad: u32 }
@group(0) @binding(1) var<uniform> ek_params: Params;
fn gelu(x: f32) -> f32 {`
  return make({
    kernel: "inlined",
    programs: 1,
    bindings: [{ name: "o", access: "read_write", words: 1 }],
    inlineLines: [{ inline: "gelu", line: 5, count: text.split("\n").length }],
    code: `${head}\n${text}\n}${entry(1, "o[id] = gelu(o[id]);")}`
  })
}
export const module = make
