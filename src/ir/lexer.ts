/**
 * Tokens of the text form, and the cursor that the parser reads them with.
 *
 * Line ends are tokens, because they end statements; blanks and `//` comments are not.
 */

type Kind = "word" | "number" | "literal" | "string" | "punctuation" | "newline" | "end" | "bad"
export interface Token {
  readonly kind: Kind
  readonly text: string
  /** Offset in the text. */
  readonly at: number
}

/** The private error of the parser; `parse` turns it into a `ParseError`. */
export class SyntaxFailure {
  readonly at: number
  readonly detail: string
  constructor(at: number, detail: string) {
    this.at = at
    this.detail = detail
  }
}

const blank = /^(?:[ \t\r\uFEFF]|\/\/)/
const pattern =
  /[ \t\r\uFEFF]+|\/\/[^\n]*|\n|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|[A-Za-z_]\w*|\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:[fhiu](?!\w))?|\+:|->|=>|[-+*%#=(){}[\],:.!@&]/y

const kindOf = (text: string): Kind => {
  if (text === "\n") return "newline"
  if (text.startsWith('"')) return "string"
  if (/^\d/.test(text)) return /[fhiu]$/.test(text) ? "literal" : "number"
  return /^[A-Za-z_]/.test(text) ? "word" : "punctuation"
}

const tokenise = (text: string): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  let at = 0
  while (at < text.length) {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found === undefined) {
      tokens.push({ kind: "bad", text: text[at]!, at })
      break
    }
    if (found === "\n" ? (tokens.at(-1)?.kind ?? "newline") !== "newline" : !blank.test(found))
      tokens.push({ kind: kindOf(found), text: found, at })
    at += found.length
  }
  tokens.push({ kind: "end", text: "", at })
  return tokens
}

const showToken = (token: Token): string => {
  if (token.kind === "end") return "the end of the text"
  if (token.kind === "newline") return "the end of the line"
  if (token.kind === "bad" && token.text === '"') return "a string that does not end on its line"
  return `'${token.text.length > 40 ? `${token.text.slice(0, 40)}…` : token.text}'`
}

/** How deep regions, parameters and indices may nest; what is deeper would exhaust the stack of some interpreter. */
const maxDepth = 256

export class Cursor {
  private readonly tokens: ReadonlyArray<Token>
  private next = 0
  private depth = 0
  constructor(text: string) {
    this.tokens = tokenise(text)
  }
  peek(ahead = 0): Token {
    return this.tokens[Math.min(this.next + ahead, this.tokens.length - 1)]!
  }
  /** The next token, which is consumed. */
  take(): Token {
    const token = this.peek()
    this.next++
    return token
  }
  error(detail: string, at = this.peek().at): never {
    throw new SyntaxFailure(at, detail)
  }
  expected(what: string): never {
    return this.error(`expected ${what}, found ${showToken(this.peek())}`)
  }
  /** Whether this word or punctuation comes next. */
  sees(text: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return token.text === text && (token.kind === "word" || token.kind === "punctuation")
  }
  accept(text: string): boolean {
    if (!this.sees(text)) return false
    this.next++
    return true
  }
  expect(text: string): void {
    if (!this.accept(text)) this.expected(`'${text}'`)
  }
  /** Ends a statement. */
  endLine(): void {
    const { kind } = this.peek()
    if (kind === "newline") this.next++
    else if (kind !== "end") this.expected("the end of the line")
  }
  /** Reads `item` until `close`, with commas between. */
  list<A>(close: string, item: () => A): ReadonlyArray<A> {
    const items: Array<A> = []
    if (this.accept(close)) return items
    do items.push(item())
    while (this.accept(","))
    if (!this.accept(close)) this.expected(`',' or '${close}'`)
    return items
  }
  nested<A>(read: () => A): A {
    if (++this.depth > maxDepth) this.error(`nested deeper than ${maxDepth} levels`)
    const value = read()
    this.depth--
    return value
  }
}
