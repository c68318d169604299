// Records fixtures: a runtime runs chains of wrapped reference plugins. Each call of a wrapper becomes a folder in
// `test/fixtures/`. Chains that this machine's kernel cannot run are recorded in a second kernel.
//
//     node test/support/record-fixtures.ts                    records all of them again (root, Go)
//     node test/support/record-fixtures.ts <name>             records one of them
//     node test/support/record-fixtures.ts <records> <folder> makes fixtures from other records
//     node test/support/record-fixtures.ts --print <name>     prints the records of one of them
//
// Each new recording has other random names and MACs.
// test/support/oracle/expected.jq derives the expected actions (`expected.json`) from the delegates' answers.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { rerunInSecondKernel } from "../kernel/second-kernel.ts";
import { installScripts, scriptPath } from "../nomad/scripts.ts";
import { oracle } from "../unit/support/jq.ts";
import { type Chain, chains, type StandIn } from "./fixture-chains.ts";
import { jsonText } from "./json-text.ts";
import { type CallRecord, type Container, Lab, type Outcome } from "./lab.ts";
import { hostHas } from "./needs.ts";
import type { AttachOptions, NetworkList } from "./runtime.ts";

const root = path.resolve(import.meta.dirname, "../..");
const fixtures = path.join(root, "test/fixtures");
async function recordAll(names: readonly string[]): Promise<void> {
  for (const name of names) {
    for (const { version, records } of await recordsOf(name)) {
      await writeFixtures(path.join(fixtures, `${name}-${version}`), records, chainOf(name));
      process.stdout.write(`${name} ${version}: ${records.length} calls\n`);
    }
  }
}

interface Recording {
  readonly version: string;
  readonly records: readonly CallRecord[];
}

function recordsOf(name: string): Promise<Recording[]> {
  const { needs } = chainOf(name);
  return needs === undefined || hostHas[needs]
    ? recordHere(name)
    : rerunInSecondKernel(import.meta.filename, ["--print", name]);
}

async function recordHere(name: string): Promise<Recording[]> {
  const chain = chainOf(name);
  const recordings: Recording[] = [];
  for (const version of chain.versions) recordings.push({ version, records: await record(chain, version) });
  return recordings;
}

function chainOf(name: string): Chain {
  const chain = chains[name];
  if (chain === undefined) throw new Error(`no chain ${name}`);
  return chain;
}

/** Attaches a container, checks it, collects garbage and detaches it, if the version has the verbs. */
async function record(chain: Chain, cniVersion: string): Promise<CallRecord[]> {
  await using lab = await Lab.start({ recorded: true });
  const [list, attachedBy] = [chain.list, chain.attachedBy ?? chain.list].map(
    (each) => ({ cniVersion, name: "zone", plugins: each }) as NetworkList,
  ) as [NetworkList, NetworkList];
  for (const { type } of list.plugins) await addWrapper(lab, String(type));
  if (chain.byScript) await installScripts("workaround")(lab);
  if (chain.standIn) await installStandIn(lab, chain.standIn, cniVersion);
  await lab.ip(undefined, "link", "add", "card0", "type", "veth", "peer", "name", "far0");
  const container = await lab.addContainer("blue");
  const options: AttachOptions = {
    ports: [{ hostPort: 25649, containerPort: 8080, protocol: "tcp" }],
    labels: labelsOf(chain),
  };
  const runtime = lab[chain.runtime ?? "goCni"];
  const attach = { ...options, ...(chain.byScript && { pluginPath: scriptPath }) };
  succeeded(await runtime.add(attachedBy, container, attach));
  if (!cniVersion.startsWith("0.3") && !chain.withoutCheck) succeeded(await runtime.check(list, container, options));
  if (cniVersion === "1.1.0") succeeded(await lab.goCni.gc(list, [validAttachment(lab, container)]));
  succeeded(await runtime.del(list, container, { ports: options.ports ?? [] }));
  return await lab.records();
}

function labelsOf({ address }: Chain): Record<string, string> {
  return { IgnoreUnknown: "1", NOMAD_JOB_ID: "two", ...(address && { IP: address }) };
}

function validAttachment(lab: Lab, container: Container) {
  return { containerID: lab.goCni.id(container), ifname: "eth0" };
}

async function addWrapper(lab: Lab, type: string): Promise<void> {
  if (!type.endsWith("-wrapper")) return;
  await lab.run("ln", ["-sfn", "cni-wrappers", `/run/lab/real/${type}`]);
  await lab.run("ln", ["-sfn", "/run/lab/drivers/recorder", `${Lab.pluginPath}/${type}`]);
}

async function installStandIn(lab: Lab, { commands = "", answer }: StandIn, cniVersion: string): Promise<void> {
  const print = `cat <<END\n${JSON.stringify({ cniVersion, ...answer })}\nEND\n`;
  await lab.writeScript(
    "/run/lab/real/stand-in",
    `#!/bin/sh -e\n[ "$CNI_COMMAND" = ADD ] || exit 0\n${commands}\n${print}`,
  );
  await lab.run("ln", ["-s", "/run/lab/drivers/recorder", `${Lab.pluginPath}/stand-in`]);
}

function succeeded(outcome: Outcome): void {
  if (outcome.exitCode !== 0) throw new Error(outcome.stderr || outcome.stdout);
}

/** Writes a folder for each wrapper call in the records of one chain. */
async function writeFixtures(folder: string, records: readonly CallRecord[], chain?: Chain): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const before: object[] = [];
  let number = 0;
  for (const [index, { plugin, env, stdin, stdout }] of records.entries()) {
    const isAdd = env.CNI_COMMAND === "ADD";
    if (isAdd && isAttachedBare(plugin, chain)) before.push({ plugin, ifName: env.CNI_IFNAME, answer: stdout });
    if (!plugin.endsWith("-wrapper")) continue;
    const request = { plugin, env, stdin };
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

/** Whether this plugin made an attachment without a wrapper. */
function isAttachedBare(plugin: string, { attachedBy = [], standIn }: Partial<Chain> = {}): boolean {
  const types = attachedBy.map((each) => (each as { type?: string }).type);
  return types.includes(plugin) || (standIn !== undefined && plugin === "stand-in");
}

/** The answer of the wrapper's delegate, which is the next call. */
function delegateAnswer(plugin: string, following: readonly CallRecord[]): unknown {
  const delegate = plugin.replace(/-wrapper$/, "");
  return following.find((record) => record.plugin === delegate)?.stdout;
}

async function writeCase(folder: string, files: Record<string, unknown>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await writeFile(path.join(folder, `${name}.json`), `${jsonText(content)}\n`);
  }
}

async function readRecords(folder: string): Promise<CallRecord[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(path.join(folder, name), "utf8"))));
}

const [first, second] = process.argv.slice(2);
if (first === undefined) await recordAll(Object.keys(chains));
else if (first === "--print") process.stdout.write(JSON.stringify(await recordHere(second ?? "")));
else if (first in chains) await recordAll([first]);
else await writeFixtures(path.join(fixtures, second ?? path.basename(first)), await readRecords(first));
