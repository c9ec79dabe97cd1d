/** What interpreters answer that run a program instance as one thread of control. */
const gap = {
  reason: "it runs each program instance as one thread of control",
  hint: "run it on the Simulator, or leave out the threads"
}
/** Gaps of what makes sense only among threads. */
export const threadsGaps = { Discharge: gap, Gpu: gap }
/** Fields of `NotImplemented` for a program that declares threads. */
export const severalThreads = { primitive: "threads", source: undefined, ...gap }
