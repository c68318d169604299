import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type List, listOf } from "../../../../cli/lists/list.ts";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import { decide, type Known } from "../../../../cli/wrap/decide.ts";
import { wrappedText } from "../../../../cli/wrap/edits.ts";
import { decideUnwrapping, unwrappedText } from "../../../../cli/wrap/unwrap.ts";
import fc from "../../support/fast-check.ts";

function listIn(text: string): List {
  const list = listOf(parseListFile("zone.conflist", text));
  if (!list) throw new Error("not a list");
  return list;
}

function wrap(text: string, known?: Known): string {
  const list = listIn(text);
  return wrappedText(list, decide(list, known));
}

function unwrap(text: string): string {
  const list = listIn(text);
  return unwrappedText(list, decideUnwrapping(list));
}

function readFilesIn(pattern: string) {
  const root = path.join(import.meta.dirname, "../../../..");
  return globSync(pattern, { cwd: root }).map((name) => {
    return { name: path.basename(name, ".conflist"), text: readFileSync(path.join(root, name), "utf8") };
  });
}

describe("wrap writes as the file's author does", () => {
  const [plain, wrapped] = ['{ "type": "macvlan" }', '{ "type": "macvlan-wrapper" }'];
  const block = '"wrapper": { "ifName": "eth1" }';
  /** A list of two plugins. The first one is macvlan. */
  const listOfTwo = (first: string, second: string) => `{ "plugins": [${first}, ${second}] }`;

  const tap = '"type": "tap"';
  const becomes = `"type": "tap-wrapper", ${block}`;
  const tapWith = (inBlock: string) => `{ "type": "tap-wrapper", "wrapper": {${inBlock}} }`;
  const minified = '{"plugins":[{"type":"macvlan"},{"type":"tap","mtu":1}]}';
  const unpadded = '{"plugins": [{"type": "macvlan"}, {"type": "tap", "mtu": 1}]}';

  test.each([
    ["minified", minified, '"type":"tap-wrapper","wrapper":{"ifName":"eth1"},"mtu":1}'],
    ["one line", listOfTwo(plain, `{ ${tap} }`), `{ ${becomes} }`],
    ["one line without padding", unpadded, `{${becomes}, "mtu": 1}`],
    ["the type on the line of the brace", listOfTwo(plain, `{ ${tap},\n  "mtu": 1 }`), `{ ${becomes},\n  "mtu": 1 }`],
    [
      "a blank line before the type",
      listOfTwo(plain, `{\n\n  ${tap}\n}`),
      `{\n\n  "type": "tap-wrapper",\n  ${block}\n}`,
    ],
    ["a comma on a line of its own", listOfTwo(plain, `{ ${tap}\n, "mtu": 1 }`), `{ ${becomes}\n, "mtu": 1 }`],
    [
      "tabs and carriage returns",
      listOfTwo(plain, `{\r\n\t"mtu": 1,\r\n\t${tap}\r\n}`),
      `{\r\n\t"mtu": 1,\r\n\t"type": "tap-wrapper",\r\n\t${block}\r\n}`,
    ],
    ["an empty block", listOfTwo(wrapped, tapWith("")), `{ ${becomes} }`],
    ["a block with a key", listOfTwo(wrapped, tapWith(' "a": 1 ')), '"wrapper": { "ifName": "eth1", "a": 1 } }'],
    [
      "a block with a key on its own line",
      listOfTwo(wrapped, tapWith('\n    "a": 1\n  ')),
      '"wrapper": {\n    "ifName": "eth1",\n    "a": 1\n  } }',
    ],
    ["an escape in the type", listOfTwo(plain, '{ "type": "t\\u0061p" }'), `{ "type": "t\\u0061p-wrapper", ${block} }`],
  ])("%s", (_, given, expected) => {
    expect(wrap(given)).toContain(expected);
    expect(wrap(wrap(given))).toBe(wrap(given));
  });

  test("a plugin with a key twice is refused", () => {
    const twice = listOfTwo('{ "type": "macvlan", "type": "tap" }', '{ "type": "tap" }');
    expect(() => wrap(twice)).toThrow('zone.conflist: plugins.0 has the key "type" twice');
    const odd = listOfTwo('{ "type": "tap" }', '{ "type": "tap-wrapper", "wrapper": [] }');
    expect(() => wrap(odd)).toThrow("zone.conflist: plugins.1.wrapper is not an object");
  });
});

describe("the examples", () => {
  const examples = readFilesIn("conf-examples/*.conflist");
  /** Their names or wrapped chained plugins are a choice of their author. */
  const chosen = ["drop-in", "isolated", "layer-2", "limited", "published-on-two", "routed", "service-address"];
  const others = [...chosen, "source-routing", "virtual-machine"];

  test.each(examples)("$name: unwrap gives a plain list, and wrap and unwrap give it back", ({ text }) => {
    const plain = unwrap(text);
    expect(plain).not.toMatch(/wrapper/);
    const parsed = JSON.parse(text, (key, value) => {
      if (key === "wrapper") return undefined;
      return key === "type" ? value.replace(/-wrapper$/, "") : value;
    });
    expect(JSON.stringify(JSON.parse(plain))).toBe(JSON.stringify(parsed));
    expect(unwrap(wrap(plain))).toBe(plain);
  });

  const whole = examples.filter(({ name }) => !others.includes(name));
  test.each(whole)("$name: wrap gives the whole example", ({ text }) => {
    expect(wrap(unwrap(text))).toBe(text);
  });
});

test("lists as people write them: unwrap of wrap gives the bytes back", () => {
  const texts = readFilesIn("test/fixtures/lists/*.{conf,conflist}").filter(({ text }) => !text.includes("-wrapper"));
  const readable = texts.filter(({ text }) => parseListFile("", text).errors.length === 0);
  expect(readable.length).toBeGreaterThan(70);
  for (const { name, text } of readable) expect(unwrap(wrap(text)), name).toBe(text);
});

describe("any list", () => {
  const space = fc.constantFrom("", " ", "\n", "\n  ", "\r\n\t", "\n\n    ");
  const value = fc.oneof(
    fc.constantFrom(
      ...['"a"', "1", "true", "null", "[]", "{}", '[[{ "subnet": "10.0.0.0/24" }]]'],
      ...['"\\u00e9 \\"x\\""', '"é🙂"'],
    ),
    fc.tuple(space, space).map(([before, after]) => `{${before}"type"${after}:"dhcp"}`),
  );
  const type = fc.constantFrom("macvlan", "bridge", "ptp", "tap", "portmap", "firewall", "sbr", "loopback", "sriov");

  /** A plugin's text: the type at any place among other keys, with any white space between them. */
  const plugin = fc
    .record({
      type,
      before: fc.uniqueArray(fc.constantFrom("a", "b", "isGateway"), { maxLength: 2 }),
      after: fc.uniqueArray(fc.constantFrom("c", "ipam", "capabilities"), { maxLength: 2 }),
      values: fc.array(value, { minLength: 4, maxLength: 4 }),
      gaps: fc.array(space, { minLength: 24, maxLength: 24 }),
    })
    .map(({ type, before, after, values, gaps }) => {
      const gap = () => gaps.pop() ?? "";
      const rest = (key: string) => `${gap()}"${key}"${gap()}:${gap()}${values.pop()}${gap()}`;
      const own = `${gap()}"type"${gap()}:${gap()}"${type}"${gap()}`;
      return `{${[...before.map(rest), own, ...after.map(rest)].join(",")}}`;
    });
  const listText = fc
    .tuple(fc.array(plugin, { maxLength: 6 }), space, space)
    .map(
      ([plugins, one, other]) =>
        `{${one}"name":${other}"zone",${one}"plugins"${other}: [${one}${plugins.join(`,${other}`)}]}${one}`,
    );
  const known = fc.record({ fromScript: fc.boolean() });

  test("unwrap of wrap gives the bytes back", () => {
    fc.assert(
      fc.property(listText, known, (text, options) => {
        expect(unwrap(wrap(text, options))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test("wrap of wrap changes nothing", () => {
    fc.assert(
      fc.property(listText, (text) => {
        expect(wrap(wrap(text))).toBe(wrap(text));
      }),
      { numRuns: 200 },
    );
  });
});

describe("unwrap", () => {
  test.each([
    ['{ "type": "bridge-wrapper", "wrapper": {}, "a": 1 }', '{ "type": "bridge", "a": 1 }'],
    ['{ "wrapper": { "ifName": "eth1" }, "type": "bridge-wrapper" }', '{ "type": "bridge" }'],
    ['{ "a": 1, "wrapper": {}, "type": "bridge-wrapper" }', '{ "a": 1, "type": "bridge" }'],
    ['{ "type": "cni-wrappers", "wrapper": { "delegate": "sriov" } }', '{ "type": "sriov" }'],
    ['{ "type": "my-wrapper", "wrapper": { "delegate": "sriov" } }', '{ "type": "sriov" }'],
    ['{ "type": "cni-wrappers" }', '{ "type": "cni-wrappers" }'],
    ['{ "type": "bridge", "wrapper": { "delegate": "sriov" } }', '{ "type": "sriov" }'],
    ['{ "type": "portmap", "wrapper": 7 }', '{ "type": "portmap" }'],
    ['{ "type": "bridge\\u002dwrapper" }', '{ "type": "bridge" }'],
    ['{ "wrapper": {} }', "{  }"],
    ['{ "type": "t\\u0061p-wrapper" }', '{ "type": "t\\u0061p" }'],
    ['{ "type": "t\\u0061p", "wrapper": {} }', '{ "type": "t\\u0061p" }'],
    ['{ "type": "bridge" }', '{ "type": "bridge" }'],
  ])("of %s gives %s", (before, after) => {
    const around = (plugin: string) => `{ "name": "zone", "plugins": [ ${plugin} ] }`;
    expect(unwrap(around(before))).toBe(around(after));
  });

  function saysOf(...plugins: object[]) {
    const { plugins: changed, notes } = decideUnwrapping(listIn(JSON.stringify({ name: "zone", plugins })));
    return [...changed.flatMap(({ losses }) => losses), ...notes];
  }

  test("says what is lost", () => {
    expect(
      saysOf(
        { type: "macvlan-wrapper", wrapper: { log: {}, recover: "never" } },
        { type: "bridge-wrapper", wrapper: { ifName: "eth1", args: "keep", slaac: true, jq: "." } },
        { type: "portmap-wrapper", wrapper: { ifName: "eth1", ports: { only: [1] } } },
      ),
    ).toEqual([
      "is not repaired after a failed ADD",
      "writes no log",
      "makes eth0 instead of eth1",
      "does not find its leases in the network zone-eth1",
      "does not read other keys of CNI_ARGS",
      "does not report the address from a router",
      "gets its configuration without the changes of the jq program",
      "acts on eth0 instead of eth1",
      "publishes all ports",
      "The plain list has several interface plugins. It does not work: all of them make the interface with the runtime's name.",
      "Drain the node first: only the wrappers find the leases and interfaces of running containers.",
    ]);
  });

  test("loses no lease in the list's own network, and nothing of a plain plugin", () => {
    const plain = { type: "portmap", wrapper: { ports: {} } };
    expect(saysOf({ type: "bridge-wrapper", wrapper: { network: "zone" } }, plain)).toEqual([]);
  });

  test("says that a list for drop-in has links", () => {
    expect(saysOf({ type: "bridge", wrapper: {} })).toEqual([
      "Remove the links with the plugins' own names, too: they wrap the plugins of every list.",
    ]);
  });
});
