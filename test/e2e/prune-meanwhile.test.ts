import { Lab } from "../support/lab.ts";
import { expect, test } from "../support/lab-test.ts";
import type { NetworkList } from "../support/runtime.ts";
import { attached, expectPassed } from "./calls.ts";
import { firewall, hostLocal, portmap, wrapped, zone } from "./support.ts";

const front = { type: "bridge", bridge: "front0", isGateway: true, ipMasq: true, ipam: hostLocal("172.16.10.0/24") };
const ports = [{ hostPort: 8080, containerPort: 80, protocol: "tcp" }] as const;

// A plugin whose DEL waits for a file. libcni sorts the keys, so the type comes last.
const waiting = `#!/bin/sh
case $CNI_COMMAND in
  ADD) sed 's/.*"prevResult":\\(.*\\),"type":"waiting"}$/\\1/' ;;
  DEL) touch /run/lab/waits; until [ -e /run/lab/go ]; do sleep 0.05; done ;;
esac
`;

async function install(lab: Lab, list: NetworkList): Promise<void> {
  await lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(list));
  await lab.writeScript("/opt/cni/bin/waiting", waiting);
}

function prune(lab: Lab, env: Record<string, string> = {}) {
  return lab.call(Lab.command, ["prune", "--write"], { env });
}

async function during(lab: Lab, act: () => Promise<void>) {
  const pruning = prune(lab);
  await expect.poll(() => lab.readdir("/run/lab"), { timeout: 60_000 }).toContain("waits");
  await act();
  await lab.run("touch", ["/run/lab/go"]);
  return await pruning;
}

test.for([
  ["plain", front, "172.16.10.3"],
  // The wrapper asks for the address that the attachment had.
  ["wrapped", wrapped(front), "172.16.10.2"],
] as const)(
  "a container that comes back during its DEL keeps its lease and its ports: %s",
  async ([_, creator, address], { lab, container }) => {
    const list = zone(creator, portmap, { type: "waiting" });
    await install(lab, list);
    expectPassed({ ...(await lab.goCni.add(list, container, { ports })), stdout: "" });
    await lab.deleteNamespace(container);
    // host-local refuses a second address to a container.
    await lab.run("rm", ["/var/lib/cni/networks/zone/172.16.10.2"]);
    const pruned = await during(lab, async () => {
      await lab.addContainer("c1");
      expectPassed(await lab.goCni.add(list, container, { ports }));
    });
    expect(pruned).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("its container came back meanwhile") });
    expect(pruned.stdout).not.toMatch(/ pruned$/m);
    expectPassed(await lab.goCni.check(list, container, { ports }));
    expect(await lab.kernel.leases()).toEqual([`zone/${address}`]);
  },
);

test("an address that another container gets meanwhile keeps firewall's rules", async ({ lab }) => {
  const list = zone(front, firewall, { type: "waiting" });
  await install(lab, list);
  for (const name of ["a0", "a1"]) {
    const container = await attached(lab, lab.goCni, list, name);
    await lab.deleteNamespace(container);
  }
  await lab.run("rm", ["/var/lib/cni/networks/zone/172.16.10.3"]);
  const other = { ...list, plugins: [{ ...front, ipam: hostLocalAt("172.16.10.3") }, firewall] };
  const container = { name: "b0", netns: "/run/netns/b0" };
  await during(lab, async () => {
    await lab.addContainer("b0");
    expectPassed(await lab.goCni.add(other, container));
  });
  expect(await lab.kernel.addresses(container, "eth0")).toEqual(["172.16.10.3/24"]);
  expectPassed(await lab.goCni.check(other, container));
});

function hostLocalAt(address: string) {
  return { type: "host-local", ranges: [[{ subnet: "172.16.10.0/24", rangeStart: address, rangeEnd: address }]] };
}

async function loseContainer(lab: Lab): Promise<void> {
  const list = zone(front, firewall, portmap);
  await install(lab, list);
  const container = await attached(lab, lab.goCni, list, "c1", { ports });
  await lab.deleteNamespace(container);
}

test("with the PATH of cron, which has no sbin, no rule stays", async ({ lab }) => {
  await loseContainer(lab);
  expect(await prune(lab, { PATH: "/usr/bin:/bin" })).toMatchObject({ exitCode: 0, stderr: "" });
  expect((await lab.kernel.packetRules()).filter((rule) => /c1|172\.16\.10\.2/.test(rule))).toEqual([]);
});

test.for([".", "", "bin"])(
  "no program of the working directory is run if PATH begins with '%s'",
  async (entry, { lab }) => {
    await loseContainer(lab);
    // prune also looks into the namespaces of others.
    await lab.addContainer("c2");
    const decoy = "printf '#!/bin/sh\\necho $0 >>/run/lab/decoys\\nexit 1\\n' >";
    const names = "ip nft nsenter flock sh iptables-nft-save iptables-save iptables iptables-nft-restore";
    const make = `mkdir -p /run/lab/there/bin; cd /run/lab/there; for name in ${names}; do ${decoy}$name; ${decoy}bin/$name; done`;
    await lab.run("bash", ["-ec", `${make}; chmod +x * bin/*`]);
    const command = `cd /run/lab/there && PATH=${entry}:/usr/bin:/bin exec ${Lab.command} prune --write`;
    expect(await lab.call("bash", ["-c", command])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await lab.readdir("/run/lab")).not.toContain("decoys");
  },
);
