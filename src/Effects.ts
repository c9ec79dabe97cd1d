/**
 * Effects of kernels, as labels in the requirement channel: what a kernel reads, writes, allocates and pipelines.
 *
 * They have no run-time value. An interpreter's layer says which of them it interprets; the same effects stand as data on
 * every equation of the IR.
 */
declare const TypeId: unique symbol
type TypeId = typeof TypeId

/** Loads from the ref named `Ref`. */
export interface Read<out Ref extends string> {
  readonly [TypeId]: "Read"
  readonly ref: Ref
}
/** Stores to the ref named `Ref`. */
export interface Write<out Ref extends string> {
  readonly [TypeId]: "Write"
  readonly ref: Ref
}
/** Adds to the ref named `Ref`; the order of additions does not show. */
export interface Accum<out Ref extends string> {
  readonly [TypeId]: "Accum"
  readonly ref: Ref
}
/** Scratch memory. */
export interface Memory {
  readonly [TypeId]: "Memory"
}
/** Work in flight: accumulators and software pipelines. */
export interface Pipeline {
  readonly [TypeId]: "Pipeline"
}
/** The inline primitive named `Name`, for which no discharge rule was given. */
export interface Inline<out Name extends string> {
  readonly [TypeId]: "Inline"
  readonly primitive: Name
}
/** Results that depend on the lanes of a subgroup. */
export interface Subgroup {
  readonly [TypeId]: "Subgroup"
}
/** Several threads of control in one program instance. */
export interface Threads {
  readonly [TypeId]: "Threads"
}
/** Signals across program instances. */
export interface Semaphore {
  readonly [TypeId]: "Semaphore"
}
/** Prints and assertions inside kernels. */
export interface Debug {
  readonly [TypeId]: "Debug"
}
/** The effects of a program that was parsed or built from data: known as data only, and promised by no interpreter. */
export interface Dynamic {
  readonly [TypeId]: "Dynamic"
}

/** Effects that every interpreter has. */
export type Core = Read<string> | Write<string> | Accum<string> | Memory | Debug
/** Every effect. */
export type Any = Core | Pipeline | Inline<string> | Subgroup | Threads | Semaphore | Dynamic

/** The name that messages and `NotImplemented` use for an effect; that of an inline is its own. */
export type NameOf<E> =
  E extends Read<infer N>
    ? `Read<${N}>`
    : E extends Write<infer N>
      ? `Write<${N}>`
      : E extends Accum<infer N>
        ? `Accum<${N}>`
        : E extends Inline<infer N>
          ? N
          : E extends Memory
            ? "Memory"
            : E extends Pipeline
              ? "Pipeline"
              : E extends Debug
                ? "Debug"
                : E extends Subgroup
                  ? "Subgroup"
                  : E extends Threads
                    ? "Threads"
                    : E extends Semaphore
                      ? "Semaphore"
                      : E extends Dynamic
                        ? string
                        : never

/** Name that all scratch refs have in types; at run time each has its own. */
export type ScratchName = "~scratch"
/** Effects as seen from outside the scratch's scope: those on scratch are `Memory`. */
export type Scoped<R> = R extends Read<ScratchName> | Write<ScratchName> | Accum<ScratchName> ? Memory : R
