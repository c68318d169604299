import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Left } from "../../../cli/explain/list-run.ts";
import type { EventName } from "../../../cli/explain/verdict.ts";
import { exampleHost } from "../../support/examples.ts";
import { Lab } from "../../support/lab.ts";
import { gocni } from "../../support/runtime.ts";
import { type HostThings, hostThings, madeBetween, stillThere } from "./host-things.ts";

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
  readonly leaves: readonly Left[];
}

async function callsIn(lab: Lab, candidate: Candidate) {
  const file = `/run/lab/net.d/${path.basename(candidate.name)}`;
  await lab.writeFile(file, candidate.text);
  const pluginPath = candidate.isDropIn ? `/opt/cni/first:${Lab.pluginPath}` : Lab.pluginPath;
  return async (verb: string, id: string, { prefix = "eth", netns = `/run/netns/${id}`, as = file } = {}) => {
    const request = { pluginPath, file: as, id, netns, ports: candidate.ports, prefix };
    // A relative directory of leases lies in the lab then, and not in this repository.
    const inLab = ["-c", 'cd /run/lab && exec "$0" "$1"', gocni, verb];
    const { exitCode, stderr } = await lab.call("sh", inLab, { input: JSON.stringify(request) });
    return exitCode === 0 ? undefined : stderr;
  };
}

/** Runs a list with the real plugins, in the order of `verdictOf`. */
export async function seenOf(candidate: Candidate): Promise<Seen[]> {
  using disk = mkdtempDisposableSync(path.join(tmpdir(), "verdict-truth-"));
  const seen: Seen[] = [];
  {
    await using lab = await exampleHost(disk.path);
    const call = await callsIn(lab, candidate);
    const note = (event: EventName, error: string | undefined, leaves: Left[] = []) =>
      seen.push({ event, error, leaves });
    const refused = await call("load", "example1");
    if (refused !== undefined) return [{ event: "start", error: refused, leaves: [] }];
    const made = new Map<string, HostThings>();
    const begin = async (id: string) => {
      await lab.addContainer(id);
      return await call("setup", id);
    };
    const beginWatched = async (id: string) => {
      const before = await hostThings(lab, id);
      const error = await begin(id);
      made.set(id, madeBetween(before, await hostThings(lab, id)));
      return error;
    };
    const end = async (id: string, event: EventName, netns = `/run/netns/${id}`) => {
      const error = await call("remove", id, { netns });
      if (netns !== "") await lab.run("ip", ["netns", "delete", id]);
      note(event, error, stillThere(made.get(id) ?? new Map(), await whenLinksAreGone(lab, id)));
    };
    const start = await beginWatched("example1");
    note("start", start);
    if (start === undefined) {
      note("restart", await call("check", "example1"));
      const second = await begin("example2");
      note("second", second);
      if (second === undefined) note("joined", await call("check", "example1"));
      await call("remove", "example2");
    }
    await end("example1", "stop");
    if (start !== undefined) return seen;
    await begin("example3");
    note("twice", await call("setup", "example3", { prefix: "net" }));
    await call("remove", "example3", { prefix: "net" });
    await call("remove", "example3");
    await lab.addContainer("example4");
    await call("setup", "example4", { as: await failing(lab, candidate) });
    note("retry", await call("setup", "example4"));
    await call("remove", "example4");
    await beginWatched("example5");
    await lab.run("ip", ["netns", "delete", "example5"]);
    await end("example5", "gone", "");
    await begin("example6");
  }
  await using lab = await exampleHost(disk.path);
  const call = await callsIn(lab, candidate);
  await lab.addContainer("example6");
  seen.push({ event: "reboot", error: await call("setup", "example6"), leaves: [] });
  return seen;
}

/** Writes the list with a last plugin that fails, and returns its file. */
async function failing(lab: Lab, { name, text }: Candidate): Promise<string> {
  const plugin = `${Lab.pluginPath}/fails-once`;
  await lab.writeScript(plugin, '#!/bin/sh\necho \'{"code":999,"msg":"fails once"}\'\nexit 1\n');
  const value = JSON.parse(text);
  const list = value.plugins
    ? { ...value, plugins: value.plugins.with(-1, { type: "fails-once" }) }
    : { ...value, type: "fails-once" };
  const file = `/run/lab/net.d/failing-${path.basename(name)}`;
  await lab.writeFile(file, JSON.stringify(list));
  return file;
}

/** The kernel deletes the links of a namespace a moment after the namespace. */
async function whenLinksAreGone(lab: Lab, id: string): Promise<HostThings> {
  for (let tries = 0; ; tries++) {
    const things = await hostThings(lab, id);
    const hasVeth = [...things.values()].some(({ kind, name }) => kind === "interface" && name.startsWith("veth"));
    if (!hasVeth || tries === 20) return things;
    await setTimeout(100);
  }
}
