/** Semaphores: i32 elements that are raised by signals and waited for, by program instances that share them. */
import { exact, type Primitive } from "../ir/primitive.ts"
import { read, semaphore, write } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import { program } from "./structural/example.ts"
import * as M from "./structural/memory.ts"
import * as S from "./structural/wait.ts"
import * as Sim from "./simulate/wait.ts"
import * as W from "./wgsl/wait.ts"

const common = { family: "semaphore", accuracy: exact, generate: { weight: 0 } } as const
const changes: Pick<Primitive, "effects"> = {
  effects: (eqn) => eqn.refs.flatMap((use) => [read(use.name), write(use.name)])
}

export const semaphoreSignal: Primitive<"semaphoreSignal"> = {
  ...common,
  ...changes,
  name: "semaphoreSignal",
  simulate: Sim.semaphoreSignal,
  wgsl: W.semaphoreSignal,
  doc: "Adds a number to each element that a view shows, in one step.",
  example: program(
    `
    grid [4]
    inout s: i32[2]
    body {
      semaphoreSignal s[1] (3i) ! Read(s), Write(s)
    }`,
    { s: [10, 10] },
    { s: [10, 22] }
  ),
  typing: (eqn, scope) => {
    S.checkCount(eqn, scope)
    return []
  },
  discharge: (ctx, eqn) => ({ results: [], refs: S.raised(ctx, eqn, eqn.operands[0]!) })
}

export const semaphoreRead: Primitive<"semaphoreRead"> = {
  ...common,
  name: "semaphoreRead",
  simulate: Sim.semaphoreRead,
  wgsl: W.semaphoreRead,
  doc: "What semaphores hold at this moment.",
  example: program(
    `
    grid [1]
    inout s: i32[]
    out o: i32[2]
    body {
      %0: i32[] = semaphoreRead s ! Read(s)
      semaphoreSignal s (2i) ! Read(s), Write(s)
      %1: i32[] = semaphoreRead s ! Read(s)
      store o[0] (%0) ! Write(o)
      store o[1] (%1) ! Write(o)
    }`,
    { s: [5] },
    { s: [7], o: [5, 7] }
  ),
  typing: (eqn, scope) => {
    if (eqn.operands.length > 0) throw new TypingError(`takes no operands, got ${eqn.operands.length}`)
    return M.asResult(S.semaphoreAval(eqn, scope))
  },
  effects: (eqn) => eqn.refs.map((use) => read(use.name)),
  discharge: (ctx, eqn) => ({ results: [S.current(ctx, eqn)], refs: new Map() })
}

export const semaphoreWait: Primitive<"semaphoreWait"> = {
  ...common,
  name: "semaphoreWait",
  simulate: Sim.semaphoreWait,
  doc: "Waits until each element that a view shows has reached a number, and takes that from it; gives what was there.",
  example: program(
    `
    grid [1]
    inout s: i32[2]
    out found: i32[2]
    body {
      semaphoreSignal s (1i) ! Read(s), Write(s)
      %0: i32[2] = semaphoreWait {decrement: true} s (3i) ! Read(s), Semaphore, Write(s)
      store found (%0) ! Write(found)
    }`,
    { s: [2, 6] },
    { s: [0, 4], found: [3, 7] }
  ),
  typing: (eqn, scope) => M.asResult(S.checkWait(eqn, scope)),
  effects: (eqn) => [...eqn.refs.flatMap((use) => [read(use.name), write(use.name)]), semaphore],
  discharge: S.dischargeWait,
  gaps: {
    Gpu: {
      reason: "WebGPU guarantees no forward progress between workgroups",
      hint: "end the kernel where it would wait and go on in a second one, or wait on scratch"
    }
  }
}

export const semaphoreWaitLocal: Primitive<"semaphoreWaitLocal"> = {
  ...common,
  ...changes,
  name: "semaphoreWaitLocal",
  simulate: Sim.semaphoreWait,
  wgsl: W.semaphoreWaitLocal,
  doc: "`semaphoreWait` on scratch, which no other program instance signals.",
  example: program(
    `
    grid [1]
    out found: i32[2]
    out left: i32[]
    body {
      scratch s: i32[] workgroup
      semaphoreSignal s (5i) ! Read(s), Write(s)
      %0: i32[] = semaphoreWaitLocal {decrement: false} s (3i) ! Read(s), Write(s)
      store found[0] (%0) ! Write(found)
      %1: i32[] = semaphoreWaitLocal {decrement: true} s (3i) ! Read(s), Write(s)
      store found[1] (%1) ! Write(found)
      %2: i32[] = semaphoreRead s ! Read(s)
      store left (%2) ! Write(left)
    }`,
    {},
    { found: [5, 5], left: [2] }
  ),
  typing: (eqn, scope) => {
    const seen = S.checkWait(eqn, scope)
    const { name } = M.refUse(eqn)
    if (scope.ref(name).space === undefined)
      throw new TypingError(`ref "${name}" is shared by program instances`, "semaphoreWait waits for those")
    return M.asResult(seen)
  },
  discharge: S.dischargeWait
}
