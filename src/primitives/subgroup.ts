/**
 * Operations of subgroups: element l of a tile is lane l mod size of group floor(l / size), where the size is the device's
 * and the last group may have fewer lanes.
 */
import { type Accuracy, exact, type Primitive } from "../ir/primitive.ts"
import { subgroup } from "../ir/program.ts"
import { productAccuracy, sumAccuracy } from "./structural/reduce.ts"
import * as S from "./structural/subgroup.ts"
import * as W from "./wgsl/subgroup.ts"

const common = {
  family: "subgroup",
  effects: () => [subgroup],
  accuracy: exact,
  generate: { weight: 0 },
  gaps: {
    Discharge: {
      reason: "the result depends on the subgroup size of a device",
      hint: "run it on Gpu, or use what means the same everywhere: Tile.sum, Tile.cumsum, Tile.take and their like"
    }
  }
} as const

/** Any order, of as many operands as the subgroup has lanes. */
const accuracy: Accuracy = {
  _tag: "Bounded",
  spec: "exact but for float sums and products, which have the bounds of reduceSum and reduceProd over one group",
  bound: (args, result, dtype) => {
    const [sum, product] = [sumAccuracy, productAccuracy].map((a) =>
      a._tag === "Bounded" ? a.bound(args, result, dtype) : 0
    )
    return Math.max(sum!, product!)
  }
}

export const subgroupSize: Primitive<"subgroupSize"> = {
  ...common,
  name: "subgroupSize",
  doc: "The number of lanes of a full group.",
  typing: S.size,
  wgsl: W.size
}
export const subgroupLane: Primitive<"subgroupLane"> = {
  ...common,
  name: "subgroupLane",
  doc: "The lane of each element of a shape.",
  typing: S.lane,
  wgsl: W.lane
}
export const subgroupReduce: Primitive<"subgroupReduce"> = {
  ...common,
  name: "subgroupReduce",
  doc: "What the elements of a group make together, for each of them.",
  typing: S.reduce,
  wgsl: W.reduce,
  accuracy
}
export const subgroupScan: Primitive<"subgroupScan"> = {
  ...common,
  name: "subgroupScan",
  doc: "The sum or product of the elements of a group up to each, itself included or not.",
  typing: S.scan,
  wgsl: W.scan,
  accuracy
}
export const subgroupShuffle: Primitive<"subgroupShuffle"> = {
  ...common,
  name: "subgroupShuffle",
  doc: "The elements of other lanes of a group; 0 where there is none.",
  typing: S.shuffle,
  wgsl: W.shuffle
}
export const subgroupBallot: Primitive<"subgroupBallot"> = {
  ...common,
  name: "subgroupBallot",
  doc: "A bit for each lane of a group whose element holds, in four words.",
  typing: S.ballot,
  wgsl: W.ballot
}
