import type { MemoryFile } from "../../../../cli/host/memory.ts";
import type { CachedAttachment } from "../../../../cli/live/cached-results.ts";
import { parseCachedResult } from "../../../../cli/live/cached-results.ts";
import type { Survey } from "../../../../cli/prune/findings.ts";
import { type Known, knownsIn, leaseName, type Thing } from "../../../../cli/prune/known.ts";
import type { KernelState, Namespace } from "../../../../cli/prune/state.ts";
import type { Entry } from "../../../../shared/journal/journal.ts";
import { parseFoundJournal } from "../../../../shared/journal/lines.ts";
import { bootId } from "../../support/fake-host.ts";
import { journalFiles } from "../../support/journals.ts";

/** A result as libcni keeps it, for a container whose eth0 has an address. */
export function resultOf(containerId: string, address: string, more: object = {}): CachedAttachment {
  const netns = `/run/netns/${containerId}`;
  const text = JSON.stringify({
    kind: "cniCacheV1",
    containerId,
    networkName: "zone",
    ifName: "eth0",
    netns,
    config: Buffer.from('{"cniVersion":"1.0.0","name":"zone","plugins":[{"type":"bridge"}]}').toString("base64"),
    result: {
      cniVersion: "1.0.0",
      interfaces: [
        { name: "disc0", mac: "02:00:00:00:00:01" },
        { name: `veth${containerId}`, mac: "02:00:00:00:00:0B" },
        { name: "eth0", mac: `0A:00:00:00:00:${containerId.length.toString(16).padStart(2, "0")}`, sandbox: netns },
      ],
      ips: [{ address: `${address}/24`, interface: 2 }],
    },
    ...more,
  });
  const file = `/var/lib/cni/results/zone-${containerId}-eth0`;
  return parseCachedResult(file, text) as CachedAttachment;
}

/** The only attachment of these results and journals. */
export function onlyKnown(results: readonly CachedAttachment[], remembered: readonly MemoryFile[] = []): Known {
  const [known] = knownsIn(results, remembered);
  if (!known) throw new Error("there is no attachment");
  return known;
}

/** The attachment of such a result. */
export function knownOf(
  containerId: string,
  address: string,
  remembered: readonly MemoryFile[] = [],
  more = {},
): Known {
  return onlyKnown([resultOf(containerId, address, more)], remembered);
}

/** The journal with an entry, as `prune` finds it. */
export function rememberedOf(entry: Entry): MemoryFile {
  const [[file = "", text = ""] = []] = Object.entries(journalFiles(entry));
  const { network, containerId, runtimeIfName } = entry;
  return { file, text, network, containerId, runtimeIfName, journal: parseFoundJournal(file, text) };
}

/** A host on which only these paths are namespaces. */
export function hostWith(live: readonly string[], more: Partial<KernelState> = {}): KernelState {
  const namespaces = live.map((path): Namespace => ({ inode: 0, paths: [path], links: [] }));
  return {
    pathState: (path) => (live.includes(path) ? "live" : "gone"),
    namespaces,
    hostEnds: [],
    bootId,
    unreadable: [],
    ...more,
  };
}

/** A lease of host-local. */
export function leaseOf(containerId: string, address: string, more: Partial<Thing> = {}): Thing {
  const file = `/var/lib/cni/networks/zone/${address}`;
  return {
    kind: "lease",
    where: file,
    name: leaseName("zone", containerId, "eth0"),
    network: "zone",
    containerId,
    addresses: [address],
    removal: { by: "unlink", file, text: `${containerId}\r\neth0` },
    ...more,
  };
}

/** The rules of firewall for an address. */
export function forwardOf(address: string): Thing {
  return {
    kind: "rule",
    where: `iptables filter CNI-FORWARD ${address}`,
    name: `address:${address}`,
    addresses: [address],
    removal: { by: "iptables", restore: "iptables-restore", table: "filter", lines: [] },
  };
}

/** A survey with these parts. */
export function surveyWith(parts: Partial<Survey>): Survey {
  return {
    states: new Map(),
    namespaces: [],
    things: [],
    networks: new Map([["zone", "zone"]]),
    unreadable: [],
    problems: [],
    holdersOf: () => [],
    ...parts,
  };
}
