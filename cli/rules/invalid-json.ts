import { type ParseError, printParseErrorCode } from "jsonc-parser";
import type { FileRule, Found } from "../lint/rule.ts";
import type { ListFile } from "../lists/list-file.ts";

export const invalidJson: FileRule = {
  title: "The file is not JSON.",
  page: `Runtimes read strict JSON: no comments, no comma after the last entry, double quotes only. Nomad does not start with
such a file in its directory. podman and containerd skip the network.`,
  findInFile(file) {
    // A parser that has lost its way reports more, which only confuses.
    const spoiled = spoiledBy(file);
    if (spoiled) return [{ place: { offset: 0, length: 0 }, ...spoiled }];
    const [first] = file.errors;
    if (first) return [foundOf(first, file)];
    return file.tree?.type === "object" ? [] : [{ place: { offset: 0, length: 1 }, ...notAnObject }];
  },
};

const exampleList = '{ "cniVersion": "1.0.0", "name": "...", "plugins": [...] }';
const notAnObject = { message: "the file has no JSON object", hint: `A list is an object: ${exampleList}` };

const words: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  InvalidCommentToken: ["JSON has no comments", "Delete the comment"],
  CommaExpected: ["a comma is missing before this", "Add a comma after the previous entry"],
  ColonExpected: ["a colon is missing before this", "Write a colon between the key and its value"],
  PropertyNameExpected: ["a key is expected here", "Delete the comma before it, or add the key"],
  ValueExpected: ["a value is expected here", "Delete the comma before it, or add the value"],
  CloseBraceExpected: ["a closing brace is missing", "Add } where the object ends"],
  CloseBracketExpected: ["a closing bracket is missing", "Add ] where the list ends"],
  EndOfFileExpected: ["there is more text after the object", "Delete it: a file has one object"],
  UnexpectedEndOfComment: ["JSON has no comments", "Delete the comment"],
  UnexpectedEndOfString: ["this text has no closing quote in its line", "Add a double quote where it ends"],
  InvalidCharacter: [
    "a tab or another control character is in this text",
    String.raw`Write \t for a tab, or delete it`,
  ],
  InvalidEscapeCharacter: ["a backslash in this text begins no escape", "Write two of them for a backslash"],
  InvalidUnicode: [String.raw`four hexadecimal digits must follow \u`, "Write the character itself"],
  UnexpectedEndOfNumber: ["this number is not complete", "Write its digits, or put text into double quotes"],
  InvalidSymbol: ["this is not a JSON value", "Put text into double quotes"],
  NoText: ["the file is not UTF-8 text", "Save it as UTF-8"],
  NoJsonYet: ["this is a part of a template", "Look at the file that the template makes"],
  NoBracket: ["a closing bracket is missing before this", "Add ] where the list ends, or delete this brace"],
  NoBrace: ["a closing brace is missing before this", "Add } where the object ends, or delete this bracket"],
  NoNumber: ["JSON has no such number", "Write decimal digits, such as 1500 or 0.5"],
  NoWord: ["JSON has only true, false and null, in lower case", "Write one of them"],
  NoQuote: ["JSON has no typographic quotes", 'Write straight ones: "'],
};

/** What an editor did to the whole file. */
function spoiledBy({ text }: ListFile): Pick<Found, "message" | "hint"> | undefined {
  if (text.startsWith("\uFEFF"))
    return { message: "the file begins with a byte order mark", hint: "Save it as UTF-8 without a byte order mark" };
  if (text.trim() === "") return { message: "the file is empty", hint: `Write a list: ${exampleList}` };
  return undefined;
}

function foundOf({ error, offset, length }: ParseError, file: ListFile): Found {
  const name = nameOf(
    printParseErrorCode(error),
    file.text.slice(offset, offset + length),
    file.text.slice(Math.max(0, offset - 1)),
  );
  const [message, usualHint] = words[name] ?? [`this is not JSON (${name})`, "Fix the JSON here"];
  // A pasted Nomad job, for example: quotes would not make a list of it.
  const isAtStart = name === "InvalidSymbol" && file.text.slice(0, offset).trim() === "";
  const hint = isAtStart ? notAnObject.hint : usualHint;
  // The parser looks behind the last line for what is missing; people look at its end.
  const end = file.text.trimEnd().length;
  return { place: offset >= end ? { offset: end, length: 0 } : { offset, length }, message, hint };
}

/** Names what is wrong with a part of the text. `around` begins one character before it. */
function nameOf(error: string, part: string, around: string): string {
  if (isNoText(part)) return "NoText";
  if (template.test(around) || template.test(around.slice(1))) return "NoJsonYet";
  if (error === "CommaExpected" && part === "}") return "NoBracket";
  if (error === "CommaExpected" && part === "]") return "NoBrace";
  if (number.test(around)) return "NoNumber";
  if (/^(?:true|false|null|none)$/i.test(part)) return "NoWord";
  if (/^[\u2018-\u201f]/.test(part)) return "NoQuote";
  return part.startsWith("#") ? "InvalidCommentToken" : error;
}

// Of Jinja, Helm, Go, a shell, printf, Calico's installer and configure.
const template = /^(?:\{[{%]-?\s*[\w.$(/]|\$[\w{]|%[a-z]|__\w+__|@\w+@)/;

// Of JavaScript, Go and YAML, where the parser stops: behind a digit, or at a plus or a point.
const number = /^(?:\d[x_]?[\da-f]+|\D?[+.]\d+)\s*[,\]}]/i;

// The reader puts U+FFFD in place of bytes that are not UTF-8. Every second byte of UTF-16 is 0.
function isNoText(part: string): boolean {
  return part.includes("\uFFFD") || part.includes("\0");
}
