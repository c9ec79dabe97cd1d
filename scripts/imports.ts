/** Every module that a source or declaration file names: imports, re-exports, `import()` and import types. */
import ts from "typescript6"

export const specifiersOf = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const visit = (node: ts.Node): void => {
    const named =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
          ? node.argument.literal
          : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
            ? node.arguments[0]
            : undefined
    if (named !== undefined && ts.isStringLiteral(named)) found.push(named.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile("module.ts", text, ts.ScriptTarget.Latest))
  return found
}
