/** Faults that are planted in programs at random are found, each once, where they stand, and nothing else is. */
import { Verify } from "effect-kernels/verify"
import { describe, expect, it } from "vitest"
import { kinds, plantAll } from "./faults/law.ts"

describe("The Simulator finds each planted fault under every schedule, at both positions, and nothing else", () => {
  it.each(kinds.map((kind) => [kind.name, kind] as const))("%s", { timeout: 60_000 }, async (_, kind) => {
    const missed = await plantAll(kind, 4, 20261202)
    expect(missed.map(({ c, wrong }) => `${wrong}\n${Verify.show(c)}`)).toEqual([])
  })
})
