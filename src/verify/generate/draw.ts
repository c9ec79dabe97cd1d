/** Choices of the generator, on top of whatever gives random integers. */

/** Gives whole numbers from `min` to `max`, both included; fast-check's `Random` is one. */
export interface Randomness {
  readonly nextInt: (min: number, max: number) => number
}

export class Draw {
  private readonly random: Randomness
  constructor(random: Randomness) {
    this.random = random
  }
  /** From 0 to below `n`. */
  readonly below = (n: number): number => (n <= 1 ? 0 : this.random.nextInt(0, n - 1))
  readonly between = (min: number, max: number): number => this.random.nextInt(min, Math.max(min, max))
  readonly chance = (probability: number): boolean => this.random.nextInt(0, 999) < probability * 1000
  readonly of = <A>(items: ReadonlyArray<A>): A => items[this.below(items.length)]!
  readonly maybe = <A>(items: ReadonlyArray<A>): A | undefined => (items.length === 0 ? undefined : this.of(items))
  readonly weighted = <A>(items: ReadonlyArray<A>, weight: (item: A) => number): A => {
    let rest = this.random.nextInt(0, Math.max(0, items.reduce((sum, item) => sum + weight(item), 0) - 1))
    for (const item of items) {
      rest -= weight(item)
      if (rest < 0) return item
    }
    return items.at(-1)!
  }
  readonly shuffled = <A>(items: ReadonlyArray<A>): ReadonlyArray<A> => {
    const out = [...items]
    for (let i = out.length - 1; i > 0; i--) {
      const j = this.below(i + 1)
      ;[out[i], out[j]] = [out[j]!, out[i]!]
    }
    return out
  }
}

/** Numbers from a seed, for what fast-check does not draw: Marsaglia's xorshift of 32 bits, started from a mixed seed. */
export const seeded = (seed: number): Randomness => {
  let state = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) | 1
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
  for (let k = 0; k < 4; k++) next()
  return { nextInt: (min, max) => min + Math.floor((next() / 2 ** 32) * (max - min + 1)) }
}
