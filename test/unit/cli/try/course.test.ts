import { readFileSync } from "node:fs";
import { join } from "node:path";
import timers from "node:timers/promises";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import { networkIn } from "../../../../cli/live/networks.ts";
import { courseOf } from "../../../../cli/try/course.ts";
import { tryInside } from "../../../../cli/try/inside.ts";
import { scratch } from "../../../support/scratch.ts";
import { replaceFunctions } from "../../support/file-functions.ts";
import { setVariable, writeProgram } from "../../support/programs.ts";
import { redirect } from "../../support/redirected.ts";
import { makeProc } from "./support.ts";

const directory = scratch();
beforeEach(() => {
  // It makes no namespace, and knows the rules that a plugin has left.
  const shown = (file: string) => `[ -e ${directory}/${file} ] && cat ${directory}/${file} || echo []`;
  const rules = `*-4*rule*) ${shown("rules")} ;; *address*) ${shown("links")} ;;`;
  script(
    "ip",
    `case "$*" in netns*) echo "$*" >>${directory}/netns ;; -batch\\ -) cat >${directory}/batch ;; ${rules} *) echo [] ;; esac`,
  );
  setVariable("PATH", directory);
});

const script = (name: string, text: string) => writeProgram(join(directory, name), `PATH=/usr/bin:/bin\n${text}`);

const result = (last: string) =>
  `'{"cniVersion":"1.0.0","interfaces":[{"name":"br0"},{"name":"eth0","sandbox":"/x"}],"ips":[{"address":"10.0.0.'${last}'/24","interface":1}]}'`;
const fails = (words: string) => `echo '{"code":7,"msg":"${words}"}'; exit 1`;
const own = `\${CNI_CONTAINERID##*-}`;
/** A rule that stays, or goes a moment later, and one more. */
const rule = `echo '[{"priority":7}]' >$DIR/rules`;
const rules = `echo '[{"priority":7},{"priority":8}]' >$DIR/rules`;

type Does = Readonly<Record<string, string>>;

/** What is left for good is looked at again without a wait. */
const lookAtOnce = () => onTestFinished(replaceFunctions(timers, { setTimeout: async () => undefined as never }));

/** Makes a list of two plugins that answer ADD with an address. `does` are the second one's commands, by the verb. */
function listText(does: Does = {}, keys: object = {}, last = own): string {
  redirect("/var/lib/cni", join(directory, "state"));
  const cases = Object.entries(does).map(([verb, commands]) => `${verb.replace(" ", "\\ ")}*) ${commands} ;;`);
  for (const name of ["one", "two"])
    script(
      name,
      `DIR=${directory}; call="$CNI_COMMAND ${own}"; set -- $DIR/state/results/*; [ -e "$1" ] || shift
echo "${name} $call $#" >>$DIR/calls
echo "$CNI_ARGS $CNI_NETNS $CNI_IFNAME $CNI_PATH $(cat)" >"$DIR/${name} $call"
[ ${name} = one ] || case $call in ${cases.join("\n")}\nesac
[ $CNI_COMMAND = ADD ] && echo ${result(last)}; exit 0`,
    );
  return JSON.stringify({ cniVersion: "1.0.0", name: "zone", plugins: [{ type: "one" }, { type: "two" }], ...keys });
}

async function happened(does?: Does, keys?: object, last?: string, ports?: string[]) {
  const text = listText(does, keys, last);
  const list = networkIn(parseListFile("/zone.conflist", text))?.list;
  if (list === undefined) throw new Error("no list");
  const { steps, left } = await courseOf({ list, cniPath: [directory, "/b"], seconds: 10, ports });
  const bad = steps.filter(({ outcome }) => outcome !== "passes");
  return { steps, bad: bad.map(({ step, outcome, why }) => `${step}: ${outcome}: ${why}`), left, text };
}

const checks = ["CHECK of it", "CHECK of the second", "CHECK of the first again", "CHECK of the third"];

const read = (name: string) => readFileSync(join(directory, name), "utf8").trim();
const callsOf = (plugin: string) =>
  read("calls")
    .split("\n")
    .flatMap((call) => call.split(`${plugin} `)[1] ?? []);
const passed = (step: string, number?: number) => ({
  ...{ step, outcome: "passes" },
  ...(number !== undefined && { interfaces: [{ name: "eth0", addresses: [`10.0.0.${number}/24`] }] }),
});
const [all, again] = ["ADD of a third, all but the last plugin", "ADD of the third again, as Nomad does"] as const;

test("a list that passes: three containers, and a result is kept after each whole ADD until its DEL", async () => {
  const { steps, left, text } = await happened({ "CHECK 1": "cp $DIR/state/results/*1-eth0 $DIR/kept" });
  expect({ steps, left }).toEqual({
    steps: [
      ...[passed("ADD of a container", 1), passed("CHECK of it")],
      ...[passed("ADD of a second container", 2), passed("CHECK of the second"), passed("CHECK of the first again")],
      ...[passed("DEL of the second"), passed("DEL of the first")],
      ...[passed(all, 3), passed(again, 3), passed("CHECK of the third"), passed("DEL of the third")],
    ],
    left: [],
  });
  const before = ["ADD 1 0", "CHECK 1 1", "ADD 2 1", "CHECK 2 2", "CHECK 1 2"];
  const [after, later] = [["ADD 3 0"], ["CHECK 3 1", "DEL 3 1"]];
  expect(callsOf("one")).toEqual([...before, "DEL 2 2", "DEL 1 1", ...after, ...after, ...later]);
  expect(callsOf("two")).toEqual([...before, "DEL 2 2", "DEL 1 1", ...after, ...later]);
  expect(read("netns").split("\n")).toEqual(
    ["add 1", "add 2", "delete 2", "delete 1", "add 3", "delete 3"].map(
      (words) => `netns ${words.replace(" ", " cni-wrappers-try-")}`,
    ),
  );
  // libcni gives CHECK and DEL the result that ADD had.
  const results = ["CHECK 1", "CHECK 2", "DEL 1", "DEL 3"].map((call) => /10\.0\.0\.\d/.exec(read(`one ${call}`))?.[0]);
  expect(results).toEqual(["10.0.0.1", "10.0.0.2", "10.0.0.1", "10.0.0.3"]);
  const [containerId, netns] = ["cni-wrappers-try-1", "/run/netns/cni-wrappers-try-1"];
  expect(read("one ADD 1")).toContain(`IgnoreUnknown=true ${netns} eth0 ${directory}:/b {`);
  expect(JSON.parse(read("kept"))).toEqual({
    ...{ kind: "cniCacheV1", containerId, config: Buffer.from(text).toString("base64"), ifName: "eth0", netns },
    ...{ networkName: "zone", capabilityArgs: {}, result: expect.objectContaining({ ips: [expect.anything()] }) },
  });
});

test("a host's port is for one container at a time", async () => {
  const plugins = [{ type: "one" }, { type: "two", capabilities: { portMappings: true } }];
  await happened({}, { plugins }, own, ["65000:80"]);
  const ports = [1, 2, 3].map((number) => /"hostPort":(\d+)/.exec(read(`two ADD ${number}`))?.[1]);
  expect(ports).toEqual(["65000", "9465", "19465"]);
});

test("after an ADD that fails there is no CHECK, but DEL; after a DEL that fails the result is kept", async () => {
  const bad = { outcome: "fails", plugin: "two", position: 1, why: "no" };
  const { steps } = await happened({ "ADD [23]": fails("no"), "DEL 1": fails("busy") });
  expect(steps).toEqual([
    ...[passed("ADD of a container", 1), passed("CHECK of it"), { step: "ADD of a second container", ...bad }],
    ...[passed("CHECK of the first again"), passed("DEL of the second")],
    ...[{ step: "DEL of the first", ...bad, why: "busy" }, passed(all, 3), { step: again, ...bad }],
    passed("DEL of the third"),
  ]);
  expect(callsOf("one")).toContain("ADD 3 1");
});

test("a list of one plugin has no part: its third container says nothing new", async () => {
  expect((await happened({}, { plugins: [{ type: "one" }] })).steps).toHaveLength(7);
  expect(callsOf("one").slice(7)).toEqual(["ADD 3 0", "DEL 3 1"]);
});

test("a namespace that cannot be made ends the trial", async () => {
  script("ip", "echo no >&2; exit 1");
  await expect(happened()).rejects.toThrow("ip: no");
});

const eachCheck = (words: string) => checks.map((step) => `${step}: ${words}`);
const unsupported = 'fails: configuration version "0.3.1" does not support the CHECK command';
const shared = "ADD of a second container: fails: it gets 10.0.0.9/24, which the first one has, too";
const readOnly = "open /x: Read-only file system";
const noService = "dial unix /run/cni/dhcp.sock: connect: no such file or directory";
const noNamespace = "open /run/netns/blue: no such file or directory";
const ofFirst = (words: string) => [`CHECK of it: ${words}`, `CHECK of the first again: ${words}`];

test.each<[string, Parameters<typeof happened>, readonly string[]]>([
  ["a CHECK that fails", [{ "CHECK 2": fails("lost") }], ["CHECK of the second: fails: lost"]],
  ["a plugin that misses the host", [{ "CHECK 1": fails(readOnly) }], ofFirst(`unknown: ${readOnly}`)],
  ["a plugin that misses a service", [{ "CHECK 1": fails(noService) }], ofFirst(`unknown: ${noService}`)],
  ["a plugin that misses a namespace", [{ "CHECK 1": fails(noNamespace) }], ofFirst(`fails: ${noNamespace}`)],
  ["one address for all", [{}, {}, "9"], [shared]],
  ["no CHECK that a runtime runs", [{}, { disableCheck: true }], eachCheck("not run: the list has disableCheck")],
  ["no CHECK in its version", [{}, { cniVersion: "0.3.1" }], eachCheck(unsupported)],
  ["a name that libcni refuses", [{}, { name: "a/b" }], ["ADD of a container: fails: the name"]],
])("%s", async (_, given, bad) => {
  const found = await happened(...given);
  expect(found.bad).toEqual(bad.map((words) => expect.stringContaining(words)));
});

test("after a failed ADD of the first one, its DEL runs, and another one shows what is left", async () => {
  lookAtOnce();
  const found = await happened({ "ADD 1": fails("no master"), "ADD 2": rule });
  expect(found.steps).toHaveLength(2);
  expect(found.bad).toEqual(["ADD of a container: fails: no master"]);
  expect(found.left).toEqual([{ kind: "rule", where: "priority 7" }]);
});

test.each<[string, Readonly<Record<string, string>>, number]>([
  ["what the third one makes is left", { "ADD 3": rule }, 1],
  ["what goes a moment later is not", { "ADD 3": rule, "DEL 3": "(sleep 0.2; rm $DIR/rules) >/dev/null 2>&1 &" }, 0],
  ["nor what the first one has made for all", { "ADD 1": rule }, 0],
])("%s", async (_, does, count) => {
  if (count > 0) lookAtOnce();
  expect((await happened(does)).left).toHaveLength(count);
});

test.each<[string, Does, readonly string[], readonly object[]]>([
  ["what the first one has made for all stays", { "ADD 1": rule }, [], [{ kind: "rule", where: "priority 7" }]],
  [
    "what goes a moment after its container does not",
    {
      "ADD 1": `echo '[{"ifname":"veth9","link_netnsid":0,"linkinfo":{"info_kind":"veth"}}]' >$DIR/links`,
      "DEL 1": "(sleep 0.8; rm $DIR/links) >/dev/null 2>&1 &",
    },
    [],
    [],
  ],
  ["what each one makes again is left, and does not stay", { "ADD 1": rule, "ADD 3": rules }, ["rule priority 8"], []],
])("on the stage: %s", async (_, does, left, stays) => {
  if (left.length > 0) lookAtOnce();
  makeProc(directory);
  const asked = {
    path: "/zone.conflist",
    cniPath: [directory],
    seconds: 10,
    commands: ["link add x", "link set x up"],
  };
  const { steps, ...outcome } = await tryInside({ ...asked, text: listText(does), outside: ["net:[1]"] });
  expect(steps).toHaveLength(11);
  expect(outcome).toEqual({ left, stays, problems: [] });
  expect(read("batch")).toBe("link set lo up\nlink add x\nlink set x up");
});
