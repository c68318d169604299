import { isJsonObject, type JsonObject } from "./json.ts";
import { isAbsolutePath, isIndex, isInterfaceName, isJqProgram, isNetworkName, isType } from "./names.ts";
import { isArgs, isPorts, type PortsOption } from "./options.ts";
import type { LogLevel, WrapperConfiguration } from "./schema.ts";

// The schemas of schema.ts again, as functions that return only true or false. Nearly every call is valid, and these functions
// confirm it in microseconds. If one of them refuses a value, zod checks it, and its verdict counts.
// test/unit/protocol/shapes.test.ts compares the two.

type Check = (value: unknown) => boolean;

const logLevels: readonly unknown[] = ["error", "warn", "info", "debug"] satisfies LogLevel[];

const logChecks: Readonly<Record<"file" | "level", Check>> = {
  file: (value) => isText(value) && isAbsolutePath(value),
  level: (value) => logLevels.includes(value),
};

const wrapperChecks: Readonly<Record<keyof WrapperConfiguration, Check>> = {
  ifName: (value) => isText(value) && isInterfaceName(value),
  delegate: (value) => isText(value) && isType(value),
  role: (value) => value === "creator" || value === "meta",
  network: (value) => isText(value) && isNetworkName(value),
  args: isArgs,
  ports: isPorts,
  recover: (value) => value === "own" || value === "always" || value === "never",
  jq: (value) => isText(value) && isJqProgram(value),
  log: (value) => passes(value, logChecks),
};

/** The keys that a `wrapper` block may have. */
export const wrapperKeys: readonly string[] = Object.keys(wrapperChecks);

/** The keys that `wrapper.ports` may have. */
export const portsKeys: readonly string[] = ["only", "except"] satisfies (keyof PortsOption)[];

/** The keys that `wrapper.log` may have. */
export const logKeys: readonly string[] = Object.keys(logChecks);

/** Whether a value is a plugin configuration. It checks the keys that a wrapper reads. */
export function isConfiguration(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { cniVersion, name, type, prevResult } = value;
  return (
    (cniVersion === undefined || isText(cniVersion)) &&
    isText(name) &&
    isNetworkName(name) &&
    (type === undefined || (isText(type) && isType(type))) &&
    (isAbsent(prevResult) || isJsonObject(prevResult))
  );
}

/** Whether a value is a `wrapper` block. */
export function isWrapper(value: unknown): boolean {
  return passes(value, wrapperChecks);
}

/** Whether a value is a result of 0.3.0 to 1.1.0. It checks the keys that narrowing and splicing read. */
export function isResult(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { cniVersion, interfaces, ips, routes, dns } = value;
  return (
    (cniVersion === undefined || isText(cniVersion)) &&
    isListOrAbsent(interfaces, isInterface) &&
    isListOrAbsent(ips, isIp) &&
    isListOrAbsent(routes, isRoute) &&
    (isAbsent(dns) || isDns(dns))
  );
}

// A result may have many of these, and each call of a function takes time. No list in JSON has a name or an address, so the
// first two need no test for lists.

function isInterface(value: unknown): boolean {
  const { name, sandbox } = (value ?? {}) as JsonObject;
  return typeof name === "string" && (typeof sandbox === "string" || sandbox === undefined || sandbox === null);
}

function isIp(value: unknown): boolean {
  const { address, interface: index } = (value ?? {}) as JsonObject;
  return typeof address === "string" && (index === undefined || index === null || isIndex(index));
}

function isRoute(value: unknown): boolean {
  return isJsonObject(value) && isTextOrAbsent(value.gw);
}

function isDns(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { nameservers, search, options, domain } = value;
  return [nameservers, search, options].every((list) => isListOrAbsent(list, isText)) && isTextOrAbsent(domain);
}

/** Whether a value is an object and each key with a check passes it or is absent. */
function passes(value: unknown, checks: Readonly<Record<string, Check>>): boolean {
  if (!isJsonObject(value)) return false;
  // A block has few keys, so this is quicker than going through all checks.
  for (const key in value) {
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
    if (check && value[key] !== undefined && !check(value[key])) return false;
  }
  return true;
}

function isListOrAbsent(value: unknown, isRight: Check): boolean {
  if (isAbsent(value)) return true;
  if (!Array.isArray(value)) return false;
  for (const each of value) if (!isRight(each)) return false;
  return true;
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function isTextOrAbsent(value: unknown): boolean {
  return isAbsent(value) || isText(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
