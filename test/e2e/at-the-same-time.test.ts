import type { Container, Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { expectFailure, expectNothingLeft, expectPassed, expectSound, expectUndone } from "./calls.ts";
import { identity, installPlugin } from "./recovery-support.ts";
import { bridge, front, hostLocal, macvlan, named, ptp, published, wrapped, zone } from "./support.ts";

// Calls for one container overlap: a runtime attaches lists in parallel, tries a DEL again that still runs, or was killed.

const web = published(25080);
const mail = published(25025, 25);

test("two lists want one interface: one gets it, and DEL of the other leaves it", async ({ lab, container }) => {
  // Both wrappers have seen that there is none.
  await waitsForAnother(lab, "ADD", "bridge");
  const other = { ...bridge, bridge: "disc1", ipam: hostLocal("10.62.0.0/24") };
  const lists = [
    named("za", wrapped(macvlan), wrapped(bridge, "net1")),
    named("zb", wrapped(ptp), wrapped(other, "net1")),
  ] as const;
  const outcomes = await Promise.all([
    lab.cnitool.addAs("eth0", lists[0], container),
    lab.cnitool.addAs("eth1", lists[1], container),
  ]);
  expect(outcomes.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1]);
  expect(outcomes.map(({ stderr }) => stderr).join("")).toMatch(/net1.* already exists/);
  const before = await identity(lab, container, "net1");
  const [won, lost] = outcomes[0].exitCode === 0 ? (["eth0", "eth1"] as const) : (["eth1", "eth0"] as const);
  const [winner, loser] = won === "eth0" ? lists : ([lists[1], lists[0]] as const);
  expectPassed(await lab.cnitool.delAs(lost, loser, container));
  expect(await identity(lab, container, "net1")).toEqual(before);
  expectPassed(await lab.cnitool.checkAs(won, winner, container));
  expectPassed(await lab.cnitool.delAs(won, winner, container));
  const bridges = (await lab.kernel.linkNames()).filter((name) => name.startsWith("disc"));
  await expectNothingLeft(lab, bridges);
});

describe("two DELs leave nothing", () => {
  test("of one attachment", async ({ lab, container }) => {
    const list = zone(wrapped({ ...front, ipMasq: true }), wrapped(bridge, "eth1"));
    await waitsForAnother(lab, "DEL", "bridge");
    expectPassed(await lab.goCni.add(list, container));
    await Promise.all([lab.goCni.del(list, container), lab.goCni.del(list, container)]);
    await expectUndone(lab, list, container, ["front0", "disc0"]);
  });

  test.for(["iptables", "nftables"])("of two attachments whose ports share rules (%s)", async (backend, { lab }) => {
    await waitsForAnother(lab, "DEL", "portmap");
    const { za, zb, container } = await publishing(lab, backend);
    const dels = [lab.cnitool.delAs("eth0", za, container, web), lab.cnitool.delAs("net1", zb, container, mail)];
    for (const outcome of await Promise.all(dels)) expectPassed(outcome);
    expect(await rulesOfPorts(lab)).toEqual([]);
    expect(await lab.kernel.journals()).toEqual([]);
  });

  test("of two attachments: the second one runs while the first one publishes its ports again", async ({ lab }) => {
    const { za, zb, container } = await publishing(lab, "nftables");
    await installPlugin(
      lab,
      "portmap",
      `if [ "$CNI_COMMAND" = ADD ]; then touch /run/lab/again; ${untilThere("/run/lab/go")}; fi; exec /run/lab/plugins/portmap`,
    );
    const first = lab.cnitool.delAs("eth0", za, container, web);
    await expect.poll(() => lab.readdir("/run/lab")).toContain("again");
    expectPassed(await lab.cnitool.delAs("net1", zb, container, mail));
    await lab.writeFile("/run/lab/go", "");
    expectPassed(await first);
    expect(await rulesOfPorts(lab)).toEqual([]);
    expect(await lab.kernel.journals()).toEqual([]);
  });

  test.for([
    ["after wrapped creators", wrapped(front), wrapped(ptp)],
    // What is left, no later DEL of the list undoes.
    ["after plain creators", front, ptp],
  ] as const)(
    "of two attachments with rules that only the last one may remove (%s)",
    async ([_, one, other], { lab, container }) => {
      await installPlugin(
        lab,
        "marks",
        "case $CNI_COMMAND in ADD) touch /run/lab/mark;; DEL) rm -f /run/lab/mark;; esac; exec /opt/cni/bin/tuning",
      );
      const marks = { type: "tuning-wrapper", wrapper: { delegate: "marks", role: "meta" } };
      const slow = wrapped({ type: "tuning", txQLen: 500 });
      const [za, zb] = [named("za", one, marks), named("zb", other, marks)];
      expectPassed(await lab.cnitool.addAs("eth0", { ...za, plugins: [...za.plugins, slow] }, container));
      expectPassed(await lab.cnitool.addAs("net1", { ...zb, plugins: [...zb.plugins, slow] }, container));
      // The last plugin was removed from both lists, so the DEL of the one before it runs its DEL first.
      await waitsForAnother(lab, "DEL", "tuning");
      const dels = [lab.cnitool.delAs("eth0", za, container), lab.cnitool.delAs("net1", zb, container)];
      for (const outcome of await Promise.all(dels)) expectPassed(outcome);
      expect(await lab.readdir("/run/lab")).not.toContain("mark");
      await expectNothingLeft(lab, ["front0"]);
    },
  );
});

const slow = zone({ ...wrapped(macvlan), wrapper: { delegate: "slow", role: "creator" } });

/** Installs a plugin whose first ADD waits before it makes anything. */
async function installSlow(lab: Lab): Promise<void> {
  const wait = `if [ "$CNI_COMMAND" = ADD ] && rmdir /run/lab/wait 2>/dev/null; then ${untilThere("/run/lab/go")}; fi`;
  await installPlugin(lab, "slow", `${wait}; exec /opt/cni/bin/macvlan`);
  await lab.run("mkdir", ["/run/lab/wait"]);
}

describe("another call overtakes an ADD, which undoes what its plugin made, and fails", () => {
  test("another ADD: its attachment stays", async ({ lab, container }) => {
    await installSlow(lab);
    const first = lab.goCni.add(slow, container);
    await expect.poll(() => lab.kernel.journals()).toEqual(["c1/zone:eth0"]);
    expectPassed(await lab.goCni.add(slow, container));
    const before = await identity(lab, container, "eth0");
    await lab.writeFile("/run/lab/go", "");
    expectFailure(await first, /duplicate allocation|exists|given up/);
    expect(await identity(lab, container, "eth0")).toEqual(before);
    await expectSound(lab, slow, container);
  });

  test("a DEL: nothing stays", async ({ lab, container }) => {
    await installSlow(lab);
    const first = lab.goCni.add(slow, container);
    await expect.poll(() => lab.kernel.journals()).toEqual(["c1/zone:eth0"]);
    expectPassed(await lab.goCni.del(slow, container));
    await lab.writeFile("/run/lab/go", "");
    expectFailure(await first, /interface eth0 was given up during ADD/);
    expect(await lab.kernel.linkNames(container)).toEqual(["lo"]);
    await expectNothingLeft(lab);
  });
});

// bridge's first ADD ends when the DEL of it begins that the second ADD runs. The first ADD's own DEL goes on after the second ADD.
const script = `real=/run/lab/plugins/bridge; cd /run/lab
until_there() { n=0; until [ -e $1 ] || [ $n -ge 60 ]; do sleep 0.05; n=$((n+1)); done; }
case $CNI_COMMAND in
ADD) if mkdir first 2>/dev/null; then $real >answer; touch made; until_there go; exec cat answer; fi; $real && touch second;;
DEL) if mkdir del 2>/dev/null; then touch go; sleep 0.3; else until_there second; fi; exec $real;;
esac`;

test("an ADD undoes what an earlier ADD makes: the earlier one's own DEL does not free the lease of the later one", async ({
  lab,
  container,
}) => {
  await installPlugin(lab, "bridge", script);
  const list = zone(wrapped(bridge));
  const first = lab.goCni.add(list, container);
  await expect.poll(() => lab.readdir("/run/lab")).toContain("made");
  expectPassed(await lab.goCni.add(list, container));
  expectFailure(await first, /interface eth0 was given up during ADD/);
  expect(await lab.kernel.leases()).toHaveLength(1);
  await installPlugin(lab, "bridge", "exec /run/lab/plugins/bridge");
  await expectSound(lab, list, container, ["disc0"]);
});

describe("an agent is killed in the middle of ADD, and the wrapper goes on", () => {
  /** Starts an agent's ADD, and kills the agent before the plugin has made anything. */
  async function addOfKilledAgent(lab: Lab, container: Container): Promise<void> {
    await installSlow(lab);
    await lab.writeFile("/run/lab/net.d/zone.conflist", JSON.stringify(slow));
    const variables = "CNI_PATH=/opt/cni/bin NETCONFPATH=/run/lab/net.d";
    const agent = `echo $$ >/run/lab/agent; exec env ${variables} /run/lab/drivers/cnitool add zone ${container.netns}`;
    const killed = lab.start("sh", ["-c", agent], "/run/lab/agent.log");
    await expect.poll(() => lab.kernel.journals()).toEqual([`${lab.cnitool.id(container)}/zone:eth0`]);
    await lab.run("sh", ["-c", "kill -KILL $(cat /run/lab/agent)"]);
    expect((await killed).exitCode).not.toBe(0);
  }

  /** Lets the wrapper go on, and waits until it has ended. */
  async function wrapperEnds(lab: Lab): Promise<void> {
    await lab.writeFile("/run/lab/go", "");
    await expect.poll(() => lab.run("sh", ["-c", "cat /proc/*/environ | grep -c CNI_COMMAND=ADD || :"])).toBe("0");
  }

  test("the next ADD undoes it, and the first one leaves nothing behind", async ({ lab, container }) => {
    await addOfKilledAgent(lab, container);
    expectPassed(await lab.cnitool.add(slow, container));
    const before = await identity(lab, container, "eth0");
    await wrapperEnds(lab);
    expect(await identity(lab, container, "eth0")).toEqual(before);
    await expectSound(lab, slow, container, [], lab.cnitool);
  });

  test("DEL ran meanwhile: the ADD undoes what its plugin made", async ({ lab, container }) => {
    await addOfKilledAgent(lab, container);
    expectPassed(await lab.cnitool.del(slow, container));
    await wrapperEnds(lab);
    expect(await lab.kernel.linkNames(container)).toEqual(["lo"]);
    await expectNothingLeft(lab);
  });

  test("nothing ran meanwhile: the ADD undoes what its plugin made, because nobody gets its answer", async ({
    lab,
    container,
  }) => {
    await addOfKilledAgent(lab, container);
    await wrapperEnds(lab);
    expect(await lab.kernel.linkNames(container)).toEqual(["lo"]);
    await expectNothingLeft(lab);
  });
});

/** Attaches one container twice, each time with a published port. Both attachments' rules are in one place. */
async function publishing(lab: Lab, backend: string) {
  const portmap = wrapped({ type: "portmap", backend, capabilities: { portMappings: true } });
  const [za, zb] = [named("za", wrapped(front), portmap), named("zb", wrapped(ptp), portmap)];
  const container = await lab.addContainer("c1");
  expectPassed(await lab.cnitool.addAs("eth0", za, container, web));
  expectPassed(await lab.cnitool.addAs("net1", zb, container, mail));
  expect(await rulesOfPorts(lab)).not.toEqual([]);
  return { za, zb, container };
}

async function rulesOfPorts(lab: Lab): Promise<string[]> {
  const text = await lab.run("sh", ["-c", "nft list ruleset; iptables-save -t nat"]);
  return text.split("\n").filter((line) => /25080|25025/.test(line));
}

/** A verb of a plugin waits until another call has come as far, if there is one. */
async function waitsForAnother(lab: Lab, verb: "ADD" | "DEL", plugin: string): Promise<void> {
  const wait = `mkdir -p /run/lab/here/$$; for i in $(seq 30); do [ $(ls /run/lab/here | wc -l) -ge 2 ] && break; sleep 0.1; done`;
  await installPlugin(
    lab,
    plugin,
    `if [ "$CNI_COMMAND" = ${verb} ]; then ${wait}; fi; exec /run/lab/plugins/${plugin}`,
  );
}

function untilThere(file: string): string {
  return `until [ -e ${file} ]; do sleep 0.1; done`;
}
