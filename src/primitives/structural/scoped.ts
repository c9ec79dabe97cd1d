/** Typing of scopes whose scratch all threads of a program instance share. */
import type { Draft } from "../../ir/primitive.ts"
import type { Params } from "../../ir/program.ts"
import { TypingError } from "../../ir/typing.ts"

/** Parameters of a scope. */
export const scopedParams = (collective: boolean): Params => (collective ? { collective } : {})
/** What threads share is no register. */
export const checkCollective = ({ params, regions }: Draft): void => {
  const { collective = false } = params
  if (typeof collective !== "boolean")
    throw new TypingError(`the parameter collective is ${JSON.stringify(collective)}`, "it is true or false")
  const own = regions[0]!.refs.find(({ space }) => space === "register")
  if (collective && own !== undefined)
    throw new TypingError(`scratch "${own.name}" is in registers, which threads do not share`, "use Scratch.workgroup")
}
