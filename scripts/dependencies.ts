/**
 * The direction of dependencies, as data and as one function from imports to offences.
 *
 *     leaves → ir → primitives → trace, passes, discharge, wgsl, simulate, accuracy → gpu → public modules → index
 *
 * with the entries `node` and `verify` on top of everything. A file imports what stands on its own layer or below. Folders
 * of one layer do not import each other in a circle, and only an entry reaches the packages that it exists for.
 */

/** An import of one file; `specifier` is as written, `target` the file it names, if it is one of ours. */
export interface Import {
  readonly file: string
  readonly specifier: string
  readonly target: string | undefined
}

const leaves = ["DType", "Shape", "Errors", "Effects", "Findings", "Schedule"]
const layers: ReadonlyArray<{ readonly name: string; readonly has: (unit: string) => boolean }> = [
  { name: "leaves", has: (unit) => leaves.includes(unit) },
  { name: "ir", has: (unit) => unit === "ir/" },
  { name: "primitives", has: (unit) => unit === "primitives/" },
  {
    name: "interpreters",
    has: (unit) => ["trace/", "passes/", "discharge/", "wgsl/", "simulate/", "accuracy/"].includes(unit)
  },
  { name: "gpu", has: (unit) => unit === "gpu/" },
  // What only one public module is made of stands with it.
  { name: "public modules", has: (unit) => /^([A-Z]\w*|random\/|tile\/)$/.test(unit) },
  { name: "index", has: (unit) => unit === "index" },
  { name: "entries", has: (unit) => ["node", "node/", "verify", "verify/"].includes(unit) }
]

/** Packages that anybody may import, and those that one entry is for. */
const everywhere = /^(effect|@petamoriken\/float16)(\/|$)/
const reserved: { readonly [entry: string]: RegExp } = {
  node: /^(node:.*|webgpu|@sparticuz\/chromium)$/,
  verify: /^fast-check$/
}

/** The folder, with a slash, or the module that a file below `src/` belongs to. */
const unitOf = (file: string): string => /^src\/([^/]+\/)/.exec(file)?.[1] ?? file.replace(/^src\/|\.ts$/g, "")
const layerOf = (unit: string): number => layers.findIndex((l) => l.has(unit))

const offence = ({ file, specifier, target }: Import): string | undefined => {
  const unit = unitOf(file)
  if (target === undefined) {
    const allowed = everywhere.test(specifier) || reserved[unit.replace("/", "")]?.test(specifier)
    return allowed ? undefined : `${file}: only an entry of its own may import "${specifier}"`
  }
  const [from, to] = [layerOf(unit), layerOf(unitOf(target))]
  if (from < 0) return `${file}: belongs to no layer`
  if (to < 0) return `${file}: imports ${target}, which belongs to no layer`
  if (to > from) return `${file}: ${layers[from]!.name} may not import ${layers[to]!.name} (${target})`
  const entries = layers.length - 1
  if (from === entries && to === entries && unitOf(target).replace("/", "") !== unit.replace("/", ""))
    return `${file}: one entry may not import another (${target})`
  return undefined
}

/** Folders of one layer that import each other in a circle, each circle once. */
const circles = (imports: ReadonlyArray<Import>): ReadonlyArray<string> => {
  const edges = new Map<string, Set<string>>()
  for (const { file, target } of imports) {
    if (target === undefined || unitOf(file) === unitOf(target)) continue
    if (!unitOf(file).endsWith("/") || !unitOf(target).endsWith("/")) continue
    edges.set(unitOf(file), (edges.get(unitOf(file)) ?? new Set()).add(unitOf(target)))
  }
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(edges.get(from) ?? [])].some((n) => n === to || (!seen.has(n) && reaches(n, to, seen.add(n))))
  return [...edges.keys()]
    .filter((unit) => reaches(unit, unit))
    .map((unit) => `src/${unit}: part of a circle of folders`)
}

/** Everything that is wrong with these imports, one line each. */
export const offences = (imports: ReadonlyArray<Import>): ReadonlyArray<string> => [
  ...imports.map(offence).filter((o) => o !== undefined),
  ...circles(imports)
]
