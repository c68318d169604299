import { describe, expect, test } from "vitest";
import { drawing } from "../../../../cli/explain/drawing.ts";
import { exampleAttachment } from "../../../../cli/explain/example-source.ts";
import { sceneOf } from "../../../../cli/explain/scene.ts";
import { listOf as readExample } from "../../../support/examples.ts";
import { parsedList } from "./support.ts";

const local = (subnet: string) => ({ ipam: { type: "host-local", subnet } });
const macvlan = { type: "macvlan", master: "ens18", ...local("172.16.5.0/24") };
const bridge = { type: "bridge", bridge: "disc0", isGateway: true, ...local("172.26.64.0/20") };
const portmap = { type: "portmap", capabilities: { portMappings: true } };

const listOf = (...plugins: object[]) => parsedList({ cniVersion: "1.0.0", name: "zone", plugins });
const drawn = (list: ReturnType<typeof parsedList>) => drawing(list, exampleAttachment(list), undefined);
const scene = (list: ReturnType<typeof parsedList>) => sceneOf(list, exampleAttachment(list), undefined);

/** The texts of a drawing, in their order. */
function textsIn(svg: string): string[] {
  return [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = ""]) => text);
}

describe("what a list makes", () => {
  test("README's plain list: a bridge without a port, and the plugin that fails", () => {
    const { devices, end, notRun } = scene(listOf(macvlan, bridge, portmap));
    expect(devices.map(({ name, interfaces }) => [name, interfaces.map((one) => one.name)])).toEqual([
      ["ens18", ["eth0"]],
      ["disc0", []],
    ]);
    expect(end).toMatchObject({ isKnown: true, plugin: { type: "bridge" } });
    expect(notRun).toEqual(["portmap"]);
  });

  test("a plain portmap publishes at its own interface's address, although another one comes first", () => {
    const first = { ...bridge, type: "bridge-wrapper", wrapper: { ifName: "eth1" } };
    const { ports } = scene(listOf(first, { ...macvlan, type: "macvlan-wrapper" }, portmap));
    expect(ports).toEqual([expect.stringContaining(" leads to 172.16.5.2:")]);
  });

  test("README's wrapped list: the host reaches the interface of the bridge, and not the macvlan", () => {
    const { devices, end } = scene(parsedList(readExample("macvlan-bridge")));
    expect(end).toBeUndefined();
    expect(devices.map(({ name, addresses, interfaces }) => ({ name, addresses, interfaces }))).toEqual([
      {
        name: "ens18",
        addresses: [],
        interfaces: [
          {
            name: "eth0",
            kind: "macvlan",
            addresses: ["172.16.5.100/24"],
            reach: "The host does not reach 172.16.5.100: the network of ens18 does.",
          },
        ],
      },
      {
        name: "disc0",
        addresses: ["172.26.64.1/20"],
        interfaces: [
          { name: "eth1", kind: "veth", addresses: ["172.26.64.2/20"], reach: "The host reaches 172.26.64.2." },
        ],
      },
    ]);
  });

  test.each([
    [
      "a bridge without an address",
      "disc0",
      { ...bridge, isGateway: false },
      /no address on disc0: only what is on the/,
    ],
    ["a tap", undefined, { type: "tap", ...local("10.1.0.0/24") }, /^The host does not reach 10.1.0.2.$/],
    ["a layer 2 interface", "disc0", { type: "bridge", bridge: "disc0" }, /^It has no address.$/],
    ["ptp", "veth of eth0", { type: "ptp", ...local("10.1.0.0/24") }, /^The host reaches 10.1.0.2.$/],
    ["a card of the host", "ens19", { type: "host-device", device: "ens19", ...local("10.1.0.0/24") }, /ens19 does.$/],
  ])("%s", (_, name, plugin, reach) => {
    const [device] = scene(listOf(plugin)).devices;
    expect(device).toMatchObject({ name, interfaces: [{ reach: expect.stringMatching(reach) }] });
  });

  test("each card of the host leads to its own interface", () => {
    const { devices } = scene(parsedList(readExample("two-cards")));
    expect(devices.map(({ name, interfaces }) => [name, interfaces[0]?.name])).toEqual([
      ["ens19", "eth0"],
      ["ens20", "eth1"],
    ]);
  });

  test("published ports, and where they lead", () => {
    expect(scene(parsedList(readExample("published-on-two"))).ports).toEqual([
      "Port 20080/tcp of the host leads to 172.30.0.2:80.",
      "Port 20443/tcp of the host leads to 10.51.0.2:443.",
    ]);
  });
});

describe("the drawing", () => {
  test("has the plugin's words, and says what did not run", () => {
    const texts = textsIn(drawn(listOf(macvlan, bridge, portmap)));
    expect(texts).toEqual([
      "host",
      "container",
      ...["ens18", "card", "eth0", "macvlan", "172.16.5.2/24"],
      ...["disc0", "bridge"],
      ...["eth0?", "bridge fails"],
      "eth0: The host does not reach 172.16.5.2: the",
      "network of ens18 does.",
      "bridge fails: container veth name (&quot;eth0&quot;) peer",
      "provided (&quot;...&quot;) already exists. Not run: portmap.",
    ]);
  });

  test("ends a message with one full stop, whether the plugin's has one or not", () => {
    const misspelled = { ...bridge, type: "bridge-wrapper", wraper: { ifName: "eth1" } };
    const text = textsIn(drawn(listOf(misspelled, portmap))).join(" ");
    expect(text).toMatch(/bridge-wrapper fails: /);
    expect(text).not.toContain("..");
  });

  test("says what is not known", () => {
    expect(textsIn(drawn(listOf({ type: "calico" }, portmap)))).toContain(
      "Not known: calico is unknown. Not run: portmap.",
    );
  });

  test("is empty for a list that no runtime loads", () => {
    expect(drawn(listOf())).toBe("");
  });

  test("has a hostile name as text only", () => {
    const type = '<script>"&\u0001</script><a href=x>';
    const svg = drawn(listOf({ ...macvlan, master: type, ...local("10.1.0.0/24") }, { type }));
    expect(svg.replace(/"[^"]*"/g, "").match(/<\/?[a-z]+/g)).toEqual(
      expect.not.arrayContaining(["<script", "</script", "<a"]),
    );
    expect(svg).not.toMatch(/[\p{Cc}--\n]/v);
    expect(svg).toContain("&lt;script&gt;&quot;&amp;\ufffd");
  });

  test("no text is wider than its place", () => {
    const long = "x".repeat(200);
    const texts = textsIn(drawn(listOf({ ...macvlan, master: long }, { type: long })));
    expect(Math.max(...texts.map((text) => text.replace(/&\w+;/g, "x").length))).toBeLessThanOrEqual(52);
  });

  test("a list that the runtime does not load makes nothing", () => {
    expect(drawn(parsedList({ cniVersion: "1.0.0", name: ["zone"], plugins: [bridge] }))).toBe("");
    expect(drawn(listOf({ ...bridge, type: 5 }))).toBe("");
  });
});
