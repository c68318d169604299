import { expect, test } from "vitest";
import { withoutNames } from "../../../../cli/live/alike.ts";
import type { CachedAttachment } from "../../../../cli/live/cached-results.ts";
import { workloadOf } from "../../../../cli/live/workload.ts";
import { cachedAttachment } from "../../support/cached-results.ts";

const uuid = "5c1f8a02-66f8-0b55-58bd-a6e3a41b14fc";
const hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

const attachment = (containerId: string, netns: string, args: Record<string, string> = {}) =>
  cachedAttachment({ containerId, netns, args: Object.entries(args) });

const ofKubernetes = { K8S_POD_NAMESPACE: "kube", K8S_POD_NAME: "dns" };
const ofPodman = { IgnoreUnknown: "1", K8S_POD_NAME: "db" };
const ofNerdctl = { NERDCTL_CNI_DHCP_HOSTNAME: "x" };

test.each<[CachedAttachment, string, string]>([
  [attachment(uuid, "/n", { NOMAD_JOB_ID: "web", NOMAD_GROUP_NAME: "api" }), "Nomad", "web/api 5c1f8a02"],
  [attachment(uuid, `/var/run/netns/${uuid}`), "Nomad", "5c1f8a02"],
  [attachment(uuid, "/run/netns/other"), "unknown", "5c1f8a02-66f"],
  [attachment(hash, "/run/netns/cni-1", ofKubernetes), "Kubernetes", "kube/dns 01234567"],
  [attachment(hash, "/run/netns/netns-1", ofPodman), "podman", "podman db 0123456789ab"],
  [attachment(`default-${hash}`, "/proc/7/ns/net", ofNerdctl), "nerdctl", "nerdctl default/0123456789ab"],
  [attachment("default-web", "/proc/7/ns/net"), "containerd", "containerd default-web"],
  [attachment("cnitool-0a1b2c3d4e5f", "/run/netns/c1"), "unknown", "cnitool-0a1b"],
])("%j is a workload of %s", (one, runtime, name) => {
  expect(workloadOf(one)).toEqual({ runtime, name });
});

test("a job's name stays in its line, whether the agent or CNI_ARGS say it", () => {
  const [job, group] = ["web\nzone c1 passes", "api\r"];
  const named = attachment(uuid, "/n", { NOMAD_JOB_ID: job, NOMAD_GROUP_NAME: group });
  expect(workloadOf(named).name).toBe("web\\nzone c1 passes/api\\r 5c1f8a02");
  expect(workloadOf(named, { job, group, tasks: ["one\n"] }).name).toBe(
    "web\\nzone c1 passes/api\\r (one\\n) 5c1f8a02",
  );
});

const id = "0b6f8c1e-2d3a-4b5c-8d7e-9f0a1b2c3d4e";

test.each([
  [`container ${id} of ${"ab".repeat(32)}`, "container <id> of <id>"],
  ["MAC 02:00:00:00:00:01 is missing", "MAC <MAC> is missing"],
  ["no 10.1.0.2/24, and no 10.1.0.3", "no <address>, and no <address>"],
  ["no fd00:5::2/64, and no fe80::1", "no <address>, and no <address>"],
  [
    "veth created for bridge disc0, vethd0f1a2b3, was not found",
    "veth created for bridge disc0, <veth>, was not found",
  ],
  ["eth1 of zone 12:30 is as it was", "eth1 of zone 12:30 is as it was"],
])("what belongs to one container is left out of %j", (reason, expected) => {
  expect(withoutNames(reason)).toBe(expected);
});
