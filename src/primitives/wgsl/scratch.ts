/** WGSL of scopes: their refs are zeroed by the driver where the region begins. */
import type { WgslRule } from "../../ir/primitive.ts"

export const scoped: WgslRule = {
  _tag: "Block",
  owned: true,
  access: () => "same",
  carries: (eqn) => eqn.results.map((result, k) => ({ vars: [result], from: [eqn.regions[0]!.results[k]!] })),
  emit: (ctx, eqn) => {
    const body = eqn.regions[0]!
    ctx.declare(eqn.results)
    ctx.region(body)
    ctx.move(eqn.results, body.results)
  }
}
