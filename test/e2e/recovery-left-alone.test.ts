import { type Container, Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { gocni } from "../support/runtime.ts";
import { attached, expectFailure, expectSuccess } from "./calls.ts";
import { creators, duplicate, exists } from "./recovery-support.ts";
import { macvlan, wrapped, zone } from "./support.ts";

describe("the namespace of a live attachment was made again", () => {
  test("every ADD fails, and the live one is untouched", async ({ lab }) => {
    const list = creators();
    const [container, live] = await recreated(lab, await attached(lab, lab.goCni, list));
    const before = await lab.kernel.links(live);
    expectFailure(await lab.goCni.add(list, container), duplicate);
    // macvlan leaves its interface behind if its IPAM plugin fails.
    expectFailure(await lab.goCni.add(list, container), exists);
    expectFailure(await lab.goCni.add(list, container), exists);
    expect(await lab.kernel.links(live)).toEqual(before);
    expect(await lab.kernel.leases()).toEqual(["zone/172.16.5.2", "zone-eth1/172.26.64.2"]);
  });

  const unlisted = "strace -f -qq -o /dev/null -P /proc -e trace=open,openat -e inject=open,openat:error=EACCES";
  test.for([
    ["an agent without CAP_SYS_PTRACE", "setpriv --bounding-set -sys_ptrace"],
    ["an agent that may not list /proc", unlisted],
  ] as const)(
    "%s cannot look into the processes of others: ADD fails, GC collects nothing",
    async ([_, under], { lab }) => {
      const list = { ...creators(), cniVersion: "1.1.0" };
      const container = await attached(lab, lab.goCni, list);
      await lab.run("sh", [
        "-c",
        "ip netns exec c1 setpriv --reuid 65534 --clear-groups sleep 600 >/dev/null 2>&1 & sleep 0.3",
      ]);
      await lab.deleteNamespace(container);
      // libcni itself would run DEL for each of its results.
      await lab.run("sh", ["-c", "rm /var/lib/cni/results/*"]);
      const again = await lab.addContainer("c1");
      const withoutRight = (verb: string, more: object) => {
        const request = { pluginPath: Lab.pluginPath, conflist: list, id: "c1", netns: again.netns, ...more };
        const [command = "", ...args] = under.split(" ");
        return lab.call(command, [...args, gocni, verb], { input: JSON.stringify(request) });
      };
      expectSuccess(await withoutRight("gc", { validAttachments: [] }));
      expectFailure(await withoutRight("setup", {}), duplicate);
      expect(await lab.kernel.leases()).toEqual(["zone/172.16.5.2", "zone-eth1/172.26.64.2"]);
    },
  );

  test('with "always" ADD passes', async ({ lab }) => {
    const list = creators({ recover: "always" });
    const [container] = await recreated(lab, await attached(lab, lab.goCni, list));
    expectSuccess(await lab.goCni.add(list, container));
    expectSuccess(await lab.goCni.check(list, container));
  });

  test("without a record, as from before the wrappers, every ADD fails", async ({ lab }) => {
    const [container] = await recreated(lab, await attached(lab, lab.goCni, zone(macvlan)));
    const list = zone(wrapped(macvlan));
    expectFailure(await lab.goCni.add(list, container), duplicate);
    expectFailure(await lab.goCni.add(list, container), exists);
    expectFailure(await lab.goCni.add(list, container), exists);
  });
});

describe("other attachments are left alone, and ADD fails as the plain one does", () => {
  test.for(["wrapped", "plain"])("an ADD of a live attachment (%s)", async (kind, { lab }) => {
    const list = zone(kind === "plain" ? macvlan : wrapped(macvlan));
    const container = await attached(lab, lab.goCni, list);
    const before = await lab.kernel.link(container, "eth0");
    for (const _ of [1, 2, 3]) expectFailure(await lab.goCni.add(list, container), exists);
    expect(await lab.kernel.link(container, "eth0")).toEqual(before);
    expectSuccess(await lab.goCni.check(list, container));
  });

  test("a live neighbour's lease", async ({ lab, container }) => {
    const list = zone(wrapped(macvlan));
    const neighbour = await attached(lab, lab.goCni, list, "c2");
    const asked = { labels: { IgnoreUnknown: "true", IP: "172.16.5.2" } };
    for (const _ of [1, 2, 3]) {
      expectFailure(await lab.goCni.add(list, container, asked), /requested IP address 172\.16\.5\.2 is not available/);
    }
    expect(await lab.kernel.leases()).toEqual(["zone/172.16.5.2"]);
    expectSuccess(await lab.goCni.check(list, neighbour));
  });
});

/** Makes a new namespace under the old one's name, as Nomad does. A process keeps the old one, as a live task does. */
async function recreated(lab: Lab, old: Container): Promise<[Container, Container]> {
  const live = { name: "live", netns: "/run/netns/live" };
  await lab.run("touch", [live.netns]);
  await lab.run("mount", ["--bind", old.netns, live.netns]);
  await lab.deleteNamespace(old);
  return [await lab.addContainer(old.name), live];
}
