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

/** One after the other. */
const several =
  (...patches: ReadonlyArray<Patch>): Patch =>
  () => {
    const undo = patches.map((patch) => patch())
    return () => undo.reverse().forEach((one) => one())
  }

const moduleContext = (context: any): any => (context.parent === null ? context : moduleContext(context.parent))
/** A function sees its parameters and the module's names, and nothing of who calls it. */
const lexical = (method: "_call" | "_evalCallValue"): Patch =>
  replacing(
    WgslExec.prototype,
    method,
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
/** Calls are evaluated as they come, in one step: functions hold no barriers. */
export const calls = several(
  lexical("_call"),
  lexical("_evalCallValue"),
  replacing(
    WgslDebug.prototype,
    "stepStack",
    (original) =>
      function (stack) {
        return original.call(this, stack, false)
      }
  )
)

const isInteger = (x: any): boolean =>
  x instanceof ScalarData && ["i32", "u32", "x32"].includes((x.typeInfo as { readonly name: string }).name)
type Integers = { readonly [operator: string]: (a: number, b: number, isSigned: boolean) => number }
/** Other arithmetic on whole numbers, of the type that `typed` chooses of the two operands. */
const operators = (by: Integers, typed: (a: any, b: any) => any): Patch =>
  replacing(
    WgslExec.prototype,
    "_evalBinaryOpValue",
    (original) =>
      function (node, context) {
        const operator = by[node.operator]
        if (operator === undefined) return original.call(this, node, context)
        const [a, b] = [node.left, node.right].map((of) => this.evalExpression(of, context)) as [any, any]
        if (isInteger(a) && isInteger(b)) {
          const type = this.getTypeInfo(typed(a, b).typeInfo.name === "u32" ? "u32" : "i32")
          return new ScalarData(operator(a.value, b.value, type.name === "i32"), type)
        }
        // Operands are computed once: what they read is noted.
        const known = Object.create(this, { evalExpression: { value: (of: unknown) => (of === node.left ? a : b) } })
        return original.call(known, node, context)
      }
  )
const either = (a: any, b: any): any => (a.typeInfo.name === "x32" ? b : a)
export const shifts = operators(
  { "<<": (a, b) => a << b, ">>": (a, b, isSigned) => (isSigned ? a >> b : a >>> b) },
  (shifted) => shifted
)
export const products = operators({ "*": Math.imul }, either)
export const quotients = operators({ "/": (a, b) => (b === 0 ? a : Math.trunc(a / b)) }, either)

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
/** Halves are rounded to the even number. */
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
  (original) =>
    function (node, context) {
      const [no, yes, condition] = node.args.map((arg: unknown) => this.exec.evalExpression(arg, context))
      if (!(condition instanceof ScalarData)) return original.call(this, node, context)
      return condition.value !== 0 ? yes : no
    }
)

/** The address spaces of the module's variables, by name, and the one whose barrier has come; none at the end of a run. */
interface Ending {
  readonly spaces: ReadonlyMap<string, string>
  readonly space: "workgroup" | "storage"
}
let ending: Ending | undefined
const endsNow = ({ bufferId }: { readonly bufferId: string }): boolean =>
  ending === undefined || (ending.spaces.get(bufferId) === "workgroup") === (ending.space === "workgroup")
/** A barrier orders the accesses to the memory of its own address space. */
export const barriersOfSpaces = several(
  replacing(
    WorkgroupScheduler.prototype,
    "_syncBarrier",
    (original) =>
      function (parked) {
        const variables = [...this._debug.exec.context.variables.values()] as ReadonlyArray<any>
        ending = {
          spaces: new Map(variables.map(({ name, node }) => [name, node?.storage])),
          space: parked[0].barrierNode.name === "workgroupBarrier" ? "workgroup" : "storage"
        }
        try {
          original.call(this, parked)
        } finally {
          ending = undefined
        }
      }
  ),
  replacing(
    MemoryTracker.prototype,
    "endPhase",
    (original) =>
      function () {
        const all = this._phase as ReadonlyArray<{ readonly bufferId: string }>
        this._phase = all.filter(endsNow)
        original.call(this)
        this._phase = all.filter((access) => !endsNow(access))
      }
  )
)

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
  const undo = several(...patches)()
  try {
    return run()
  } finally {
    undo()
  }
}
