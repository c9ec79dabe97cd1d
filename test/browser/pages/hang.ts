/** A page that never answers. */
export const main = () => new Promise(() => undefined)
