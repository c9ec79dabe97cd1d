/**
 * Lowered programs mean on the device what they mean discharged.
 *
 * `SEEDS=1-5000` runs other programs than these.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Runtime } from "../../src/gpu/runtime.ts"
import type { Schedule } from "../../src/Schedule.ts"
import { runtime, softwareDevice } from "../gpu/support.ts"
import { anyArrays, difference } from "./agree.ts"
import { Generator, random } from "./random.ts"

const [first, last] = (process.env.SEEDS ?? "1-240").split("-").map(Number) as [number, number]
const chunk = 40
const schedules: ReadonlyArray<Schedule> = [
  {},
  {},
  { workgroupSize: 8 },
  { workgroupSize: 4, registerWords: 2 },
  { workgroupBytes: 256 },
  { registerWords: 0 },
  { workgroupSize: 1 }
]

const run = softwareDevice()
const check = (seed: number, on: Runtime | undefined) =>
  Effect.gen(function* () {
    const r = random(seed)
    const size = { largest: r.pick([40, 150, 400]), statements: r.pick([4, 10, 25]) }
    const program = new Generator(r, size).generate()
    const found = yield* difference(on, program, anyArrays(r, program), r.pick(schedules))
    return found === undefined ? [] : [`seed ${seed}: ${found}`]
  })

const chunks = Array.from({ length: Math.ceil((last - first + 1) / chunk) }, (_, c) =>
  Array.from({ length: Math.min(chunk, last - first + 1 - c * chunk) }, (_, k) => first + c * chunk + k)
)
const eachChunk = (body: (seeds: ReadonlyArray<number>) => Promise<ReadonlyArray<ReadonlyArray<string>>>) => {
  for (const seeds of chunks)
    it(
      `random programs ${seeds[0]} to ${seeds.at(-1)}`,
      async () => expect((await body(seeds)).flat().join("\n\n")).toBe(""),
      60_000
    )
}

describe("a program gives on the device what it gives discharged, under any schedule", () => {
  eachChunk((seeds) => run(Effect.flatMap(runtime, (on) => Effect.forEach(seeds, (seed) => check(seed, on)))))
})
describe("no invocation touches what another wrote since the last barrier, under any schedule", () => {
  eachChunk((seeds) => Effect.runPromise(Effect.forEach(seeds, (seed) => check(seed, undefined))))
})
