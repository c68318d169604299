import { expect, test } from "vitest";
import { proposalFor } from "../../../../cli/adopt/proposal.ts";
import { textFor } from "../../../../cli/adopt/report.ts";
import type { CachedAttachment } from "../../../../cli/live/cached-results.ts";
import type { Verdict } from "../../../../cli/live/check.ts";
import { workloadOf } from "../../../../cli/live/workload.ts";

const attachment: CachedAttachment = {
  ...{ file: "/c", text: "", network: "zone", containerId: "c1", runtimeIfName: "eth0", netns: "/run/netns/c1" },
  ...{ list: undefined, args: [], capabilityArgs: {}, result: undefined },
};

test.each([
  [{ is: "passes" }, "1 pass CHECK, 0 can be adopted, 0 cannot be helped\n"],
  [{ is: "gone" }, "0 pass CHECK, 0 can be adopted, 0 cannot be helped, 1 are not checked\n"],
  [{ is: "unchecked", why: "x" }, "0 pass CHECK, 0 can be adopted, 0 cannot be helped, 1 are not checked\n"],
] satisfies [Verdict, string][])("%j is counted as what it is", async (verdict, words) => {
  const evidence = { network: undefined, readLinks: async () => undefined, isClaimed: () => false };
  const proposal = await proposalFor(attachment, { ...evidence, check: async () => verdict });
  expect(
    textFor(
      [{ attachment, workload: workloadOf(attachment), proposal }],
      { isWritten: false, where: "looked at: there" },
      { hasColors: false },
    ),
  ).toBe(`looked at: there\n\n${words}`);
});
