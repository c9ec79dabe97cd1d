/** Compares a device with the CPU, by the accuracy that records state. */
import { Effect } from "effect"
import { makeRuntime } from "../../src/gpu/runtime.ts"
import { GpuDevice } from "../../src/GpuDevice.ts"
import { agrees } from "./agree.ts"
import { onDevice } from "./device.ts"
import { apply, title, type Use } from "./families.ts"

/** What the device and the CPU disagree on, beyond what the records allow: the first five of each use. */
export const disagreements = (
  group: ReadonlyArray<Use>,
  operands: ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>
) =>
  Effect.gen(function* () {
    const runtime = yield* makeRuntime(yield* GpuDevice)
    const results = yield* onDevice(runtime, group, operands)
    return group.flatMap((u, k) =>
      results[k]!.flatMap((actual, i) => {
        const args = operands[k]!.map((xs) => xs[i]!)
        const expected = apply(u, ...args)
        return agrees(u, args, expected, actual) ? [] : [`${title(u)} (${args.join(", ")}): ${actual}, not ${expected}`]
      }).slice(0, 5)
    )
  })
