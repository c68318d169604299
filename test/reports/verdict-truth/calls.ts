import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chained } from "../../../cli/model/chained.ts";
import { creators } from "../../../cli/model/creators.ts";
import { Machine } from "../../../cli/model/machine.ts";
import { resultOf } from "../../../cli/model/plugin.ts";
import { runToEnd } from "../../../cli/model/verbs.ts";
import { isJsonObject, type JsonObject } from "../../../shared/protocol/json.ts";
import { exampleHost } from "../../support/examples.ts";
import { Lab } from "../../support/lab.ts";
import { normal } from "./compare.ts";

const file = path.resolve(import.meta.dirname, "../../fixtures/verdicts/calls.jsonl");

/** A call of a plugin without a runtime, or something else that happens to the container: its link or its namespace goes. */
export type Step =
  | {
      readonly verb: "ADD" | "CHECK" | "DEL";
      readonly plugin: JsonObject & { type: string };
      /** Changes of its stdin, by a path such as `prevResult.ips.0.address`. */
      readonly with?: JsonObject;
      readonly ifName?: string;
      readonly args?: string;
    }
  | { readonly drop: string }
  | { readonly leave: true };

/** Steps in one container, and what each call ended with. */
export interface Line {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly words: readonly string[];
}

const netns = "/run/netns/example1";

/** A host on which steps are done. */
interface Place {
  run(type: string, env: Readonly<Record<string, string>>, config: JsonObject): Promise<readonly [number, JsonObject]>;
  drop(ifName: string): Promise<void>;
  leave(): Promise<void>;
}

/** Returns the recorded lines. */
export function recordedCalls(): Line[] {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

/** Does a line's steps again with the real plugins, and writes what they said. */
export async function recordCalls(): Promise<void> {
  const lines: string[] = [];
  for (const { name, steps } of recordedCalls()) {
    await using lab = await exampleHost();
    await lab.addContainer("example1");
    const words = await wordsOfSteps(steps, {
      async run(type, env, config) {
        const input = JSON.stringify(config);
        const { exitCode, stdout } = await lab.call(`${Lab.pluginPath}/${type}`, [], { env, input });
        return [exitCode ?? 1, stdout === "" ? {} : JSON.parse(stdout)];
      },
      drop: async (ifName) => void (await lab.run("ip", ["-n", "example1", "link", "delete", ifName])),
      leave: async () => void (await lab.run("ip", ["netns", "delete", "example1"])),
    });
    lines.push(`${JSON.stringify({ name, steps, words })}\n`);
  }
  writeFileSync(file, lines.join(""));
}

/** Returns what the model says to a line's steps. */
export async function modelWords(steps: readonly Step[]): Promise<string[]> {
  const machine = Object.assign(new Machine(), { cards: ["ens18", "ens19", "ens20"], defaultDevice: undefined });
  const { links } = machine.addNamespace(netns);
  return await wordsOfSteps(steps, {
    async run(type, env, config) {
      const plugin = { ...creators, ...chained }[type];
      const { exitCode, output } = runToEnd(machine, { type, plugin, call: { env, config } });
      return [exitCode, output ?? {}];
    },
    drop: async (ifName) => void links.delete(ifName),
    leave: async () => machine.removeNamespace(netns),
  });
}

async function wordsOfSteps(steps: readonly Step[], place: Place): Promise<string[]> {
  const words: string[] = [];
  let prevResult: JsonObject | undefined;
  for (const step of steps) {
    if ("drop" in step) await place.drop(step.drop);
    else if ("leave" in step) await place.leave();
    else {
      const { verb, plugin, ifName = "eth0", args = "" } = step;
      const config = { cniVersion: "1.0.0", name: "zone", ...plugin, ...(prevResult && { prevResult }) };
      const variables = { CNI_COMMAND: verb, CNI_CONTAINERID: "example1", CNI_NETNS: netns, CNI_IFNAME: ifName };
      const env = { ...variables, CNI_PATH: Lab.pluginPath, CNI_ARGS: args };
      const [exitCode, output] = await place.run(plugin.type, env, changed(config, step.with ?? {}));
      words.push(exitCode === 0 ? shapeOf(output) : errorOf(output));
      if (verb === "ADD" && exitCode === 0) prevResult = output;
    }
  }
  return words;
}

/** Returns a copy of a configuration with other values at some paths. Null removes the key. */
function changed(config: JsonObject, changes: JsonObject): JsonObject {
  const copy = structuredClone(config);
  for (const [at, value] of Object.entries(changes)) {
    const keys = at.split(".");
    const last = keys.pop() ?? "";
    const holder = keys.reduce<JsonObject>((one, key) => one[key] as JsonObject, copy);
    if (value === null) delete holder[last];
    else holder[last] = value;
  }
  return copy;
}

function errorOf({ code, msg, details }: JsonObject): string {
  return `${code}: ${normal([msg, details].filter(Boolean).join("; "))}`;
}

/** Describes a result without the names and MACs that a plugin chooses by chance. "passes" if it is empty. */
function shapeOf(result: JsonObject): string {
  const { interfaces, ips } = resultOf({ prevResult: result });
  const routes = Array.isArray(result.routes) ? result.routes.filter(isJsonObject) : [];
  // A result of 0.2.0 has one address of each family.
  const unchained = ["ip4", "ip6"].filter((key) => key in result).map((key) => `${key} ${JSON.stringify(result[key])}`);
  const words = [
    ...(result.cniVersion === undefined ? [] : [`${result.cniVersion}`]),
    ...unchained,
    ...interfaces.map(({ name, mac, sandbox }) => `${name}${mac ? " MAC" : ""}${sandbox ? " inside" : ""}`),
    ...ips.map(({ address, gateway, interface: index }) => `${address} via ${gateway} of ${index}`),
    ...routes.map(({ dst, gw }) => `${dst} via ${gw}`),
  ];
  return normal(words.join(", ")) || "passes";
}
