/** What every record of a primitive keeps, whatever its family: what is computed from the records can be relied on. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as DType from "../../src/DType.ts"
import { discharge as rewrite } from "../../src/discharge/discharge.ts"
import { Tile } from "../../src/index.ts"
import { pure } from "../../src/ir/primitive.ts"
import { equations, type Program } from "../../src/ir/program.ts"
import { primitive, primitives } from "../../src/primitives/index.ts"
import { lifted, methodNames } from "../../src/trace/tile.ts"
import { Draw, seeded } from "../../src/verify/generate/draw.ts"
import { isGenerated, program as generate } from "../../src/verify/generate/program.ts"
import { renamed } from "../../scripts/functions.ts"
import { use } from "./families.ts"

/** Primitives that no generated program holds, discharged or not, and why. */
const notGenerated: { readonly [name: string]: string } = {
  semaphoreWait:
    "Gpu has none: one primitive that an interpreter lacks would take the whole program from the comparison",
  threadId: "only the Simulator runs threads, and a program without them has no use for it",
  copyArrive: "only the Simulator runs threads",
  ...Object.fromEntries(
    primitives
      .filter((p) => p.family === "subgroup")
      .map((p) => [p.name, "results depend on the subgroup size of a device, and Discharge has none"])
  )
}

const each = primitives.map((p) => [p.name, p] as const)

describe("the list of primitives", () => {
  it("has each name once, and finds each by its name", () => {
    expect(new Set(primitives.map((p) => p.name)).size).toBe(primitives.length)
    for (const p of primitives) expect(primitive(p.name)).toBe(p)
  })
  it("excuses nothing that is not there", () => {
    for (const name of Object.keys(notGenerated)) expect(primitive(name), name).toBeDefined()
  })
})

describe.each(each)("%s", (name, record) => {
  it("has a name in camel case and says in one sentence what it does", () => {
    expect(name).toMatch(/^[a-z][a-zA-Z0-9]*$/)
    expect(record.doc).toMatch(/^\S.*\.$/)
    expect(record.doc).not.toMatch(/[.!?] [A-Z]/)
  })
  it("has one way in which Discharge takes it: a meaning if it is pure, a rule if it is not", () => {
    const meanings = [record.evaluate, record.control].filter((rule) => rule !== undefined)
    if (record.effects === pure) {
      expect(meanings).toHaveLength(1)
      expect(record.discharge).toBeUndefined()
    } else if (record.family === "debug") expect(meanings).toHaveLength(1)
    else expect(record.discharge ?? record.gaps?.["Discharge"]).toBeDefined()
  })
  it("says which of its results are undefined, if it is pure: by a rule of its own, or element by element", () => {
    if (record.effects === pure && record.control === undefined)
      expect(record.defined ?? record.elementwise).toBeDefined()
    else expect(record.defined).toBeUndefined()
  })
  it("means something where the size of subgroups is known, if it hangs on that", () => {
    expect(record.lanes === undefined).toBe(record.family !== "subgroup")
  })
  it("has one way in which the Simulator takes it: its meaning, a rule, or one per size of subgroups", () => {
    const ways = [record.simulate, record.control === undefined ? record.evaluate : undefined, record.lanes]
    const isDebug = record.family === "debug"
    expect(ways.filter((way) => way !== undefined)).toHaveLength(isDebug ? 2 : 1)
  })
  it("has a WGSL rule, or says why not", () => {
    expect(record.wgsl ?? record.gaps?.["Gpu"]).toBeDefined()
  })
  it("says why each of its gaps is there and what to do", () => {
    for (const gap of Object.values(record.gaps ?? {})) {
      expect(gap.reason).toMatch(/\w/)
      expect(gap.hint).toMatch(/\w/)
    }
  })
  it("says how close results must be, with a bound that is a number", () => {
    const { accuracy } = record
    if (accuracy._tag !== "Bounded") return
    expect(accuracy.spec).toMatch(/\w/)
    for (const x of [0, 1, -1e30, 2 ** -126]) {
      const bound = accuracy.bound([x, 1, 1], x, "f32")
      expect(bound).toBeGreaterThanOrEqual(0)
      expect(bound).toBeLessThan(Infinity)
    }
  })
})

describe("the generator of programs", () => {
  const drawn = Array.from({ length: 300 }, (_, seed): Program => generate(new Draw(seeded(seed))))
  const names = (programs: ReadonlyArray<Program>) =>
    new Set(programs.flatMap((p) => [...equations(p.body)].map((eqn) => eqn.primitive)))

  it("makes every primitive that has a weight, and those that it makes by other means", () => {
    const made = names(drawn)
    expect(primitives.filter((p) => isGenerated(p) && !made.has(p.name)).map((p) => p.name)).toEqual([])
  })
  it("leaves out only what discharge makes of others, or what is excused", async () => {
    const discharged = names(await Promise.all(drawn.map((p) => Effect.runPromise(rewrite(p)))))
    const left = primitives.filter((p) => !isGenerated(p) && !discharged.has(p.name)).map((p) => p.name)
    expect(left.filter((name) => notGenerated[name] === undefined)).toEqual([])
    for (const name of Object.keys(notGenerated)) expect(discharged.has(name), name).toBe(false)
  })
})

describe("an elementwise primitive without parameters is a method of tiles and a function of Tile", () => {
  it.each(methodNames.map((name) => [name] as const))("%s", (name) => {
    const { operands } = primitive(name)!.elementwise!
    const tiles = use(name, (operands.at(-1) as ReadonlyArray<DType.Compute>)[0]!).operands.map((dtype) =>
      Tile.of(DType.of(dtype as DType.Compute), 1)
    )
    const expected = lifted(name, tiles)
    const [first, ...rest] = tiles as ReadonlyArray<any>
    const made = [(Tile as any)[renamed[name] ?? name](...tiles), first[name](...rest)]
    for (const { dtype, primitive, shape } of made)
      expect({ dtype, primitive, shape }).toEqual({ dtype: expected.dtype, primitive: name, shape: expected.shape })
  })
})
