import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { getLanguageService, type JSONSchema, TextDocument } from "vscode-json-languageservice";
import { listJsonSchema } from "../../../cli/schema/json-schema.ts";
import { pluginKeys } from "../../../plugins/keys.ts";
import { wrapperKeys } from "../../../shared/protocol/shapes.ts";
import { runCommand } from "../support/fake-terminal.ts";
import { requestOf } from "../support/requests.ts";
import { kinds } from "../support/schema-values.ts";

const root = path.join(import.meta.dirname, "../../..");
const schema = listJsonSchema() as JSONSchema;

const editor = getLanguageService({});
editor.configure({ schemas: [{ uri: "memory:list", fileMatch: ["*.conflist"], schema }] });

/** A list as an editor has it open. A `|` in the text is the cursor. */
function opened(marked: string) {
  const document = TextDocument.create("file:///zone.conflist", "json", 1, marked.replace("|", ""));
  return { document, parsed: editor.parseJSONDocument(document), cursor: document.positionAt(marked.indexOf("|")) };
}

/** The diagnostics of a list: the line and the message. */
async function marksIn(text: string): Promise<string[]> {
  const { document, parsed } = opened(text);
  const marks = await editor.doValidation(document, parsed, { schemaValidation: "error" });
  return marks.map(({ range, message }) => `${range.start.line + 1}: ${message}`);
}

async function completionsAt(marked: string): Promise<string[]> {
  const { document, parsed, cursor } = opened(marked);
  return ((await editor.doComplete(document, cursor, parsed))?.items ?? []).map(({ label }) => label);
}

async function hoverAt(marked: string): Promise<string> {
  const { document, parsed, cursor } = opened(marked);
  return JSON.stringify((await editor.doHover(document, cursor, parsed))?.contents);
}

const listOf = (plugin: string) => `{ "cniVersion": "1.0.0", "name": "zone", "plugins": [${plugin}] }`;
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

test("the command prints a schema of draft-07 that claims no address", async () => {
  const { exitCode, stdout, stderr } = await runCommand(["schema"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout.endsWith("}\n")).toBe(true);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(schema)));
  expect(schema.$schema).toBe("http://json-schema.org/draft-07/schema#");
  expect(schema).not.toHaveProperty("$id");
  const list = { title: "CNI network configuration list", type: "object", required: ["name", "plugins"] };
  expect(schema).toMatchObject(list);
  // The limits of a number in JavaScript are none of the plugins.
  expect(stdout).not.toContain(String(Number.MAX_SAFE_INTEGER));
});

test("a plugin has the keys of its delegate, or else of its type; ipam has those of its type", () => {
  const { ipam, plugin } = schema.definitions as Record<string, JSONSchema>;
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  const when = (condition: object, name: string) => ({ if: condition, then: { $ref: `#/definitions/${name}` } });
  const types = ["host-local", "dhcp", "static"];
  expect(ipam).toEqual({
    ...{ title: "ipam", description: expect.any(String), type: "object" },
    properties: { type: { description: expect.any(String), type: "string", examples: types } },
    allOf: types.map((type) => when({ properties: { type: { const: type } }, required: ["type"] }, `ipam-${type}`)),
  });
  const delegates = (delegate: object) => ({
    properties: { wrapper: { type: "object", properties: { delegate }, required: ["delegate"] } },
    required: ["wrapper"],
  });
  const named = { properties: { type: { enum: ["vrf-wrapper", "vrf"] } }, required: ["type"], not: delegates({}) };
  expect(plugin).toMatchObject({
    ...{ title: "plugin configuration", type: "object", required: ["type"] },
    properties: {
      type: { examples: expect.arrayContaining(["vrf-wrapper", "vrf"]) },
      ipam: { $ref: "#/definitions/ipam" },
    },
    allOf: expect.arrayContaining([when({ anyOf: [named, delegates({ const: "vrf" })] }, "vrf")]),
  });
});

test("each key and each definition has a description or a title", () => {
  const silent = partsOf(schema, "").filter(([, part]) => !part.description && !part.title && !part.$ref);
  expect(silent.map(([place]) => place)).toEqual([]);
  const words = partsOf(schema, "").flatMap(([, { description }]) => description ?? []);
  expect(words.length).toBeGreaterThan(100);
  expect(words.filter((text) => !/^[A-Za-z].*[.]$/.test(text))).toEqual([]);
});

/** The definitions and the keys of a schema with their places, without those of conditions. */
function partsOf(part: JSONSchema, place: string): [string, JSONSchema][] {
  const named = { ...part.definitions, ...part.properties } as Record<string, JSONSchema>;
  const inner = Object.entries(named).flatMap(([key, value]): [string, JSONSchema][] => {
    return [[`${place}.${key}`, value], ...partsOf(value, `${place}.${key}`)];
  });
  const items = part.items as JSONSchema | undefined;
  return items
    ? [...inner, ...partsOf(items, `${place}[]`), ...partsOf((items.items ?? {}) as JSONSchema, place)]
    : inner;
}

describe("no mark in a right list", () => {
  const right = globSync(["conf-examples/*.conflist", "test/fixtures/lint/*/ok*.conflist"], { cwd: root });

  // A plugin takes null, or an empty text for one of few values, for a missing key. An editor marks it.
  const withNull = right.filter((file) => /: (?:null|"")/.test(read(file)));

  test("there are many", () => expect(right.length).toBeGreaterThan(25));

  test.each(right.filter((file) => !withNull.includes(file)))("%s", async (file) =>
    expect(await marksIn(read(file))).toEqual([]),
  );
});

describe("a mark in each faulty list, at the line of lint's finding", () => {
  const folders = ["list-shape", "wrapper-shape", "plugin-value"];
  const faulty = folders.flatMap((code) => {
    const text = read(`test/fixtures/lint/${code}/expected.json`);
    const expected: Record<string, { findings: string[] }> = JSON.parse(text);
    const files = Object.entries(expected).filter(([name]) => /^err.*\.conflist$/.test(name));
    return files.map(([name, { findings }]) => [`test/fixtures/lint/${code}/${name}`, findings.map(lineOf)] as const);
  });

  // A pattern for addresses would be as long as this file. Other texts are known to the rule alone.
  const isOfAddresses = (file: string) =>
    /(?:length|range-start|static-address|mac-note|chain-name|no-bridge-name)\.conflist$/.test(file);
  // A schema does not compare two keys.
  const isOfTwoKeys = (file: string) =>
    /-(?:and|without)-(?:promiscuous|burst|rate|backend|chain)\.conflist$/.test(file);
  const isUnmarked = (file: string) => isOfAddresses(file) || isOfTwoKeys(file);

  test.each(faulty.filter(([file]) => !isUnmarked(file)))("%s", async (file, lines) => {
    expect(new Set((await marksIn(read(file))).map(lineOf))).toEqual(new Set(lines.map(asMarked(file))));
  });

  test("but not for addresses, and for keys that need or exclude another one", async () => {
    for (const [file] of faulty.filter(([name]) => isUnmarked(name))) expect(await marksIn(read(file))).toEqual([]);
  });
});

test.each<[object, number]>([
  [{ disableCheck: "TRUE", disableGC: "false", loadOnlyInlinedPlugins: true, cniVersions: ["0.4.0"] }, 0],
  [{ disableCheck: "xtrue" }, 1],
  [{ disableGC: "falsex" }, 1],
  [{ loadOnlyInlinedPlugins: 7 }, 1],
  [{ cniVersions: [7] }, 1],
  [{ cniVersions: ["", "1", "0.4", "1.0.0"] }, 0],
  [{ cniVersions: ["1.0.0", "latest"] }, 1],
  [{ cniVersions: ["1.0.0.0"] }, 1],
  [{ cniVersion: 7 }, 1],
  [{ name: "a b" }, 1],
  [{ plugins: [] }, 1],
  [{ plugins: [{ type: 7 }] }, 1],
])("a list's own keys: %j", async (own, marks) => {
  const list = { cniVersion: "1.0.0", name: "zone", plugins: [{ type: "ptp" }], ...own };
  expect(await marksIn(JSON.stringify(list))).toHaveLength(marks);
});

function lineOf(text: string): string {
  return text.split(":")[0] ?? "";
}

// An editor marks the object if a key is missing, and lint marks the plugin's type.
function asMarked(file: string): (line: string) => string {
  return (line) => (/vlan-without-master/.test(file) ? String(Number(line) - 1) : line);
}

const keysOfRange = ["gateway", "rangeEnd", "rangeStart", "subnet"];
const keysOfAll = [
  "args",
  "capabilities",
  "cniVersion",
  "dns",
  "ipam",
  "name",
  "prevResult",
  "runtimeConfig",
  "wrapper",
];

describe("completions", () => {
  const ofBridge = ["bridge", "isGateway", "vlanTrunk", "ipam", "wrapper", "dns"];
  const block = '"type": "bridge-wrapper", "wrapper":';
  const types = Object.keys(pluginKeys).flatMap((name) => [`"${name}"`, `"${name}-wrapper"`]);

  test.each<[string, string[], string?]>([
    ['"type": "bridge", |', ofBridge, "master"],
    ['"type": "bridge-wrapper", |', ofBridge, "master"],
    [`${block} { "delegate": "macvlan", "ifName": "eth1" }, |`, ["master"], "isGateway"],
    ['"type": |', types],
    ['"type": "bridge", "ipam": { "type": "host-local", | }', ["ranges", "routes", "dataDir"]],
    [`${block} { "ifName": | }`, ['"eth1"']],
    [`${block} { "args": | }`, ['"keep"', '{"IP":"ETH1_IP"}']],
    [`${block} { "slaac": { "wait": | } }`, ['"5s"']],
    [`${block} { "log": { "file": | } }`, ['"/var/log/cni-wrappers.log"']],
    ['"type": "macvlan", "mode": |', ['"bridge"', '"private"', '"vepa"', '"passthru"']],
  ])("{ %s } has %j", async (plugin, some, none) => {
    const offered = await completionsAt(listOf(`{ ${plugin} }`));
    expect(offered).toEqual(expect.arrayContaining(some));
    if (none !== undefined) expect(offered).not.toContain(none);
  });

  test.each<[string, string, string[]]>([
    ["the wrapper block", '"type": "bridge-wrapper", "wrapper": { | }', [...wrapperKeys]],
    ["a range", '"type": "ptp", "ipam": { "type": "host-local", "ranges": [[{ | }]] }', keysOfRange],
    ["an unknown plugin", '"type": "consul-cni", |', keysOfAll],
  ])("%s has these keys, and no others", async (_, plugin, keys) => {
    expect((await completionsAt(listOf(`{ ${plugin} }`))).sort()).toEqual(keys.sort());
  });
});

test.each([
  ['{ "type": "bridge-wrapper", "wrapper": { "if|Name": "eth1" } }', "Name of the container interface"],
  ['{ "type": "bridge", "hairpin|Mode": true }', "Let a container reach itself"],
  ['{ "type": "ptp", "ipam": { "type": "host-local", "data|Dir": "/run" } }', "Directory for the leases"],
  ['{ "type": "tuning", "sys|ctl": {} }', "IFNAME stands for the interface"],
])("hovers: %s", async (plugin, words) => {
  expect(await hoverAt(listOf(plugin))).toContain(words);
});

/** Whether ADD accepts a wrapper block. */
function isAccepted(wrapper: object): boolean {
  try {
    requestOf("ADD", { wrapper });
    return true;
  } catch {
    return false;
  }
}

describe("the wrapper block: an editor accepts what the wrappers accept", () => {
  const values = wrapperKeys.flatMap((key) =>
    [...kinds, "own"].map((value) => ({ key, value, text: JSON.stringify(value) })),
  );
  const accepted = values.filter(({ key, value }) => isAccepted({ [key]: value }));

  test("there are values of all keys", () => {
    expect(new Set(accepted.map(({ key }) => key))).toEqual(new Set(wrapperKeys));
  });

  test.each(accepted)("$key: $text", async ({ key, text }) => {
    expect(await marksIn(listOf(`{ "type": "bridge-wrapper", "wrapper": { "${key}": ${text} } }`))).toEqual([]);
  });

  test.each([
    { ports: { only: [1, 65535, "80-81"] } },
    ...[0, 65536, "x1", "1x"].map((port) => ({ ports: { except: [port] } })),
    ...["x5s", "5sx"].map((wait) => ({ slaac: { wait } })),
    ...["error", "warn", "debug", "loud"].map((level) => ({ log: { file: "/x", level } })),
    ...[{ log: { file: "a/b" } }, { args: { IP: "" } }, { jq: ".".padEnd(16384) }, { jq: ".".padEnd(16385) }],
  ])("$#: as the wrappers do", async (wrapper) => {
    const marks = await marksIn(listOf(`{ "type": "bridge-wrapper", "wrapper": ${JSON.stringify(wrapper)} }`));
    expect(marks.length === 0).toBe(isAccepted(wrapper));
  });

  // These are refused for a reason that a schema cannot say.
  const names = ["a/b", "a:b", "..", " "].map((name) => `ifName: "${name}"`);
  const unseen = ['args: {"a=b":"IP"}', 'ports: {"only":["9-1"]}', ...names, 'delegate: ".."'];

  test("and marks what they refuse, with few exceptions", async () => {
    const refused = values.filter((one) => !accepted.includes(one) && one.value !== Number.POSITIVE_INFINITY);
    const missed: string[] = [];
    for (const { key, text } of refused) {
      const marks = await marksIn(listOf(`{ "type": "bridge-wrapper", "wrapper": { "${key}": ${text} } }`));
      if (marks.length === 0) missed.push(`${key}: ${text}`);
    }
    expect(missed.sort()).toEqual(unseen.sort());
  });
});
