import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { attachmentOf, type CachedAttachment } from "../../../../cli/live/cached-results.ts";
import { checkOnHost, checkOptionsOn, inPlace, outsideSubnets, withoutPlugins } from "../../../../cli/live/check.ts";
import { runList } from "../../../../cli/live/run-plugin.ts";
import { scratch } from "../../../support/scratch.ts";
import { cachedAttachment } from "../../support/cached-results.ts";
import { zoneOfBlue } from "../../support/journals.ts";
import { writeProgram } from "../../support/programs.ts";
import { bothResult } from "../../support/results.ts";
import { writeFile } from "../../support/written.ts";
import { listWith } from "../needs/support.ts";

const directory = scratch();
beforeEach(() => {
  for (const name of ["bin", "later", "lists"]) mkdirSync(join(directory, name));
  plugin("ptp", 'cat >"$0.stdin"; echo "$CNI_COMMAND $CNI_PATH" >"$0.call"');
  plugin("portmap", "exit 0");
});

const plugin = (name: string, script: string) => writeProgram(join(directory, "bin", name), script);
const failed = (error: string) => ({ is: "fails", error });
const refuses = (msg: string) => `echo '{"msg":"${msg}"}'; exit 1`;
const listed = (name: string, value: object, file = `${name}.conflist`) =>
  writeFile(join(directory, "lists", file), { cniVersion: "1.0.0", name, ...value });

const netns = "/proc/self/ns/net";
const subnet = (own: string) => ({ type: "ptp", ipam: { type: "host-local", ranges: [[{ subnet: own }]] } });
const attached = (own: Partial<CachedAttachment> = {}) =>
  cachedAttachment({
    netns,
    result: { interfaces: [{ name: "eth0", sandbox: netns }], ips: [{ address: "10.1.0.2/24", interface: 0 }] },
    ...own,
  });
const optionsFor = (file?: string) => {
  const paths = { configDirectories: ["lists"], cniPath: ["bin", "later"].map((one) => join(directory, one)) };
  const given = { timeout: "2.5", ...(file !== undefined && { with: file }) };
  return checkOptionsOn({ ...paths, cacheDirectory: "/nowhere" }, given, directory);
};
const verdictOn = (attachment = attached()) => checkOnHost(attachment, optionsFor());

describe("the verdict about an attachment", () => {
  test("its CHECK passes, with the plugins of this path and its result", async () => {
    listed("zone", { plugins: [subnet("10.1.0.0/24")] });
    expect(await verdictOn()).toEqual({ is: "passes" });
    const { cniVersion, name, prevResult } = JSON.parse(readFileSync(join(directory, "bin/ptp.stdin"), "utf8"));
    expect([cniVersion, name, prevResult]).toEqual(["1.0.0", "zone", { cniVersion: "1.0.0", ...attached().result }]);
    expect(readFileSync(join(directory, "bin/ptp.call"), "utf8")).toBe(`CHECK ${directory}/bin:${directory}/later\n`);
  });

  test("a path of a process that is now one of the host is no namespace of the container: it is gone, as prune says", async () => {
    listed("zone", { plugins: [subnet("10.1.0.0/24")] });
    expect(await verdictOn(attached({ netns: `/proc/${process.pid}/ns/net` }))).toEqual({ is: "gone" });
  });

  test("what CHECK does not see is told: another subnet, and a plugin that is gone", async () => {
    listed("zone", { plugins: [subnet("10.2.0.0/24")] });
    const list = { plugins: [7, subnet("10.1.0.0/24"), { type: "firewall" }] } as CachedAttachment["list"];
    expect(await verdictOn(attached({ list }))).toEqual({
      is: "passes",
      outside: [
        "eth0 has 10.1.0.2/24, and the list now has 10.2.0.0/24: ptp may refuse the next container; stop those of the old subnet first, or undo the change",
      ],
      dropped: [
        "firewall is in the list no more, so DEL leaves its rules: put it back until the containers that have them are gone",
      ],
    });
  });

  test("no plugin runs where the runtime asks none", async () => {
    listed("zone", { plugins: [{ type: "ptp" }], disableCheck: true });
    expect(await verdictOn()).toEqual({ is: "unchecked", why: "the list has disableCheck" });
    expect(() => readFileSync(join(directory, "bin/ptp.call"))).toThrow("ENOENT");
  });

  test.each([
    ["is gone", "/run/netns/no-such"],
    ["is a file", "file"],
    ["is below a file", "file/below"],
    ["nobody names", ""],
  ])("nothing runs in a namespace that %s", async (_, path) => {
    writeFileSync(join(directory, "file"), "");
    listed("zone", { plugins: [{ type: "ptp" }] });
    const state = path.startsWith("file") ? join(directory, path) : path;
    expect(await verdictOn(attached({ netns: state }))).toEqual({ is: "gone" });
    expect(() => readFileSync(join(directory, "bin/ptp.call"))).toThrow("ENOENT");
  });

  test("a container that lives without its path is not called gone: CHECK fails", async () => {
    listed("zone", { plugins: [{ type: "ptp" }] });
    const verdictFor = (home: string | undefined) =>
      checkOnHost(attached({ netns: "/run/netns/no-such" }), { ...optionsFor(), homeOf: async () => home });
    expect(await verdictFor("it lives on")).toEqual(failed("/run/netns/no-such is no namespace: it lives on"));
    expect(await verdictFor(undefined)).toEqual({ is: "gone" });
  });

  test("a namespace that cannot be looked at is not called gone", async () => {
    const path = `/${"x".repeat(300)}`;
    listed("zone", { plugins: [{ type: "ptp" }] });
    const why = `${path}: it cannot be looked at; run the command as root`;
    await expect(verdictOn(attached({ netns: path }))).rejects.toThrow(why);
  });

  test("no list defines it: the files that a runtime does not load are named, its own only if one is", async () => {
    const missing = "no list in the directories defines the network zone";
    const errorOf = async () => ((await verdictOn()) as { error: string }).error;
    expect(await verdictOn()).toEqual(failed(missing));
    listed("other", {});
    expect(await errorOf()).toMatch(RegExp(`^${missing}; not loaded: lists/other\\.conf`));
    listed("zone", {});
    expect(await errorOf()).toMatch(RegExp(`^${missing}; not loaded: lists/zone\\.conf`));
    expect((await errorOf()).match(/not loaded/g)).toHaveLength(1);
  });

  test("Nomad's own list, which is in no file, is the one of ADD", async () => {
    plugin("ptp", refuses("no room"));
    const list = { cniVersion: "1.0.0", name: "nomad", plugins: [{ type: "ptp" }] } as CachedAttachment["list"];
    const none = (network: string) => failed(`no list in the directories defines the network ${network}`);
    const ofPtp = { ...failed("no room"), plugin: "ptp", position: 0 };
    expect(await verdictOn(attached({ network: "nomad", list }))).toEqual(ofPtp);
    expect(await verdictOn(attached({ list: { ...list, name: "zone" } }))).toEqual(none("zone"));
    expect(await verdictOn(attached({ network: "nomad" }))).toEqual(none("nomad"));
  });

  test("a cure says what the plugin's words do not", async () => {
    plugin("ptp", refuses("refused"));
    for (const name of ["macvlan", "ptp-wrapper"]) plugin(name, refuses("Link not found"));
    const cureFor = async (plugins: object[], attachment = attached()) => {
      listed("zone", { plugins });
      const { cure, error } = (await verdictOn(attachment)) as { cure?: string; error?: string };
      return [error, cure];
    };
    expect(await cureFor([{ type: "ptp" }], attached({ result: undefined }))).toEqual([
      "refused",
      "libcni's cache has no result of it: restore the file, or replace the container",
    ]);
    expect(await cureFor([{ type: "macvlan", master: "no-such0" }])).toEqual([
      "Link not found",
      expect.stringMatching(/^this host has no interface no-such0\. Set "master" to one that it has: /),
    ]);
    expect(await cureFor([{ type: "ptp" }, { type: "bridge" }])).toEqual([
      "refused",
      'ptp creates an interface and is not wrapped, so its CHECK sees the addresses of all interfaces. Change the type to "ptp-wrapper", or run cni-wrappers wrap --write lists/zone.conflist',
    ]);
    expect(await cureFor([{ type: "bridge-wrapper" }])).toEqual([
      `failed to find plugin "bridge-wrapper" in path [${directory}/bin ${directory}/later]`,
      "Install the wrappers there, with cni-wrappers install",
    ]);
    expect(await cureFor([{ type: "ptp-wrapper" }])).toEqual(["Link not found", undefined]);
  });

  test("a list that is in no file has no file to write", async () => {
    plugin("ptp", refuses("refused"));
    const plugins = [{ type: "ptp" }, { type: "bridge" }];
    const list = { cniVersion: "1.0.0", name: "nomad", plugins } as CachedAttachment["list"];
    const { cure } = (await verdictOn(attached({ network: "nomad", list }))) as { cure?: string };
    expect(cure).toMatch(/Change the type to "ptp-wrapper"$/);
  });
});

test("an address is in one of several subnets, or in none of them, and a program's are not known", () => {
  const outside = (own: object, ...subnets: string[]) => {
    const ranges = subnets.map((one) => [{ subnet: one }]);
    return outsideSubnets(listWith({ type: "ptp-wrapper", ipam: { type: "host-local", ranges }, ...own }), attached());
  };
  const line = (subnets: string) =>
    `eth0 has 10.1.0.2/24, and the list now has ${subnets}: ptp-wrapper may refuse the next container; stop those of the old subnet first, or undo the change`;
  expect(outside({}, "10.2.0.0/24", "10.1.0.0/24")).toEqual([]);
  expect(outside({}, "10.2.0.0/24", "no subnet", "10.3.0.0/24")).toEqual([line("10.2.0.0/24, no subnet, 10.3.0.0/24")]);
  expect(outside({ wrapper: { jq: "." } }, "10.2.0.0/24")).toEqual([]);
});

test("ADD hands each plugin's result to the next one, and ends at the first that fails", async () => {
  plugin("first", `echo '{"cniVersion":"1.0.0","ips":[]}'`);
  plugin("last", `printf '{"cniVersion":"1.0.0","dns":{"domain":"%s"}}' "$(grep -c '"ips":\\[\\]')"`);
  plugin("broken", refuses("no room"));
  const attachment = attachmentOf(attached(), join(directory, "bin"));
  const add = (...types: string[]) =>
    runList({ list: listWith(...types.map((type) => ({ type }))), verb: "ADD", attachment }, 60);
  const first = { cniVersion: "1.0.0", ips: [] };
  expect(await add("first")).toStrictEqual({ passed: true, result: first });
  const last = { cniVersion: "1.0.0", dns: { domain: "1" } };
  expect(await add("first", "last")).toStrictEqual({ passed: true, result: last });
  expect(await add("portmap")).toStrictEqual({ passed: true });
  const broken = { passed: false, plugin: "broken", position: 1, error: "no room" };
  expect(await add("first", "broken", "last")).toStrictEqual(broken);
});

test.each([
  ["0.1.0", 'configuration version "0.1.0" does not support the CHECK command'],
  ["0.3.1", 'configuration version "0.3.1" does not support the CHECK command'],
  ["0.4.0", undefined],
  ["1.0.0", undefined],
  ["10.1.0", undefined],
  [undefined, 'configuration version "0.1.0" does not support the CHECK command'],
])("a list of version %s, before anything else", (cniVersion, error) => {
  const list = { ...listWith({ type: "ptp" }), cniVersion, value: { disableCheck: true } };
  expect(withoutPlugins(list)).toEqual(
    error === undefined ? { is: "unchecked", why: "the list has disableCheck" } : failed(error),
  );
});

test("--with takes the place of the list of its name, wherever its file is", () => {
  listed("zone", { plugins: [{ type: "ptp" }] });
  listed("shop", { plugins: [{ type: "ptp" }] });
  const file = "new.txt";
  writeFile(join(directory, file), { name: "zone", cniVersion: "1.0.0", plugins: [{ type: "vlan" }] });
  const typesOf = ({ networks }: ReturnType<typeof optionsFor>) =>
    Object.fromEntries([...networks].map(([name, { list }]) => [name, list.plugins.map(({ type }) => type)]));
  const before = optionsFor();
  expect(typesOf(before)).toEqual({ zone: ["ptp"], shop: ["ptp"] });
  expect(before.with).toBeUndefined();
  const options = optionsFor(file);
  expect(typesOf(options)).toEqual({ zone: ["vlan"], shop: ["ptp"] });
  expect([options.with?.name, options.with?.list.file.path]).toEqual(["zone", file]);
  expect([options.seconds, options.cniPath]).toEqual([2.5, [`${directory}/bin`, `${directory}/later`]]);
  expect(typesOf(inPlace(options))).toEqual({ zone: ["ptp"], shop: ["ptp"] });
  expect(inPlace(options)).toMatchObject({ with: undefined, seconds: 2.5 });
  writeFile(join(directory, file), { plugins: [{ type: "vlan" }] });
  expect(() => optionsFor(file)).toThrow("new.txt: it is not a list with a name; run cni-wrappers lint on it");
});

const ipam = (subnet: string) => ({ type: "host-local", ranges: [[{ subnet }]] });
const macvlan = { type: "macvlan", master: "ens18", ipam: ipam("172.16.5.0/24") };
const bridge = { type: "bridge", bridge: "disc0", ipam: ipam("172.26.64.0/20") };
const moved = { ...bridge, ipam: ipam("10.9.0.0/24") };
const wrapped = ({ type, ...rest }: { type: string }, ifName?: string) => ({
  ...{ type: `${type}-wrapper`, ...(ifName !== undefined && { wrapper: { ifName } }), ...rest },
});

// eth0 has 172.16.5.10, eth1 172.26.64.2.
const attachment = cachedAttachment({ ...zoneOfBlue, result: bothResult });

test.each([
  ["the wrapped list", [wrapped(macvlan), wrapped(bridge, "eth1")], []],
  ["another subnet of eth1", [wrapped(macvlan), wrapped(moved, "eth1")], ["eth1"]],
  ["another subnet of eth0, which a plain plugin makes", [{ ...moved }, wrapped(bridge, "eth1")], ["eth0"]],
  ["the plain list of a script, which gives each interface a name", [macvlan, bridge], []],
  ["a plain plugin and an unnamed wrapper", [wrapped(macvlan), bridge], []],
  ["a list without subnets", [{ ...macvlan, ipam: { type: "dhcp" } }], []],
])("addresses outside of the subnets: %s", (_, plugins, interfaces) => {
  const lines = outsideSubnets(listWith(...plugins), attachment);
  expect(lines.map((line) => line.split(" ")[0])).toEqual(interfaces);
});
