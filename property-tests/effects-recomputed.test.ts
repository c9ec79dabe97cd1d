/** Effects are what equations do, no more and no less. */
import { Effect } from "effect"
import { Kernel } from "effect-kernels"
import { describe, expect, it } from "vitest"
import { kernels } from "./kernels.ts"
import { effectsAreDeclared, othersAreUnchanged } from "./laws.ts"
import { forPrograms, run } from "./support.ts"

const unruled = { unruled: 0.3 }
forPrograms("Each equation declares the effects that it has", 300, (c) => run(effectsAreDeclared(c)), unruled)
forPrograms("A ref that a program does not write stays as it was", 150, (c) => run(othersAreUnchanged(c)))

/** `Read(x)` as types have it: `Read<x>`; an inline goes by its own name. */
const asTyped = (effect: string): string =>
  effect
    .replace(/^Inline\((.*)\)$/, "$1")
    .replace("(", "<")
    .replace(")", ">")

describe("The effects of a kernel's program are among those of its type", () => {
  it.each(kernels.map((k) => [k.kernel.name, k] as const))("%s", async (_, { kernel, typed }) => {
    const traced = await Effect.runPromise(Kernel.effects(kernel))
    expect(traced.length).toBeGreaterThan(0)
    for (const effect of traced) expect(typed).toContain(asTyped(effect))
  })
})
