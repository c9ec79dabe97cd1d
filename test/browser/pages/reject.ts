/** A page whose work fails. */
export const main = () => Promise.reject(new Error("the kernel is unwell"))
