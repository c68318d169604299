import { describe, expect, test } from "vitest";
import { listOf } from "../../../../cli/lists/list.ts";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import { attachmentOf, type CachedAttachment } from "../../../../cli/live/cached-results.ts";
import { callsIn } from "../../../../cli/live/chain.ts";
import { withoutPlugins } from "../../../../cli/live/check.ts";
import { inVersion, notSent } from "../../../../cli/live/libcni.ts";

const attachment: CachedAttachment = {
  file: "/var/lib/cni/results/zone-c1-eth0",
  text: "",
  network: "zone",
  containerId: "c1",
  runtimeIfName: "eth0",
  netns: "/run/netns/c1",
  list: undefined,
  args: [
    ["IgnoreUnknown", "true"],
    ["NOMAD_JOB_ID", "web"],
  ],
  capabilityArgs: { portMappings: [{ hostPort: 8080, containerPort: 80 }], bandwidth: { ingressRate: 1 } },
  result: { cniVersion: "1.0.0", ips: [{ address: "172.16.5.2/24", interface: 0 }] },
};

const text = JSON.stringify({
  cniVersion: "1.0.0",
  name: "zone",
  plugins: [
    { type: "bridge-wrapper", bridge: "b0", wrapper: { recover: "never", log: { file: "/var/log/x" } } },
    { type: "portmap", capabilities: { portMappings: true, bandwidth: false } },
  ],
});

test("CHECK runs the plugins in order, with what libcni adds to each, and without a log", () => {
  const environment = {
    CNI_COMMAND: "CHECK",
    CNI_CONTAINERID: "c1",
    CNI_NETNS: "/run/netns/c1",
    CNI_IFNAME: "eth0",
    CNI_ARGS: "IgnoreUnknown=true;NOMAD_JOB_ID=web",
    CNI_PATH: "/one:/two",
  };
  const prevResult = { cniVersion: "1.0.0", ips: [{ address: "172.16.5.2/24", interface: 0 }] };
  const common = { name: "zone", cniVersion: "1.0.0", prevResult };
  const list = listOf(parseListFile("zone.conflist", text));
  const { result } = attachment;
  const calls = list && callsIn({ list, verb: "CHECK", attachment: attachmentOf(attachment, "/one:/two"), result });
  const made: unknown[] = [];
  for (let next = calls?.next(); next && !next.done; next = calls?.next({ isPassed: true })) {
    const [{ type }, call] = next.value;
    made.push({ type, ...call });
  }
  expect(made).toEqual([
    {
      type: "bridge-wrapper",
      environment,
      stdin: { type: "bridge-wrapper", bridge: "b0", wrapper: { recover: "never" }, ...common },
    },
    {
      type: "portmap",
      environment,
      stdin: {
        type: "portmap",
        capabilities: { portMappings: true, bandwidth: false },
        ...common,
        runtimeConfig: { portMappings: [{ hostPort: 8080, containerPort: 80 }] },
      },
    },
  ]);
});

describe("inVersion", () => {
  test("before 1.0.0, each address has its family", () => {
    const result = { ips: [{ address: "172.16.5.2/24" }, { address: "fd00::2/64" }] };
    const older = {
      cniVersion: "0.4.0",
      ips: [
        { version: "4", address: "172.16.5.2/24" },
        { version: "6", address: "fd00::2/64" },
      ],
    };
    expect(inVersion(result, "0.4.0")).toEqual(older);
    expect(inVersion(older, "1.1.0")).toEqual({ cniVersion: "1.1.0", ...result });
  });

  test("a result without addresses stays without", () => {
    expect(inVersion({ interfaces: [] }, "0.4.0")).toEqual({ cniVersion: "0.4.0", interfaces: [] });
  });
});

test.each([true, "true", "TRUE"])("libcni asks no plugin for CHECK with disableCheck %j", (disableCheck) => {
  const list = listOf(parseListFile("zone.conflist", JSON.stringify({ ...JSON.parse(text), disableCheck })));
  expect(list && withoutPlugins(list)).toEqual({ is: "unchecked", why: "the list has disableCheck" });
  expect(list && notSent(list, "CHECK")).toBe('the list says "disableCheck": true');
});
