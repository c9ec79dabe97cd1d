/** Barriers out of step, and waits that nothing ends. */
import type * as Findings from "../../src/Findings.ts"
import type { Fault, Kind } from "./fault.ts"
import { barrier, int, part, scratch, type Writer, type Written } from "./write.ts"

const gate = "gate"
const arrive = (w: Writer): Written => w.emit("barrierArrive", [], [part(gate)])
const wait = (w: Writer): Written => w.emit("barrierWait", [], [part(gate)])
/** Some equations, of which the first is what a finding shows of a phase that another one follows. */
const first = (n: number, write: () => Written): Written => Array.from({ length: n }, write)[0]!
const last = (n: number, write: () => Written): Written => Array.from({ length: n }, write).at(-1)!

// --- barriers -----------------------------------------------------------------------------------------------------------

interface Misused {
  readonly parts: (w: Writer, arrivals: number) => ReadonlyArray<() => Written>
  /** Which parts the finding is at. */
  readonly at: ReadonlyArray<number>
  readonly least?: number
}
const misuse = (kind: Findings.BarrierMisuse["misuse"], { at, least = 1, parts }: Misused): Kind => ({
  name: `barrier: ${kind}`,
  among: "alone",
  write: (w): Fault => {
    const arrivals = w.draw.between(least, 3)
    const done: Array<Written> = []
    return {
      scratch: [barrier(gate, arrivals)],
      parts: parts(w, arrivals).map((write, k) => () => void (done[k] = write())),
      expected: () => ({
        tag: "BarrierMisuse",
        ref: gate,
        sources: at.map((k) => done[k]!.source),
        more: { misuse: kind }
      })
    }
  }
})
const overArrival = misuse("overArrival", {
  // Waits, if there are any, come too late.
  parts: (w, n) => [
    () => first(n, () => arrive(w)),
    () => last(n, () => arrive(w)),
    ...Array.from({ length: w.draw.below(3) }, () => () => wait(w))
  ],
  at: [0, 1]
})
const partial = misuse("partial", {
  parts: (w, n) => [
    () => last(n, () => arrive(w)),
    () => wait(w),
    () => last(w.draw.between(1, n - 1), () => arrive(w))
  ],
  at: [2],
  least: 2
})
const unobserved = misuse("unobserved", { parts: (w, n) => [() => last(n, () => arrive(w))], at: [0] })

/** A thread that waits for the first phase when the second is complete. */
const missed: Kind = {
  name: "barrier: missed",
  among: "threads",
  together: true,
  write: (w) => {
    const late = w.draw.below(w.program.threads!)
    const early = (late + 1) % w.program.threads!
    let waited: Written | undefined
    let completed: Written | undefined
    const write = () => {
      const thread = w.thread()
      w.onThread(thread, early, () => {
        arrive(w)
        wait(w)
        completed = arrive(w)
      })
      w.emit("sync")
      w.onThread(thread, late, () => {
        waited = wait(w)
        wait(w)
      })
    }
    return {
      scratch: [barrier(gate, 1)],
      parts: [write],
      expected: () => ({
        tag: "BarrierMisuse",
        ref: gate,
        sources: [waited!.source, completed!.source],
        more: { misuse: "missed" }
      })
    }
  }
}
const divergence: Kind = {
  name: "barrier: divergence",
  among: "threads",
  together: true,
  write: (w) => {
    let one: Written | undefined
    let other: Written | undefined
    return {
      parts: [
        () => {
          const thread = w.thread()
          const k = w.draw.below(w.program.threads!)
          w.onThread(
            thread,
            k,
            () => void (one = w.emit("sync")),
            () => void (other = w.emit("sync"))
          )
        }
      ],
      expected: () => ({
        tag: "BarrierMisuse",
        ref: "",
        sources: [one!.source, other!.source],
        more: { misuse: "divergence" }
      })
    }
  }
}

// --- deadlocks ----------------------------------------------------------------------------------------------------------

const stuck = (
  name: string,
  more: Omit<Kind, "name" | "write">,
  ref: string,
  write: (w: Writer) => Written,
  fault: Fault["scratch"]
): Kind => ({
  name: `deadlock: ${name}`,
  ...more,
  write: (w) => {
    let waits: Written | undefined
    return {
      ...(fault === undefined ? {} : { scratch: fault }),
      parts: [() => void (waits = write(w))],
      expected: () => ({ tag: "Stuck", ref, sources: [waits!.source] })
    }
  }
})
const alone = { among: "alone" } as const
const onBarrier = stuck(
  "barrier",
  alone,
  gate,
  (w) => {
    if (w.draw.chance(0.5)) arrive(w)
    return wait(w)
  },
  [barrier(gate, 2)]
)
const flag = "flag"
const onSemaphore = stuck(
  "semaphore",
  alone,
  flag,
  (w) => {
    const signalled = w.draw.below(3)
    w.emit("semaphoreSignal", [int(signalled)], [part(flag)])
    const params = { decrement: w.draw.chance(0.5) }
    return w.emit("semaphoreWait", [int(signalled + 1)], [part(flag)], { params })
  },
  [scratch(flag, "i32", [])]
)
const spin = stuck(
  "a loop that looks at memory",
  alone,
  flag,
  (w) => {
    w.store(part(flag), int(0))
    let looked: Written | undefined
    const condition = w.region(() => {
      looked = w.load(part(flag))
      return [w.value("eq", [looked.results[0]!, int(0)])]
    })
    w.emit("while", [], [], { regions: [condition, w.region(() => undefined)] })
    return looked!
  },
  [scratch(flag, "i32", [])]
)
const meeting = stuck(
  "meeting",
  { among: "threads", together: true, mends: () => true },
  "",
  (w) => {
    let met: Written | undefined
    w.onThread(w.thread(), w.draw.below(w.program.threads!), () => void (met = w.emit("sync")))
    return met!
  },
  undefined
)

export const waits: ReadonlyArray<Kind> = [
  overArrival,
  partial,
  unobserved,
  missed,
  divergence,
  onBarrier,
  onSemaphore,
  spin,
  meeting
]
