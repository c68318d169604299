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

test.each([
  ["another attachment's interface", "macvlan-wrapper", [own, other], true, "eth1 is missing"],
  ["a chained plugin's interface", "tuning-wrapper", [own], true, "eth1 is missing"],
  ["an interface with which CHECK fails, too", "macvlan-wrapper", [own], false, "eth1 is missing"],
])("adopt does not add %s to a result", async (_, type, all, isEnough, error) => {
  const plugins = [{ type: "macvlan" }, { type, wrapper: { ifName: "eth1" } }];
  const proposal = await proposalFor(own, {
    network: networkIn(parseListFile("zone.conflist", JSON.stringify({ cniVersion: "1.0.0", name: "zone", plugins }))),
    readLinks: async () => ({ inside: [{ ifindex: 3, ifname: "eth1" }], host: [], hostId: "0" }),
    isClaimed: (name) => isClaimed(name, own, all),
    check: async ({ result }) =>
      isEnough && result?.interfaces?.length === 2 ? { is: "passes" } : { is: "fails", error },
  });
  expect(proposal).toEqual({ is: "lost", error });
});
