/** Runs kernels under a logger that keeps what it is told. */
import { Cause, type Effect, Effect as E, Exit, Logger, References } from "effect"
import { expect } from "vitest"
import { Kernel, KernelError } from "../../src/index.ts"
import type { Reason } from "../../src/Errors.ts"
import { interpreters, type Subject } from "../support/interpreters.ts"
import type { Args } from "../support/kernels.ts"

export interface Entry {
  readonly level: string
  readonly message: string
  readonly annotations: { readonly [name: string]: any }
}
export interface Outcome {
  readonly entries: ReadonlyArray<Entry>
  readonly result: { readonly [ref: string]: ArrayLike<number> } | undefined
  readonly reason: Reason | undefined
}

/** Keeps entries in `into`. */
export const keeping = (into: Array<Entry>) =>
  Logger.layer([
    Logger.make(({ fiber, logLevel, message }) => {
      const annotations = fiber.getRef(References.CurrentLogAnnotations)
      into.push({ level: logLevel, message: [message].flat().join(" "), annotations })
    })
  ])

/** What a run logs, and how it ends. */
export const outcome = async (kernel: Kernel.Any, args: Args, on: Subject): Promise<Outcome> => {
  const entries: Array<Entry> = []
  const run = (Kernel.run as any)(kernel, args) as Effect.Effect<Outcome["result"], KernelError>
  const exit = await on.exit(E.provide(run, keeping(entries)))
  if (Exit.isSuccess(exit)) return { entries, result: exit.value, reason: undefined }
  const error = Cause.squash(exit.cause)
  expect(error).toBeInstanceOf(KernelError)
  return { entries, result: undefined, reason: (error as KernelError).reason }
}

/** The messages of a run that succeeds, the same on every interpreter. */
export const prints = async (kernel: Kernel.Any, args: Args, expected: ReadonlyArray<string>): Promise<void> => {
  for (const on of interpreters) {
    const { entries, reason } = await outcome(kernel, args, on)
    expect(reason, on.name).toBeUndefined()
    expect(
      entries.map((e) => e.message),
      on.name
    ).toEqual(expected)
    for (const { annotations } of entries) expect(annotations.interpreter).toBe(on.name)
  }
}

/** A run fails, on every interpreter, for this reason, after these messages. */
export const fails = async (
  kernel: Kernel.Any,
  args: Args,
  expected: object,
  messages: ReadonlyArray<string> = []
): Promise<void> => {
  for (const on of interpreters) {
    const { entries, reason } = await outcome(kernel, args, on)
    expect(reason, on.name).toMatchObject(expected)
    expect(
      entries.map((e) => e.message),
      on.name
    ).toEqual(messages)
  }
}
