import { describe, expect, it } from "vitest"
import * as DType from "../../src/DType.ts"
import { valuesOf } from "../../src/primitives/scalar/values.ts"
import { apply, record, records, title, use } from "./families.ts"

describe("special values on the CPU", () => {
  const cases = records.flatMap(({ elementwise, name }) =>
    valuesOf(elementwise!).map(({ from, rows, to }) => {
      const subject = use(name, from, to === undefined ? {} : { dtype: to })
      return [title(subject), subject, rows] as const
    })
  )
  it.each(cases)("%s gives what its record says", (_, subject, rows) => {
    const dtypes = [...subject.operands, subject.result]
    for (const row of rows) {
      expect(row).toHaveLength(dtypes.length)
      const values = row.map((x, k) => DType.round(dtypes[k]!)(x))
      const args = values.slice(0, -1)
      expect([...args, apply(subject, ...args)]).toEqual(values)
    }
  })
  it.each(records.map((r) => [r.name] as const))("%s: its record says what it gives, for every dtype", (name) => {
    const dtypes = valuesOf(record(name).elementwise).map(({ from }) => from)
    expect([...new Set(dtypes)].sort()).toEqual([...record(name).elementwise.operands.at(-1)!].sort())
  })
})
