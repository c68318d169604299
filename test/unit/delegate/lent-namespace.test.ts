import { expect, test } from "vitest";
import { giveAddressesBack, inLentNamespace } from "../../../shared/delegate/lent-namespace.ts";
import type { Host } from "../../../shared/host/host.ts";

/** Runs an action in a lent namespace. `ip` fails for the commands that begin so. */
function lend(ifName: string, failing?: string, names: readonly string[] = [], processes = ["1/stat"]) {
  const listDirectory = (path: string) => (path === "/run/netns" ? names : []);
  const stat = (path: string) => (processes.some((one) => path === `/proc/${one}`) ? {} : undefined);
  const commands: string[] = [];
  const ip = (args: readonly string[], text: string) => {
    commands.push([args.join(" "), text].filter(Boolean).join("\n"));
    return failing !== undefined && args.join(" ").startsWith(failing) ? undefined : "";
  };
  const lost = { ifName, addresses: ["10.1.0.2/24", "fd00::2/64"] };
  const used: (string | undefined)[] = [];
  const act = (action: (netns: string | undefined) => void) =>
    inLentNamespace({ ip, listDirectory, stat, pid: 12, now: () => 34 } as unknown as Host, lost, action);
  return { commands, used, act };
}

const name = "cni-wrappers-12-34";
const removed = `netns delete ${name}`;

test.each([
  ["eth1", "lent"],
  ["lent", "lent1"],
])("an interface %s with its addresses is in it, and it is removed afterwards", (ifName, peer) => {
  const { commands, used, act } = lend(ifName);
  act((netns) => used.push(netns));
  expect(used).toEqual([`/run/netns/${name}`]);
  const link = `link add name ${ifName} type veth peer name ${peer}`;
  const addresses = ["10.1.0.2/24", "fd00::2/64"].map((address) => `address add ${address} dev ${ifName}`);
  expect(commands).toEqual([
    `netns add ${name}`,
    `-netns ${name} -batch -\n${[link, ...addresses].join("\n")}\n`,
    removed,
  ]);
});

test.each([
  ["one of a process that is gone", ["1/stat", "12"], ["netns delete cni-wrappers-7-34"]],
  ["none of a process that runs", ["1/stat", "7", "12"], []],
  ["none if the first process cannot be seen: others may be hidden, too", ["12"], []],
])("what a killed process had lent is removed: %s", (_, processes, deleted) => {
  const others = ["c1", "xcni-wrappers-8-1", "cni-wrappers-8-1x", "cni-wrappers-try-8", "cni-wrappers--8"];
  const { commands, act } = lend("eth1", undefined, [...others, "cni-wrappers-7-34"], processes);
  act(() => {});
  expect(commands.slice(0, commands.indexOf(`netns add ${name}`))).toEqual(deleted);
});

test("if the interface cannot be made, none is used, and it is removed", () => {
  const { commands, used, act } = lend("eth1", "-netns");
  act((netns) => used.push(netns));
  expect(used).toEqual([undefined]);
  expect(commands).toContain(removed);
});

test("it is removed if the action throws", () => {
  const { commands, act } = lend("eth1");
  const fail = () => {
    throw new Error("killed");
  };
  expect(() => act(fail)).toThrow("killed");
  expect(commands).toContain(removed);
});

test("an interface without addresses gets none back, and ip(8) does not run", () => {
  const calls: unknown[] = [];
  const host = { ip: (...call: unknown[]) => void calls.push(call) } as unknown as Host;
  giveAddressesBack(host, { ifName: "eth1", addresses: [] }, "/run/netns/blue");
  expect(calls).toEqual([]);
  giveAddressesBack(host, { ifName: "eth1", addresses: ["10.1.0.2/24", "fd00::2/64"] }, "/run/netns/blue");
  const commands = "address replace 10.1.0.2/24 dev eth1\naddress replace fd00::2/64 dev eth1\n";
  expect(calls).toEqual([[["-force", "-batch", "-"], commands, "/run/netns/blue"]]);
});
