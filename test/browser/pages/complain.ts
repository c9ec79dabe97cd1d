/** A page that gives a result although something went wrong beside it. */
export const main = async () => {
  console.error("validation: binding 3 is missing")
  return 1
}
