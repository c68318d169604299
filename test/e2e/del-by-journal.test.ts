import type { Container, Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { leftovers } from "../support/leftovers.ts";
import type { NetworkList } from "../support/runtime.ts";
import { attached, expectNothingLeft, expectPassed, expectSound } from "./calls.ts";
import { bridge, macvlan, wrapped, zone } from "./support.ts";

// Somebody changed the list between ADD and DEL. The journal says what was made.

/** The list with this in place of the second creator's block. */
function listWith(wrapper: unknown, cniVersion = "1.0.0"): NetworkList {
  return zone(cniVersion, wrapped(macvlan), { ...wrapped(bridge), wrapper });
}

const before = listWith({ ifName: "eth1" });

/** The blocks of the second creator at DEL. */
const blocks: Readonly<Record<string, unknown>> = {
  "another ifName": { ifName: "eth2" },
  "no ifName": {},
  "an over-long ifName": { ifName: "an-interface-of-the-disc" },
  "an ifName that is a number": { ifName: 1 },
  "another network": { ifName: "eth1", network: "disc" },
  "the other role": { ifName: "eth1", role: "meta" },
  "a misspelt delegate": { ifName: "eth1", delegate: "brigde" },
  "a delegate of another kind": { ifName: "eth1", delegate: "macvlan" },
  "a delegate that is the wrapper itself": { ifName: "eth1", delegate: "bridge-wrapper" },
  "a misspelt key": { ifname: "eth1" },
  "wrong recover, network and log": { ifName: "eth1", recover: "perhaps", network: 7, log: "debug" },
  "a block that is a word": "eth1",
  "a block that is null": null,
};

describe("DEL with another block than on ADD leaves nothing, and touches no other container", () => {
  test.for([
    ["is there", Object.keys(blocks)],
    ["is gone", ["another ifName", "an over-long ifName", "a misspelt delegate", "a block that is a word"]],
  ] as const)("the namespace %s", async ([state, titles], { lab }) => {
    const neighbour = await attached(lab, lab.goCni, before, "neighbour");
    const own = [await leftovers(lab), await lab.kernel.allAddresses(neighbour)];
    const left: Record<string, string[]> = {};
    for (const title of titles) {
      const container = await attached(lab, lab.goCni, before, `c${Object.keys(left).length}`);
      if (state === "is gone") await lab.deleteNamespace(container);
      const leaves = await whatDelLeaves(lab, container, listWith(blocks[title]), own[0] as string[]);
      // Leftovers of this block must not count for the next one.
      if (leaves.length > 0) await lab.goCni.del(before, container);
      left[title] = leaves;
    }
    expect(left).toEqual(Object.fromEntries(titles.map((title) => [title, []])));
    // The kernel removes the interfaces of a deleted namespace when it has time.
    await expect.poll(() => leftovers(lab)).toEqual(own[0]);
    expect(await lab.kernel.allAddresses(neighbour)).toEqual(own[1]);
    await expectSound(lab, before, neighbour, ["disc0"]);
  });
});

test("GC after a change of ifName frees everything of a gone attachment, and nothing of a live one", async ({
  lab,
}) => {
  const [old, changed] = [listWith({ ifName: "eth1" }, "1.1.0"), listWith({ ifName: "eth2" }, "1.1.0")];
  const gone = [await attached(lab, lab.goCni, old, "c1"), await attached(lab, lab.goCni, old, "c2")];
  const live = await attached(lab, lab.goCni, old, "c3");
  const ofAnotherRuntime = await attached(lab, lab.goCni, old, "c4");
  const addresses = await Promise.all([live, ofAnotherRuntime].map((each) => lab.kernel.allAddresses(each)));
  for (const each of gone) await lab.deleteNamespace(each);
  // libcni runs DEL for the attachments in its cache. Another runtime's results are in another directory.
  await lab.run(
    "rm",
    ["c2", "c4"].map((name) => `/var/lib/cni/results/zone-${name}-eth0`),
  );
  expectPassed(await lab.goCni.gc(changed, [{ containerID: "c3", ifname: "eth0" }]));
  const kept = ["c3/zone:eth0", "c4/zone:eth0"];
  expect(await lab.kernel.journals()).toEqual(kept);
  expect(await Promise.all([live, ofAnotherRuntime].map((each) => lab.kernel.allAddresses(each)))).toEqual(addresses);
  const leases = ["zone/172.16.5.4", "zone/172.16.5.5", "zone-eth1/172.26.64.4", "zone-eth1/172.26.64.5"];
  expect(await lab.kernel.leases()).toEqual(leases);
  expectPassed(await lab.goCni.check(old, live));
  for (const each of [live, ofAnotherRuntime]) expectPassed(await lab.goCni.del(changed, each));
  await expectNothingLeft(lab, ["disc0"]);
});

/** The leftovers of a container after DEL with this list, and the error if DEL fails. */
async function whatDelLeaves(
  lab: Lab,
  container: Container,
  list: NetworkList,
  others: readonly string[],
): Promise<string[]> {
  const { exitCode, stderr } = await lab.goCni.del(list, container);
  const isThere = await lab.readdir("/run/netns").then((names) => names.includes(container.name));
  const links = isThere ? (await lab.kernel.linkNames(container)).filter((name) => name !== "lo") : [];
  // The kernel removes the host's end of an interface later.
  const left = (await leftovers(lab, ["disc0"])).filter((each) => !each.startsWith("link veth"));
  return [
    ...(exitCode === 0 ? [] : [`failed: ${stderr}`]),
    ...links.map((name) => `link ${name} in the container`),
    ...left.filter((each) => !others.includes(each)),
  ];
}
