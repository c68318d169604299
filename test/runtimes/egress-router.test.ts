import { describe, expect, test } from "vitest";
import { expectFailure, expectNothingLeft } from "../e2e/calls.ts";
import { wrapped, zone } from "../e2e/support.ts";
import { expectExit0, front, isGiven, withPlugin } from "./other-plugin.ts";

// egress-router writes its log to stderr.
describe.skipIf(!isGiven("egress-router"))("egress-router after a bridge", () => {
  const router = {
    type: "egress-router",
    ...{ interfaceType: "macvlan", interfaceArgs: { master: "uplink0" } },
    ip: { addresses: ["172.16.5.9/24"], gateway: "172.16.5.1", destinations: ["80 tcp 10.9.9.9 8080"] },
  };
  const wrappedRouter = { ...router, type: "egress-router-wrapper", wrapper: { role: "creator", ifName: "eth1" } };
  // It knows no later version.
  const list = zone("0.4.0", wrapped(front), wrappedRouter);

  test("wrapped for eth1: the default route and its rules lead there, CHECK passes, and DEL leaves nothing", async () => {
    await using lab = await withPlugin("egress-router");
    const container = await lab.addContainer("c1");
    expectExit0(await lab.goCni.add(list, container));
    expect(await lab.kernel.allAddresses(container)).toEqual({ eth0: ["172.30.0.2/20"], eth1: ["172.16.5.9/24"] });
    expect(await lab.kernel.routes(container)).toContain("default via 172.16.5.1 dev eth1");
    const rules = await lab.run("ip", ["netns", "exec", container.name, "nft", "list", "ruleset"]);
    expect(rules).toMatch(/iif "eth0" tcp dport 80 dnat to 10\.9\.9\.9:8080[\s\S]*oif "eth1" snat to 172\.16\.5\.9/);
    expectExit0(await lab.goCni.check(list, container));
    // Its own CHECK looks at nothing. With the address, the default route goes, which bridge's CHECK misses.
    await lab.ip(container, "address", "delete", "172.16.5.9/24", "dev", "eth1");
    expectFailure(await lab.goCni.check(list, container), /Expected Route {Dst:{IP:0\.0\.0\.0 .* not found/);
    expectExit0(await lab.goCni.del(list, container));
    expect(await lab.kernel.linkNames(container)).toEqual(["lo"]);
    await expectNothingLeft(lab, ["front0"]);
  });

  test.each([
    [
      "wrapped",
      zone("0.4.0", wrapped(front), { ...wrappedRouter, interfaceArgs: { master: "none" } }),
      /is not a JSON/,
    ],
    ["plain", zone("0.4.0", front, router), /unexpected end of JSON input/],
  ])(
    "%s: its ADD that failed exits with 0 and without a word, and the list's ADD fails",
    async (_, failing, message) => {
      await using lab = await withPlugin("egress-router");
      const container = await lab.addContainer("c1");
      expectFailure(await lab.goCni.add(failing, container), message);
      expectExit0(await lab.goCni.del(failing, container));
      await expectNothingLeft(lab, ["front0"]);
    },
  );
});
