import { styleText } from "node:util";
import { newestPlugins } from "../../support/go.ts";
import { Lab, type Outcome } from "../../support/lab.ts";
import type { NetworkList } from "../../support/runtime.ts";

type Side = "plain" | "wrapped";

const lists: Record<Side, NetworkList> = {
  plain: list("macvlan", "bridge", {}),
  wrapped: list("macvlan-wrapper", "bridge-wrapper", { wrapper: { ifName: "eth1" } }),
};

console.log(
  `One list, two interfaces: macvlan (eth0), bridge (eth1). Reference plugins ${newestPlugins} through go-cni.`,
);
console.log("Everything runs in private namespaces, and the demo removes them at its end.\n");
const lab = { plain: await Lab.start(), wrapped: await Lab.start() };
const container = { plain: await lab.plain.addContainer("task"), wrapped: await lab.wrapped.addContainer("task") };

const added = {
  plain: await step("plain", "ADD", lab.plain.goCni.add(lists.plain, container.plain)),
  wrapped: await step("wrapped", "ADD", lab.wrapped.goCni.add(lists.wrapped, container.wrapped)),
};
for (const side of ["plain", "wrapped"] as const) tell(side, `interfaces: ${await interfacesIn(side)}`);
const checked = {
  // The plain list never gets two interfaces. So plain plugins check the wrapped container, as a restarting client
  // would.
  plain: await step("plain", "CHECK of the wrapped container", lab.wrapped.goCni.check(lists.plain, container.wrapped)),
  wrapped: await step("wrapped", "CHECK of two interfaces", lab.wrapped.goCni.check(lists.wrapped, container.wrapped)),
};
await lab.wrapped.ip(container.wrapped, "address", "delete", "172.26.64.2/20", "dev", "eth1");
const faulty = await step(
  "wrapped",
  "CHECK after eth1 lost its address, as it must,",
  lab.wrapped.goCni.check(lists.wrapped, container.wrapped),
);
const deleted = await step("wrapped", "DEL", lab.wrapped.goCni.del(lists.wrapped, container.wrapped));
const left = { plain: await leftIn("plain"), wrapped: await leftIn("wrapped") };
for (const side of ["plain", "wrapped"] as const) tell(side, `left behind: ${left[side]}`);

const asPromised = !added.plain && !checked.plain && !faulty && added.wrapped && checked.wrapped && deleted;
if (!asPromised || left.wrapped !== "nothing") {
  console.error("The demo failed: not every call ended as expected.");
  process.exitCode = 1;
}
await Promise.all(Object.values(lab).map((one) => one[Symbol.asyncDispose]()));

function list(first: string, second: string, wrapper: object): NetworkList {
  const hostLocal = (subnet: string) => ({ type: "host-local", ranges: [[{ subnet }]] });
  const macvlan = { type: first, master: "uplink0", ipam: hostLocal("172.16.5.0/24") };
  const bridge = { type: second, ...wrapper, bridge: "disc0", isGateway: true, ipam: hostLocal("172.26.64.0/20") };
  return { cniVersion: "1.0.0", name: "zone", plugins: [macvlan, bridge] };
}

/** Prints the result of a verb. Returns true if it passed. */
async function step(side: Side, what: string, outcome: Promise<Outcome>): Promise<boolean> {
  const { exitCode, stderr } = await outcome;
  const passed = exitCode === 0;
  const end = passed
    ? styleText("green", "passes")
    : `${styleText("red", "fails")}: ${stderr.trim().replaceAll("\n", " ")}`;
  tell(side, `${what} ${end}`);
  return passed;
}

function tell(side: Side, words: string): void {
  console.log(`${side.padEnd(8)} ${words}`);
}

async function interfacesIn(side: Side): Promise<string> {
  const all = Object.entries(await lab[side].kernel.allAddresses(container[side]));
  return all.map(([name, addresses]) => [name, ...addresses].join(" ")).join(", ");
}

/** The interfaces and leases after the runtime's verbs. */
async function leftIn(side: Side): Promise<string> {
  const { kernel } = lab[side];
  const links = Object.keys(await kernel.allAddresses(container[side]));
  const leases = (await kernel.leases()).map((lease) => `lease ${lease}`);
  return [...links, ...leases].join(", ") || "nothing";
}
