import { expect, test } from "vitest";
import { isClaimed } from "../../../../cli/adopt/evidence.ts";
import { proposalFor } from "../../../../cli/adopt/proposal.ts";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import { isAttachment, parseCachedResult } from "../../../../cli/live/cached-results.ts";
import { networkIn } from "../../../../cli/live/networks.ts";

function attachmentTo(networkName: string, ifName: string, netns = "/run/netns/c1") {
  const result = { cniVersion: "1.0.0", interfaces: [{ name: ifName, sandbox: netns }] };
  const entry = { kind: "cniCacheV1", networkName, containerId: "c1", ifName, netns, result };
  const parsed = parseCachedResult(`/results/${networkName}-c1-${ifName}`, JSON.stringify(entry));
  if (!isAttachment(parsed)) throw new Error("the fixture is no attachment");
  return parsed;
}

const own = attachmentTo("zone", "eth0");
const other = attachmentTo("storage", "eth1", "/var/run/netns/c1");

test("adopt does not add another attachment's interface to a result", async () => {
  const list = { cniVersion: "1.0.0", name: "zone", plugins: [{ type: "macvlan" }, { type: "macvlan-wrapper" }] };
  Object.assign(list.plugins[1] ?? {}, { wrapper: { ifName: "eth1" } });
  const proposal = await proposalFor(own, {
    network: networkIn(parseListFile("zone.conflist", JSON.stringify(list))),
    readLinks: async () => ({ inside: [{ ifindex: 3, ifname: "eth1" }], host: [], hostId: "0" }),
    isClaimed: (name) => isClaimed(name, own, [own, other]),
    check: async ({ result }) =>
      result?.interfaces?.length === 2 ? { is: "passes" } : { is: "fails", error: "eth1 is missing" },
  });
  expect(proposal).toEqual({ is: "lost", error: "eth1 is missing" });
});
