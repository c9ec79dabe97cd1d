/** Names that a misspelt one may have meant. */

/** Edit distance: insertions, deletions and replacements of characters. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}

/** `, did you mean add?`, or nothing if no candidate is near. */
export const suggest = (name: string, candidates: Iterable<string>): string => {
  let best: string | undefined
  let least = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= least) continue
    const d = distance(name, candidate)
    if (d < least) [best, least] = [candidate, d]
  }
  return best === undefined ? "" : `, did you mean ${best}?`
}
