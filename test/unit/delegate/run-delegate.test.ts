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
  const call = (...args: readonly string[]) => [["-json", ...args, "-batch", "-"], shows, "/run/netns/blue"];
  expect(calls).toEqual([call("-4", "-N"), call("-6", "-N")]);
  expect(routing).toBeDefined();
  // An older ip(8) has no -N.
  const older = read("-N");
  expect(older.calls).toEqual([call("-4", "-N"), call("-4"), call("-6", "-N"), call("-6")]);
  expect(older.routing).toBeDefined();
  expect([read("-4").routing, read("-6").routing]).toEqual([undefined, undefined]);
});
