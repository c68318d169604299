import { describe, expect, test } from "vitest";
import { exampleAttachment } from "../../../../cli/explain/model-answers.ts";
import { verdictOf, verdictText } from "../../../../cli/explain/verdict.ts";
import { listOf } from "../../../../cli/lists/list.ts";
import { parseListFile } from "../../../../cli/lists/list-file.ts";

/** What a list's first event ends with. The words are those of libcni 1.3.1, which read the same files. */
function startOf(path: string, value: object): readonly [string | undefined, string | undefined] {
  const list = listOf(parseListFile(path, JSON.stringify(value)));
  const [start] = list ? verdictOf(list, exampleAttachment(list), undefined) : [];
  if (start?.event !== "start" || start.passes === undefined) throw new Error(`it begins with ${start?.event}`);
  return start.passes ? [undefined, undefined] : [start.type, start.message];
}

const plugin = { type: "tap" };
const zone = { cniVersion: "1.0.0", name: "zone", plugins: [plugin] };
const slices = "[]interface {}";
const map = "map[string]interface {}";

describe("a .conflist that libcni does not load", () => {
  test.each<[object, string]>([
    [{ name: undefined }, "no name"],
    [{ name: undefined, plugins: undefined }, "no name"],
    [{ name: ["zone"] }, `invalid name type ${slices}`],
    [{ name: { zone: 1 } }, `invalid name type ${map}`],
    [{ name: 5 }, "invalid name type float64"],
    [{ name: true }, "invalid name type bool"],
    [{ name: null }, "invalid name type <nil>"],
    [{ cniVersion: 1 }, "invalid cniVersion type float64"],
    [{ cniVersion: null }, "invalid cniVersion type <nil>"],
    [{ cniVersions: "1.0.0" }, `invalid type for cniVersions: ${slices}`],
    [{ cniVersions: null }, `invalid type for cniVersions: ${slices}`],
    [{ cniVersions: ["1.0.0", null] }, "invalid type for cniVersions index 1: <nil>"],
    [
      { cniVersions: ["1.0.0", "latest"] },
      'invalid cniVersions entry latest at index 1: failed to convert major version part "latest": strconv.Atoi: parsing "latest": invalid syntax',
    ],
    [
      { cniVersions: ["1.0.0-rc1"] },
      'invalid cniVersions entry 1.0.0-rc1 at index 0: failed to convert micro version part "0-rc1": strconv.Atoi: parsing "0-rc1": invalid syntax',
    ],
    [
      { cniVersion: "1.0.0.0", cniVersions: ["", "1"] },
      'invalid cniVersion 1.0.0.0: invalid version "1.0.0.0": too many parts',
    ],
    [{ loadOnlyInlinedPlugins: true, plugins: undefined }, "`loadOnlyInlinedPlugins` is true, and no 'plugins' key"],
    [{ disableCheck: "Maybe" }, 'invalid value "maybe" for disableCheck'],
    [{ disableCheck: "untrue" }, 'invalid value "untrue" for disableCheck'],
    [{ disableCheck: "trueish" }, 'invalid value "trueish" for disableCheck'],
    [{ disableCheck: null }, "invalid type <nil> for disableCheck"],
    [{ disableCheck: ["true"] }, `invalid type ${slices} for disableCheck`],
    [{ disableGC: 1 }, "invalid type float64 for disableGC"],
    [{ loadOnlyInlinedPlugins: "" }, 'invalid value "" for loadOnlyInlinedPlugins'],
    [{ plugins: "x" }, "invalid 'plugins' type string"],
    [{ plugins: {} }, `invalid 'plugins' type ${map}`],
    [{ plugins: null }, "invalid 'plugins' type <nil>"],
    [{ plugins: [] }, "no plugins in list"],
  ])("%j", (more, words) => {
    expect(startOf("zone.conflist", { ...zone, ...more })).toEqual([
      undefined,
      `error parsing configuration list: ${words}`,
    ]);
  });

  test("without plugins", () => {
    expect(startOf("zone.conflist", { ...zone, plugins: undefined })).toEqual([undefined, "no plugin configs found"]);
  });

  const field = (value: string, name: string, type = "string") =>
    `json: cannot unmarshal ${value} into Go struct field PluginConf.${name} of type ${type}`;

  test.each<[unknown, string]>([
    [{}, "missing 'type'"],
    [{ type: "" }, "missing 'type'"],
    [{ type: null }, "missing 'type'"],
    [5, "json: cannot unmarshal number into Go value of type types.PluginConf"],
    [{ type: ["a"] }, field("array", "type")],
    [{ ...plugin, name: 5 }, field("number", "name")],
    [{ ...plugin, cniVersion: 5 }, field("number", "cniVersion")],
    [{ ...plugin, ipam: 5 }, field("number", "ipam", "types.IPAM")],
    [{ ...plugin, dns: 5 }, field("number", "dns", "types.DNS")],
    [{ ...plugin, capabilities: ["ips"] }, field("array", "capabilities", "map[string]bool")],
  ])("with the plugin %j", (other, words) => {
    expect(startOf("zone.conflist", { ...zone, plugins: [plugin, other] })).toEqual([
      undefined,
      `failed to parse plugin config 1: error parsing configuration: ${words}`,
    ]);
  });

  // A runtime reads one plugin from these files.
  test.each<[string, object, string]>([
    ["zone.conf", zone, "missing 'type'"],
    ["zone.json", zone, "missing 'type'"],
    ["zone", { ...plugin, type: 5 }, field("number", "type")],
    ["zone.conf", { name: "zone" }, "missing 'type'"],
    ["zone.conf", { ...zone, type: 5 }, field("number", "type")],
    ["zone.conf", { ...plugin, name: ["zone"] }, field("array", "name")],
    ["zone.conf", { ...plugin, name: "zone", cniVersion: 1 }, field("number", "cniVersion")],
  ])("%s: %j", (path, value, words) => {
    expect(startOf(path, value)).toEqual([undefined, `error parsing configuration: ${words}`]);
  });
});

test.each<[string, object]>([
  ["zone.conflist", { ...zone, disableCheck: "TRUE", disableGC: "False", loadOnlyInlinedPlugins: true }],
  ["zone.conflist", { ...zone, disableCheck: false, plugins: [{ ...plugin, name: null, ipam: {} }] }],
  ["zone.conf", { ...plugin, cniVersion: "1.0.0", name: "zone", disableCheck: "maybe" }],
  ["zone", zone],
  ["zone", { ...plugin, name: "zone", cniVersion: "1.0.0" }],
])("%s: %j is loaded", (path, value) => {
  expect(startOf(path, value)).toEqual([undefined, undefined]);
});

describe("a network's name that libcni refuses", () => {
  const words = "invalid characters found in network name; my zone";

  test.each([
    ["tap", words],
    [
      "tap-wrapper",
      "invalid plugin configuration: name must begin with a letter or digit, followed by letters, digits, '_', '.' and '-' only; Fix it in the network configuration list.",
    ],
  ])("libcni checks it for ADD alone, and %s for DEL", (type, ofDel) => {
    const text = JSON.stringify({ ...zone, name: "my zone", plugins: [{ type }] });
    const list = listOf(parseListFile("zone.conflist", text));
    expect(list && verdictText(list, verdictOf(list, exampleAttachment(list), undefined))).toBe(`my zone: tap eth0
  start      fails at ${type}: ${words}
  stop       fails at ${type}: ${ofDel}
  not sent:  second, restart, joined, retry, twice, reboot, gone
`);
  });

  test("one plugin without a name", () => {
    expect(startOf("zone.conf", { cniVersion: "1.0.0", ...plugin })).toEqual(["tap", "missing network name:"]);
  });
});
