/**
 * Operations of subgroups: element l of a tile is lane l mod size of group floor(l / size), where the size is the device's
 * and the last group may have fewer lanes. Examples have tiles of four elements, which are one group on any device: in WGSL
 * subgroups have 4 to 128 lanes.
 */
import { type Accuracy, exact, type Primitive } from "../ir/primitive.ts"
import { subgroup } from "../ir/program.ts"
import * as D from "./defined/subgroup.ts"
import { nothing } from "./structural/defined.ts"
import { program } from "./structural/example.ts"
import * as L from "./structural/lanes.ts"
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
  example: program(
    `
    grid [1]
    out least: bool[]
    out most: bool[]
    body {
      %0: i32[] = subgroupSize ! Subgroup
      %1: bool[] = ge (%0, 4i)
      store least (%1) ! Write(least)
      %2: bool[] = le (%0, 128i)
      store most (%2) ! Write(most)
    }`,
    {},
    { least: [1], most: [1] }
  ),
  typing: S.size,
  lanes: (size) => ({ evaluate: L.sizeEvaluate(size), defined: nothing }),
  wgsl: W.size
}
export const subgroupLane: Primitive<"subgroupLane"> = {
  ...common,
  name: "subgroupLane",
  doc: "The lane of each element of a shape.",
  example: program(
    `
    grid [1]
    out o: i32[2, 2]
    body {
      %0: i32[2, 2] = subgroupLane {shape: [2, 2]} ! Subgroup
      store o (%0) ! Write(o)
    }`,
    {},
    { o: [0, 1, 2, 3] }
  ),
  typing: S.lane,
  lanes: (size) => ({ evaluate: L.laneEvaluate(size), defined: nothing }),
  wgsl: W.lane
}
export const subgroupReduce: Primitive<"subgroupReduce"> = {
  ...common,
  name: "subgroupReduce",
  doc: "What the elements of a group make together, for each of them.",
  example: program(
    `
    grid [1]
    in x: i32[4]
    out o: i32[4]
    body {
      %0: i32[4] = load x ! Read(x)
      %1: i32[4] = subgroupReduce {op: "sum"} (%0) ! Subgroup
      store o (%1) ! Write(o)
    }`,
    { x: [3, 1, 4, 1] },
    { o: [9, 9, 9, 9] }
  ),
  typing: S.reduce,
  lanes: (size) => ({ evaluate: L.reduceEvaluate(size), defined: D.reduce(size) }),
  wgsl: W.reduce,
  accuracy
}
export const subgroupScan: Primitive<"subgroupScan"> = {
  ...common,
  name: "subgroupScan",
  doc: "The sum or product of the elements of a group up to each, itself included or not.",
  example: program(
    `
    grid [1]
    in x: i32[4]
    out o: i32[4]
    body {
      %0: i32[4] = load x ! Read(x)
      %1: i32[4] = subgroupScan {exclusive: true, op: "sum"} (%0) ! Subgroup
      store o (%1) ! Write(o)
    }`,
    { x: [3, 1, 4, 1] },
    { o: [0, 3, 4, 8] }
  ),
  typing: S.scan,
  lanes: (size) => ({ evaluate: L.scanEvaluate(size), defined: D.scan(size) }),
  wgsl: W.scan,
  accuracy
}
export const subgroupShuffle: Primitive<"subgroupShuffle"> = {
  ...common,
  name: "subgroupShuffle",
  doc: "The elements of other lanes of a group; 0 where there is none.",
  example: program(
    `
    grid [1]
    in x: i32[4]
    out o: i32[4]
    body {
      %0: i32[4] = load x ! Read(x)
      %1: i32[4] = subgroupShuffle {mode: "up"} (%0, 1i) ! Subgroup
      store o (%1) ! Write(o)
    }`,
    { x: [3, 1, 4, 1] },
    { o: [0, 3, 1, 4] }
  ),
  typing: S.shuffle,
  lanes: (size) => ({ evaluate: L.shuffleEvaluate(size), defined: D.shuffle(size) }),
  wgsl: W.shuffle
}
export const subgroupBallot: Primitive<"subgroupBallot"> = {
  ...common,
  name: "subgroupBallot",
  doc: "A bit for each lane of a group whose element holds, in four words.",
  example: program(
    `
    grid [1]
    in x: bool[4]
    out o: u32[4, 4]
    body {
      %0: bool[4] = load x ! Read(x)
      %1: u32[4, 4] = subgroupBallot (%0) ! Subgroup
      store o (%1) ! Write(o)
    }`,
    { x: [1, 0, 1, 1] },
    { o: [13, 0, 0, 0, 13, 0, 0, 0, 13, 0, 0, 0, 13, 0, 0, 0] }
  ),
  typing: S.ballot,
  lanes: (size) => ({ evaluate: L.ballotEvaluate(size), defined: D.ballot(size) }),
  wgsl: W.ballot
}
