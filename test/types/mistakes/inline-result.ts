/** The discharge of an inline gives another dtype. */
import { f32, i32, Inline } from "effect-kernels"

Inline.elementwise("half", {
  args: { x: f32 },
  result: f32,
  wgsl: "return x / 2;",
  discharge: ({ x }) => x.convert(i32)
})
