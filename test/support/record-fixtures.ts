// Records fixtures: go-cni runs chains of wrapped reference plugins in every version of the specification that has
// chains. Each call of a wrapper becomes a folder in `test/fixtures/go-cni/`.
//
//     node test/support/record-fixtures.ts                    records all of them again (root, Go)
//     node test/support/record-fixtures.ts <name>             records one of them
//     node test/support/record-fixtures.ts <records> <folder> makes fixtures from other records
//
// Each new recording has other random names and MACs.
// test/support/oracle/expected.jq derives the expected actions (`expected.json`) from the delegates' answers.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { oracle } from "../unit/support/jq.ts";
import { type CallRecord, Lab } from "./lab.ts";
import type { NetworkList } from "./runtime.ts";

const fixtures = path.resolve(import.meta.dirname, "../fixtures");
const plugins = "1.9.1";
const versions = ["0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"];

const hostLocal = (...subnets: string[]) => ({ type: "host-local", ranges: subnets.map((subnet) => [{ subnet }]) });

const macvlan = {
  type: "macvlan-wrapper",
  master: "uplink0",
  ipam: { ...hostLocal("172.16.5.0/24"), routes: [{ dst: "0.0.0.0/0", gw: "172.16.5.1" }] },
  dns: { nameservers: ["172.16.5.53"], search: ["example.org"] },
};

const bridge = {
  type: "bridge-wrapper",
  wrapper: { ifName: "eth1" },
  bridge: "disc0",
  isGateway: true,
  ipMasq: true,
  ipam: {
    ...hostLocal("172.26.64.0/20", "fd00:26::/64"),
    routes: [
      { dst: "10.99.0.0/16" },
      { dst: "10.98.0.0/16", gw: "172.26.64.1" },
      { dst: "fd00:99::/64", gw: "fd00:26::1" },
    ],
  },
  dns: { nameservers: ["172.26.64.53"], search: ["example.org", "disc"] },
};

const layer2 = { type: "bridge-wrapper", wrapper: { ifName: "eth2" }, bridge: "store0" };
const tuning = { type: "tuning-wrapper", wrapper: { ifName: "eth1" }, mac: "02:00:5e:10:00:01" };
const portmap = {
  type: "portmap-wrapper",
  wrapper: { ifName: "eth1" },
  capabilities: { portMappings: true },
  snat: true,
};

const hostDevice = { type: "host-device-wrapper", device: "card0", ipam: hostLocal("172.16.5.0/24") };
const ptp = { type: "ptp-wrapper", wrapper: { ifName: "eth1" }, ipam: hostLocal("10.50.0.0/24") };
const tap = { type: "tap-wrapper", wrapper: { ifName: "tap0" }, ipam: hostLocal("10.70.0.0/24") };

const firewall = { type: "firewall-wrapper", wrapper: { ifName: "eth1" }, backend: "iptables" };
const sbr = { type: "sbr-wrapper", wrapper: { ifName: "eth1" } };

interface Chain {
  readonly list: object[];
  readonly versions: readonly string[];
}

/** The chains, by the name of their folder. */
const chains: Record<string, Chain> = {
  "three-interfaces": { list: [macvlan, bridge, layer2, tuning, portmap], versions },
  "renamed-first": { list: [bridge, macvlan], versions },
  "firewall-and-sbr": { list: [macvlan, bridge, firewall, sbr], versions: ["1.0.0"] },
  "other-creators": { list: [hostDevice, ptp, tap], versions: ["1.0.0"] },
};

async function recordAll(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const { list, versions } = chains[name] ?? { list: [], versions: [] };
    for (const cniVersion of versions) {
      const records = await record({ cniVersion, name: "zone", plugins: list as NetworkList["plugins"] });
      await writeFixtures(path.join(fixtures, "go-cni", `${name}-${cniVersion}`), records);
      process.stdout.write(`${name} ${cniVersion}: ${records.length} calls\n`);
    }
  }
}

/** Attaches a container, checks it, collects garbage and detaches it, if the version has the verbs. */
async function record(list: NetworkList): Promise<CallRecord[]> {
  await using lab = await Lab.start({ plugins, recorded: true });
  for (const { type } of list.plugins) await addWrapper(lab, String(type));
  await lab.ip(undefined, "link", "add", "card0", "type", "veth", "peer", "name", "far0");
  const container = await lab.addContainer("blue");
  const ports = [{ hostPort: 25649, containerPort: 8080, protocol: "tcp" as const }];
  const labels = { IgnoreUnknown: "1", NOMAD_JOB_ID: "two", IP: "172.16.5.77" };
  succeeded(await lab.goCni.add(list, container, { ports, labels }));
  if (!list.cniVersion.startsWith("0.3")) succeeded(await lab.goCni.check(list, container, { ports, labels }));
  if (list.cniVersion === "1.1.0") {
    succeeded(await lab.goCni.gc(list, [{ containerID: lab.goCni.id(container), ifname: "eth0" }]));
  }
  succeeded(await lab.goCni.del(list, container, { ports }));
  return await lab.records();
}

async function addWrapper(lab: Lab, type: string): Promise<void> {
  await lab.run("ln", ["-sfn", "cni-wrappers", `/run/lab/real/${type}`]);
  await lab.run("ln", ["-sfn", "/run/lab/drivers/recorder", `${Lab.pluginPath}/${type}`]);
}

function succeeded(outcome: { exitCode: number | undefined; stderr: string }): void {
  if (outcome.exitCode !== 0) throw new Error(outcome.stderr);
}

/** Writes a folder for each wrapper call in the records of one chain. */
async function writeFixtures(folder: string, records: readonly CallRecord[]): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const before: object[] = [];
  let number = 0;
  for (const [index, { plugin, env, stdin }] of records.entries()) {
    if (!plugin.endsWith("-wrapper")) continue;
    const request = { plugin, env, stdin };
    const isAdd = env.CNI_COMMAND === "ADD";
    const answer = isAdd ? delegateAnswer(plugin, records.slice(index)) : null;
    number += 1;
    const name = `${String(number).padStart(2, "0")}-${env.CNI_COMMAND}-${plugin}`;
    await writeCase(path.join(folder, name), {
      request,
      ...(isAdd && { delegate: answer }),
      expected: oracle("expected.jq", { request, answer, before }),
    });
    const { ifName = "eth0" } = (stdin.wrapper ?? {}) as { ifName?: string };
    if (isAdd) before.push({ plugin, ifName, answer });
  }
}

/** The answer of the wrapper's delegate, which is the next call. */
function delegateAnswer(plugin: string, following: readonly CallRecord[]): unknown {
  const delegate = plugin.replace(/-wrapper$/, "");
  return following.find((record) => record.plugin === delegate)?.stdout;
}

async function writeCase(folder: string, files: Record<string, unknown>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await writeFile(path.join(folder, `${name}.json`), `${JSON.stringify(content, null, 1)}\n`);
  }
}

async function readRecords(folder: string): Promise<CallRecord[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(path.join(folder, name), "utf8"))));
}

const [records, folder] = process.argv.slice(2);
if (records === undefined) await recordAll(Object.keys(chains));
else if (records in chains) await recordAll([records]);
else await writeFixtures(path.join(fixtures, folder ?? path.basename(records)), await readRecords(records));
