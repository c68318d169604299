import { expect, test } from "vitest";
import { leftOf, leftWords } from "../../../../cli/explain/list-run.ts";
import { Machine } from "../../../../cli/model/machine.ts";

/** A host on which a container has left one thing of each kind. */
function littered(container: string): Machine {
  const machine = new Machine();
  machine.maker = container;
  machine.writeFile("/var/lib/cni/networks/zone/10.1.0.2", container);
  machine.writeFile("/var/lib/cni/networks/zone/fd00::2", container);
  machine.writeFile("/var/lib/cni/networks/zone/last_reserved_ip.0", "10.1.0.2");
  machine.append("POSTROUTING", "-s 10.1.0.2 -j CNI-1");
  machine.append("CNI-1", "-d 10.1.0.2/24 -j ACCEPT");
  machine.append("CNI-FORWARD", "-s 10.1.0.2/32 -j ACCEPT");
  machine.append("CNI-FORWARD", "-d 10.1.0.2/32 -j ACCEPT");
  machine.append("CNI-HOSTPORT-DNAT", "-p tcp --dport 20080 -j CNI-DN-1");
  machine.append("nft hostports", "-p udp --dport 20053 -j DNAT 10.1.0.2:53");
  machine.append("nft hostports", "-p udp --dport 20053 -j DNAT [fd00::2]:53");
  machine.addDevice("bwp12345678");
  // tuning's file has no maker.
  machine.writeFile(`/run/cni/tuning/${container}_eth0.json`, "{}", true);
  return machine;
}

test("what a container leaves has a kind and a name, once", () => {
  const machine = littered("c1");
  const left = leftOf(machine, "c1");
  expect(left).toEqual([
    { kind: "lease", name: "10.1.0.2" },
    { kind: "lease", name: "fd00::2" },
    { kind: "file", name: "/var/lib/cni/networks/zone/last_reserved_ip.0" },
    { kind: "interface", name: "bwp12345678" },
    { kind: "masquerading", name: "10.1.0.2" },
    { kind: "firewall rule", name: "10.1.0.2" },
    { kind: "port", name: "20080/tcp" },
    { kind: "port", name: "20053/udp" },
    { kind: "file", name: "/run/cni/tuning/c1_eth0.json" },
  ]);
  expect(leftOf(machine, "c2")).toEqual([]);
  expect(leftWords(left)).toBe(
    [
      "the lease 10.1.0.2",
      "the lease fd00::2",
      "the file /var/lib/cni/networks/zone/last_reserved_ip.0",
      "the interface bwp12345678",
      "the rules that masquerade 10.1.0.2",
      "the firewall's rules for 10.1.0.2",
      "the rules of the port 20080/tcp",
      "the rules of the port 20053/udp",
      "the file /run/cni/tuning/c1_eth0.json",
    ].join(", "),
  );
});
