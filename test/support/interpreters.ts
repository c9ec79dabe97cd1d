/** The interpreters that every conformance test runs on, each built once per test file. */
import { type Effect, type Exit, Layer, ManagedRuntime } from "effect"
import { afterAll } from "vitest"
import { Discharge, Gpu, Simulator } from "../../src/index.ts"
import { GpuDevice } from "../../src/node.ts"
import { barriersChecked } from "./barriers.ts"

export interface Subject {
  readonly name: string
  /** Runs an effect whose kernels this interpreter runs; what is missing in its type does not matter here. */
  readonly exit: <A, E>(effect: Effect.Effect<A, E, any>) => Promise<Exit.Exit<A, E>>
}
/** An interpreter that is built once per test file. */
export const subject = (name: string, layer: Layer.Layer<any, any>): Subject => {
  const runtime = ManagedRuntime.make(layer)
  afterAll(() => runtime.dispose())
  return { name, exit: (effect) => runtime.runPromiseExit(effect) as Promise<any> }
}

export const discharge = subject("Discharge", Discharge.layer)
/**
 * On the software adapter; where there is none, every test that uses it fails and says why. What it lowers kernels to passes
 * the checker of barriers.
 */
export const gpu = subject("Gpu", barriersChecked(Gpu.layer.pipe(Layer.provide(GpuDevice.layerSoftware))))
/** For its results: what it finds is no matter here. */
export const simulator = subject("Simulator", Simulator.layer({ findings: "ignore" }))
export const interpreters: ReadonlyArray<Subject> = [discharge, gpu, simulator]
