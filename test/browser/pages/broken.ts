/** A page that throws while it loads. */
export const main = () => 1
throw new TypeError("not today")
