import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import { networkIn } from "../../../../cli/live/networks.ts";
import { courseOf } from "../../../../cli/try/course.ts";
import { takeSnapshot } from "../../../../cli/try/snapshot.ts";
import { scratch } from "../../../support/scratch.ts";
import { redirect } from "../../support/redirected.ts";

const directory = scratch();
beforeEach(() => {
  mkdirSync(join(directory, "state/results"), { recursive: true });
  // It makes no namespace, and knows the rules that a plugin has left.
  script("ip", `case "$*" in *-4*rule*) cat ${directory}/rules 2>/dev/null || echo [] ;; *) echo [] ;; esac`);
  vi.stubEnv("PATH", directory);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function script(name: string, text: string): void {
  writeFileSync(join(directory, name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${text}\n`);
  chmodSync(join(directory, name), 0o755);
}

const result = (last: string) =>
  `'{"cniVersion":"1.0.0","interfaces":[{"name":"eth0","sandbox":"/x"}],"ips":[{"address":"10.0.0.'${last}'/24","interface":0}]}'`;
const own = "$(echo $CNI_CONTAINERID | tail -c 2)";
/** A rule that stays, or goes a moment later. */
const rule = `echo '[{"priority":7}]' >$DIR/rules`;

/** Runs a list of two plugins that answer ADD with an address. `does` are the second one's commands, by the verb. */
async function happened(does: Readonly<Record<string, string>> = {}, keys: object = {}, last = own) {
  redirect("/var/lib/cni", join(directory, "state"));
  const cases = Object.entries(does).map(([verb, commands]) => `"${verb}"*) ${commands} ;;`);
  const kept = `$(ls $DIR/state/results | wc -l)`;
  for (const name of ["one", "two"])
    script(
      name,
      `DIR=${directory}; call="$CNI_COMMAND ${own}"
[ ${name} = one ] && echo "$call ${kept}" >>$DIR/calls || case $call in ${cases.join("\n")}\nesac
[ $CNI_COMMAND = ADD ] && echo ${result(last)}; exit 0`,
    );
  const text = JSON.stringify({
    cniVersion: "1.0.0",
    name: "zone",
    plugins: [{ type: "one" }, { type: "two" }],
    ...keys,
  });
  const list = networkIn(parseListFile("/zone.conflist", text))?.list;
  if (list === undefined) throw new Error("no list");
  const { steps, left } = await courseOf({ list, cniPath: [directory], seconds: 10 });
  const bad = steps.filter(({ outcome }) => outcome !== "passes");
  return { count: steps.length, bad: bad.map(({ step, outcome, why }) => `${step}: ${outcome}: ${why}`), left };
}

const fails = (words: string) => `echo '{"code":7,"msg":"${words}"}'; exit 1`;
const checks = ["CHECK of it", "CHECK of the second", "CHECK of the first again", "CHECK of the third"];

test("a list that passes: three containers, and a result is kept after each whole ADD until its DEL", async () => {
  expect(await happened()).toEqual({ count: 11, bad: [], left: [] });
  expect(readFileSync(join(directory, "calls"), "utf8").trim().split("\n")).toEqual([
    ...["ADD 1 0", "CHECK 1 1", "ADD 2 1", "CHECK 2 2", "CHECK 1 2", "DEL 2 2", "DEL 1 1"],
    ...["ADD 3 0", "ADD 3 0", "CHECK 3 1", "DEL 3 1"],
  ]);
});

test.each<[string, Parameters<typeof happened>, readonly string[]]>([
  ["a CHECK that fails", [{ "CHECK 2": fails("lost") }], ["CHECK of the second: fails: lost"]],
  ["a DEL that fails", [{ "DEL 1": fails("busy") }], ["DEL of the first: fails: busy"]],
  [
    "a plugin that misses the host",
    [{ "CHECK 1": fails("open /x: read-only file system") }],
    ["CHECK of it", "CHECK of the first again"].map((step) => `${step}: unknown: open /x: read-only file system`),
  ],
  [
    "one address for all",
    [{}, {}, "9"],
    ["ADD of a second container: fails: it gets 10.0.0.9/24, which the first one has, too"],
  ],
  [
    "no CHECK that a runtime runs",
    [{}, { disableCheck: true }],
    checks.map((step) => `${step}: not run: the list has disableCheck`),
  ],
  [
    "no CHECK in its version",
    [{}, { cniVersion: "0.3.1" }],
    checks.map((step) => `${step}: fails: configuration version "0.3.1" does not support the CHECK command`),
  ],
  ["a name that libcni refuses", [{}, { name: "a/b" }], ["ADD of a container: fails: the name"]],
])("%s", async (_, given, bad) => {
  const found = await happened(...given);
  expect(found.bad).toEqual(bad.map((words) => expect.stringContaining(words)));
});

test("after a failed ADD of the first one, its DEL runs, and another one shows what is left", async () => {
  const found = await happened({ "ADD 1": fails("no master"), "ADD 2": rule });
  expect(found).toMatchObject({ count: 2, bad: ["ADD of a container: fails: no master"] });
  expect(found.left).toEqual([{ kind: "rule", where: "priority 7" }]);
});

test.each<[string, Readonly<Record<string, string>>, number]>([
  ["what the third one makes is left", { "ADD 3": rule }, 1],
  ["what goes a moment later is not", { "ADD 3": rule, "DEL 3": "(sleep 0.2; rm $DIR/rules) >/dev/null 2>&1 &" }, 0],
  ["nor what the first one has made for all", { "ADD 1": rule }, 0],
])("%s", async (_, does, count) => {
  expect((await happened(does)).left).toHaveLength(count);
});

test.each([
  ["Protocol not supported", []],
  ["Operation not permitted", ["ip: Operation not permitted"]],
])("rules that cannot be read: %s", async (words, problems) => {
  script("ip", `case "$*" in *-6*rule*) echo "${words}" >&2; exit 2 ;; *) echo [] ;; esac`);
  expect((await takeSnapshot()).problems).toEqual(problems);
});

test("a packet rule is the same after more packets", async () => {
  const saved = (packets: number) => `*nat\n:OUTPUT ACCEPT [${packets}:60]\n-A OUTPUT -j CNI-X\nCOMMIT`;
  const rulesAfter = async (packets: number) => {
    script("iptables-save", `printf '${saved(packets).replaceAll("\n", "\\n")}\\n'`);
    return [...(await takeSnapshot()).things.keys()];
  };
  const rules = ["iptables -t nat :OUTPUT ACCEPT", "iptables -t nat -A OUTPUT -j CNI-X"];
  expect(await rulesAfter(1)).toEqual(expect.arrayContaining(rules.map((rule) => `packet rule ${rule} 0`)));
  expect(await rulesAfter(2)).toEqual(await rulesAfter(1));
});
