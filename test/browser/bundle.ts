/** Bundles a module for the browser, in memory, as an application's build would: by vite, from the library's sources. */
import { isBuiltin } from "node:module"
import { fileURLToPath } from "node:url"
import { build, type Plugin, type Rollup } from "vite"

const root = fileURLToPath(new URL("../..", import.meta.url))
const page = "virtual:page"

/** A page that hangs the entry's `main` on the window, where the harness calls it. */
const pagePlugin = (entry: string): Plugin => ({
  name: "page",
  enforce: "pre",
  resolveId(source) {
    if (isBuiltin(source)) this.error(`"${source}" of Node is reached from ${entry}`)
    return source === page ? `\0${page}` : undefined
  },
  load: (id) =>
    id === `\0${page}` ? `import { main } from ${JSON.stringify(entry)}\nglobalThis.main = main` : undefined
})

/** The files of the bundle by name; `page.js` is the one to load. */
export const bundle = async (entry: string): Promise<ReadonlyMap<string, string | Uint8Array>> => {
  const built = (await build({
    root,
    configFile: false,
    logLevel: "silent",
    plugins: [pagePlugin(entry)],
    resolve: { alias: [{ find: /^effect-kernels$/, replacement: `${root}src/index.ts` }] },
    build: {
      write: false,
      target: "esnext",
      minify: false,
      modulePreload: false,
      rolldownOptions: { input: { page }, output: { entryFileNames: "[name].js", chunkFileNames: "[name].js" } }
    }
  })) as Rollup.RollupOutput
  return new Map(built.output.map((o) => [o.fileName, o.type === "chunk" ? o.code : o.source]))
}
