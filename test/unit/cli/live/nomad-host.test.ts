import { mkdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { askNomadHost, NomadAgent, type NomadEnvironment } from "../../../../cli/live/nomad-agent.ts";
import { scratch } from "../../../support/scratch.ts";
import { writeResult } from "../../support/cached-results.ts";
import { makeHostFolders } from "../../support/fake-host-folders.ts";
import { runCommand } from "../../support/fake-terminal.ts";
import { imitateNomad } from "../../support/redirected.ts";
import { writeFile, writeList } from "../../support/written.ts";

const directory = scratch();
const lists = join(directory, "lists");
const plugins = join(directory, "plugins");
let server: Server;
let NOMAD_ADDR = "";
let answers: Record<string, unknown> = {};
let asked: string[] = [];
beforeEach(async () => {
  for (const name of ["lists", "results"]) mkdirSync(join(directory, name));
  makeHostFolders(directory, { cniPath: { plugins: { ptp: {}, bridge: {} } } });
  for (const name of ["zone", "shop"]) writeList(join(lists, `${name}.conflist`), { type: "ptp" });
  answers = answersOf(hostname());
  asked = [];
  imitateNomad();
  server = createServer(({ url = "" }, response) => {
    asked.push(url);
    response.writeHead(answers[url] ? 200 : 403).end(JSON.stringify(answers[url]));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  NOMAD_ADDR = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => void server.close());

const id = "0cb1e2c4-2a1e-4f0c-9a52-6f8c9f0b0001";

/**
 * The answers as Nomad 1.9.5 to 2.0.5 has them: command/agent/agent_endpoint.go (agentSelf) and config.go (ClientConfig: the
 * merged configuration, with the defaults), client/fingerprint/cni.go and nomad/structs (NodeResources.Merge: NodeNetworks, which
 * are merged by device, have the last network only), client/fingerprint/host.go.
 */
function answersOf(
  host: string,
  { version = undefined as string | undefined, cniPath = plugins } = {},
): Record<string, unknown> {
  const Client = { CNIPath: cniPath, CNIConfigDir: `${directory}/lists` };
  const Networks = [{ Mode: "host", Device: "eth0" }, { Mode: "bridge" }, { Mode: "cni/zone" }];
  return {
    "/v1/agent/self": { config: { Client }, stats: { client: { node_id: id } } },
    [`/v1/node/${id}`]: {
      Name: "client-1",
      Attributes: { "unique.hostname": host, "nomad.version": version },
      NodeResources: { Networks, NodeNetworks: [{ Mode: "cni/zone" }] },
    },
  };
}

test("the agent's directories and networks", async () => {
  answers = answersOf(hostname(), { version: "1.9.5" });
  const host = { name: "client-1", version: "1.9.5", configDirectory: lists, cniPath: plugins, networks: ["zone"] };
  expect(await askNomadHost(new NomadAgent({ NOMAD_ADDR }))).toEqual(host);
});

test.each<[string, () => object, string]>([
  ["has no right", () => ({}), "the agent answered with status 403"],
  ["is another program", () => ({ "/v1/agent/self": "hello" }), "the agent is no Nomad client"],
  ["is that of another host", () => answersOf("another"), "the agent is that of another host, another"],
  [
    "does not say its directories",
    () => ({ ...answersOf(hostname()), "/v1/agent/self": { stats: { client: { node_id: id } } } }),
    "the agent does not say its directories",
  ],
  [
    "does not tell its node",
    () => ({ "/v1/agent/self": answersOf("")["/v1/agent/self"] }),
    "the agent answered with status 403",
  ],
])("an agent that %s says nothing of this host", async (_, answer, problem) => {
  answers = { ...answer() };
  expect(await askNomadHost(new NomadAgent({ NOMAD_ADDR }))).toEqual({ problem, isAbsent: false });
});

test.each([
  ["ECONNREFUSED", true],
  ["ENETUNREACH", true],
  ["ETIMEDOUT", false],
])("without NOMAD_ADDR, a host whose default address fails with %s has no Nomad client: %s", async (code, isAbsent) => {
  const problem = `connect ${code} 127.0.0.1:4646`;
  const agentOf = (env: NomadEnvironment) => {
    const agent = new NomadAgent(env);
    agent.self = () => Promise.reject(Object.assign(new Error(problem), { code }));
    return agent;
  };
  expect(await askNomadHost(agentOf({}))).toEqual({ problem, isAbsent });
  expect(await askNomadHost(agentOf({ NOMAD_ADDR }))).toEqual({ problem, isAbsent: false });
});

test("the host of preflight's JSON is Nomad's node, and without an answer the host's own name", async () => {
  const hostOf = async () => {
    const words = ["preflight", "--cache-dir", directory, "--json"];
    const { stdout } = await runCommand(words, { directory, env: { NOMAD_ADDR } });
    return JSON.parse(stdout).host;
  };
  expect(await hostOf()).toBe("client-1");
  answers = {};
  expect(await hostOf()).toBe(hostname());
});

describe.each(["preflight", "status"])("%s", (command) => {
  const run = (...options: string[]) =>
    runCommand([command, "--cache-dir", directory, ...options], { directory, env: { NOMAD_ADDR } });
  const results = () => `results in ${directory}`;

  test("looks where the agent looks, says so, and names a forgotten reload", async () => {
    const { exitCode, stdout } = await run();
    expect(exitCode).toBe(1);
    const line = `looked at: lists in ${directory}/lists (Nomad's), plugins in ${directory}/plugins (Nomad's), ${results()}`;
    expect(stdout).toContain(`${line}\nthe Nomad client has not loaded the network shop: reload it with SIGHUP\n`);
    const { directories, agent } = JSON.parse((await run("--json")).stdout);
    expect(directories.from).toEqual({ lists: "agent", plugins: "agent" });
    expect(agent).toEqual({ problem: null, differs: [], notLoaded: ["shop"] });
  });

  test("does not name plugins in a directory, which Nomad does not read", async () => {
    mkdirSync(join(lists, "zone"));
    writeFile(join(lists, "zone/10.conf"), { type: "ptp" });
    const { exitCode, stderr } = await run();
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" });
    answers = {};
    expect((await run("--cni-path", plugins, "--config-dir", lists)).stderr).toContain("lists/zone: libcni 1.3 adds");
  });

  test.each([
    ["an old Nomad looks no further than an empty directory", "1.11.1", "empty:plugins", "empty is empty"],
    ["nor than one that is missing", "1.9.5+ent", "none:plugins", "none does not exist"],
    ["it knows what the directories before it have", "1.11.1", "plugins:empty", undefined],
    ["a newer one looks on", "1.11.2", "empty:plugins", undefined],
    ["nobody knows its version", undefined, "empty:plugins", undefined],
  ])("tells that Nomad would skip CHECK: %s", async (_, version, names, problem) => {
    mkdirSync(join(directory, "empty"));
    answers = answersOf(hostname(), { version, cniPath: names.replace(/\w+/g, join(directory, "$&")) });
    const said = (await run()).stdout.split("\n").filter((line) => line.startsWith("Nomad would"));
    const why = `Nomad would skip CHECK: Nomad finds no version of bridge: ${directory}/${problem}, and Nomad before 1.11.2 looks no further; fix cni_path and restart the client`;
    expect(said).toEqual(problem === undefined ? [] : [why]);
  });

  test("with both directories given, nobody needs the agent", async () => {
    answers = {};
    expect((await run("--cni-path", plugins, "--config-dir", lists)).stderr).toBe("");
  });
});

describe.each(["preflight", "status", "adopt", "prune"])("%s", (command) => {
  // What is gone depends on every process of the machine, and one may hide its namespace.
  const netns = command === "prune" ? "/proc/self/ns/net" : "/gone";
  const run = (env: object = { NOMAD_ADDR }, ...options: string[]) => {
    writeResult(directory, { netns });
    return runCommand([command, "--cache-dir", directory, ...options], { directory, env: { ...env } });
  };

  test("says where the agent looks, and asks it once what it is", async () => {
    const { stdout } = await run();
    expect(stdout).toContain(`looked at: lists in ${lists} (Nomad's), plugins in ${plugins} (Nomad's)`);
    expect(asked.filter((url) => url === "/v1/agent/self")).toHaveLength(1);
  });

  test("an agent that says nothing of this host: nothing is good, unless options name the directories", async () => {
    answers = answersOf("another");
    const { exitCode, stderr } = await run({ NOMAD_ADDR }, "--config-dir", lists);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      `${NOMAD_ADDR}: the agent is that of another host, another; it may look elsewhere. Name this host's agent with NOMAD_ADDR and NOMAD_TOKEN, or the directories with --config-dir and --cni-path\n`,
    );
    expect((await run({ NOMAD_ADDR }, "--cni-path", plugins)).stderr).toContain("it may look elsewhere");
    const named = ["--config-dir", lists, "--cni-path", plugins];
    const both = await run({ NOMAD_ADDR }, ...named);
    // This machine may have a process into which nobody may look.
    expect(both.exitCode).toBe((await run({}, ...named)).exitCode);
    expect(both.stderr).not.toContain("it may look elsewhere");
  });

  test("NOMAD_ADDR has a typing error: nothing is good", async () => {
    const { exitCode, stderr } = await run({ NOMAD_ADDR: "http://127.0.0.1:1" }, "--config-dir", lists);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("http://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1; it may look elsewhere.");
  });

  test("an agent that is a server only says nothing of this host's containers, and that is no fault", async () => {
    answers = { "/v1/agent/self": { config: { Client: { Enabled: false } }, stats: { nomad: {} } } };
    const { exitCode, stderr } = await run({ NOMAD_ADDR }, "--config-dir", lists);
    expect(exitCode).toBe((await run({}, "--config-dir", lists)).exitCode);
    expect(stderr).not.toContain("it may look elsewhere");
  });
});
