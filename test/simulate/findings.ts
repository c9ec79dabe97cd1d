/** Findings of every kind and variant, at places in a small source file. */
import * as F from "../../src/Findings.ts"
import { Ran, Report } from "../../src/simulate/report.ts"

export const path = "/app/kernels/shift.ts"
/** A source file; the numbers of its lines are what the places below name. */
export const file = `const shift = Kernel.make("shift", {
  grid: [2],
  refs: { x: MemRef.in(i32, [4]), o: MemRef.out(i32, [4]) },
  scratch: { s: Scratch.workgroup(i32, [4]) }
}, function*({ o, s, x }) {
  const i = yield* Control.programId(0)
  const v = yield* MemRef.load(MemRef.at(x, [i]))
  yield* MemRef.store(MemRef.at(s, [i]), v)
  yield* MemRef.store(MemRef.at(o, [0]), v)

  // Much later.
  const w = yield* MemRef.load(MemRef.at(s, [i]))
	yield* MemRef.store(MemRef.at(o, [i.add(1)]), w)
})
`

const equations: { readonly [primitive: string]: string } = {
  load: "%1: i32[] = load x[%0] ! Read(x)",
  store: "store o[0] (%1) ! Write(o)",
  atomic: '%1: i32[] = atomic {op: "exchange"} o[0] (%0) ! Read(o), Write(o)',
  while: "while { … } { … }"
}
interface At {
  readonly program?: ReadonlyArray<number>
  readonly thread?: number
  readonly by?: F.Place["by"]
  readonly access?: "read" | "write" | "update"
}
/** A place; without a line its source is unknown. */
export const place = (primitive: string, line?: number, column = 10, { access, ...at }: At = {}): F.Place =>
  new F.Place({
    primitive,
    equation: equations[primitive] ?? `${primitive} s`,
    program: [0],
    thread: 0,
    by: "thread",
    ...(access === undefined ? {} : { access }),
    ...at,
    ...(line === undefined ? {} : { source: `${path}:${line}:${column}` })
  })
const common = { ref: "o", element: [0], detail: "", hint: "", count: 1 }
const second = { program: [1] }

const races = [
  new F.Race({
    ...common,
    among: "programs",
    first: place("store", 9),
    second: place("store", 9, 10, second),
    detail: "nothing orders program instances",
    hint: "give each its own element, or use Atomic",
    count: 12,
    smallest: new F.Sizes({ grid: [2], shapes: { x: [1], o: [1] } })
  }),
  new F.Race({
    ...common,
    among: "programs",
    first: place("store", 9),
    second: place("load", 12, 20, second)
  }),
  new F.Race({
    ...common,
    ref: "s",
    element: [3],
    among: "threads",
    first: place("atomic", 8),
    second: place("atomic", 12, 20, { thread: 1 })
  }),
  new F.Race({
    ...common,
    ref: "s",
    element: [3],
    among: "threads",
    first: place("store", 8),
    second: place("load", 12, 20, { thread: 1 })
  }),
  new F.Race({
    ...common,
    among: "copy",
    first: place("copyStart", 7, 10, { by: "copy", access: "read" }),
    second: place("store", 9)
  }),
  new F.Race({
    ...common,
    among: "copy",
    first: place("load", 7),
    second: place("copyStart", 8, 10, { by: "copy", access: "write" })
  }),
  new F.Race({
    ...common,
    among: "copy",
    first: place("copyStart", 7, 10, { by: "copy", access: "write" }),
    second: place("copyStart", 8, 10, { by: "copy", access: "write" })
  }),
  new F.Race({
    ...common,
    among: "copy",
    first: place("copyStart", 7, 10, { by: "copy", access: "read" }),
    second: place("copyStart", 8, 10, { by: "copy", access: "write" })
  }),
  new F.Race({
    ...common,
    among: "multiplyAccumulate",
    first: place("multiplyAccumulate", 7, 10, { by: "multiplyAccumulate", access: "read" }),
    second: place("store", 9)
  }),
  new F.Race({
    ...common,
    among: "multiplyAccumulate",
    first: place("copyStart", 7, 10, { by: "copy", access: "write" }),
    second: place("multiplyAccumulate", 8, 10, { by: "multiplyAccumulate", access: "read" })
  }),
  // What is done is not known of inlines.
  new F.Race({ ...common, element: [], among: "threads", first: place("inline"), second: place("inline") })
]

const unawaited = [
  new F.Unawaited({ ...common, ref: "s", first: place("copyStart", 8, 10, { by: "copy" }), hint: "wait for it" }),
  new F.Unawaited({
    ...common,
    ref: "acc",
    element: [0, 0],
    first: place("multiplyAccumulate", 8, 10, { by: "multiplyAccumulate" })
  }),
  new F.Unawaited({ ...common, ref: "s", first: place("semaphoreSignal", 8) })
]

const wrongThread = [
  new F.WrongThread({
    ...common,
    ref: "s",
    first: place("copyStart", 8, 10, { thread: 2 }),
    second: place("copyWait", 12, 10, { thread: 1 }),
    hint: "wait in the thread that has started the copy, and then arrive at a barrier"
  })
]

const misuse = (kind: F.BarrierMisuse["misuse"], other: boolean) =>
  new F.BarrierMisuse({
    ...common,
    ref: "bar",
    element: [1],
    misuse: kind,
    first: place("barrierArrive", 8),
    ...(other ? { second: place("barrierWait", 12, 10, { thread: 1 }) } : {})
  })
const barriers = [
  misuse("overArrival", true),
  misuse("missed", true),
  misuse("partial", false),
  misuse("unobserved", false),
  misuse("divergence", true)
]

const waits = [0, 1, 2].map((thread) => ({
  place: place("barrierWait", thread === 2 ? 12 : 8, 10, { thread }),
  detail: `waits for phase ${thread} of bar, which has 1 of 2 arrivals`
}))
const stuck = [
  new F.Stuck({ ...common, ref: "bar", element: [], first: waits[0]!.place, waiting: waits }),
  new F.Stuck({ ...common, ref: "bar", element: [], first: waits[0]!.place, waiting: waits.slice(0, 1) }),
  new F.Stuck({ ...common, ref: "bar", element: [], first: place("barrierArrive", 9), waiting: waits.slice(1) })
]

const endless = [
  new F.Endless({ ...common, ref: "", element: [], first: place("while", 9), hint: "let its condition end it" })
]

const origins = ["output", "scratch", "padding"] as const
const targets = ["result", "condition", "index"] as const
const uninitialised = origins.flatMap((origin) =>
  targets.flatMap((reaches) => {
    const about = { ...common, ref: origin === "scratch" ? "s" : origin === "padding" ? "x" : "o", element: [2] }
    const reached = place(reaches === "condition" ? "cond" : "store", 13, 2)
    return [
      new F.Uninitialised({ ...about, origin, reaches, first: place("load", 12), second: reached }),
      new F.Uninitialised({ ...about, origin, reaches, second: reached })
    ]
  })
)
const neverWritten = [new F.Uninitialised({ ...common, element: [3], origin: "output", reaches: "result" })]

const outOfBounds = [
  new F.OutOfBounds({
    ...common,
    ref: "x",
    element: [4],
    access: "read",
    first: place("load", 7),
    second: place("store", 9),
    detail: "x is i32[4]"
  }),
  new F.OutOfBounds({ ...common, element: [-1], access: "read", first: place("load", 7) }),
  new F.OutOfBounds({ ...common, element: [4], access: "write", first: place("store", 13, 2) })
]
const duplicates = [new F.DuplicateStore({ ...common, element: [1, 2], first: place("store", 9) })]
const orders = [
  new F.OrderShows({
    ...common,
    first: place("atomic", 8),
    second: place("atomic", 8, 10, second),
    hint: "use an operation whose order does not show"
  })
]

/** By what they are about; each becomes one text. */
export const findings: { readonly [name: string]: ReadonlyArray<F.Finding> } = {
  races,
  unawaited,
  wrongThread,
  barriers,
  stuck,
  endless,
  uninitialised: [...neverWritten, ...uninitialised],
  outOfBounds,
  duplicates,
  orders
}

export const report = (found: ReadonlyArray<F.Finding>, threads = 4, notes: ReadonlyArray<string> = []): Report =>
  new Report({
    kernel: "shift",
    grid: [2],
    refs: [
      { name: "x", dtype: "i32", shape: [4] },
      { name: "o", dtype: "i32", shape: [4] }
    ],
    ran: new Ran({ schedules: ["in order", "reversed"], programs: 2, threads, accesses: 12 }),
    findings: found,
    notes
  })
