import { expect, test } from "vitest";
import { LeftOut } from "../../../../cli/live/alike.ts";
import {
  agentFault,
  isReady,
  type LookedAt,
  lookedAt,
  lookedAtLines,
  placesText,
} from "../../../../cli/live/every-attachment.ts";
import { type HostPathsFound, hostPathsOf, hostPathsOn } from "../../../../cli/live/host-paths.ts";
import type { Networks } from "../../../../cli/live/networks.ts";
import { NomadAgent } from "../../../../cli/live/nomad-agent.ts";

const nomad = { name: "client-1", configDirectory: "/etc/nomad/cni", cniPath: "/a::/b", networks: ["zone"] };
const nobody = { problem: "connect ECONNREFUSED", isAbsent: true };
const pathsWith = (own: Partial<HostPathsFound>, env = {}): HostPathsFound => ({
  ...{ configDirectories: ["/etc/nomad/cni"], cniPath: ["/a", "/b"], cacheDirectory: "/var/lib/cni" },
  ...{ agent: new NomadAgent(env), nomad, given: { lists: false, plugins: false }, ...own },
});
const networks = new Map([
  ["zone", {}],
  ["shop", {}],
]) as unknown as Networks;

test.each<[string, Partial<HostPathsFound>, LookedAt["directories"]["from"], string, LookedAt["agent"]]>([
  [
    "where options say, which is elsewhere",
    { configDirectories: ["/one", "/two"], cniPath: ["/b", "/a"], given: { lists: true, plugins: true } },
    { lists: "option", plugins: "option" },
    "lists in /one and /two, plugins in /b:/a, results in /var/lib/cni\nbut the Nomad agent has cni_config_dir /etc/nomad/cni\nbut the Nomad agent has cni_path /a:/b",
    {
      problem: null,
      differs: ["the Nomad agent has cni_config_dir /etc/nomad/cni", "the Nomad agent has cni_path /a:/b"],
      notLoaded: [],
    },
  ],
  [
    "in the usual places, and the host has none of them",
    { nomad: nobody, configDirectories: [], cacheDirectory: "/srv/cni" },
    { lists: "usual", plugins: "usual" },
    "lists in no directory (usual), plugins in /a:/b (usual), results in /srv/cni",
    { problem: "connect ECONNREFUSED", differs: [], notLoaded: [] },
  ],
])("a command looks %s", (_, own, from, words, agent) => {
  const paths = pathsWith(own);
  const looked = lookedAt(paths, networks);
  const { configDirectories: lists, cniPath: plugins, cacheDirectory: results } = paths;
  expect(looked).toMatchObject({ directories: { lists, plugins, results, from }, agent });
  expect(placesText(paths)).toBe(`looked at: ${words}`);
});

test("what makes the next restart or ADD fail has a line, and then the host is not ready", () => {
  const looked = { ...lookedAt(pathsWith({})), journalProblem: null };
  const [first] = lookedAtLines(looked);
  expect([lookedAtLines(looked), isReady(looked)]).toEqual([[first], true]);
  const unloaded = { ...looked, agent: { ...looked.agent, notLoaded: ["shop"] } };
  const reload = "the Nomad client has not loaded the network shop: reload it with SIGHUP";
  expect([lookedAtLines(unloaded), isReady(unloaded)]).toEqual([[first, reload], false]);
  const full = { ...looked, journalProblem: "/var/lib/cni: no space" };
  const journals = "the wrappers cannot write journals, and ADD fails: /var/lib/cni: no space";
  expect([lookedAtLines(full), isReady(full)]).toEqual([[first, journals], false]);
});

const silent = { problem: "no answer", isAbsent: false };
const fault = (address: string, options = "--config-dir and --cni-path") =>
  `${address}: no answer; it may look elsewhere. Name this host's agent with NOMAD_ADDR and NOMAD_TOKEN, or the directories with ${options}`;
const [lists, plugins] = [true, true];

test.each<[string, Partial<HostPathsFound>, object, string | undefined]>([
  ["answers", {}, {}, undefined],
  ["is not there", { nomad: nobody }, {}, undefined],
  ["is silent", { nomad: silent }, {}, fault("the Nomad agent")],
  ["is silent at an address", { nomad: silent }, { NOMAD_ADDR: "http://x" }, fault("http://x")],
  ["is silent, lists are named", { nomad: silent, given: { lists, plugins: false } }, {}, fault("the Nomad agent")],
  ["is silent, plugins are named", { nomad: silent, given: { lists: false, plugins } }, {}, fault("the Nomad agent")],
  ["is silent, and nobody needs it", { nomad: silent, given: { lists, plugins } }, {}, undefined],
])("an agent that %s", (_, own, env, expected) => {
  expect(agentFault(pathsWith(own, env))).toBe(expected);
  expect(agentFault(pathsWith(own, env), "--x")).toBe(expected?.replace("--config-dir and --cni-path", "--x"));
});

test("a host's directories are those of the options, or the usual ones", () => {
  const usual = hostPathsOf({ cacheDir: "/var/lib/cni" });
  expect(usual).toStrictEqual({
    ...{ configDirectories: usual.configDirectories, cniPath: ["/opt/cni/bin", "/usr/libexec/cni"] },
    cacheDirectory: "/var/lib/cni",
  });
  for (const directory of usual.configDirectories) expect(["/opt/cni/config", "/etc/cni/net.d"]).toContain(directory);
  const options = { configDir: ["/one"], cniPath: ":/a::/b:", cacheDir: "/srv", network: "zone", container: "c1" };
  expect(hostPathsOf(options)).toStrictEqual({
    ...{ configDirectories: ["/one"], cniPath: ["/a", "/b"], cacheDirectory: "/srv" },
    ...{ network: "zone", containerId: "c1" },
  });
});

test("where nobody can tell which containers live, nothing is looked at", async () => {
  const terminal = { env: {}, viewProblem: (directory: string) => `${directory} is another host's` };
  await expect(hostPathsOn({ cacheDir: "/srv" }, terminal)).rejects.toThrow("/srv is another host's");
});

test("what was left out is told once, and of one reason five things", () => {
  const leftOut = new LeftOut();
  const tell = () => {
    const told: string[] = [];
    leftOut.tell({ writeError: (text) => void told.push(text) });
    return told.join("");
  };
  expect([leftOut.isEmpty, leftOut.lines, tell()]).toEqual([true, [], ""]);
  const lines = ["1", "2", "3", "4", "5"].map((id) => `c${id}: it is gone: 10.1.0.${id}`);
  for (const line of [...lines, "x: other", ...lines]) leftOut.note(line);
  expect([leftOut.isEmpty, leftOut.lines]).toEqual([false, [...lines, "x: other"]]);
  expect(tell()).toBe([...lines, "x: other", ""].join("\n"));
  for (const id of ["6", "7", "8", "9", "10", "11", "12"]) leftOut.note(`c${id}: it is gone: 10.1.0.${id}`);
  const more = ["6", "7", "8", "9", "10"].map((id) => `c${id}: it is gone: 10.1.0.${id}`);
  expect(tell()).toBe([...more, "and 2 more: it is gone: 10.1.0.6", ""].join("\n"));
  expect(tell()).toBe("");
});
