/** Compiles modules to pipelines, each text once, and tells errors in the lines of the inline that has them. */
import { Result } from "effect"
import { DeviceError, InlineError, type Reason } from "../Errors.ts"
import { type Module, paramsBytes } from "../wgsl/module.ts"
import { attempt } from "./scopes.ts"
import { type Device, type Message, stageCompute } from "./webgpu.ts"

/** A pipeline with the layout of its bind group 0. */
export interface Compiled {
  readonly pipeline: object
  readonly layout: object
}
export type Outcome = Result.Result<Compiled, Reason>

export interface Pipelines {
  /** Never rejects; a compilation in progress is shared, a failed one is not kept. */
  readonly get: (module: Module) => Promise<Outcome>
  readonly clear: () => void
  readonly stats: () => { readonly pipelines: number; readonly compiles: number }
}

/** The error to report: the first one in an inline, because others follow from it; else the first. */
export const messageReason = (module: Module, messages: ReadonlyArray<Message>): Reason | undefined => {
  const errors = messages.filter((m) => m.type === "error")
  for (const { lineNum, message } of errors) {
    const at = module.inlineLines.find((i) => lineNum >= i.line && lineNum < i.line + i.count)
    if (at === undefined) continue
    const { inline, line, source } = at
    const place = source === undefined ? {} : { source }
    return new InlineError({ inline, line: lineNum - line + 1, detail: message, ...place })
  }
  const first = errors[0]
  return first && new DeviceError({ stage: "shader", detail: `line ${first.lineNum}: ${first.message}` })
}

/** The layout is explicit: a derived one would lack bindings that the shader does not use. */
const layoutEntries = (module: Module): ReadonlyArray<object> => {
  const types = module.bindings.map((b) => (b.access === "read" ? "read-only-storage" : "storage"))
  if (module.spillWords > 0) types.push("storage")
  if (module.records !== undefined) types.push("storage")
  const params = { type: "uniform", hasDynamicOffset: true, minBindingSize: paramsBytes }
  return [...types.map((type) => ({ type })), params].map((buffer, binding) => ({
    binding,
    visibility: stageCompute,
    buffer
  }))
}

/** The promise's value, or `undefined` if it rejects; then `failed` gets the message. */
const settled = <A>(promise: Promise<A>, failed: (message: string) => void): Promise<A | undefined> =>
  promise.catch((cause) => {
    failed(cause instanceof Error ? cause.message : String(cause))
    return undefined
  })

const compile = async (device: Device, module: Module): Promise<Outcome> => {
  let rejected = "it gave no pipeline"
  const { failure, value } = attempt(device, () => {
    const shader = device.createShaderModule({ code: module.code })
    const layout = device.createBindGroupLayout({ entries: layoutEntries(module) })
    const pipeline = device.createComputePipelineAsync({
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module: shader, entryPoint: "main" }
    })
    const info = settled(shader.getCompilationInfo(), () => {})
    return { layout, info, pipeline: settled(pipeline, (message) => (rejected = message)) }
  })
  const [failed, info, pipeline] = await Promise.all([failure, value?.info, value?.pipeline])
  const told = info && messageReason(module, info.messages)
  if (told !== undefined) return Result.fail(told)
  if (failed !== undefined) return Result.fail(new DeviceError({ stage: "pipeline", detail: failed.message }))
  if (pipeline === undefined) return Result.fail(new DeviceError({ stage: "pipeline", detail: rejected }))
  return Result.succeed({ pipeline, layout: value!.layout })
}

const keyOf = (module: Module): string =>
  `${module.workgroupSize} ${module.bindings.map((b) => b.access)} ${module.spillWords > 0} ${module.records !== undefined}\n${module.code}`

/** A cache of the `capacity` pipelines used last. */
export const makePipelines = (device: Device, capacity: number): Pipelines => {
  const cache = new Map<string, Promise<Outcome>>()
  let compiles = 0

  const start = (module: Module, key: string): Promise<Outcome> => {
    compiles++
    const outcome = compile(device, module)
    outcome.then((o) => {
      if (Result.isFailure(o) && cache.get(key) === outcome) cache.delete(key)
    })
    return outcome
  }
  const get = (module: Module): Promise<Outcome> => {
    const key = keyOf(module)
    const outcome = cache.get(key) ?? start(module, key)
    // Last in the map is last used.
    cache.delete(key)
    cache.set(key, outcome)
    if (cache.size > capacity) cache.delete(cache.keys().next().value!)
    return outcome
  }
  return { get, clear: () => cache.clear(), stats: () => ({ pipelines: cache.size, compiles }) }
}
