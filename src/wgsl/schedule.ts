/** The pass that decides what a schedule leaves open. */
import { equations, type Program } from "../ir/program.ts"
import * as Schedule from "../Schedule.ts"
import * as Shape from "../Shape.ts"

/** Elements of the largest tile of a program. */
const largestTile = (program: Program): number => {
  let largest = 1
  for (const eqn of equations(program.body))
    for (const v of [...eqn.operands, ...eqn.results]) largest = Math.max(largest, Shape.size(v.shape))
  return largest
}
const powerOfTwoFrom = (n: number): number => {
  let p = 1
  while (p < n) p *= 2
  return p
}

/** `subgroup` is the size that a workgroup must be a multiple of. */
export const decide = (program: Program, given: Schedule.Schedule, subgroup: number): Schedule.Decided => ({
  ...Schedule.defaults,
  workgroupSize: Math.max(
    powerOfTwoFrom(subgroup),
    Math.min(Schedule.preferredWorkgroupSize, powerOfTwoFrom(largestTile(program)))
  ),
  ...given
})
