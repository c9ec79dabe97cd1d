/** A program of its own that prints which software device it got. */
import { Effect } from "effect"
import { GpuDevice } from "../../src/GpuDevice.ts"
import { layerSoftware } from "../../src/node/GpuDevice.ts"

const print = Effect.map(GpuDevice, ({ description }) => console.log(description))
void Effect.runPromise(Effect.provide(print, layerSoftware))
