// Runs in the second kernel: `node test/kernel/inside-power.ts RECOVER CUT`. First it finishes what the last boot did not:
// RECOVER is ADD or DEL, or "-". Then it attaches a container, and for a moment of DEL it detaches it. At the moment CUT
// ("ADD before 1 bridge", or "-") it waits until the power is pulled. Prints the problems as JSON.
import { mkdirSync } from "node:fs";
import process from "node:process";
import { Lab, type Outcome } from "../support/lab.ts";
import { leftOfContainers } from "../support/leftovers.ts";
import type { NetworkList } from "../support/runtime.ts";
import { sharedFolder } from "./second-kernel.ts";

const shims = "/opt/cni/shims";
const plugins = ["macvlan", "bridge", "portmap"];
const ports = [{ hostPort: 25080, containerPort: 80, protocol: "tcp" as const }];
const options = { ports, pluginPath: shims };

const list: NetworkList = {
  cniVersion: "1.1.0",
  name: "zone",
  plugins: [
    { type: "macvlan-wrapper", master: "uplink0", ipam: leased("172.16.5.0/24") },
    {
      type: "bridge-wrapper",
      wrapper: { ifName: "eth1" },
      bridge: "disc0",
      isGateway: true,
      ipMasq: true,
      ipam: leased("172.26.64.0/20"),
    },
    { type: "portmap-wrapper", wrapper: { ifName: "eth1" }, capabilities: { portMappings: true }, snat: true },
  ],
};

// Counts a plugin's calls of one verb, and waits at the moment. Everything else goes to the plugin.
const shim = `#!/bin/sh
name=\${0##*/}
read -r verb when number plugin </run/lab/moment
[ "$verb $plugin" = "$CNI_COMMAND $name" ] || exec "/opt/cni/bin/$name"
echo >>/run/lab/calls
[ "$(wc -l </run/lab/calls)" -eq "$number" ] || exec "/opt/cni/bin/$name"
wait_for_the_cut() { : >${sharedFolder}/reached; exec sleep 1000; }
[ "$when" = after ] || wait_for_the_cut
"/opt/cni/bin/$name" >/run/lab/answer
wait_for_the_cut
`;

const [recover = "-", cut = "-"] = process.argv.slice(2);
mkdirSync(`${sharedFolder}/disk`, { recursive: true });
const lab = await Lab.start({ plugins: "1.9.1", disk: `${sharedFolder}/disk` });
await installShims();
const container = await lab.addContainer("c1");
process.stdout.write(JSON.stringify({ problems: await recovered() }));
if (cut !== "-") await runUntil(cut);
await lab[Symbol.asyncDispose]();

async function installShims(): Promise<void> {
  await lab.run("mkdir", [shims]);
  await lab.writeFile(`${shims}/shim`, shim);
  await lab.writeFile("/run/lab/moment", "-\n");
  await lab.run("chmod", ["+x", `${shims}/shim`]);
  for (const name of ["host-local", ...plugins, ...plugins.map((each) => `${each}-wrapper`)]) {
    await lab.run("ln", ["-s", "shim", `${shims}/${name}`]);
  }
}

/** Finishes an attachment of the last boot. Returns what is wrong or left. */
async function recovered(): Promise<string[]> {
  if (recover === "-") return [];
  const problems: string[] = [];
  const note = (what: string, { exitCode, stderr }: Outcome) => {
    if (exitCode !== 0) problems.push(`${what}: ${stderr}`);
  };
  if (recover === "ADD") {
    note("ADD", await lab.goCni.add(list, container, options));
    note("CHECK", await lab.goCni.check(list, container, options));
    for (const [name, subnet] of [
      ["eth0", "172.16.5."],
      ["eth1", "172.26.64."],
    ] as const) {
      const [address = "none", ...more] = await lab.kernel.addresses(container, name);
      if (!address.startsWith(subnet) || more.length > 0) problems.push(`${name} has ${[address, ...more]}`);
      await lab.ip(container, "address", "del", address, "dev", name);
      const { exitCode } = await lab.goCni.check(list, container, options);
      if (exitCode === 0) problems.push(`CHECK does not see that ${name} lost its address`);
      await lab.ip(container, "address", "add", address, "dev", name);
    }
    note("DEL", await lab.goCni.del(list, container, options));
  } else {
    // After a reboot the namespace is gone.
    note("DEL", await lab.goCni.del(list, { name: "c1", netns: "" }, options));
    note("GC", await lab.goCni.gc(list, []));
  }
  const left = await leftOfContainers(lab, ["disc0"]);
  return [...problems, ...left.map((each) => `left: ${each}`)];
}

async function runUntil(moment: string): Promise<void> {
  const isOfDel = moment.startsWith("DEL");
  if (!isOfDel) await lab.writeFile("/run/lab/moment", `${moment}\n`);
  const added = await lab.goCni.add(list, container, options);
  if (isOfDel && added.exitCode === 0) {
    await lab.writeFile("/run/lab/moment", `${moment}\n`);
    await lab.goCni.del(list, container, options);
  }
  throw new Error(`the moment did not come: ${moment} ${added.stderr}`);
}

function leased(subnet: string): object {
  return { type: "host-local", ranges: [[{ subnet }]] };
}
