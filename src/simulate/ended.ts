/** Carries a run to its end, where nothing can follow from what was found. */
export class Ended extends Error {}
