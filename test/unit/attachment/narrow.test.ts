import { describe, expect, test } from "vitest";
import { findAttachment } from "../../../shared/attachment/attachments.ts";
import { narrowPrevResult } from "../../../shared/attachment/narrow.ts";
import type { CniResult } from "../../../shared/protocol/result.ts";
import { frozen } from "../support/frozen.ts";
import { blue } from "../support/requests.ts";

function narrowed(result: CniResult, ifName: string, { netns = blue, runtimeIfName = "eth0" } = {}): CniResult {
  const attachment = findAttachment(frozen(result), ifName, netns);
  if (attachment === undefined) throw new Error(`no ${ifName}`);
  return narrowPrevResult(result, attachment, { ifName, netns, runtimeIfName });
}

describe("routes", () => {
  const result = {
    interfaces: [
      { name: "eth0", sandbox: blue },
      { name: "eth1", sandbox: blue },
    ],
    ips: [
      { address: "10.0.0.2/24", interface: 0 },
      { address: "10.0.1.2/24", interface: 1 },
      { address: "fd00::2/64", interface: 1 },
    ],
  };

  test("a gateway in both subnets belongs to both", () => {
    const ips = [
      { address: "10.0.0.2/16", interface: 0 },
      { address: "10.0.1.2/24", interface: 1 },
    ];
    const routes = [{ dst: "0.0.0.0/0", gw: "10.0.1.1" }];
    expect(narrowed({ ...result, ips, routes }, "eth0").routes).toEqual(routes);
    expect(narrowed({ ...result, ips, routes }, "eth1").routes).toEqual(routes);
  });
});
