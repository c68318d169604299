import { parse } from "@babel/parser";

/** A node of Babel's syntax tree, with its place in the source. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly loc: { readonly start: { readonly line: number }; readonly end: { readonly line: number } };
  readonly [key: string]: unknown;
}

/** A node with the nodes around it, the nearest first. */
export interface Visited {
  readonly node: Node;
  readonly ancestors: readonly Node[];
}

/** Every node of a TypeScript source that exists at run time, in the source's order. */
export function nodesOf(source: string): Visited[] {
  return visit(programOf(source), [], isTypeOnly);
}

/** Every node of a TypeScript source, types included. */
export function allNodesOf(source: string): Visited[] {
  return visit(programOf(source), [], () => false);
}

function programOf(source: string): Node {
  return parse(source, { sourceType: "module", plugins: ["typescript"] }).program as unknown as Node;
}

function visit(node: Node, ancestors: readonly Node[], isLeftOut: (node: Node) => boolean): Visited[] {
  if (isLeftOut(node)) return [];
  const inside = childrenOf(node).flatMap((child) => visit(child, [node, ...ancestors], isLeftOut));
  return [{ node, ancestors }, ...inside];
}

/** The direct child nodes of a node, without the names of properties and methods. */
function childrenOf(node: Node): Node[] {
  const isName = (key: string) => key === "key" && node.computed !== true;
  const values = Object.entries(node).flatMap(([key, value]) => (key.endsWith("Comments") || isName(key) ? [] : value));
  return values.filter(isNode).sort((one, other) => one.start - other.start);
}

/** Whether a value of the tree is a node. */
export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

// `x as T` and `x!` contain an expression. All other TypeScript syntax is gone at run time.
function isTypeOnly({ type, importKind, exportKind }: Node): boolean {
  const hasExpression = ["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"].includes(type);
  return (type.startsWith("TS") && !hasExpression) || importKind === "type" || exportKind === "type";
}

/** The name of the module's function or declaration that contains a node; empty if there is none. */
export function placeOf({ ancestors, node }: Visited): string {
  const [outermost] = [node, ...ancestors]
    .map(declaredName)
    .filter((name) => name !== undefined)
    .reverse();
  return outermost ?? "";
}

function declaredName({ type, id }: Node): string | undefined {
  const declares = ["FunctionDeclaration", "VariableDeclarator", "ClassDeclaration"].includes(type);
  return declares && isNode(id) && typeof id.name === "string" ? id.name : undefined;
}
