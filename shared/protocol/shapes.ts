import { isJsonObject, isSameInGo, type JsonObject } from "./json.ts";
import {
  absolutePathProblem,
  interfaceNameProblem,
  jqProgramProblem,
  networkNameProblem,
  typeProblem,
} from "./names.ts";
import {
  type ArgsOption,
  argsProblem,
  type PortsOption,
  portsProblem,
  type SlaacOption,
  waitProblem,
} from "./options.ts";

// What is valid, and the words for what is not. A wrapper uses the original value, with the keys that it does not know.

/** What is wrong with a part of a value. */
export interface Fault {
  /** The keys and indexes that lead to the part. */
  readonly path: readonly (string | number)[];
  /** What is expected there, in words that follow the path. */
  readonly words: string;
}

/** What a value may be. Each call of a runtime looks at some 30 values, so checking one makes nothing for a valid value. */
export type Shape = {
  /** Whether it may be missing, too, or missing or null. */
  readonly mayBe?: "missing" | "null";
} & (
  | { readonly is: "any text" }
  | { readonly is: "text"; readonly problem: (text: string) => string | undefined }
  | { readonly is: "leaf"; readonly problem: (value: unknown) => string | undefined }
  | { readonly is: "list"; readonly of: Shape }
  /** Each key has the shape at its place. If it `isForGo`, no other key may be one of them in another spelling. */
  | {
      readonly is: "object";
      readonly keys: readonly string[];
      readonly shapes: readonly Shape[];
      readonly isForGo?: true;
    }
);

/** The levels of the log. */
export type LogLevel = "error" | "warn" | "info" | "debug";

/** The `wrapper` block, in which an operator configures the wrapper. */
export interface WrapperConfiguration {
  readonly ifName?: string | undefined;
  readonly delegate?: string | undefined;
  readonly role?: "creator" | "meta" | undefined;
  readonly network?: string | undefined;
  readonly args?: ArgsOption;
  readonly ports?: PortsOption;
  readonly recover?: "own" | "always" | "never" | undefined;
  readonly slaac?: SlaacOption;
  readonly jq?: string | undefined;
  readonly log?: { readonly file?: string | undefined; readonly level?: LogLevel | undefined } | undefined;
}

/** The shape of any text. */
export const anyText: Shape = { is: "any text" };
const texts = list(anyText);

const logShapes = {
  file: optional(text(absolutePathProblem)),
  level: optional(oneOf<LogLevel>("error", "warn", "info", "debug")),
};

const slaacShapes: Readonly<Record<keyof SlaacOption, Shape>> = {
  wait: optional(text(waitProblem)),
  required: optional(leaf((value) => (typeof value === "boolean" ? undefined : "must be a boolean"))),
};

const wrapperShapes: Readonly<Record<keyof WrapperConfiguration, Shape>> = {
  ifName: optional(text(interfaceNameProblem)),
  delegate: optional(text(typeProblem)),
  role: optional(oneOf("creator", "meta")),
  network: optional(text(networkNameProblem)),
  args: optional(leaf(argsProblem)),
  ports: optional(leaf(portsProblem)),
  recover: optional(oneOf("own", "always", "never")),
  slaac: optional(object(slaacShapes)),
  jq: optional(text(jqProgramProblem)),
  log: optional(object(logShapes)),
};

/** The keys that a `wrapper` block may have. */
export const wrapperKeys: readonly string[] = Object.keys(wrapperShapes);

/** The keys that the objects in a `wrapper` block may have. */
export const innerKeys = {
  log: Object.keys(logShapes),
  slaac: Object.keys(slaacShapes),
  ports: ["only", "except"] satisfies (keyof PortsOption)[],
} as const;

/** The `wrapper` block. */
export const blockShape = object(wrapperShapes);

/** A plugin configuration: the keys that a wrapper reads. */
export const configurationShape = object({
  cniVersion: optional(anyText),
  name: text(networkNameProblem),
  type: optional(text(typeProblem)),
  prevResult: nullish(object({})),
});

/** A result of 0.3.0 to 1.1.0: the keys that narrowing and splicing read. */
export const resultShape = object({
  cniVersion: optional(anyText),
  interfaces: nullish(list(object({ name: anyText, sandbox: nullish(anyText) }))),
  ips: nullish(list(object({ address: anyText, interface: nullish(leaf(indexProblem)) }))),
  routes: nullish(list(object({ gw: nullish(anyText) }))),
  dns: nullish(
    object({
      nameservers: nullish(texts),
      search: nullish(texts),
      options: nullish(texts),
      domain: nullish(anyText),
    }),
  ),
});

/** Returns the first thing that is wrong with a value; undefined if it is valid. `root` is its name in the message. */
export function problemIn(shape: Shape, value: unknown, root: string): string | undefined {
  const first = faultsIn(shape, value)[0];
  return first && `${pathWords(root, first.path)} ${first.words}`;
}

/** Writes the path of a key as in `ipam.ranges[0]`. */
export function pathWords(root: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((words, key) => {
    if (typeof key === "number") return `${words}[${key}]`;
    return words === "" ? String(key) : `${words}.${String(key)}`;
  }, root);
}

/** A value for which a function has the words if it is wrong. */
export function leaf(problem: (value: unknown) => string | undefined): Shape {
  return { is: "leaf", problem };
}

function text(problem: (text: string) => string | undefined): Shape {
  return { is: "text", problem };
}

function oneOf<T extends string>(...values: readonly T[]): Shape {
  const words = `must be ${values.map((value) => JSON.stringify(value)).join(" or ")}`;
  return leaf((value) => (values.includes(value as T) ? undefined : words));
}

function indexProblem(value: unknown): string | undefined {
  if (!Number.isFinite(value)) return "must be a number";
  return Number.isInteger(value) && (value as number) >= 0 ? undefined : "must be an index";
}

function object(shapes: Readonly<Record<string, Shape>>): Shape & { is: "object" } {
  return { is: "object", keys: Object.keys(shapes), shapes: Object.values(shapes) };
}

/** An object for a program in Go, which reads keys in any case: no key may have another spelling. */
export function goObject(shapes: Readonly<Record<string, Shape>>): Shape {
  return { ...object(shapes), isForGo: true };
}

/** A list of values of one shape. */
export function list(shape: Shape): Shape {
  return { is: "list", of: shape };
}

/** The same, or missing. */
export function optional(shape: Shape): Shape {
  return { ...shape, mayBe: "missing" };
}

/** The same, or missing, or null. */
export function nullish(shape: Shape): Shape {
  return { ...shape, mayBe: "null" };
}

const none: readonly Fault[] = [];

/** Returns everything that is wrong with a value. */
export function faultsIn(shape: Shape, value: unknown): readonly Fault[] {
  switch (shape.is) {
    case "object":
      return isJsonObject(value) ? faultsInObject(shape, value) : faultsOf("must be an object");
    case "list":
      return Array.isArray(value) ? faultsInList(shape.of, value) : faultsOf("must be a list");
    case "text":
      return faultsOf(typeof value === "string" ? shape.problem(value) : "must be a string");
    case "leaf":
      return faultsOf(shape.problem(value));
    case "any text":
      return typeof value === "string" ? none : faultsOf("must be a string");
    default:
      return shape satisfies never;
  }
}

function faultsOf(words: string | undefined): readonly Fault[] {
  return words === undefined ? none : [{ path: [], words }];
}

// These two count, because iterating takes an engine longer than the check.
function faultsInList(shape: Shape, values: readonly unknown[]): readonly Fault[] {
  let faults = none;
  for (let index = 0; index < values.length; index++) {
    faults = withInner(faults, index, faultsIn(shape, values[index]));
  }
  return faults;
}

function faultsInObject({ keys, shapes, isForGo }: Shape & { is: "object" }, value: JsonObject): readonly Fault[] {
  let faults = isForGo && isMisspelled(value, keys) ? faultsOf("must spell its keys as the specification does") : none;
  for (let place = 0; place < keys.length; place++) {
    const key = keys[place] as string;
    const shape = shapes[place] as Shape;
    const part = value[key];
    if (part === undefined ? shape.mayBe !== undefined : part === null && shape.mayBe === "null") continue;
    // Most parts are plain texts.
    if (shape.is === "any text" && typeof part === "string") continue;
    faults = withInner(faults, key, faultsIn(shape, part));
  }
  return faults;
}

function isMisspelled(value: JsonObject, keys: readonly string[]): boolean {
  return Object.keys(value).some(
    (name) => !keys.includes(name) && keys.some((key) => isSameInGo(name, key.toLowerCase())),
  );
}

/** Adds to a list that is `none` at first. A list of a million wrong values must not be copied for each of them. */
function withInner(faults: readonly Fault[], key: string | number, inner: readonly Fault[]): readonly Fault[] {
  if (inner === none) return faults;
  const all: Fault[] = faults === none ? [] : (faults as Fault[]);
  for (const { path, words } of inner) all.push({ path: [key, ...path], words });
  return all;
}
