/** Methods of `wgsl_reflect` replaced for a while, where it takes WGSL for something else and no other text would help. */
import {
  ArrayInfo,
  MemoryTracker,
  ScalarData,
  TypedData,
  WgslDebug,
  WgslExec,
  WorkgroupScheduler
} from "wgsl_reflect/wgsl_reflect.module.js"

/** Replaces something, and gives what puts it back. */
export type Patch = () => () => void
const replacing =
  (prototype: any, name: string, by: (original: any) => (this: any, ...args: ReadonlyArray<any>) => unknown): Patch =>
  () => {
    const original = prototype[name]
    prototype[name] = by(original)
    return () => void (prototype[name] = original)
  }

/** It would step into functions and keep what they return at the call, for all invocations. */
export const stepOverCalls = replacing(WgslDebug.prototype, "_collectFunctionCalls", () => () => {})

const moduleContext = (context: any): any => (context.parent === null ? context : moduleContext(context.parent))
/** A function sees its parameters and the module's names. */
export const lexicalCalls = replacing(
  WgslExec.prototype,
  "_evalCallValue",
  (original) =>
    function (node, context) {
      const called = context.getFunction(node.name)
      if (called === null) return original.call(this, node, context)
      const own = moduleContext(context).clone()
      called.node.args.forEach((parameter: any, k: number) =>
        own.createVariable(parameter.name, this.evalExpression(node.args[k], context).clone(), parameter)
      )
      return this._execStatements(called.node.body, own)
    }
)

const isInteger = ({ typeInfo }: any): boolean => ["i32", "u32", "x32"].includes(typeInfo.name)
const integer: { readonly [operator: string]: (a: number, b: number, isSigned: boolean) => number } = {
  "<<": (a, b) => a << b,
  ">>": (a, b, isSigned) => (isSigned ? a >> b : a >>> b),
  "*": Math.imul,
  "/": (a, b) => (b === 0 ? a : Math.trunc(a / b)),
  "%": (a, b) => (b === 0 ? 0 : a % b)
}
/** Shifts keep the type of what is shifted, and its sign only if it has one; products wrap; divisors may be 0. */
export const integerOperators = replacing(
  WgslExec.prototype,
  "_evalBinaryOpValue",
  (original) =>
    function (node, context) {
      const operator = integer[node.operator]
      if (operator === undefined) return original.call(this, node, context)
      const [a, b] = [this.evalExpression(node.left, context), this.evalExpression(node.right, context)]
      const both = [a, b] as ReadonlyArray<any>
      if (!both.every((x) => x instanceof ScalarData && isInteger(x)))
        return original.call(
          { evalExpression: (of: unknown) => (of === node.left ? a : b), __proto__: this },
          node,
          context
        )
      const shifted =
        !node.operator.startsWith("<") && !node.operator.startsWith(">")
          ? (both.find((x) => x.typeInfo.name !== "x32") ?? a)
          : a
      const type = this.getTypeInfo(shifted.typeInfo.name === "u32" ? "u32" : "i32")
      return new ScalarData(operator(a.value, b.value, type.name === "i32"), type)
    }
)

/** An element that is not there reads as 0: WGSL lets it be any that is. */
export const readsOutside = replacing(
  TypedData.prototype,
  "getSubData",
  (original) =>
    function (exec, postfix, context) {
      try {
        return original.call(this, exec, postfix, context)
      } catch (error) {
        if (!(error instanceof RangeError && this.typeInfo instanceof ArrayInfo)) throw error
        return new ScalarData(0, exec._resolveAtomicType((this.typeInfo as any).format))
      }
    }
)

const builtins = Object.getPrototypeOf((new WgslExec() as any).builtins)
const toEven = (x: number): number => {
  const down = Math.floor(x)
  if (x - down !== 0.5) return Math.round(x)
  return down % 2 === 0 ? down : down + 1
}
export const roundToEven = replacing(
  builtins,
  "Round",
  () =>
    function (node, context) {
      const x = this.exec.evalExpression(node.args[0], context)
      return new ScalarData(toEven(x.value), x.typeInfo)
    }
)

/** Both values of a selection are computed, and so read. */
export const wholeSelections = replacing(
  builtins,
  "Select",
  () =>
    function (node, context) {
      const [no, yes, condition] = node.args.map((arg: unknown) => this.exec.evalExpression(arg, context))
      return condition.value !== 0 ? yes : no
    }
)

/** A barrier orders the accesses to the memory of its own address space. */
const endingSpace: Patch = () => {
  let space: string | undefined
  let spaces: ReadonlyMap<string, string> = new Map()
  const undo = [
    replacing(
      WorkgroupScheduler.prototype,
      "_syncBarrier",
      (original) =>
        function (parked) {
          const variables = [...this._debug.exec.context.variables.values()] as ReadonlyArray<any>
          spaces = new Map(variables.map(({ name, node }) => [name, node?.storage]))
          space = parked[0].barrierNode.name === "workgroupBarrier" ? "workgroup" : "storage"
          original.call(this, parked)
          space = undefined
        }
    )(),
    replacing(
      MemoryTracker.prototype,
      "endPhase",
      (original) =>
        function () {
          const all = this._phase as ReadonlyArray<{ readonly bufferId: string }>
          const ends = ({ bufferId }: { readonly bufferId: string }) =>
            space === undefined || (spaces.get(bufferId) === "workgroup") === (space === "workgroup")
          const kept = all.filter((access) => !ends(access))
          this._phase = all.filter(ends)
          original.call(this)
          this._phase = kept
        }
    )()
  ]
  return () => undo.forEach((one) => one())
}
export const barriersOfSpaces = endingSpace

/** No run goes on for ever. */
export const bounded = replacing(
  WorkgroupScheduler.prototype,
  "run",
  (original) =>
    function () {
      this.stepBudget = 2_000_000
      return original.call(this)
    }
)
/** Runs something under patches. */
export const patched = <A>(patches: ReadonlyArray<Patch>, run: () => A): A => {
  const undo = patches.map((patch) => patch())
  try {
    return run()
  } finally {
    for (const one of undo.reverse()) one()
  }
}
