import { expect, test } from "vitest";
import { readRouting } from "../../../shared/delegate/run-delegate.ts";
import type { Host } from "../../../shared/host/host.ts";

test("the routes, rules and addresses of a namespace are those that ip(8) shows of IPv4 and IPv6, or unknown", () => {
  const read = (failing?: string) => {
    const calls: unknown[] = [];
    const ip = (...call: unknown[]) => {
      calls.push(call);
      return (call[0] as readonly string[]).includes(failing ?? "none") ? undefined : "[]\n[]\n[]\n";
    };
    return { routing: readRouting({ ip } as unknown as Host, "/run/netns/blue"), calls };
  };
  const shows = "route show table all\nrule show\naddress show\n";
  const { routing, calls } = read();
  expect(calls).toEqual(["-4", "-6"].map((family) => [["-json", family, "-batch", "-"], shows, "/run/netns/blue"]));
  expect(routing).toBeDefined();
  expect([read("-4").routing, read("-6").routing]).toEqual([undefined, undefined]);
});
