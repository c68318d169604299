import type { Change } from "./mutators.ts";

/** A replacement in a Rust source, and the name of the item that contains it. */
export interface RustChange extends Change {
  readonly place: string;
  /** As in Babel's trees: an expression that decides has a type of its own. */
  readonly type: "UnaryExpression" | "BinaryExpression" | "Other";
}

type Mutator = (code: string, source: string) => Omit<RustChange, "place">[];

const swapped: Readonly<Record<string, string>> = {
  ...{ "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&" },
  ...{ "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "&": "|", "|": "&", "<<": ">>", ">>": "<<" },
  ...{ "+=": "-=", "-=": "+=", "..=": "..", "..": "..=" },
};
const otherMethods: Readonly<Record<string, string>> = {
  ...{ any: "all", all: "any", min: "max", max: "min", is_some: "is_none", is_none: "is_some", is_err: "is_ok" },
  ...{
    is_some_and: "is_none_or",
    is_empty: "is_ascii",
    saturating_sub: "wrapping_sub",
    wrapping_sub: "saturating_sub",
  },
};

// The sources have rustfmt's form: operators have spaces around them, generic parameters none, and a statement is a line or
// more. What does not compile is no mutant.
const mutators: readonly Mutator[] = [
  (code) => matches(code, /(?<=\s)(==|!=|<=|>=|<<|>>|&&|\|\||\+=|-=|[<>+\-*/%&|])(?=\s)/g, operator),
  (code) => matches(code, /(?<=[\w)])(\.\.=?)(?=[\w(])/g, operator),
  (code) => matches(code, /(?<=\.)(\w+)(?=\()/g, (_, name) => (name in otherMethods ? [otherMethods[name] ?? ""] : [])),
  (code) =>
    matches(code, /(?<=\b(?:if|while) )(?!let\b)(\S.*?)(?= (?:\{|=>))/g, () => ["true", "false"], "UnaryExpression"),
  (code) => matches(code, /(?<![\w!=])(!)(?=[\w(])/g, () => [""], "UnaryExpression"),
  (code) => matches(code, /\b(true|false)\b/g, (_, word) => [String(word !== "true")]),
  // A single 0 is mostly what a C function takes for nothing.
  (code) =>
    matches(code, /(?<![\w.])(0[ox][0-7a-f]+|[1-9]\d*)(?![\w.]*["'])(?=\b)/g, (_, number) => otherNumber(number)),
  (code, source) => matches(code, /(?<![cC])(b?"s*")/g, ([start, end]) => [otherText(source.slice(start, end))]),
  (code) => statements(code),
  (code) => matches(code, /(?<=\n +)(?!.*\bmatch\b)(\S.* => .*,)(?=\s*\n)/g, () => [""]),
  (code) => matches(code, /(?<=[[,]\n +)(\(.*\),)(?=\n)/g, () => [""]),
  bodies,
];

function matches(
  code: string,
  pattern: RegExp,
  others: (range: readonly [start: number, end: number], found: string) => readonly string[],
  type: RustChange["type"] = others === operator ? "BinaryExpression" : "Other",
): Omit<RustChange, "place">[] {
  return [...code.matchAll(pattern)].flatMap(({ index, 1: found = "" }) => {
    const [start, end] = [index, index + found.length];
    return others([start, end], found).map((text) => ({ start, end, text, form: "expression" as const, type }));
  });
}

function operator(_: readonly [number, number], found: string): readonly string[] {
  return [swapped[found] ?? found];
}

function otherNumber(number: string): readonly string[] {
  const prefix = /^0[ox]/.exec(number)?.[0] ?? "";
  const base = { "0o": 8, "0x": 16 }[prefix] ?? 10;
  return [prefix + (Number.parseInt(number.slice(prefix.length), base) + 1).toString(base)];
}

function otherText(literal: string): string {
  const [, prefix = "", text] = /^(b?)"(.*)"$/s.exec(literal) ?? [];
  return `${prefix}"${text === "" ? "mutated" : ""}"`;
}

/** Statements that are left out: whole lines that end in a semicolon, after the end of another one. */
function statements(code: string): Omit<RustChange, "place">[] {
  const pattern =
    /(?<=[;{}]\s*\n\s*)((?!let (?!_ = )|use |const |static |fn |\w+ \w+ \{)[^\s;{}][^;{}]*(?:\{[^;{}]*\}\)?)?;)(?=\s*\n)/g;
  return matches(code, pattern, () => [""]);
}

const values: readonly (readonly [RegExp, string])[] = [
  [/^$/, ""],
  [/^(io::)?Result<\(\)(, \w+)?>$/, "Ok(())"],
  [/^(io::)?Result<Option<.*$/, "Ok(None)"],
  [/^(io::)?Result<bool.*$/, "Ok(false)"],
  [/^(io::)?Result<(i32|usize|Vec<.*>)>$/, "Ok(Default::default())"],
  [/^Option<.*>$/, "None"],
  [/^bool$/, "false"],
  [/^(i32|u64|usize|String|Vec<.*>)$/, "Default::default()"],
  [/^\*mut \w+$/, "ptr::null_mut()"],
];

/** Functions that do nothing. */
function bodies(code: string): Omit<RustChange, "place">[] {
  return [...code.matchAll(/\bfn \w+[^;{]*?\)(?: -> ([^;{]+?))?(?:\s+where [^{]*)? (?=\{)/g)].flatMap((found) => {
    const start = found.index + found[0].length;
    const end = closing(code, start);
    const value = values.find(([type]) => type.test(found[1] ?? ""))?.[1];
    return value === undefined ? [] : { start, end, text: `{ ${value} }`, form: "expression", type: "Other" };
  });
}

function closing(code: string, start: number): number {
  let depth = 0;
  for (let at = start; at < code.length; at++) {
    if (code[at] === "{") depth++;
    if (code[at] === "}" && --depth === 0) return at + 1;
  }
  return code.length;
}

/** Every change of a Rust source. Each of them may be one that does not compile. */
export function rustChanges(source: string): RustChange[] {
  const code = codeOf(source);
  const items = [
    ...code.matchAll(/^ {0,4}(?:pub )?(?:const )?(?:unsafe )?(?:extern "s*" )?(?:fn|const|static) (\w+)/gm),
  ];
  const placeOf = (at: number) => items.findLast(({ index }) => index <= at)?.[1] ?? "";
  return mutators
    .flatMap((mutator) => mutator(code, source))
    .map((change) => ({ ...change, place: placeOf(change.start) }));
}

/** The source without its comments, attributes, imports and the content of its texts, with every character in its place. */
function codeOf(source: string): string {
  const blank = (text: string) => text.replaceAll(/[^\n]/g, " ");
  return source
    .replaceAll(/\/\/[^\n]*|[bc]?"(?:\\.|[^"\\])*"|b?'(?:\\.|[^'\\\n])'/g, (text) => {
      if (text.startsWith("//")) return blank(text);
      const quote = text.search(/["']/);
      return text[quote] === "'" ? blank(text) : `${text.slice(0, quote)}"${"s".repeat(text.length - quote - 2)}"`;
    })
    .replaceAll(/^ *#!?\[.*\]$|^(?:pub )?use [^;]*;$|^mod \w+;$/gm, blank);
}
