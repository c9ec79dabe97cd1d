/** Inlines that do not fit: wrong operands, two of one name, text that does not compile, rules that give the wrong thing. */
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Discharge, f32, i32, Inline, Interpreter, Kernel, MemRef, NotImplemented, Tile } from "../../src/index.ts"
import { gpu } from "../support/interpreters.ts"
import { failure, kernelError, onEach, pointedAt, refused, single } from "../support/kernels.ts"

const refs = { x: MemRef.in(f32, [4]), n: MemRef.in(i32, [4]), o: MemRef.out(f32, [4]) }
const args = { x: Float32Array.of(1, 2, 3, 4), n: Int32Array.of(1, 2, 3, 4) }
const using = (body: (refs: any) => Generator<any, any, any>): Kernel.Any => single(refs, body as any)
const M: any = MemRef

const elementwise = (wgsl: string, name = "mine") => Inline.elementwise(name, { args: { x: f32 }, result: f32, wgsl })
const applying = (inline: any) =>
  using(function* (r) {
    yield* M.store(r.o, yield* inline(yield* M.load(r.x)))
  })

describe("a call of an inline", () => {
  const add = Inline.elementwise("plus", { args: { a: f32, b: f32 }, result: f32, wgsl: "return a + b;" }) as any
  const cells = Inline.block("cells", {
    operands: { from: Inline.read(f32, [4]), to: Inline.write(f32, [4]), by: Inline.tile(f32, [4]) },
    results: { r: Inline.tile(f32, [4]) },
    wgsl: "for (var i = i32(lane); i < 4; i += i32(lanes)) { to_store(i, from_load(i)); r_store(i, by_load(i)); }"
  }) as any
  const ones = () => Tile.ones(f32, [4])
  const cases: ReadonlyArray<readonly [what: string, call: (r: any) => any, says: ReadonlyArray<string>]> = [
    ["with an operand of another dtype", (r) => add({ a: Tile.ones(i32, [4]), b: ones(), r }), ['has no operand "r"']],
    ["with an operand too many", () => add({ a: ones(), b: ones(), c: ones() }), ['has no operand "c"']],
    [
      "with an integer tile for f32",
      () => add({ a: Tile.ones(i32, [4]), b: ones() }),
      ['operand "a" is i32, not f32', "convert it"]
    ],
    ["with an operand missing", () => add({ a: ones() }), ["undefined is not a tile"]],
    ["with a tile instead of a record", () => add(ones()), ["takes operands a, b", "record"]],
    [
      "with shapes that do not broadcast",
      () => add({ a: ones(), b: Tile.ones(f32, [3]) }),
      ["[4], [3]", "do not broadcast"]
    ],
    ["with a tile for a ref", (r) => cells({ from: ones(), to: r.o, by: ones() }), ['operand "from" must be a ref']],
    ["with a ref for a tile", (r) => cells({ from: r.x, to: r.o, by: r.x }), ['ref "x" is not a tile']],
    [
      "with a ref of another dtype",
      (r) => cells({ from: r.n, to: r.o, by: ones() }),
      ['operand "from" is a ref to i32, not f32']
    ],
    [
      "with a ref of another shape",
      (r) => cells({ from: M.at(r.x, [M.slice(0, 2)]), to: r.o, by: ones() }),
      ['operand "from" shows shape [2], not [4]']
    ],
    [
      "with a tile of another shape",
      (r) => cells({ from: r.x, to: r.o, by: Tile.ones(f32, [2]) }),
      ['operand "by" has shape [2], not [4]']
    ]
  ]
  it.each(cases)("%s is a TypeMismatch that says where", async (_, call, says) => {
    const k = using(function* (r) {
      yield* call(r)
    })
    const error = await kernelError("TypeMismatch", k, args)
    for (const part of says) expect(error.shown).toContain(part)
    expect(pointedAt(error)).toMatch(/add\(|cells\(/)
  })
  it("that writes to an in ref is an AccessViolation", () =>
    refused(
      "AccessViolation",
      using(function* (r) {
        yield* cells({ from: r.x, to: r.x, by: ones() })
      }),
      args,
      { says: ['ref "x"'], at: "yield* cells(" }
    ))
  it("that is right runs", async () => {
    const k = using(function* (r) {
      const { r: given } = yield* cells({ from: r.x, to: r.o, by: ones() })
      yield* M.store(r.o, (yield* M.load(r.o)).add(given))
    })
    await onEach(k, args, { o: [2, 3, 4, 5] }, { on: [gpu] })
  })
})

describe("two inlines of one name", () => {
  const [one, other] = [elementwise("return x + 1.0;"), elementwise("return x + 2.0;")]
  const both = (a: any, b: any) =>
    using(function* (r) {
      const v = yield* a(yield* M.load(r.x))
      yield* M.store(r.o, yield* b(v))
    })
  it("that differ fail the trace, which says where", () =>
    refused("TypeMismatch", both(one, other), args, {
      says: ['two different inlines are named "mine"', "its own name"],
      at: "yield* b(v)"
    }))
  it("that are alike are one", () =>
    onEach(both(one, elementwise("return x + 1.0;")), args, { o: [3, 4, 5, 6] }, { on: [gpu] }))
})

describe("text of an inline that is wrong", () => {
  const told = (inline: any) => kernelError("InlineError", applying(inline), args, gpu)
  it("in syntax is an InlineError in the text's own lines, with the place of the inline", async () => {
    const inline = elementwise("let a = x;\nlet b = a +;\nreturn b;")
    const error = await told(inline)
    expect(error).toMatchObject({ inline: "mine", line: 2 })
    expect(error.shown).toContain('inline "mine", line 2: ')
    expect(pointedAt(error)).toContain("Inline.elementwise(")
  })
  it("in its brackets is an InlineError at the bracket, not an error somewhere behind it", async () => {
    const open = elementwise("// { is no bracket here\nif (x > 0.0) {\n  return x;\nreturn -x;")
    expect(await told(open)).toMatchObject({ line: 2, detail: '"{" is never closed' })
    expect(await told(elementwise("return x;\n}"))).toMatchObject({ line: 2, detail: '"}" closes nothing' })
    expect(await told(elementwise("return max(x, 0.0];"))).toMatchObject({ line: 1, detail: '"]" closes nothing' })
    expect(pointedAt(await told(open))).toContain("Inline.elementwise(")
  })
  it("in the names of its operands is an InlineError that names the operand", async () => {
    const inline = Inline.elementwise("mine", { args: { fn: f32 }, result: f32, wgsl: "return fn;" })
    expect(await told(inline)).toMatchObject({
      line: 1,
      detail: expect.stringContaining('"fn" cannot be a name in WGSL')
    })
    const dashed = Inline.elementwise("mine", { args: { "a-b": f32 }, result: f32, wgsl: "return 1.0;" })
    expect(await told(dashed)).toMatchObject({ detail: expect.stringContaining('"a-b"') })
  })
  it("in types is an InlineError in the text's own lines", async () => {
    expect(await told(elementwise("let a = 1.0;\nreturn a * true;"))).toMatchObject({ line: 2 })
    expect(await told(elementwise("\n\nreturn nobody(x);"))).toMatchObject({
      line: 3,
      detail: expect.stringContaining("nobody")
    })
  })
  it("in what it returns is an InlineError", async () => {
    expect(await told(elementwise("return 1u;"))).toMatchObject({ inline: "mine", line: 1 })
    expect(await told(elementwise("let a = x;"))).toMatchObject({ inline: "mine" })
  })
  it("in a block is an InlineError in the text's own lines", async () => {
    const block = Inline.block("blocky", {
      operands: { to: Inline.write(f32, [4]) },
      results: {},
      wgsl: "let first = 0;\nto_store(first, true);"
    })
    const k = using(function* (r) {
      yield* block({ to: r.o } as any)
    })
    const error = await kernelError("InlineError", k, args, gpu)
    expect(error).toMatchObject({ inline: "blocky", line: 2 })
    expect(pointedAt(error)).toContain("Inline.block(")
  })
  it("by leaving its function open is a typed error, too", async () => {
    const error = await failure((Kernel.run as any)(applying(elementwise("return x; }")), args) as any, gpu)
    expect(error).toMatchObject({ _tag: "KernelError", kernel: "case" })
  })
  it("does not spoil the kernels after it", async () => {
    await told(elementwise("return;"))
    await onEach(applying(elementwise("return x * 2.0;")), args, { o: [2, 4, 6, 8] }, { on: [gpu] })
  })
})

describe("a discharge rule that does not fit", () => {
  const ruled = (discharge: any) =>
    applying((Inline.elementwise as any)("ruled", { args: { x: f32 }, result: f32, wgsl: "return x;", discharge }))
  const cases: ReadonlyArray<readonly [what: string, rule: any, says: ReadonlyArray<string>]> = [
    ["gives another shape", () => Tile.ones(f32, [3]), ["gives f32[3]", "give f32[4]"]],
    ["gives another dtype", ({ x }: any) => x.convert(i32), ["gives i32[4]", "give f32[4]"]],
    ["gives nothing", () => undefined, ['gives no tile for result "result"']],
    ["gives a number", () => 1, ['gives no tile for result "result"']]
  ]
  it.each(cases)("because it %s fails the trace, with the inline and the place of the call", async (_, rule, says) => {
    await refused("TypeMismatch", ruled(rule), args, { says: ["ruled", ...says], at: "yield* inline(" })
  })
  it("because it throws fails the trace", () =>
    refused(
      "InvalidKernel",
      ruled(() => {
        throw new Error("no rule")
      }),
      args,
      { says: ["Error: no rule"] }
    ))
  it.each(cases.slice(0, 3))("because it %s fails likewise when a layer brought it", async (_, rule, says) => {
    const inline = elementwise("return x;", "ruled")
    const taught = Layer.merge(Discharge.layer, Discharge.rule(inline, rule as any))
    const run = (Kernel.run as any)(applying(inline), args) as Effect.Effect<unknown, any>
    const error: any = await failure(Effect.provide(run, taught as any))
    expect(error).toMatchObject({ _tag: "KernelError", kernel: "case" })
    for (const part of says) expect(error.message).toContain(part)
  })
})

describe("an inline without a rule", () => {
  const inline = elementwise("return x + 1.0;", "bare")
  const run = (Kernel.run as any)(applying(inline), args) as Effect.Effect<unknown, any>
  it("is NotImplemented where the types say so: primitive, interpreter, kernel, reason, place and remedy", async () => {
    const error = (await failure(run.pipe(Interpreter.provide(Discharge.layer) as any) as typeof run)) as NotImplemented
    expect(error).toBeInstanceOf(NotImplemented)
    expect(error).toMatchObject({ primitive: "bare", interpreter: "Discharge", kernel: "case" })
    expect(error.message).toContain('kernel "case": Discharge has no rule for "bare": it is WGSL without a rule')
    expect(error.hint).toBe("run it on Gpu, give it a discharge rule, or use standard primitives")
    expect(pointedAt({ source: error.source })).toContain("yield* inline(")
  })
  it("is Unsupported where a cast hid it from the types, and no defect", async () => {
    const error: any = await failure(run)
    expect(error).toMatchObject({
      _tag: "KernelError",
      kernel: "case",
      reason: { _tag: "Unsupported", primitive: "bare" }
    })
    expect(error.message).toContain("Interpreter.orElse")
  })
})
