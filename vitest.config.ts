/**
 * One configuration for all tests. Forks, because a software adapter is set up through the environment of its process;
 * two of them, and generous limits, because that adapter is slow.
 */
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^effect-kernels$/, replacement: file("src/index.ts") },
      { find: /^effect-kernels\/(node|verify)$/, replacement: file("src") + "/$1.ts" }
    ]
  },
  test: {
    include: ["test/**/*.test.ts", "property-tests/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000
  }
})
