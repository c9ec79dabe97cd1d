/** Which numbers of a list of cases stand in the names of tests. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"

const test = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const filesOf = (path: string): ReadonlyArray<string> =>
  statSync(test(path)).isDirectory()
    ? readdirSync(test(path))
        .filter((name) => name.endsWith(".test.ts"))
        .map((name) => test(`${path}/${name}`))
    : [test(path)]

/** The numbers with which names of tests begin, as in `"12: …"`, in files or folders of tests. */
export const numbered = (paths: ReadonlyArray<string>): ReadonlySet<number> => {
  const texts = paths.flatMap(filesOf).map((file) => readFileSync(file, "utf8"))
  return new Set(texts.flatMap((text) => [...text.matchAll(/["`](\d+): /g)].map(([, number]) => Number(number))))
}
