/** The demo's pictures in plain JavaScript, pixel by pixel in double precision: what the kernels are compared with. */

/** A picture of grey values. */
export interface Grey {
  readonly width: number
  readonly height: number
  readonly values: ArrayLike<number>
}

const picture = (height: number, width: number, value: (i: number, j: number) => number): Grey => ({
  width,
  height,
  values: Array.from({ length: height * width }, (_, k) => value(Math.floor(k / width), k % width))
})
const at = ({ height, values, width }: Grey, i: number, j: number): number | undefined =>
  i >= 0 && i < height && j >= 0 && j < width ? values[i * width + j] : undefined

export const greyscale = (height: number, width: number, pixels: Uint32Array): Grey =>
  picture(height, width, (i, j) => {
    const pixel = pixels[i * width + j]!
    return 0.299 * (pixel & 255) + 0.587 * ((pixel >> 8) & 255) + 0.114 * ((pixel >> 16) & 255)
  })

/** Gaussian of standard deviation 2, cut off at 4 pixels: the weighted mean of those pixels that are in the picture. */
export const blur = (grey: Grey): Grey =>
  picture(grey.height, grey.width, (i, j) => {
    let [sum, weights] = [0, 0]
    for (let di = -4; di <= 4; di++)
      for (let dj = -4; dj <= 4; dj++) {
        const value = at(grey, i + di, j + dj)
        if (value === undefined) continue
        const weight = Math.exp(-(di * di + dj * dj) / 8)
        sum += weight * value
        weights += weight
      }
    return sum / weights
  })

export const sobel = (grey: Grey): Grey =>
  picture(grey.height, grey.width, (i, j) => {
    if (i === 0 || j === 0 || i === grey.height - 1 || j === grey.width - 1) return 0
    const p = (di: number, dj: number) => at(grey, i + di, j + dj)!
    const gx = p(-1, 1) + 2 * p(0, 1) + p(1, 1) - p(-1, -1) - 2 * p(0, -1) - p(1, -1)
    const gy = p(1, -1) + 2 * p(1, 0) + p(1, 1) - p(-1, -1) - 2 * p(-1, 0) - p(-1, 1)
    return Math.min(Math.hypot(gx, gy), 255)
  })

export const histogram = (grey: Grey): ReadonlyArray<number> => {
  const bins = new Array<number>(256).fill(0)
  for (let k = 0; k < grey.values.length; k++) bins[Math.floor(Math.min(Math.max(grey.values[k]!, 0), 255))]!++
  return bins
}

/** The textbook's table: the share of pixels up to a level, stretched so that the darkest level present becomes 0. */
export const equalisation = (bins: ReadonlyArray<number>): ReadonlyArray<number> => {
  const total = bins.reduce((a, b) => a + b, 0)
  const darkest = bins.find((count) => count > 0) ?? 0
  let upTo = 0
  return bins.map((count) => {
    upTo += count
    return (255 * Math.max(upTo - darkest, 0)) / Math.max(total - darkest, 1)
  })
}
