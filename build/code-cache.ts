import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { firstError, root } from "./publish.ts";

/** A CHECK of the second of two interfaces: what most calls run is run by it. */
const prevResult = {
  cniVersion: "1.0.0",
  interfaces: [
    { name: "eth0", mac: "6a:76:84:09:1e:b8", sandbox: "/proc/self/ns/net" },
    { name: "cni0", mac: "9e:48:8f:63:fa:d7" },
    { name: "veth784b9975", mac: "f6:f3:c5:bd:14:5a" },
    { name: "eth1", mac: "82:73:39:6b:b2:49", sandbox: "/proc/self/ns/net" },
  ],
  ips: [
    { address: "172.16.5.2/24", gateway: "172.16.5.1", interface: 0 },
    { address: "172.26.64.2/20", gateway: "172.26.64.1", interface: 3 },
  ],
  routes: [{ dst: "10.99.0.0/16", gw: "172.26.64.1" }],
};
const configuration = {
  cniVersion: "1.0.0",
  name: "warm-up",
  type: "bridge-wrapper",
  // With its network given, nobody looks for a record on the host that builds.
  wrapper: { ifName: "eth1", network: "warm-up-eth1" },
  ipam: { type: "host-local", subnet: "172.26.64.0/20" },
  prevResult,
};

/**
 * Writes what V8 compiles of the script at `core` in the course of a CHECK to the file `output`, by the Node at `node`. Works in
 * `directory`; throws if V8 would not take what it has made.
 */
export function writeCodeCache(node: string, core: string, output: string, directory: string): void {
  const plugins = join(directory, "plugins");
  mkdirSync(plugins);
  // Any executable will do that is not Node: it is looked at, and not run.
  symlinkSync("/bin/sh", join(plugins, "bridge"));
  const variables = {
    CNI_COMMAND: "CHECK",
    CNI_CONTAINERID: "warm-up",
    CNI_NETNS: "/proc/self/ns/net",
    CNI_IFNAME: "eth0",
    CNI_ARGS: "IgnoreUnknown=true",
    CNI_PATH: plugins,
  };
  const call = { argv0: "bridge-wrapper", env: variables, input: JSON.stringify(configuration) };
  const script = join(root, "build/warm-up.ts");
  // The same core gives the same bytes: the seed of V8's hash tables shows in what it writes, and a random one is the rule; so
  // does how far the thread has come that compiles baseline code.
  run(node, ["--random-seed=1", "--no-concurrent-sparkplug", script, core, output], call);
  // In the environment of a wrapper, more or less: NODE_OPTIONS of whoever builds do not count.
  run(node, [script, core, output, "verify"], { env: {} });
}

function run(node: string, args: readonly string[], options: object): void {
  const ended = spawnSync(node, args, { encoding: "utf8", ...options });
  if (ended.status !== 0) throw new Error(`the code cache cannot be made: ${firstError(ended)}`);
}
