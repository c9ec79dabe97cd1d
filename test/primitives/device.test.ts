import { describe, expect, it } from "vitest"
import { softwareDevice } from "../gpu/support.ts"
import { disagreements } from "./disagreements.ts"
import { record, uses } from "./families.ts"
import { samples } from "./samples.ts"

const run = softwareDevice()

describe("a device gives what the CPU gives, within the accuracy that the record states", () => {
  const families = [...new Set(uses.map((u) => record(u.name).family))]
  const groups = families.flatMap((family) =>
    [1, 2, 3].flatMap((arity) => {
      const group = uses.filter((u) => record(u.name).family === family && u.operands.length === arity)
      return group.length === 0 ? [] : [[family, arity, group] as const]
    })
  )
  it.each(groups)("%s of %i operands, over special values and random ones", async (_, __, group) => {
    const operands = group.map((u, k) => samples(u, 1500, k))
    expect(await run(disagreements(group, operands))).toEqual([])
  })
})
