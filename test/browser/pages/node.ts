/** A page that wants a file system. */
import { readFileSync } from "node:fs"

export const main = () => readFileSync("/etc/hostname", "utf8")
