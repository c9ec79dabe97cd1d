/** Runs a lowered kernel on the CPU, and fails where the checker of lowered kernels finds anything. */
import { Result } from "effect"
import type { Lowered } from "../../src/ir/lowered.ts"
import { checkLowered, type Storage } from "../../src/simulate/lowered/checker.ts"
import { showLowered } from "../../src/simulate/lowered/report.ts"

/** `storage` holds the bound memories by name, and then the results; `subgroup` are the lanes of a subgroup. */
export const lockstep = (lowered: Lowered, storage: Storage, subgroup = 4): void => {
  const report = Result.getOrThrow(checkLowered(lowered, storage, { subgroup }))
  if (report.findings.length > 0) throw new Error(showLowered(report))
}
