/** The table of primitives and interpreters in the README. */
import type { Primitive } from "../src/ir/primitive.ts"
import { primitives } from "../src/primitives/index.ts"

const [start, end] = ["<!-- primitives -->", "<!-- /primitives -->"]

/** How Discharge takes a primitive: by a rule that rewrites refs away, by its definition on arrays, or not. */
const onDischarge = (p: Primitive): string =>
  p.gaps?.["Discharge"] !== undefined && p.discharge !== undefined
    ? "with a rule"
    : p.discharge !== undefined
      ? "rewritten"
      : p.evaluate !== undefined || p.control !== undefined
        ? "yes"
        : "no"
const onGpu = (p: Primitive): string => (p.gaps?.["Gpu"] === undefined && p.wgsl !== undefined ? "yes" : "no")
const onSimulator = (p: Primitive): string =>
  (p.simulate ?? p.evaluate ?? p.lanes) === undefined
    ? "no"
    : p.gaps?.["Simulator"] === undefined
      ? "yes"
      : "with a rule"
const accuracy = (p: Primitive): string => {
  switch (p.accuracy._tag) {
    case "Exact":
      return "exact"
    case "Rounded":
      return "rounded"
    case "Bounded":
      return "bounded"
  }
}

/** The table, in the order of the records. */
export const coverage = (): string =>
  [
    "| primitive | family | Discharge | Gpu | Simulator | accuracy |",
    "|---|---|---|---|---|---|",
    ...primitives.map(
      (p) => `| \`${p.name}\` | ${p.family} | ${onDischarge(p)} | ${onGpu(p)} | ${onSimulator(p)} | ${accuracy(p)} |`
    )
  ].join("\n")

/** The README with the table of today. */
export const updated = (text: string): string => {
  const [from, to] = [text.indexOf(start), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`the README lacks ${start} … ${end}`)
  return `${text.slice(0, from + start.length)}\n\n${coverage()}\n\n${text.slice(to)}`
}
