import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { EventName } from "../../../cli/explain/verdict.ts";
import { exampleHost } from "../../support/examples.ts";
import { Lab } from "../../support/lab.ts";
import { gocni } from "../../support/runtime.ts";

/** The ports that a container publishes, in the runtime's words. */
export type Ports = readonly { hostPort: number; containerPort: number; protocol: string }[];

/** A list that is run: its file's name, its text, and what the runtime gives. */
export interface Candidate {
  readonly name: string;
  readonly text: string;
  readonly ports: Ports;
  readonly isDropIn: boolean;
}

/** What an event ended with, with the real plugins. */
export interface Seen {
  readonly event: EventName;
  /** Undefined if it passed. */
  readonly error: string | undefined;
  /** The addresses of the leases. */
  readonly leaves: readonly string[];
}

/** Runs a list with the real plugins, in the order of `verdictOf`. */
export async function seenOf(candidate: Candidate): Promise<Seen[]> {
  const disk = mkdtempSync(path.join(tmpdir(), "verdict-truth-"));
  try {
    return await seenOn(disk, candidate);
  } finally {
    rmSync(disk, { recursive: true });
  }
}

/** Returns a function that calls a verb of go-cni in a lab. */
async function callsIn(lab: Lab, candidate: Candidate) {
  const file = `/run/lab/net.d/${path.basename(candidate.name)}`;
  await lab.writeFile(file, candidate.text);
  const pluginPath = candidate.isDropIn ? `/opt/cni/first:${Lab.pluginPath}` : Lab.pluginPath;
  return async (verb: string, id: string, { prefix = "eth", netns = `/run/netns/${id}`, as = file } = {}) => {
    const request = { pluginPath, file: as, id, netns, ports: candidate.ports, prefix };
    const { exitCode, stderr } = await lab.call(gocni, [verb], { input: JSON.stringify(request) });
    return exitCode === 0 ? undefined : stderr;
  };
}

async function seenOn(disk: string, candidate: Candidate): Promise<Seen[]> {
  const seen: Seen[] = [];
  {
    await using lab = await exampleHost(disk);
    const call = await callsIn(lab, candidate);
    const note = (event: EventName, error: string | undefined, leaves: string[] = []) =>
      seen.push({ event, error, leaves });
    const refused = await call("load", "example1");
    if (refused !== undefined) return [{ event: "start", error: refused, leaves: [] }];
    const begin = async (id: string) => {
      await lab.addContainer(id);
      return await call("setup", id);
    };
    const start = await begin("example1");
    note("start", start);
    if (start === undefined) {
      note("restart", await call("check", "example1"));
      const second = await begin("example2");
      note("second", second);
      if (second === undefined) note("joined", await call("check", "example1"));
      await call("remove", "example2");
    }
    note("stop", await call("remove", "example1"), await leftIn(lab, "example1"));
    if (start !== undefined) return seen;
    await begin("example3");
    note("twice", await call("setup", "example3", { prefix: "net" }));
    await call("remove", "example3", { prefix: "net" });
    await call("remove", "example3");
    await lab.addContainer("example4");
    await call("setup", "example4", { as: await failing(lab, candidate) });
    note("retry", await call("setup", "example4"));
    await call("remove", "example4");
    await begin("example5");
    await lab.run("ip", ["netns", "delete", "example5"]);
    note("gone", await call("remove", "example5", { netns: "" }), await leftIn(lab, "example5"));
    await begin("example6");
  }
  await using lab = await exampleHost(disk);
  const call = await callsIn(lab, candidate);
  await lab.addContainer("example6");
  seen.push({ event: "reboot", error: await call("setup", "example6"), leaves: [] });
  return seen;
}

/** Writes the list with a last plugin that fails, and returns its file. */
async function failing(lab: Lab, { name, text }: Candidate): Promise<string> {
  const plugin = `${Lab.pluginPath}/fails-once`;
  await lab.writeFile(plugin, '#!/bin/sh\necho \'{"code":999,"msg":"fails once"}\'\nexit 1\n');
  await lab.run("chmod", ["+x", plugin]);
  const value = JSON.parse(text);
  const list = value.plugins
    ? { ...value, plugins: value.plugins.with(-1, { type: "fails-once" }) }
    : { ...value, type: "fails-once" };
  const file = `/run/lab/net.d/failing-${path.basename(name)}`;
  await lab.writeFile(file, JSON.stringify(list));
  return file;
}

/** The leases of a container, wherever host-local keeps them. */
async function leftIn(lab: Lab, id: string): Promise<string[]> {
  const find = `grep -rl "^${id}" /var/lib/cni/networks /var/run/cni 2>/dev/null | grep -v tuning`;
  const { stdout } = await lab.call("sh", ["-c", find]);
  const leases = stdout.split("\n").filter((line) => line !== "");
  return [...new Set(leases.map((file) => path.basename(file)))].sort();
}
