/**
 * Barriers: phases that are complete when as many arrivals were made as the barrier was declared with.
 *
 * A program instance has one thread of control, so a barrier is the number of arrivals that no wait has observed.
 */
import { exact, type Primitive } from "../ir/primitive.ts"
import { literal, memory, read, write } from "../ir/program.ts"
import { program } from "./structural/example.ts"
import { refUse } from "./structural/memory.ts"
import { checkPlain } from "./structural/record.ts"
import * as S from "./structural/wait.ts"
import * as Sim from "./simulate/wait.ts"
import * as W from "./wgsl/wait.ts"

const common = { family: "barrier", accuracy: exact, generate: { weight: 0 } } as const
const changes: Pick<Primitive, "effects"> = {
  effects: (eqn) => [memory, ...eqn.refs.flatMap((use) => [read(use.name), write(use.name)])]
}

export const barrierArrive: Primitive<"barrierArrive"> = {
  ...common,
  ...changes,
  name: "barrierArrive",
  simulate: Sim.barrierArrive,
  role: "barrier",
  wgsl: W.barrierArrive,
  doc: "Arrives at a barrier.",
  example: program(
    `
    grid [1]
    out complete: bool[2]
    body {
      scratch b: i32[] workgroup barrier(2)
      barrierArrive b ! Memory, Read(b), Write(b)
      %0: bool[] = barrierTest b ! Memory, Read(b)
      store complete[0] (%0) ! Write(complete)
      barrierArrive b ! Memory, Read(b), Write(b)
      %1: bool[] = barrierTest b ! Memory, Read(b)
      store complete[1] (%1) ! Write(complete)
      %2: bool[] = barrierWait b ! Memory, Read(b), Write(b)
    }`,
    {},
    { complete: [0, 1] }
  ),
  typing: (eqn, scope) => {
    S.checkBarrier(eqn, scope)
    return []
  },
  discharge: (ctx, eqn) => ({ results: [], refs: S.raised(ctx, eqn, literal("i32", 1)) })
}

export const barrierWait: Primitive<"barrierWait"> = {
  ...common,
  ...changes,
  name: "barrierWait",
  simulate: Sim.barrierWait,
  role: "barrier",
  wgsl: W.barrierWait,
  doc: "Waits until a phase is complete that has not been observed, and observes it; false where that will never be.",
  example: program(
    `
    grid [1]
    in arrivals: i32[]
    out found: bool[2]
    body {
      scratch b: i32[] workgroup barrier(2)
      %0: i32[] = load arrivals ! Read(arrivals)
      fori (0i, %0) ! Memory, Read(b), Write(b) { (%1: i32[]) =>
        barrierArrive b ! Memory, Read(b), Write(b)
      }
      %2: bool[] = barrierWait b ! Memory, Read(b), Write(b)
      store found[0] (%2) ! Write(found)
      %3: bool[] = barrierWait b ! Memory, Read(b), Write(b)
      store found[1] (%3) ! Write(found)
    }`,
    { arrivals: [3] },
    { found: [1, 0] }
  ),
  typing: (eqn, scope) => {
    S.checkBarrier(eqn, scope)
    return [{ dtype: "bool", shape: [] }]
  },
  discharge: (ctx, eqn) => {
    const { name } = refUse(eqn)
    const phase = literal("i32", S.arrivalsOf(name, ctx.aval(name)))
    const complete = S.reaches(ctx, S.current(ctx, eqn), phase)
    return { results: [complete], refs: S.lowered(ctx, eqn, complete, phase) }
  }
}

export const barrierTest: Primitive<"barrierTest"> = {
  ...common,
  name: "barrierTest",
  simulate: Sim.barrierTest,
  role: "barrier",
  wgsl: W.barrierTest,
  doc: "Whether a phase is complete that has not been observed.",
  example: program(
    `
    grid [1]
    out complete: bool[3]
    body {
      scratch b: i32[] workgroup barrier(1)
      barrierArrive b ! Memory, Read(b), Write(b)
      %0: bool[] = barrierTest b ! Memory, Read(b)
      store complete[0] (%0) ! Write(complete)
      %1: bool[] = barrierTest b ! Memory, Read(b)
      store complete[1] (%1) ! Write(complete)
      %2: bool[] = barrierWait b ! Memory, Read(b), Write(b)
      %3: bool[] = barrierTest b ! Memory, Read(b)
      store complete[2] (%3) ! Write(complete)
    }`,
    {},
    { complete: [1, 1, 0] }
  ),
  typing: (eqn, scope) => {
    S.checkBarrier(eqn, scope)
    return [{ dtype: "bool", shape: [] }]
  },
  effects: (eqn) => [memory, ...eqn.refs.map((use) => read(use.name))],
  discharge: (ctx, eqn) => {
    const { name } = refUse(eqn)
    const phase = literal("i32", S.arrivalsOf(name, ctx.aval(name)))
    return { results: [S.reaches(ctx, S.current(ctx, eqn), phase)], refs: new Map() }
  }
}

export const sync: Primitive<"sync"> = {
  ...common,
  name: "sync",
  simulate: Sim.sync,
  wgsl: W.sync,
  doc: "Waits until all invocations of the program instance are here, and sees what they have written.",
  example: program(
    `
    grid [1]
    in x: i32[3]
    out o: i32[3]
    body {
      scratch s: i32[3] workgroup
      %0: i32[3] = load x ! Read(x)
      store s (%0) ! Write(s)
      sync ! Memory
      %1: i32[3] = load s ! Read(s)
      %2: i32[3] = flip {axes: [0]} (%1)
      store o (%2) ! Write(o)
    }`,
    { x: [1, 2, 3] },
    { o: [3, 2, 1] }
  ),
  typing: (eqn) => {
    checkPlain(eqn, 0)
    return []
  },
  effects: () => [memory],
  discharge: () => ({ results: [], refs: new Map() })
}
