import { PNG } from "pngjs"
import { describe, expect, it } from "vitest"
import * as Image from "../../demo/image.ts"

const [height, width] = [37, 83]
const sample = Image.crop(Image.boats(), 300, 500, height, width)

describe("the demo's pictures", () => {
  const small = Image.fromGrey(4, 2, Float32Array.of(0, 10, 255, 300, 20, 30, -5, 99.6))
  it("hold grey values, rounded and clamped", () => {
    expect([...small.pixels].map((p) => p.toString(16))).toEqual([
      "ff000000",
      "ff0a0a0a",
      "ffffffff",
      "ffffffff",
      "ff141414",
      "ff1e1e1e",
      "ff000000",
      "ff646464"
    ])
  })
  it("are halved to means, and set side by side", () => {
    const halved = Image.half(small)
    expect([...halved.pixels].map((p) => p & 255)).toEqual([15, 152])
    const both = Image.sheet([[halved, halved], [halved]])
    expect([both.height, both.width]).toEqual([2, 4])
    expect([...both.pixels].map((p) => p & 255)).toEqual([15, 152, 15, 152, 15, 152, 0, 0])
  })
  it("survive being written as PNG", () => {
    const { data, height: h, width: w } = PNG.sync.read(Image.toPng(sample))
    expect([h, w]).toEqual([height, width])
    expect([...new Uint32Array(data.buffer, data.byteOffset, h * w)]).toEqual([...sample.pixels])
  })
  it("come from a photograph of 1024 by 819 pixels", () => {
    expect(Image.boats()).toMatchObject({ width: 1024, height: 819 })
  })
})
