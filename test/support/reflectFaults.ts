/**
 * Where `wgsl_reflect` 1.6 takes WGSL for something else than its specification says: each with a minimal kernel, what that
 * must give, and the remedy, if there is one, under which it does.
 */
import { asItIs, type Ways } from "./reflect.ts"
import * as P from "./reflectPatches.ts"
import * as T from "./reflectText.ts"

export interface Fault {
  readonly name: string
  /** A kernel over `o`, of 4 u32 that start as 0, run by one workgroup. */
  readonly code: string
  /** What `o` holds in the end; nothing if that is not to be compared. */
  readonly gives?: ReadonlyArray<number>
  /** Variables on which invocations race. */
  readonly races: ReadonlyArray<string>
  readonly remedy: Partial<Ways> | undefined
}
const kernel = (size: number, main: string, ...declarations: ReadonlyArray<string>): string =>
  [
    "@group(0) @binding(0) var<storage, read_write> o: array<u32>;",
    ...declarations,
    `@compute @workgroup_size(${size})`,
    "fn main(@builtin(local_invocation_index) lane: u32) {",
    main,
    "}"
  ].join("\n")

/** Faults that a remedy keeps from the comparison. */
export const remedied: ReadonlyArray<Fault> = [
  {
    name: "what a function returns is kept at the call, for all invocations",
    code: kernel(2, "let v = twice(lane + 1u);\no[lane] = v;", "fn twice(x: u32) -> u32 { return 2u * x; }"),
    gives: [2, 4, 0, 0],
    races: [],
    remedy: { patches: [P.stepOverCalls] }
  },
  {
    name: "arguments are computed among the parameters that they become",
    code: kernel(
      1,
      "o[0] = outer(1u, 2u);",
      "fn inner(a: u32, b: u32) -> u32 { return 10u * a + b; }",
      "fn outer(a: u32, b: u32) -> u32 { return inner(b, a); }"
    ),
    gives: [21, 0, 0, 0],
    races: [],
    remedy: { patches: [P.stepOverCalls, P.lexicalCalls] }
  },
  {
    name: "a shift of a u32 to the right keeps a sign",
    code: kernel(1, "let w = 0xf0000000u + lane;\no[0] = w >> 4u;"),
    gives: [0x0f000000, 0, 0, 0],
    races: [],
    remedy: { patches: [P.integerOperators] }
  },
  {
    name: "a product of integers loses its lower bits",
    code: kernel(1, "let x = 0x12345679u;\no[0] = x * 0x9abcdef1u;"),
    gives: [Math.imul(0x12345679, 0x9abcdef1) >>> 0, 0, 0, 0],
    races: [],
    remedy: { patches: [P.integerOperators] }
  },
  {
    name: "a read outside of an array ends the run",
    code: kernel(1, "var x = o[lane + 9u];\no[1] = 3u;"),
    gives: [0, 3, 0, 0],
    races: [],
    remedy: { patches: [P.readsOutside] }
  },
  {
    name: "round does not go to the even number",
    code: kernel(1, "let x = 2.5f;\no[0] = u32(round(x));"),
    gives: [2, 0, 0, 0],
    races: [],
    remedy: { patches: [P.roundToEven] }
  },
  {
    name: "a selection reads only what it takes",
    code: kernel(
      2,
      "s[lane] = lane;\nlet v = select(7u, s[1u - lane], lane == 9u);\no[lane] = v;",
      "var<workgroup> s: array<u32, 2>;"
    ),
    gives: [7, 7, 0, 0],
    races: ["s"],
    remedy: { patches: [P.wholeSelections] }
  },
  {
    name: "a barrier of storage orders accesses to memory of the workgroup",
    code: kernel(2, "s[lane] = lane;\nstorageBarrier();\no[lane] = s[1u - lane];", "var<workgroup> s: array<u32, 2>;"),
    races: ["s"],
    remedy: { patches: [P.barriersOfSpaces] }
  },
  {
    name: "workgroupUniformLoad is no barrier",
    code: kernel(
      2,
      "if (lane == 0u) { s = 5u; }\nlet v = workgroupUniformLoad(&s);\no[lane] = v;",
      "var<workgroup> s: u32;"
    ),
    gives: [5, 5, 0, 0],
    races: [],
    remedy: { texts: [T.plainLoads] }
  },
  {
    name: "an exchange in one step has no result `exchanged`",
    code: kernel(
      1,
      "let e = atomicCompareExchangeWeak(&s, 0u, 4u);\nif (e.exchanged) { o[0] = atomicLoad(&s); }",
      "var<workgroup> s: atomic<u32>;"
    ),
    gives: [4, 0, 0, 0],
    races: [],
    remedy: { texts: [T.exchangeInSteps] }
  },
  {
    name: "hexadecimal literals have no suffix i",
    code: kernel(1, "let x = 0x10i;\no[0] = bitcast<u32>(x);"),
    gives: [16, 0, 0, 0],
    races: [],
    remedy: { texts: [T.convertedHex] }
  },
  {
    name: "a variable that starts as a literal is compared without its sign",
    code: kernel(
      1,
      "var x: i32 = 0;\nx = bitcast<i32>(0xfffffff8u);\no[0] = select(0u, 1u, bitcast<i32>(0xfffffff9u) < x);"
    ),
    gives: [0, 0, 0, 0],
    races: [],
    remedy: { texts: [T.typedStarts] }
  },
  {
    name: "a quotient by 0 is 0",
    code: kernel(1, "let z = bitcast<i32>(lane);\no[0] = bitcast<u32>(3i / z);\no[1] = bitcast<u32>(3i % z);"),
    gives: [3, 0, 0, 0],
    races: [],
    remedy: { patches: [P.integerOperators] }
  },
  {
    name: "a barrier with which a block begins is run at once",
    code: kernel(
      2,
      "for (var k: i32 = 0i; k < 2i; k++) {\nworkgroupBarrier();\nlet v = s[1u - lane];\nworkgroupBarrier();\ns[lane] = v + 1u;\n}\no[lane] = s[lane];",
      "var<workgroup> s: array<u32, 2>;"
    ),
    gives: [2, 2, 0, 0],
    races: [],
    remedy: { texts: [T.pauses] }
  },
  {
    name: "arrays of bool have elements of no size",
    code: kernel(
      1,
      "s[0] = true;\ns[1] = false;\no[0] = select(0u, 1u, s[0]);\no[1] = select(0u, 1u, s[1]);",
      "var<workgroup> s: array<bool, 2>;"
    ),
    gives: [1, 0, 0, 0],
    races: [],
    remedy: { texts: [T.boolsAsWords] }
  }
]
/** Faults that nothing remedies: what they touch is left out of the comparison. */
export const open: ReadonlyArray<Fault> = [
  {
    name: "exchanges in a loop, in steps, are not one step",
    code: kernel(
      2,
      [
        "for (var el = lane; el < 4u; el += 2u) {",
        "var old = atomicLoad(&s);",
        "loop {",
        "let e = atomicCompareExchangeWeak(&s, old, old + 1u);",
        "if (e.exchanged) { break; }",
        "old = e.old_value;",
        "}",
        "}",
        "workgroupBarrier();",
        "o[lane] = atomicLoad(&s);"
      ].join("\n"),
      "var<workgroup> s: atomic<u32>;"
    ),
    gives: [4, 4, 0, 0],
    races: [],
    remedy: undefined
  },
  {
    name: "members of a structure that a function returns are read at other places",
    code: kernel(
      1,
      "let low = split(3i).low;\nlet big = split(3i).big;\no[0] = bitcast<u32>(low);\no[1] = select(0u, 1u, big);",
      "struct Split { low: i32, big: bool }",
      "fn split(x: i32) -> Split { return Split(x & 15i, x > 15i); }"
    ),
    gives: [3, 0, 0, 0],
    races: [],
    remedy: undefined
  },
  {
    name: "two accesses to an atomic never race, although a load and a store are in no order",
    code: kernel(
      2,
      "if (lane == 0u) { atomicStore(&s, 3u); }\no[lane] = atomicLoad(&s);",
      "var<workgroup> s: atomic<u32>;"
    ),
    races: ["s"],
    remedy: undefined
  }
]
export const all: Ways = {
  texts: remedied.flatMap(({ remedy }) => remedy?.texts ?? []),
  patches: [...new Set(remedied.flatMap(({ remedy }) => remedy?.patches ?? []))]
}
export const waysOf = ({ remedy }: Fault): Ways => ({ ...asItIs, ...remedy })
