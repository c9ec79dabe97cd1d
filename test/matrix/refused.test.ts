/** The matrix pipeline used wrongly: every mistake is a typed error at its line. */
import { describe, expect, it } from "vitest"
import {
  Atomic,
  bool,
  Control,
  f16,
  f32,
  i32,
  Inline,
  Kernel,
  MemRef,
  Pipeline,
  Scratch,
  Tile
} from "../../src/index.ts"
import { interpreters } from "../support/interpreters.ts"
import { kernelError, onEach, pointedAt, refused } from "../support/kernels.ts"

const P: any = Pipeline
const M: any = MemRef
const refs = {
  a: MemRef.in(f32, [2, 3]),
  b: MemRef.in(f32, [3, 4]),
  n: MemRef.in(i32, [3, 4]),
  o: MemRef.inout(f32, [2, 4])
}
const args = { a: new Float32Array(6), b: new Float32Array(12), n: new Int32Array(12), o: new Float32Array(8) }
type Refs = { readonly [name: string]: any }
type Body = (refs: Refs) => Generator<any, any, any>
const kernel = (body: Body): Kernel.Any =>
  Kernel.make(
    "case",
    {
      grid: [1],
      refs,
      scratch: {
        acc: Pipeline.accumulator(f32, [2, 4]),
        other: Pipeline.accumulator(f32, [2, 4]),
        s: Scratch.workgroup(f32, [2, 4])
      }
    },
    body as any
  ) as any
type Case = readonly [what: string, body: Body, says: ReadonlyArray<string>]

const mismatches: ReadonlyArray<Case> = [
  [
    "factors that do not fit together",
    function* ({ a, acc }) {
      yield* P.multiplyAccumulate(acc, a, a) // here
    },
    ["cannot multiply 2×3 by 2×3"]
  ],
  [
    "a product of another shape",
    function* ({ a, acc }) {
      yield* P.multiplyAccumulate(acc, a, a, { transposeB: true }) // here
    },
    ["the product is f32[2, 2], the accumulator f32[2, 4]"]
  ],
  [
    "factors of two dtypes",
    function* ({ a, acc, n }) {
      yield* P.multiplyAccumulate(acc, a, n) // here
    },
    ["f32 and i32"]
  ],
  [
    "a product of another dtype",
    function* ({ a, acc, n }) {
      yield* P.multiplyAccumulate(acc, (yield* M.load(a)).convert(i32), n) // here
    },
    ["the product is i32[2, 4], the accumulator f32[2, 4]"]
  ],
  [
    "a number as a factor",
    function* ({ a, acc }) {
      yield* P.multiplyAccumulate(acc, a, 3) // here
    },
    ["ranks 2 and 0"]
  ],
  [
    "nothing as a factor",
    function* ({ a, acc }) {
      yield* P.multiplyAccumulate(acc, a) // here
    },
    ["undefined is not a tile"]
  ],
  [
    "a tile as accumulator",
    function* ({ a, b }) {
      yield* P.multiplyAccumulate(Tile.zeros(f32, [2, 4]), a, b) // here
    },
    ["a tile is not an accumulator", "Pipeline.accumulator"]
  ],
  [
    "nothing to read",
    function* () {
      yield* P.read() // here
    },
    ["the first argument is not an accumulator"]
  ],
  [
    "a view of an accumulator",
    function* ({ acc }) {
      yield* P.read(M.at(acc, [0])) // here
    },
    ["an accumulator is no memory", "the operations of Pipeline"]
  ],
  [
    "a tile of another shape to start from",
    function* ({ acc, b }) {
      yield* P.set(acc, yield* M.load(b)) // here
    },
    ["[3, 4]", "[2, 4]"]
  ],
  [
    "a tile of another dtype to start from",
    function* ({ acc }) {
      yield* P.set(acc, Tile.zeros(i32, [2, 4])) // here
    },
    ["the tile is i32[2, 4], the accumulator f32[2, 4]"]
  ],
  [
    "fewer than none in flight",
    function* () {
      yield* P.wait(-1) // here
    },
    ["-1 in flight"]
  ],
  [
    "half of one in flight",
    function* () {
      yield* P.wait(0.5) // here
    },
    ["whole number"]
  ],
  [
    "a tile of how many are in flight",
    function* () {
      yield* P.wait(yield* Control.programId(0)) // here
    },
    ["whole number"]
  ]
]

/** Everything that takes refs, but not accumulators. */
const double = Inline.block("double", {
  operands: { x: Inline.readwrite(f32, [2, 4]) },
  results: {},
  wgsl: "if (lane == 0) { x_store(0, 1.0); }"
} as any) as any
const callee = Kernel.make("callee", { grid: [1], refs: { x: MemRef.inout(f32, [2, 4]) } }, function* ({ x }) {
  yield* MemRef.store(x, 1)
})
const misused: ReadonlyArray<readonly [string, Body, says?: string]> = [
  [
    "load",
    function* ({ acc }) {
      yield* M.load(acc) // here
    }
  ],
  [
    "store",
    function* ({ acc }) {
      yield* M.store(acc, 1) // here
    }
  ],
  [
    "store to a view",
    function* ({ acc }) {
      yield* M.store(M.at(acc, [0]), 1) // here
    }
  ],
  [
    "swap",
    function* ({ acc }) {
      yield* M.swap(acc, 1) // here
    }
  ],
  [
    "accumulate",
    function* ({ acc }) {
      yield* M.accumulate(acc, 1) // here
    }
  ],
  [
    "atomic",
    function* ({ acc }) {
      yield* (Atomic as any).add(acc, 1) // here
    }
  ],
  [
    "multiplyAccumulate as a factor",
    function* ({ a, acc, other }) {
      yield* P.multiplyAccumulate(acc, a, other) // here
    }
  ],
  [
    "inline",
    function* ({ acc }) {
      yield* double({ x: acc }) // here
    },
    'operand "x" must be a ref'
  ],
  [
    "call",
    function* ({ acc }) {
      yield* (Kernel as any).call(callee, { x: acc }) // here
    },
    '"x" is no ref'
  ],
  [
    "scan",
    function* ({ acc }) {
      const body: Body = function* (carry) {
        return { carry }
      }
      yield* (Control as any).scan({ in: { x: acc } }, Tile.of(f32, 0), body) // here
    },
    '"x" is no ref'
  ]
]

const unbalanced: ReadonlyArray<readonly [string, Body, ref: string, says: string]> = [
  [
    "a read before the wait",
    function* ({ a, acc, b, o }) {
      yield* P.multiplyAccumulate(acc, a, b)
      yield* M.store(o, yield* P.read(acc)) // here
      yield* P.wait()
    },
    "acc",
    "read while a multiply-accumulate is in flight"
  ],
  [
    "a set before the wait",
    function* ({ a, acc, b }) {
      yield* P.multiplyAccumulate(acc, a, b)
      yield* P.set(acc, 0) // here
      yield* P.wait()
    },
    "acc",
    "set while"
  ],
  [
    "an end before the wait",
    function* ({ a, acc, b }) {
      yield* P.multiplyAccumulate(acc, a, b) // here
    },
    "acc",
    "the kernel ends"
  ],
  [
    "a wait that leaves the last in flight",
    function* ({ a, acc, b, other }) {
      yield* P.multiplyAccumulate(acc, a, b)
      yield* P.multiplyAccumulate(other, a, b) // here
      yield* P.wait(1)
      yield* P.read(acc)
    },
    "other",
    "the kernel ends"
  ],
  [
    "a wait that leaves two in flight",
    function* ({ a, acc, b, other }) {
      yield* P.multiplyAccumulate(acc, a, b)
      yield* P.multiplyAccumulate(other, a, b)
      yield* P.wait(2)
      yield* P.read(acc) // here
      yield* P.wait()
    },
    "acc",
    "read while"
  ],
  [
    "a wait in one branch only",
    function* ({ a, acc, b, o }) {
      yield* P.multiplyAccumulate(acc, a, b)
      yield* Control.when((yield* Control.programId(0)).eq(0), function* () {
        yield* P.wait()
      })
      yield* M.store(o, yield* P.read(acc)) // here
      yield* P.wait()
    },
    "acc",
    "read while"
  ],
  [
    "a wait in a loop that may not run",
    function* ({ a, acc, b }) {
      yield* P.multiplyAccumulate(acc, a, b) // here
      yield* Control.forEach(0, yield* Control.programId(0), function* () {
        yield* P.wait()
      })
    },
    "acc",
    "the kernel ends"
  ],
  [
    "a read at the start of a turn of what the turn before issued",
    function* ({ a, acc, b }) {
      yield* Control.forEach(0, 3, function* () {
        yield* P.read(acc) // here
        yield* P.multiplyAccumulate(acc, a, b)
      })
      yield* P.wait()
    },
    "acc",
    "read while"
  ],
  [
    "a scope that ends before the wait",
    function* ({ a, b }) {
      yield* Scratch.scoped(Pipeline.accumulator(f32, [2, 4]), function* (own: any) {
        yield* P.multiplyAccumulate(own, a, b) // here
      } as any)
      yield* P.wait()
    },
    "accumulator",
    "the scope ends"
  ]
]

const declarations: ReadonlyArray<readonly [string, () => any, ReadonlyArray<string>]> = [
  ["halves", () => P.accumulator(f16, [2, 2]), ["an accumulator of f16", "f32, i32, u32"]],
  ["truth values", () => P.accumulator(bool, [2, 2]), ["an accumulator of bool"]],
  ["one axis", () => P.accumulator(f32, [4]), ["shape [4]", "two axes"]],
  ["an impossible size", () => P.accumulator(f32, [2, -1]), ["shape [2, -1]"]]
]

describe("a kernel is refused, at the line of the mistake, that has", () => {
  it.each(mismatches)("%s", async (_, body, says) => {
    await refused("TypeMismatch", kernel(body), args, { says, at: "// here" })
  })
  const cases = misused.map(([what, body, says = "an accumulator is no memory"]) => [what, body, says] as const)
  it.each(cases)("an accumulator in %s", async (_, body, says) => {
    await refused("TypeMismatch", kernel(body), args, { says: [says], at: "// here" })
  })
  it.each(["o", "s"])("products added to %s, which is no accumulator", async (name) => {
    const body: Body = function* (r) {
      yield* P.multiplyAccumulate(r[name], r.a, r.b) // here
    }
    const says = ["is not an accumulator; declare one with Pipeline.accumulator", `"${name}"`]
    await refused("TypeMismatch", kernel(body), args, { says, at: "// here" })
  })
  it.each(unbalanced)("%s", async (_, body, ref, says) => {
    for (const on of interpreters) {
      const error = await kernelError("Unbalanced", kernel(body), args, on)
      expect(error.shown).toContain(says)
      expect(error.ref).toBe(ref)
      expect(error.hint).toContain("Pipeline.wait()")
      expect(pointedAt(error)).toContain("// here")
    }
  })
  it.each(declarations)("an accumulator of %s", async (_, declare, says) => {
    const body: Body = function* () {}
    const declared = Kernel.make("case", { grid: [1], refs, scratch: { acc: declare() } }, body as any)
    await refused("InvalidKernel", declared as any, args, { says })
    const scoped = kernel(function* () {
      yield* (Scratch as any).scoped(declare(), function* () {}) // here
    })
    await refused("TypeMismatch", scoped, args, { says, at: "// here" })
  })
  it("a multiply-accumulate without yield*, which would add nothing", async () => {
    const error = await kernelError(
      "Unyielded",
      kernel(function* ({ a, acc, b }) {
        P.multiplyAccumulate(acc, a, b) // here
      }),
      args
    )
    expect(error.primitive).toBe("multiplyAccumulate")
    expect(pointedAt(error)).toContain("// here")
  })
  it("an accumulator of another kernel, or of a scope that has ended", async () => {
    let kept: any
    const owner = kernel(function* ({ acc, o }) {
      kept = acc
      yield* M.store(o, 1)
    })
    await onEach(owner, args, {})
    const body: Body = function* () {
      yield* P.read(kept) // here
    }
    await refused("ForeignValue", Kernel.make("other", { grid: [1], refs }, body as any) as any, args, {
      says: ['it belongs to kernel "case"'],
      at: "// here"
    })
    const late = kernel(function* () {
      yield* Scratch.scoped(Pipeline.accumulator(f32, [2, 4]), function* (acc) {
        kept = acc
      })
      yield* P.read(kept) // here
    })
    await refused("ForeignValue", late, args, { says: ["its scope has ended"], at: "// here" })
  })
})

describe("a kernel is not refused that", () => {
  const right: ReadonlyArray<readonly [string, Body]> = [
    [
      "waits for all but the last of several, and reads those",
      function* ({ a, acc, b, o, other }) {
        yield* P.multiplyAccumulate(acc, a, b)
        yield* P.multiplyAccumulate(other, a, b)
        yield* P.wait(1)
        yield* M.store(o, yield* P.read(acc))
        yield* P.wait()
      }
    ],
    [
      "waits in every branch",
      function* ({ a, acc, b, o }) {
        yield* P.multiplyAccumulate(acc, a, b)
        yield* Control.cond(
          (yield* Control.programId(0)).eq(0),
          function* () {
            yield* P.wait()
          },
          function* () {
            yield* P.wait(0)
          }
        )
        yield* M.store(o, yield* P.read(acc))
      }
    ],
    [
      "keeps one in flight from turn to turn, and waits after the loop",
      function* ({ a, acc, b, o, other }) {
        yield* P.multiplyAccumulate(other, a, b)
        yield* Control.forEach(0, 3, function* () {
          yield* P.multiplyAccumulate(acc, a, b)
          yield* P.wait(1)
          yield* P.read(other)
        })
        yield* P.wait()
        yield* M.store(o, yield* P.read(acc))
      }
    ],
    [
      "issues before a loop that surely runs, and waits inside",
      function* ({ a, acc, b, o }) {
        yield* P.multiplyAccumulate(acc, a, b)
        yield* Control.forEach(0, 2, function* () {
          yield* P.wait()
        })
        yield* M.store(o, yield* P.read(acc))
      }
    ],
    [
      "waits in the condition of a loop, which runs at least once",
      function* ({ a, acc, b, o }) {
        yield* P.multiplyAccumulate(acc, a, b)
        yield* Control.whileLoop(
          Tile.of(i32, 0),
          function* (i) {
            yield* P.wait()
            return i.lt(2)
          },
          function* (i) {
            yield* P.multiplyAccumulate(acc, a, b)
            return i.add(1)
          }
        )
        yield* M.store(o, yield* P.read(acc))
      }
    ],
    [
      "waits for nothing",
      function* ({ o }) {
        yield* P.wait(3)
        yield* P.wait()
        yield* M.store(o, 0)
      }
    ]
  ]
  it.each(right)("%s", async (_, body) => {
    await onEach(kernel(body), args, { o: new Float32Array(8) })
  })
})
