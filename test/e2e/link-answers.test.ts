import type { Container, Lab } from "../support/lab.ts";
import { expect, test } from "../support/lab-test.ts";
import { attached, expectPassed, expectUndone } from "./calls.ts";
import { installPlugin } from "./recovery-support.ts";
import { named, ptp, wrapped, zone } from "./support.ts";

// A wrapper asks the kernel which interface a plugin has made, and DEL removes only that one. Each journal must have the
// index that the container's own ip(8) shows.

const isSlim = process.env.CNI_WRAPPERS_FLAVOR === "slim";
const hostile = {
  ...wrapped({ ...ptp, type: "hostile" }),
  type: "ptp-wrapper",
  wrapper: { delegate: "hostile", role: "creator" },
};

// False answers, for each number that a question may have: how many are sent, which fault the wrapper gets, and how many its
// socket takes. The buffer of a socket takes some hundred.
test.for([
  ["pretends to be the kernel", 20, "", 0],
  ["fills the socket's buffer", 100_000, "", 0],
  ["pretends to be the kernel before the socket is connected", 20, "connect:retval=0", 20],
] as const)(
  "a process of the container %s: the journal has the real index, and DEL removes it",
  async ([_, count, fault, taken], { lab }) => {
    const forge = `nsenter --net="$CNI_NETNS" /run/lab/drivers/forge eth0 4242 ${count} >>/run/lab/forged`;
    await installPlugin(lab, "hostile", `[ ! "$CNI_NETNS" ] || ${forge} || exit 1; exec /opt/cni/bin/ptp`);
    if (fault !== "") await injectFault(lab, fault);
    const list = zone(hostile);
    const container = await attached(lab, lab.goCni, list);
    // Without a socket to deceive, this would show nothing.
    if (isSlim) expect(await lab.readFile("/run/lab/forged")).toBe(`1 ${taken}\n`);
    await expectRealIndex(lab, container);
    expectPassed(await lab.goCni.check(list, container));
    await lab.ip(container, "address", "flush", "dev", "eth0");
    expect(await lab.goCni.check(list, container)).toMatchObject({ exitCode: 1 });
    await expectUndone(lab, list, container);
  },
);

// ip(8), which the Node flavor asks, prints them as they are.
test("a container's control characters in names of links do not hide the index, and DEL removes it", async ({
  lab,
}) => {
  const named = [`link add "$(printf 'a\\001')" type veth peer name b`, `link set lo alias "$(printf '\\033[2J')"`];
  const deeds = named.map((words) => `nsenter --net="$CNI_NETNS" ip ${words}`).join(" && ");
  await installPlugin(lab, "hostile", `[ "$CNI_COMMAND" != ADD ] || { ${deeds}; } || exit 1; exec /opt/cni/bin/ptp`);
  const list = zone(hostile);
  const container = await attached(lab, lab.goCni, list);
  const ifindex = Number.parseInt(await lab.ip(container, "-oneline", "link", "show", "eth0"), 10);
  expect(await lineDone(lab, container)).toMatchObject({ made: ifindex });
  expectPassed(await lab.goCni.del(list, container));
  expect(await lab.ip(container, "-oneline", "link")).not.toContain(" eth0");
  expect([await lab.kernel.leases(), await lab.kernel.journals()]).toEqual([[], []]);
});

test("an answer that could not be received is not the next question's", async ({ lab, container }) => {
  const list = zone(wrapped(ptp));
  await injectFault(lab, "recvfrom:error=EIO:when=1");
  expectPassed(await lab.goCni.add(list, container));
  await expectRealIndex(lab, container);
});

/** Runs each call of the wrapper with a fault of strace's. */
async function injectFault(lab: Lab, fault: string): Promise<void> {
  const strace = `strace -qq -o /run/lab/strace -e trace=${fault.split(":")[0]} -e inject=${fault}`;
  await lab.run("mkdir", ["/opt/cni/first"]);
  await lab.run("cp", ["/opt/cni/bin/cni-wrappers", "/opt/cni/first/ptp-wrapper"]);
  await installPlugin(lab, "ptp-wrapper", `exec ${strace} /opt/cni/first/ptp-wrapper`);
}

async function expectRealIndex(lab: Lab, container: Container): Promise<void> {
  const { ifindex } = await lab.kernel.link(container, "eth0");
  expect(await lineDone(lab, container)).toMatchObject({ made: ifindex });
}

/** The line of a container's journal about the ADD that passed. */
async function lineDone(lab: Lab, { name }: Container): Promise<Record<string, unknown>> {
  const file = (await lab.kernel.journals()).find((one) => one.startsWith(`${name}/`));
  const lines = (await lab.readFile(`/var/lib/cni/wrappers/${file}`)).trim().split("\n");
  return lines.map((line) => JSON.parse(line)).findLast(({ line }) => line === "done");
}

// The path of a process's namespace leads to another one once another process has its number.
test("a neighbour's namespace comes to the path while a plugin runs: no index in it is remembered, and DEL leaves its interface", async ({
  lab,
}) => {
  const neighbour = await lab.addContainer("c2");
  // Its indexes are others.
  await lab.ip(neighbour, "link", "add", "x", "type", "veth", "peer", "name", "y");
  const theirs = zone(wrapped(ptp));
  expectPassed(await lab.goCni.add(theirs, neighbour));
  const { ifindex } = await lab.kernel.link(neighbour, "eth0");
  const swap = `mount --bind ${neighbour.netns} "$CNI_NETNS"`;
  await installPlugin(lab, "hostile", `/opt/cni/bin/ptp || exit 1; [ "$CNI_COMMAND" != ADD ] || ${swap}`);
  const list = zone(hostile);
  const container = await attached(lab, lab.goCni, list);
  expect((await lineDone(lab, container)).made).toBeUndefined();
  expectPassed(await lab.goCni.del(list, container));
  expect(await lab.kernel.link(neighbour, "eth0")).toMatchObject({ ifindex });
  expectPassed(await lab.goCni.check(theirs, neighbour));
  expectPassed(await lab.goCni.del(theirs, neighbour));
  expect(await lab.kernel.leases()).toEqual([]);
});

test("a GC looks for what siblings left in the namespace of each of them", async ({ lab }) => {
  const [gone, other] = [zone("1.1.0", wrapped(ptp)), named("other", wrapped(ptp))];
  const [first, second] = [await lab.addContainer("c1"), await lab.addContainer("c2")];
  // Its indexes are others.
  await lab.ip(second, "link", "add", "x", "type", "veth", "peer", "name", "y");
  for (const container of [first, second]) {
    const { name } = container;
    const before = await lab.addContainer(`${name}-before`);
    expectPassed(await lab.goCni.add(gone, { ...before, name }));
    await lab.deleteNamespace(before);
    expectPassed(await lab.goCni.add(other, container));
    // As after a DEL of which only the first step was done.
    const journal = `/var/lib/cni/wrappers/${name}/other:eth0`;
    const lines = await lab.readFile(journal);
    const { id } = JSON.parse(lines.split("\n", 1)[0] ?? "");
    await lab.writeFile(journal, `${lines}${JSON.stringify({ line: "given up", ids: [id] })}\n`);
  }
  // Something else has made the first one's interface again.
  await lab.ip(first, "link", "delete", "eth0");
  await lab.ip(first, "link", "add", "eth0", "type", "veth", "peer", "name", "y");
  const foreign = await lab.kernel.link(first, "eth0");
  // libcni would run the DELs of those that it knows.
  await lab.run("sh", ["-c", "rm /var/lib/cni/results/*"]);
  expectPassed(await lab.goCni.gc(gone, []));
  expect(await lab.kernel.journals()).toEqual([]);
  expect(await lab.kernel.link(first, "eth0")).toEqual(foreign);
  expect(await lab.kernel.linkNames(second)).not.toContain("eth0");
});
