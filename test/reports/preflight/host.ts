import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** A made-up host, and the calls that preflight makes on it. */
export interface Host {
  readonly options: readonly string[];
  /** A file with what each call's plugin does: a line of its path and its input. */
  readonly calls: string;
}

const creators = ["macvlan", "bridge"];
const list = {
  cniVersion: "1.0.0",
  name: "zone",
  plugins: creators.map((type) => ({ type, ipam: { type: "host-local", ranges: [[{ subnet: "172.16.0.0/16" }]] } })),
};

/** Makes a cache with live attachments, their list, and plugins that do nothing but read their input and print it. */
export function makeHost(directory: string, count: number): Host {
  const at = (...names: string[]) => path.join(directory, ...names);
  for (const name of ["bin", "config", "results", "inputs"]) mkdirSync(at(name));
  for (const type of creators) copyFileSync("/bin/cat", at("bin", type));
  writeFileSync(at("config/zone.conflist"), JSON.stringify(list));
  const calls = Array.from({ length: count }, (_, index) => {
    const result = resultOf(index);
    writeFileSync(at("results", `zone-${idOf(index)}-eth0`), JSON.stringify(cached(index, result)));
    writeFileSync(at("inputs", idOf(index)), JSON.stringify({ ...list.plugins[0], prevResult: result }));
    return creators.map((type) => `${at("bin", type)}\n${at("inputs", idOf(index))}\n`).join("");
  });
  writeFileSync(at("calls"), calls.join(""));
  const options = ["--cache-dir", directory, "--config-dir", at("config"), "--cni-path", at("bin")];
  return { options, calls: at("calls") };
}

function idOf(index: number): string {
  return `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
}

// The namespace is that of preflight itself: every process has one.
const sandbox = "/proc/self/ns/net";

function resultOf(index: number): object {
  const interfaces = creators.map((_, position) => ({ name: `eth${position}`, mac: "02:00:00:00:00:01", sandbox }));
  const ips = interfaces.map((_, position) => {
    return { address: `172.${16 + position}.${index >> 8}.${index & 255}/16`, interface: position };
  });
  return { cniVersion: "1.0.0", interfaces, ips };
}

function cached(index: number, result: object): object {
  const config = Buffer.from(JSON.stringify(list)).toString("base64");
  const cniArgs = [["NOMAD_JOB_ID", "web"]];
  const names = { networkName: "zone", containerId: idOf(index), ifName: "eth0", netns: sandbox };
  return { kind: "cniCacheV1", ...names, config, cniArgs, result };
}
