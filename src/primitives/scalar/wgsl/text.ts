/** What texts of WGSL helpers are made with. */

/** Helper functions and structures by name; each text declares exactly its name. */
export type Helpers = { readonly [name: string]: string }

/** The polynomial `coefficients[0] + coefficients[1] t + …` in Horner's form. */
export const horner = (t: string, coefficients: ReadonlyArray<number>): string =>
  coefficients.map((c) => `${c}f`).reduceRight((sum, c) => `(${sum} * ${t} + ${c})`)
