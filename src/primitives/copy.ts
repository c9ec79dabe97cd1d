/** Asynchronous copies: data leaves its source when a copy starts, and is in its destination once it was waited for. */
import { type DischargeContext, type Draft, exact, type Primitive } from "../ir/primitive.ts"
import { type Atom, type Eqn, joinEffects, literal, memory, read, threads, write } from "../ir/program.ts"
import * as C from "./structural/copy.ts"
import { program } from "./structural/example.ts"
import * as M from "./structural/memory.ts"
import { sumAccuracy } from "./structural/reduce.ts"
import { checkPlain } from "./structural/record.ts"
import * as Sim from "./simulate/copy.ts"
import { threadsGaps } from "./structural/threads.ts"
import * as W from "./wgsl/copy.ts"

const common = { family: "copy", accuracy: exact, generate: { weight: 0 } } as const

/** What the operation does through the equation's view: on the value of a ref that is rewritten, else on the ref. */
const through = (
  ctx: DischargeContext,
  eqn: Eqn,
  pure: string,
  onRef: string,
  operands: ReadonlyArray<Atom>,
  params: Draft["params"] = {}
): ReadonlyArray<Atom> => {
  const { name } = M.refUse(eqn)
  const { indices, refs } = eqn
  return ctx.discharges(name)
    ? ctx.emit(pure, { ...M.through(eqn, params), operands: [ctx.value(name), ...operands] })
    : ctx.emit(onRef, { params, indices, refs, operands })
}

export const copyStart: Primitive<"copyStart"> = {
  ...common,
  name: "copyStart",
  simulate: Sim.copyStart,
  token: "gives",
  wgsl: W.copyStart,
  doc: "Reads what a view shows and sends it on its way to a ref; nothing where a mask is false.",
  example: program(
    `
    grid [1]
    inout x: i32[3]
    out o: i32[3]
    body {
      %0: i32[3] = copyStart {to: "o"} x ! Memory, Read(x)
      store x (0i) ! Write(x)
      copyWait {op: "store"} o (%0) ! Memory, Write(o)
    }`,
    { x: [1, 2, 3] },
    { x: [0, 0, 0], o: [1, 2, 3] }
  ),
  typing: (eqn, scope) => M.asResult(C.checkStart(eqn, scope)),
  effects: (eqn) => [...eqn.refs.map((use) => read(use.name)), memory],
  discharge: (ctx, eqn) => {
    const other = eqn.operands.length === 0 ? [] : [literal(eqn.results[0]!.dtype, 0)]
    return { results: through(ctx, eqn, "viewGet", "load", [...eqn.operands, ...other]), refs: new Map() }
  }
}

/** The pure operation, and that on a ref, as which data lands. */
const landingAs = (op: C.Landing) =>
  op === "store"
    ? (["viewPut", "store", {}] as const)
    : op === "add"
      ? (["viewAdd", "accumulate", {}] as const)
      : (["viewAtomic", "atomic", { op }] as const)

export const copyWait: Primitive<"copyWait"> = {
  ...common,
  name: "copyWait",
  simulate: Sim.copyWait,
  token: "takes",
  wgsl: W.copyWait,
  doc: "Lets data in flight land through a view, in place of what is there or combined with it; not where a mask is false.",
  example: program(
    `
    grid [1]
    in x: i32[2]
    inout o: i32[3]
    body {
      %0: i32[2] = copyStart {to: "o"} x ! Memory, Read(x)
      copyWait {op: "add"} o[1 +: 2] (%0) ! Accum(o), Memory
    }`,
    { x: [1, 2], o: [10, 20, 30] },
    { o: [10, 21, 32] }
  ),
  typing: (eqn, scope) => {
    C.checkWait(eqn, scope)
    return []
  },
  effects: (eqn) => [...eqn.refs.flatMap((use) => C.landingEffects(C.landingOf(eqn), use.name)), memory],
  discharge: (ctx, eqn) => {
    const { name } = M.refUse(eqn)
    const [pure, onRef, params] = landingAs(C.landingOf(eqn))
    const [after] = through(ctx, eqn, pure, onRef, eqn.operands, params)
    return { results: [], refs: new Map(ctx.discharges(name) ? [[name, after!]] : []) }
  },
  accuracy: sumAccuracy
}

export const copyArrive: Primitive<"copyArrive"> = {
  ...common,
  name: "copyArrive",
  simulate: Sim.copyArrive,
  role: "barrier",
  roleAt: 2,
  doc: "Copies from one view to another, not where a mask is false, and arrives at a barrier once the data has landed.",
  example: program(
    `
    grid [1]
    threads 2
    in x: i32[2]
    out o: i32[2]
    body {
      scratch s: i32[2] workgroup
      scratch b: i32[] workgroup barrier(1)
      %0: i32[] = threadId ! Threads
      %1: bool[] = eq (%0, 0i)
      cond (%1) ! Memory, Read(b), Read(s), Read(x), Threads, Write(b), Write(o), Write(s) {
        copyArrive {op: "store"} x s b ! Memory, Read(b), Read(x), Threads, Write(b), Write(s)
      } {
        %2: bool[] = barrierWait b ! Memory, Read(b), Write(b)
        %3: i32[2] = load s ! Read(s)
        store o (%3) ! Write(o)
      }
    }`,
    { x: [1, 2] },
    { o: [1, 2] }
  ),
  typing: (eqn, scope) => {
    C.checkArrive(eqn, scope)
    return []
  },
  effects: (eqn) => {
    const [from, to, at] = C.arriveUses(eqn).map((use) => use.name) as [string, string, string]
    const landing = C.landingEffects(C.landingOf(eqn), to)
    return joinEffects([read(from), ...landing, read(at), write(at), memory, threads])
  },
  gaps: threadsGaps,
  accuracy: sumAccuracy
}

export const fence: Primitive<"fence"> = {
  ...common,
  name: "fence",
  simulate: Sim.fence,
  wgsl: W.fence,
  doc: "Lets copies that start later see what was written before.",
  example: program(
    `
    grid [1]
    out o: i32[2]
    body {
      scratch s: i32[2] workgroup
      store s (7i) ! Write(s)
      fence ! Memory
      %0: i32[2] = copyStart {to: "o"} s ! Memory, Read(s)
      copyWait {op: "store"} o (%0) ! Memory, Write(o)
    }`,
    {},
    { o: [7, 7] }
  ),
  typing: (eqn) => {
    checkPlain(eqn, 0)
    return []
  },
  effects: () => [memory],
  // Programs are in order everywhere but where copies have an order of their own.
  discharge: () => ({ results: [], refs: new Map() })
}
