/** Optional peer packages, found when they are needed. */
import { Effect } from "effect"
import { createRequire } from "node:module"
import { GpuUnavailable } from "../Errors.ts"

/** Versions that are known to work. */
export const peers = { webgpu: "webgpu@0.6.2", swiftshader: "@sparticuz/chromium@147.0.0" } as const

const nameOf = (peer: string): string => peer.slice(0, peer.lastIndexOf("@"))
const missing = (peer: string) => (cause: unknown) =>
  new GpuUnavailable({
    detail: `the package ${nameOf(peer)} does not load: ${cause instanceof Error ? cause.message.split("\n")[0] : String(cause)}`,
    hint: `npm install --save-dev --save-exact ${peer}`
  })

/** The module of a peer `name@version`. The name is no literal, so that neither bundlers nor TypeScript look for it. */
export const importPeer = <A>(peer: string): Effect.Effect<A, GpuUnavailable> =>
  Effect.tryPromise({ try: () => import(/* @vite-ignore */ nameOf(peer)) as Promise<A>, catch: missing(peer) })

/** Path of the main file of a peer `name@version`. */
export const resolvePeer = (peer: string): Effect.Effect<string, GpuUnavailable> =>
  Effect.try({ try: () => createRequire(import.meta.url).resolve(nameOf(peer)), catch: missing(peer) })
