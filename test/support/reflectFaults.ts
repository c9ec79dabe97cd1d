/**
 * What `wgsl_reflect` 1.6 gets wrong or cannot see, each with a minimal case, and how it is kept from that.
 *
 * Nothing else is changed for it, and no kernel is left out. The case of each must go wrong without its way, so that the
 * list hides no mistake of ours, and an entry falls when its fault is gone.
 */
import * as Patches from "./reflectPatches.ts"
import type { Ways } from "./reflect.ts"
import * as Text from "./reflectText.ts"

export type Way =
  | { readonly _tag: "Text"; readonly change: (code: string) => string }
  | { readonly _tag: "Patch"; readonly patch: Patches.Patch }
  /** Each workgroup gets a dispatch of its own. */
  | { readonly _tag: "Alone" }
  /** It is blind there: nothing is compared. */
  | { readonly _tag: "Unseen" }
export interface Fault {
  readonly name: string
  /** Where in it the cause is. */
  readonly why: string
  readonly way: Way
  /** A kernel on `o`, atomic `a`, and workgroup memory `t` of 2 words. */
  readonly wgsl: string
  /** The first words of `o`, and the names on which there is a race; by WGSL, and as it says. */
  readonly right: string
  readonly wrong: string
}
/** What a case that is not understood shows. */
export const refused = "refused"

const text = (change: (code: string) => string): Way => ({ _tag: "Text", change })
const patch = (by: Patches.Patch): Way => ({ _tag: "Patch", patch: by })
const main = (invocations: number, body: string, declared = ""): string => `
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(1) var<storage, read_write> a: array<atomic<u32>>;
struct Params { base: u32 }
@group(0) @binding(2) var<uniform> params: Params;
var<workgroup> t: array<u32, 2>;
var<workgroup> w: u32;
${declared}
@compute @workgroup_size(${invocations})
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) id: vec3u) {
  let program = params.base + id.x;
  ${body}
}`

const calls = patch(Patches.calls)

export const faults: ReadonlyArray<Fault> = [
  // --- calls --------------------------------------------------------------------------------------------------------------
  {
    name: "what a function returns is kept at the call, one value for all invocations",
    why: "WgslDebug steps into functions, and CallExpr.cachedReturnValue belongs to the text",
    way: calls,
    wgsl: main(2, "o[lane] = f(lane);", "fn f(x: u32) -> u32 { return x; }"),
    right: "0 1",
    wrong: "1 1"
  },
  {
    name: "a parameter is a variable of who calls, if that has one of the name",
    why: "_evalCallValue and _call set parameters by setVariable, which looks outwards",
    way: calls,
    wgsl: main(1, "let x = 1u; o[0] = f(2u, x);", "fn f(x: u32, y: u32) -> u32 { return x * 10u + y; }"),
    right: "21 0",
    wrong: "22 0"
  },
  {
    name: "a weak exchange does not say whether it has exchanged",
    why: "AtomicCompareExchangeWeak returns the old value as a scalar",
    way: text(Text.exchangeInSteps),
    wgsl: main(1, "let e = atomicCompareExchangeWeak(&a[0], 0u, 5u); o[0] = select(1u, 2u, e.exchanged);"),
    right: "2 0",
    wrong: refused
  },
  // --- numbers ------------------------------------------------------------------------------------------------------------
  {
    name: "a hexadecimal number has no suffix i",
    why: "WgslScanner",
    way: text(Text.convertedHex),
    wgsl: main(1, "o[0] = bitcast<u32>(0x1fi);"),
    right: "31 0",
    wrong: refused
  },
  {
    name: "a variable that begins with a plain number is unsigned",
    why: "_var keeps the storage that ScalarData chose for the number",
    way: text(Text.typedStarts),
    wgsl: main(1, "var x: i32 = 0; x = -4; o[0] = select(0u, 1u, x < 0);"),
    right: "1 0",
    wrong: "0 0"
  },
  {
    name: "a number without a sign is shifted with its first bit as sign, and one with a sign loses it",
    why: "_evalBinaryOpValue takes the type of shifts from both operands, and has one kind of shift",
    way: patch(Patches.shifts),
    wgsl: main(1, "o[0] = 0x80000000u >> 31u; o[1] = select(0u, 1u, (-8i >> 1u) < 0i);"),
    right: "1 1",
    wrong: "4294967295 0"
  },
  {
    name: "products of whole numbers are rounded",
    why: "_evalBinaryOpValue multiplies doubles",
    way: patch(Patches.products),
    wgsl: main(1, "o[0] = 0x7fffffffu * 0x7fffffffu;"),
    right: "1 0",
    wrong: "0 0"
  },
  {
    name: "a whole number divided by 0 is 0",
    why: "_evalBinaryOpValue divides doubles; WGSL gives the number itself",
    way: patch(Patches.quotients),
    wgsl: main(1, "o[0] = 7u / o[1];"),
    right: "7 0",
    wrong: "0 0"
  },
  {
    name: "halves are rounded up",
    why: "Round is Math.round",
    way: patch(Patches.roundToEven),
    wgsl: main(1, "o[0] = u32(round(2.5f));"),
    right: "2 0",
    wrong: "3 0"
  },
  // --- memory -------------------------------------------------------------------------------------------------------------
  {
    name: "elements that are true or false are not read",
    why: "TypedData.getSubData knows no bool",
    way: text(Text.arraysOfWords),
    wgsl: main(1, "var x: array<bool, 2>; x[1] = true; o[0] = select(1u, 2u, x[lane + 1u]);"),
    right: "2 0",
    wrong: refused
  },
  {
    name: "a member that is true or false lies on the one before",
    why: "reflection gives it no size",
    way: text(Text.structsOfWords),
    wgsl: main(1, "let s = S(7u, true); o[0] = s.x;", "struct S { x: u32, y: bool }"),
    right: "7 0",
    wrong: "1 0"
  },
  {
    name: "a read out of bounds ends the run",
    why: "TypedData.getSubData makes a view of what is not there; WGSL gives some element",
    way: patch(Patches.readsOutside),
    wgsl: main(1, "let x = t[lane + 2u]; o[0] = 1u;"),
    right: "1 0",
    wrong: refused
  },
  {
    name: "of the two values of a selection only the one that is chosen is read",
    why: "Select evaluates the condition first",
    way: patch(Patches.wholeSelections),
    wgsl: main(2, "t[lane] = 1u; o[lane] = select(3u, t[1u - lane], lane > 1u);"),
    right: "3 3, race on t",
    wrong: "3 3"
  },
  // --- barriers -----------------------------------------------------------------------------------------------------------
  {
    name: "a barrier that a block begins with is passed",
    why: "WgslDebug.stepStack runs the first statement of a block in the step that enters it",
    way: text(Text.pauses),
    wgsl: main(2, "t[lane] = lane; if (program == 0u) { workgroupBarrier(); o[lane] = t[1u - lane]; }"),
    right: "1 0",
    wrong: "1 0, race on t"
  },
  {
    name: "workgroupUniformLoad gives nothing, and is no barrier",
    why: "WorkgroupUniformLoad is empty",
    way: text(Text.plainLoads),
    wgsl: main(2, "t[lane] = lane; let x = workgroupUniformLoad(&w); o[lane] = t[1u - lane] + x;"),
    right: "1 0",
    wrong: refused
  },
  {
    name: "a barrier orders accesses to memory of the other address space",
    why: "the scheduler ends the phase of all memory at any barrier",
    way: patch(Patches.barriersOfSpaces),
    wgsl: main(2, "t[lane] = lane; storageBarrier(); o[lane] = t[1u - lane];"),
    right: "1 0, race on t",
    wrong: "1 0"
  },
  // --- workgroups ---------------------------------------------------------------------------------------------------------
  {
    name: "a workgroup finds in its memory what the one before it has left",
    why: "said in its docs",
    way: { _tag: "Alone" },
    wgsl: main(1, "o[program] = t[0]; t[0] = 7u;"),
    right: "0 0",
    wrong: "0 7"
  },
  {
    name: "nobody watches the workgroup memory of the second workgroup",
    why: "wrapWorkgroupVars leaves it to the tracker of the first",
    way: { _tag: "Alone" },
    wgsl: main(2, "if (program == 1u) { t[lane] = lane; o[lane] = t[1u - lane]; }"),
    right: "1 0, race on t",
    wrong: "1 0"
  },
  // --- what it does not look for ------------------------------------------------------------------------------------------
  {
    name: "two workgroups are in order",
    why: "said in its docs; the checker of lowered kernels tells what two workgroups do apart from what two invocations do",
    way: { _tag: "Unseen" },
    wgsl: main(1, "o[0] = program;"),
    right: "1 0, race on o",
    wrong: "1 0"
  },
  {
    name: "two atomic steps are in order",
    why: "WGSL allows them; our checker asks for a barrier where their order shows in what the kernel gives",
    way: { _tag: "Unseen" },
    wgsl: main(2, "if (lane == 1u) { o[0] = atomicLoad(&a[0]); } else { atomicStore(&a[0], 2u); }"),
    right: "2 0, race on a",
    wrong: "2 0"
  }
]
/** How emulation is kept from all faults, or from all that need another way than one. */
export const ways = (but?: Fault): Ways => {
  const all = [...new Set(faults.map(({ way }) => way))].filter((way) => way !== but?.way)
  return {
    texts: all.flatMap((way) => (way._tag === "Text" ? [way.change] : [])),
    patches: all.flatMap((way) => (way._tag === "Patch" ? [way.patch] : []))
  }
}
