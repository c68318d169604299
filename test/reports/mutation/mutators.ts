import type { Node, Visited } from "../../support/syntax.ts";
import { isNode } from "../../support/syntax.ts";

/** A replacement for a part of the source. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** How the change is switched: an expression is replaced, a statement or a property of an object is left out. */
  readonly form: "expression" | "statement" | "property";
}

type Mutator = (visited: Visited, source: string) => Change[];

const swapped: Readonly<Record<string, string>> = {
  ...{ "===": "!==", "!==": "===", "<": "<=", "<=": "<", ">": ">=", ">=": ">" },
  ...{ "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "**": "*", "<<": ">>", ">>": "<<", ">>>": "<<" },
  ...{ "&": "|", "|": "&", "&&": "||", "||": "&&" },
  ...{ "+=": "-=", "-=": "+=", "*=": "/=", "++": "--", "--": "++" },
};
const comparisons = ["===", "!==", "<", "<=", ">", ">=", "instanceof", "in"];
const otherMethods: Readonly<Record<string, string>> = {
  ...{ some: "every", every: "some", startsWith: "endsWith", endsWith: "startsWith", min: "max", max: "min" },
  ...{ find: "findLast", findIndex: "findLastIndex", indexOf: "lastIndexOf" },
};
/** These methods can be left out: the value stays as it is. */
const leftOut = ["filter", "sort", "reverse", "slice", "trim", "toLowerCase", "replace", "replaceAll", "concat"];

const mutators: Readonly<Record<string, Mutator>> = {
  BinaryExpression: ({ node }, source) => (isTextJoin(node) ? [] : otherOperator(node, source)),
  LogicalExpression: ({ node }, source) => [...otherOperator(node, source), ...operands(node, source)],
  AssignmentExpression: ({ node }, source) => otherOperator(node, source),
  UpdateExpression: ({ node }, source) => otherOperator(node, source),
  UnaryExpression: ({ node }, source) =>
    ["!", "-"].includes(String(node.operator)) ? [instead(node, textOf(node.argument, source))] : [],
  BooleanLiteral: ({ node }) => [instead(node, String(!node.value))],
  NumericLiteral: ({ node }) => [instead(node, String(Number(node.value) + 1))],
  BigIntLiteral: ({ node }) => [instead(node, `${BigInt(String(node.value)) + 1n}n`)],
  StringLiteral: (visited) => (isValue(visited) ? [instead(visited.node, otherText(visited.node.value))] : []),
  TemplateLiteral: ({ node, ancestors }) =>
    ancestors[0]?.type === "TaggedTemplateExpression" ? [] : [instead(node, '""')],
  RegExpLiteral: ({ node }) => otherPatterns(String(node.pattern), String(node.flags)).map((it) => instead(node, it)),
  ArrayExpression: ({ node }) => (list(node.elements).length > 0 ? [instead(node, "[]")] : []),
  SpreadElement: ({ node, ancestors }) => [
    instead(node.argument as Node, ancestors[0]?.type === "ObjectExpression" ? "{}" : "[]"),
  ],
  ObjectProperty: ({ node, ancestors }) =>
    ancestors[0]?.type === "ObjectExpression" ? [instead(node, "", "property")] : [],
  IfStatement: ({ node }) => constants(node.test),
  ConditionalExpression: ({ node }) => constants(node.test),
  WhileStatement: ({ node }) => [instead(node.test as Node, "false")],
  ForStatement: ({ node }) => (isNode(node.test) ? [instead(node.test, "false")] : []),
  ReturnStatement: ({ node }) => returned(node.argument),
  ArrowFunctionExpression: ({ node }) => returned(node.body),
  BlockStatement: emptied,
  ExpressionStatement: ({ node }) => [instead(node.expression as Node, "undefined")],
  ThrowStatement: ({ node }) => [instead(node, "", "statement")],
  SwitchCase: ({ node }) =>
    list(node.consequent).flatMap((it) => (isNever(it.argument) ? [] : [instead(it, "", "statement")])),
  CallExpression: otherCall,
  OptionalCallExpression: otherCall,
  OptionalMemberExpression: withoutQuestion,
};

/** Every change of a node that makes a mutant. Code that the types prove unreachable (`satisfies never`) has none. */
export function changesOf(visited: Visited, source: string): Change[] {
  const { node } = visited;
  if (isNever(node) || isNever(node.argument)) return [];
  const found = mutators[node.type]?.(visited, source) ?? [];
  return [...found, ...(node.type === "OptionalCallExpression" ? withoutQuestion(visited, source) : [])];
}

function isNever(node: unknown): boolean {
  return isNode(node) && isNode(node.typeAnnotation) && node.typeAnnotation.type === "TSNeverKeyword";
}

function instead({ start, end }: Node, text: string, form: Change["form"] = "expression"): Change {
  return { start, end, text, form };
}

function textOf(node: unknown, source: string): string {
  return isNode(node) ? source.slice(node.start, node.end) : "";
}

function list(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

// An operand may have parentheses around it, so the text between the operands is more than the operator.
function otherOperator(node: Node, source: string): Change[] {
  const { operator, left, right, argument } = node;
  const other = swapped[String(operator)];
  if (other === undefined) return [];
  if (isNode(argument)) return [instead(node, source.slice(node.start, node.end).replace(String(operator), other))];
  const [before, after] = [left as Node, right as Node];
  const between = source.slice(before.end, after.start).replace(String(operator), other);
  return [instead(node, source.slice(node.start, before.end) + between + source.slice(after.start, node.end))];
}

function operands({ left, right, ...node }: Node, source: string): Change[] {
  return [left, right].map((operand) => instead(node as Node, textOf(operand, source)));
}

/** A `+` that joins texts has no replacement. */
function isTextJoin({ operator, left, right }: Node): boolean {
  const isText = (side: unknown) => isNode(side) && ["StringLiteral", "TemplateLiteral"].includes(side.type);
  return operator === "+" && [left, right].some(isText);
}

/**
 * Whether a text is a value of the program and not a name in its syntax. A text that `typeof` is compared with has no
 * replacement.
 */
function isValue({ node, ancestors: [parent] }: Visited): boolean {
  if (parent === undefined || /^(Import|Export|Directive)/.test(parent.type)) return false;
  const other = parent.left === node ? parent.right : parent.left;
  return !(parent.type === "BinaryExpression" && isNode(other) && other.operator === "typeof");
}

function otherText(value: unknown): string {
  return value === "" ? '"mutated"' : '""';
}

function otherPatterns(pattern: string, flags: string): string[] {
  const others = [pattern.replace(/^\^/, ""), pattern.replace(/(?<!\\)\$$/, "")].filter((other) => other !== pattern);
  const withoutCase = flags.includes("i") ? [`/${pattern}/${flags.replace("i", "")}`] : [];
  return [...others.map((other) => `/${other}/${flags}`), ...withoutCase];
}

function isBoolean(node: Node): boolean {
  return comparisons.includes(String(node.operator)) || node.operator === "!" || node.type === "LogicalExpression";
}

function constants(test: unknown): Change[] {
  if (!isNode(test) || test.type === "LogicalExpression") return [];
  return [instead(test, "true"), instead(test, "false")];
}

function returned(value: unknown): Change[] {
  if (!isNode(value) || value.type === "BlockStatement" || value.type.endsWith("Literal")) return [];
  if (value.type === "Identifier" && value.name === "undefined") return [];
  if (value.operator === "??") return [];
  return isBoolean(value) ? constants(value) : [instead(value, "undefined")];
}

function emptied({ node, ancestors: [parent] }: Visited): Change[] {
  const [first, ...more] = list(node.body);
  if (first === undefined || parent === undefined || /^(If|Try|Block|Labeled)/.test(parent.type)) return [];
  const isCovered = more.length === 0 && ["ReturnStatement", "ExpressionStatement"].includes(first.type);
  return isCovered ? [] : [instead(node, "{}", "statement")];
}

function otherCall({ node }: Visited, source: string): Change[] {
  const { callee } = node;
  if (!isNode(callee) || callee.computed === true) return [];
  const { object, property } = callee;
  if (!isNode(property)) return [];
  const name = String(property.name);
  if (leftOut.includes(name) && isNode(object)) return [withoutCall(node, property, source)];
  const other = Object.hasOwn(otherMethods, name) ? otherMethods[name] : undefined;
  return other === undefined ? [] : [instead(property, other)];
}

function withoutCall({ end }: Node, property: Node, source: string): Change {
  // A comment before it may have one, too.
  const point = source.lastIndexOf(".", property.start);
  return { start: source[point - 1] === "?" ? point - 1 : point, end, text: "", form: "expression" };
}

function withoutQuestion({ node }: Visited, source: string): Change[] {
  const from = (node.object ?? node.callee) as Node;
  const at = source.indexOf("?.", from.end);
  if (node.optional !== true || at < 0) return [];
  const isMember = node.type === "OptionalMemberExpression" && node.computed !== true;
  return [{ start: at, end: at + 2, text: isMember ? "." : "", form: "expression" }];
}
