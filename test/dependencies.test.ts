import { describe, expect, it } from "vitest"
import { type Import, offences } from "../scripts/dependencies.ts"
import { specifiersOf } from "../scripts/imports.ts"

const local = (file: string, target: string): Import => ({ file, specifier: "./x.ts", target })
const external = (file: string, specifier: string): Import => ({ file, specifier, target: undefined })

describe("the direction of dependencies", () => {
  it("lets every layer import its own and those below", () => {
    expect(
      offences([
        local("src/Errors.ts", "src/Shape.ts"),
        local("src/ir/program.ts", "src/ir/view.ts"),
        local("src/primitives/math.ts", "src/ir/primitive.ts"),
        local("src/discharge/driver.ts", "src/passes/cse.ts"),
        local("src/gpu/run.ts", "src/wgsl/emit.ts"),
        local("src/Kernel.ts", "src/Tile.ts"),
        local("src/Gpu.ts", "src/gpu/run.ts"),
        local("src/index.ts", "src/Kernel.ts"),
        local("src/node.ts", "src/node/software.ts"),
        local("src/verify/laws.ts", "src/index.ts")
      ])
    ).toEqual([])
  })
  it.each([
    ["src/DType.ts", "src/ir/program.ts", "src/DType.ts: leaves may not import ir (src/ir/program.ts)"],
    ["src/ir/check.ts", "src/primitives/index.ts", "src/ir/check.ts: ir may not import primitives"],
    ["src/primitives/math.ts", "src/wgsl/emit.ts", "src/primitives/math.ts: primitives may not import interpreters"],
    ["src/discharge/driver.ts", "src/gpu/run.ts", "src/discharge/driver.ts: interpreters may not import gpu"],
    ["src/gpu/run.ts", "src/Kernel.ts", "src/gpu/run.ts: gpu may not import public modules"],
    ["src/Kernel.ts", "src/index.ts", "src/Kernel.ts: public modules may not import index"],
    ["src/index.ts", "src/node.ts", "src/index.ts: index may not import entries"],
    ["src/node/software.ts", "src/verify.ts", "src/node/software.ts: one entry may not import another"],
    ["src/misc/thing.ts", "src/Shape.ts", "src/misc/thing.ts: belongs to no layer"]
  ])("names %s importing %s", (file, target, message) => {
    expect(offences([local(file, target)])).toEqual([expect.stringContaining(message)])
  })
  it("names folders of one layer that import each other in a circle", () => {
    const there = local("src/discharge/a.ts", "src/passes/b.ts")
    const back = local("src/passes/b.ts", "src/trace/c.ts")
    expect(offences([there, back])).toEqual([])
    expect(offences([there, back, local("src/trace/c.ts", "src/discharge/a.ts")])).toHaveLength(3)
  })
  it("keeps node, native code and fast-check out of the main entry", () => {
    expect(
      offences([
        external("src/Kernel.ts", "effect"),
        external("src/node.ts", "node:fs"),
        external("src/node/dawn.ts", "webgpu"),
        external("src/verify/laws.ts", "fast-check")
      ])
    ).toEqual([])
    for (const specifier of ["node:fs", "fs", "webgpu", "fast-check", "@sparticuz/chromium"])
      expect(offences([external("src/gpu/run.ts", specifier)])).toEqual([expect.stringContaining(`"${specifier}"`)])
    expect(offences([external("src/verify/laws.ts", "node:fs")])).toHaveLength(1)
    expect(offences([external("src/node.ts", "fast-check")])).toHaveLength(1)
  })
})

describe("the imports of a file", () => {
  it("are all found, however they are written, and not in comments and strings", () => {
    const text = `
      import { a } from "./a.ts"
      import type * as B from "./b.ts"
      import "./c.ts"
      export * as D from "./d.ts"
      export { type E } from "./e.ts"
      export * from "./f.ts"
      const g = () => import("./g.ts")
      type H = import("./h.ts").H
      // import "./no.ts"
      const text = 'import "./no.ts"'`
    expect(specifiersOf(text)).toEqual([..."abcdefgh"].map((name) => `./${name}.ts`))
  })
})
