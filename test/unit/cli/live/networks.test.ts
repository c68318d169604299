import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { addedBeside, addedPlugins, errorsIn, readLists } from "../../../../cli/live/networks.ts";
import { scratch } from "../../../support/scratch.ts";
import { runCommand } from "../../support/fake-terminal.ts";
import { redirect } from "../../support/redirected.ts";
import { writeFile } from "../../support/written.ts";

const directory = scratch();
beforeEach(() => {
  mkdirSync(join(directory, "lists"));
});

const write = (name: string, text: object | string) => writeFile(join(directory, "lists", name), text);
const list = (name: string, ...plugins: object[]) => ({ cniVersion: "1.0.0", name, plugins });
const ptp = { type: "ptp" };

test("the lists that a runtime loads, each as libcni sees it", () => {
  const plain = { name: "plain", cniVersion: "0.4.0", type: "ptp", mtu: 9 };
  write("10.conf", plain);
  write("11.conf", { name: "old", type: "ptp" });
  write("20.conflist", list("zone", ptp));
  write("30.conflist", list("zone", { type: "vlan" }));
  write("40.conf", list("a list in a .conf", ptp));
  write("41.conflist", { name: "a plugin in a .conflist", type: "ptp" });
  write("50.conflits", list("misspelt", ptp));
  write("51.conflits", { name: "misspelt", type: "ptp" });
  write("60.conflist", "{");
  write("62.conflist", '{"cniVersion":"1.0.0","name":"broken","plugins":[{"type":"ptp"}],}');
  write("61.conflist", { cniVersion: "1.0.0", plugins: [ptp] });
  const networks = readLists(["lists"], directory).networks;
  expect([...networks].map(([key, { name, value }]) => [key, name, value])).toEqual([
    ["plain", "plain", { name: "plain", cniVersion: "0.4.0", plugins: [plain] }],
    ["old", "old", { name: "old", plugins: [{ name: "old", type: "ptp" }] }],
    ["zone", "zone", list("zone", ptp)],
  ]);
});

test("directories with plugins that libcni 1.3 adds to a list", () => {
  for (const name of ["zone", "inlined", "empty"]) {
    mkdirSync(join(directory, "lists", name));
    write(`${name}.conflist`, { ...list(name, ptp), loadOnlyInlinedPlugins: name === "inlined" ? "TRUE" : false });
    write(`${name}/notes.txt`, "");
  }
  write("none.conflist", list("none", ptp));
  mkdirSync(join(directory, "lists/single"));
  write("single.conf", { name: "single", ...ptp });
  for (const name of ["zone/10.conf", "zone/20.conf", "inlined/10.conf", "single/10.conf"]) write(name, ptp);
  const { networks } = readLists(["lists"], directory);
  expect(addedPlugins(networks.values(), directory)).toEqual([
    'lists/zone: libcni 1.3 adds the plugins of 10.conf, 20.conf to the list of zone, and this command does not look at them; move them into the list, or set "loadOnlyInlinedPlugins": true',
  ]);
});

test("each file that a runtime does not load, with its first mistake", () => {
  write("10.conflist", list("good", { ...ptp, ipam: { type: "dhcp", subnet: 7 } }));
  write("20.conflist", '{\n  "name": "cut"');
  write("30.conflist", "[]");
  write("31.conflist", { name: "mapped", cniVersion: "1.0.0", plugins: { type: "ptp" } });
  write("40.conflits", list("misspelt", ptp));
  write("50.conflist", list("empty"));
  write("60.conflist", { cniVersion: "1.0.0", plugins: [{}] });
  write("70.conflist", list("untyped", { mtu: 9 }));
  symlinkSync(".", join(directory, "lists/80.conflist"));
  // libcni reads no directory.
  mkdirSync(join(directory, "lists/90.conflist"));
  const { faults, files } = readLists(["lists"], directory);
  expect(files).toHaveLength(8);
  expect(faults.map(({ network, line }) => [network, line])).toEqual([
    [undefined, "lists/80.conflist: is a directory"],
    ["cut", "lists/20.conflist:2:16: a closing brace is missing. Add } where the object ends"],
    [
      undefined,
      'lists/30.conflist:1:1: the file has no JSON object. A list is an object: { "cniVersion": "1.0.0", "name": "...", "plugins": [...] }',
    ],
    [
      "mapped",
      'lists/31.conflist:1:49: plugins must be a list. Write a list, as in "plugins": [{ "type": "bridge", ... }]',
    ],
    [
      "misspelt",
      "lists/40.conflits:1:41: no runtime reads a file that ends with .conflits. Let the file end with .conflist",
    ],
    ["empty", "lists/50.conflist:1:48: the list of plugins is empty. Add a plugin, or delete the file"],
    [undefined, 'lists/60.conflist:1:1: the list has no name. Add "name": "..."'],
    [
      "untyped",
      `lists/70.conflist:1:51: the plugin has no type. Add "type": "..." with the name of the plugin's executable`,
    ],
  ]);
});

test("the errors of lists that a runtime loads, and what somebody has switched off", () => {
  write("10.conflist", list("zone", { type: "bridge", bridge: "b0" }, { type: "macvlan", master: "ens18" }));
  write("20.conflist", list("shop", { ...ptp, ipam: { type: "dhcp" }, mtuu: "a warning" }));
  write("30.conflist", "{");
  const { files } = readLists(["lists"], directory);
  const links = [{ ifindex: 1, ifname: "ens19" }];
  const [bridge, macvlan, master] = [
    'lists/10.conflist:1:56: bridge creates an interface and is not wrapped [unwrapped-creator]. Change the type to "bridge-wrapper"',
    'lists/10.conflist:1:88: macvlan creates an interface and is not wrapped [unwrapped-creator]. Change the type to "macvlan-wrapper", and set wrapper.ifName',
    'lists/10.conflist:1:107: this host has no interface ens18 [missing-master]. Set "master" to one that it has: ens19',
  ];
  expect(errorsIn(files, { directory, links, note: () => {} })).toEqual({
    errors: [bridge, macvlan, master],
    switchedOff: [],
  });
  expect(errorsIn(files, { directory, note: () => {} })).toEqual({ errors: [bridge, macvlan], switchedOff: [] });
  write(".cni-wrappers-lint", { "10.conflist": { "unwrapped-creator": "a script gives the names" } });
  expect(errorsIn(files, { directory, links, note: () => {} })).toEqual({
    errors: [master],
    switchedOff: ["unwrapped-creator is switched off: a script gives the names (2 findings)"],
  });
  write(".cni-wrappers-lint", "{");
  const left: string[] = [];
  const noted = { directory, note: (line: string) => void left.push(line) };
  expect(errorsIn(files, noted)).toEqual({ errors: [bridge, macvlan], switchedOff: [] });
  expect(left).toEqual(["lists/.cni-wrappers-lint: it is not a JSON object"]);
});

test.each(["preflight", "adopt", "prune", "status"])("%s does not call such a host good", async (command) => {
  for (const name of ["results", "bin", "lists/zone"]) mkdirSync(join(directory, name));
  write("zone.conflist", list("zone", ptp));
  write("zone/10.conf", ptp);
  const [lists, bin] = ["lists", "bin"].map((name) => join(directory, name));
  const host = [`--cache-dir=${directory}`, `--config-dir=${lists}`, `--cni-path=${bin}`];
  const stderr = expect.stringContaining("lists/zone: libcni 1.3 adds");
  expect(await runCommand([command, ...host], { directory })).toMatchObject({ exitCode: 2, stderr });
});

test.each([
  ["lint", "lists"],
  ["lint", "lists/zone.conflist"],
  ["explain", "lists/zone.conflist.new"],
])("%s does not call %s good with such plugins, but for Nomad's usual directory and stdin", async (command, path) => {
  mkdirSync(join(directory, "lists/zone"));
  for (const name of ["zone.conflist", "zone.conflist.new"]) write(name, list("zone", ptp));
  write("zone/10.conf", ptp);
  const run = async (...args: string[]) => {
    const readInput = () => JSON.stringify(list("lists/zone", ptp));
    const { exitCode, stderr } = await runCommand([command, ...args], { directory, readInput });
    return { exitCode, isNamed: stderr.includes("lists/zone: libcni 1.3 adds") };
  };
  expect(await run(path)).toEqual({ exitCode: 2, isNamed: true });
  if (command === "lint") expect(await run("-")).toMatchObject({ isNamed: false });
  redirect("/opt/cni/config", join(directory, "lists"));
  expect((await run(path.replace("lists", "/opt/cni/config"))).isNamed).toBe(false);
});

test("plugins in the directory of Nomad's agent", () => {
  mkdirSync(join(directory, "lists/zone"));
  write("zone.conflist", list("zone", ptp));
  write("zone/10.conf", ptp);
  const { files } = readLists(["lists"], directory);
  const line = expect.stringContaining("lists/zone: libcni 1.3 adds");
  expect(addedBeside([...files, ...files], directory)).toEqual([line]);
  expect(addedBeside(files, directory, join(directory, "lists"))).toEqual([]);
});

test("a second list of a name is an error on a host: whoever edits it changes nothing", () => {
  write("10.conf", { cniVersion: "1.0.0", name: "zone", ...ptp, ipam: { type: "dhcp" } });
  write("20.conflist", list("zone", { ...ptp, ipam: { type: "dhcp" } }));
  expect(errorsIn(readLists(["lists"], directory).files, { directory, note: () => {} }).errors).toEqual([
    expect.stringMatching(
      /^lists\/20\.conflist:1:\d+: 10\.conf has this name too, and Nomad takes that file, but .* \[duplicate-network\]\. Delete or rename one of them$/,
    ),
  ]);
});
