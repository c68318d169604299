import { describe, expect, test } from "vitest";
import { drawing, sceneOf } from "../../../../cli/explain/drawing.ts";
import { exampleAttachment } from "../../../../cli/explain/model-answers.ts";
import { parsedList } from "./support.ts";

const local = (subnet: string) => ({ ipam: { type: "host-local", subnet } });
const macvlan = { type: "macvlan", master: "ens18", ...local("172.16.5.0/24") };
const bridge = { type: "bridge", bridge: "disc0", isGateway: true, ...local("172.26.64.0/20") };
const portmap = { type: "portmap", capabilities: { portMappings: true } };

const listOf = (...plugins: object[]) => parsedList({ cniVersion: "1.0.0", name: "zone", plugins });
const drawn = (list: ReturnType<typeof parsedList>) => drawing(list, exampleAttachment(list));
const scene = (list: ReturnType<typeof parsedList>) => sceneOf(list, exampleAttachment(list));

/** The texts of a drawing, in their order. */
function textsIn(svg: string): string[] {
  return [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = ""]) => text);
}

describe("what a list makes", () => {
  test("a plain portmap publishes at its own interface's address, although another one comes first", () => {
    const first = { ...bridge, type: "bridge-wrapper", wrapper: { ifName: "eth1" } };
    const { ports } = scene(listOf(first, { ...macvlan, type: "macvlan-wrapper" }, portmap));
    expect(ports).toEqual([expect.stringContaining(" leads to 172.16.5.2:")]);
  });

  const device = (name: string | undefined, kind: string, addresses: string[], ...interfaces: object[]) => ({
    ...{ name, kind, addresses, interfaces },
  });
  const made = (name: string, kind: string, addresses: string[], reach: string) => ({ name, kind, addresses, reach });
  const noAddress = "It has no address.";
  const onlyOnBridge = "The host has no address on disc0: only what is on the bridge reaches 172.26.64.2.";
  const reached = "The host reaches 172.16.5.2 and fd00:5::2.";
  const unreached = "The host does not reach 10.1.0.2";
  const taken = "card, in the container now";
  const own = local("10.1.0.0/24");
  const two = { ipam: { type: "host-local", ranges: [[{ subnet: "172.16.5.0/24" }], [{ subnet: "fd00:5::/64" }]] } };
  const eth0 = (kind: string, words: string) => made("eth0", kind, ["10.1.0.2/24"], words);
  const disc0 = (its: string[], addresses: string[], words: string) =>
    device("disc0", "bridge", its, made("eth0", "veth", addresses, words));
  const named = (type: string, ifName: string, more: object = {}) => ({ type, ...more, wrapper: { ifName } });

  test.each<[string, object[], object[]]>([
    ["a bridge without an address", [{ ...bridge, isGateway: false }], [disc0([], ["172.26.64.2/20"], onlyOnBridge)]],
    [
      "a bridge with an address of each family",
      [{ ...bridge, ...two }],
      [disc0(["172.16.5.1/24", "fd00:5::1/64"], ["172.16.5.2/24", "fd00:5::2/64"], reached)],
    ],
    ["a layer 2 interface", [{ type: "bridge", bridge: "disc0" }], [disc0([], [], noAddress)]],
    [
      "ptp",
      [{ type: "ptp", ...own }],
      [device("veth of eth0", "veth", [], eth0("veth", "The host reaches 10.1.0.2."))],
    ],
    [
      "a card of the host",
      [{ type: "host-device", device: "ens19", ...own }],
      [device("ens19", taken, [], eth0("device", `${unreached}: the network of ens19 does.`))],
    ],
    [
      "two taps, which nothing of the host joins, and two interfaces on the card with the default route",
      [
        { type: "tap-wrapper", ...own },
        ...[named("tap-wrapper", "eth1"), named("macvlan-wrapper", "eth2"), named("ipvlan-wrapper", "eth3")],
      ],
      [
        device(undefined, taken, [], eth0("tap", `${unreached}.`)),
        device(undefined, taken, [], made("eth1", "tap", [], noAddress)),
        device("ens18", "card", [], made("eth2", "macvlan", [], noAddress), made("eth3", "ipvlan", [], noAddress)),
      ],
    ],
    [
      "each card with its own interface",
      [named("macvlan-wrapper", "eth0", { master: "ens19" }), named("ipvlan-wrapper", "eth1", { master: "ens20" })],
      [
        device("ens19", "card", [], made("eth0", "macvlan", [], noAddress)),
        device("ens20", "card", [], made("eth1", "ipvlan", [], noAddress)),
      ],
    ],
  ])("%s", (_, plugins, devices) => {
    expect(scene(listOf(...plugins))).toEqual({ devices, ports: [], notRun: [] });
  });
});

describe("the drawing", () => {
  /** A box and the lines in it, the title first. A line is 14 high, and 10 are around the text. */
  function box(kind: string, x: number, y: number, title: string, ...lines: readonly string[]): string {
    const rect = `<rect x="${x}" y="${y}" width="126" height="${14 * (lines.length + 1) + 10}" rx="4"`;
    const texts = [title, ...lines].map((one, i) => text(i === 0 ? "title" : "text", x + 6, y + 14 * (i + 1), one));
    return `${rect} fill="none" stroke="currentColor" class="d-${kind}"/>${texts.join("")}`;
  }
  function text(kind: string, x: number, y: number, words: string): string {
    const weight = kind === "title" ? ' font-weight="bold"' : "";
    return `<text x="${x}" y="${y}" font-size="11" font-family="sans-serif"${weight} fill="currentColor" class="d-${kind}">${words}</text>`;
  }
  const wire = (from: number, to: number) =>
    `<line x1="136" y1="${from}" x2="204" y2="${to}" stroke="currentColor" class="d-wire"/>`;
  /** The host and the container, side by side. */
  const frames = (height: number) =>
    ["host", "container"].map((name, i) => {
      const rect = `<rect x="${[4, 198][i]}" y="1" width="138" height="${height}" rx="6" fill="none"`;
      return `${rect} stroke="currentColor" class="d-box"/>${text("note", [10, 204][i] as number, 15, name)}`;
    });
  const svg = (height: number, label: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 340 ${height}" role="img" aria-label="${label}" class="drawing">`;

  test("README's plain list: each device beside its interfaces, the plugin that fails, and its words below", () => {
    const words = "container veth name (&quot;eth0&quot;) peer provided (&quot;...&quot;) already exists";
    const label = `eth0: The host does not reach 172.16.5.2: the network of ens18 does. bridge fails: ${words}. Not run: portmap.`;
    expect(drawn(listOf(macvlan, bridge, portmap)).split("\n")).toEqual([
      svg(280, label),
      ...frames(190),
      box("part", 10, 34, "ens18", "card"),
      wire(60, 60),
      box("part", 204, 34, "eth0", "macvlan", "172.16.5.2/24"),
      box("part", 10, 96, "disc0", "bridge"),
      box("bad", 204, 144, "eth0?", "bridge fails"),
      text("note", 4, 216, "eth0: The host does not reach 172.16.5.2: the"),
      text("note", 4, 230, "network of ens18 does."),
      text("bad", 4, 248, "bridge fails: container veth name (&quot;eth0&quot;) peer"),
      text("bad", 4, 262, "provided (&quot;...&quot;) already exists. Not run: portmap."),
      "</svg>",
    ]);
  });

  test("two interfaces hang on one bridge, each by a wire to the middle of its box, and a tap on nothing", () => {
    const still = (address: string) => ({ ...bridge, ipam: { type: "static", addresses: [{ address }] } });
    const first = { ...still("172.26.64.7/20"), type: "bridge-wrapper" };
    const second = { ...still("172.26.64.8/20"), type: "bridge-wrapper", wrapper: { ifName: "eth1" } };
    const tap = { type: "tap-wrapper", wrapper: { ifName: "tap0" } };
    const reached = ["eth0: The host reaches 172.26.64.7.", "eth1: The host reaches 172.26.64.8."];
    const notes = [...reached, "tap0: It has no address."];
    const unknown = "Not known: calico is unknown.";
    expect(drawn(listOf(first, second, tap, { type: "calico" })).split("\n")).toEqual([
      svg(350, [...notes, unknown].join(" ")),
      ...frames(252),
      box("part", 10, 34, "disc0", "bridge", "172.26.64.1/20"),
      wire(60, 60),
      box("part", 204, 34, "eth0", "veth", "172.26.64.7/20"),
      // It begins within the box of the bridge, which ends at 86.
      wire(82, 122),
      box("part", 204, 96, "eth1", "veth", "172.26.64.8/20"),
      box("part", 204, 158, "tap0", "tap"),
      box("maybe", 204, 206, "eth0?", "not known"),
      ...notes.map((words, index) => text("note", 4, 278 + 18 * index, words)),
      text("maybe", 4, 332, unknown),
      "</svg>",
    ]);
  });

  test("a chained plugin that fails has its own name, not the interface's", () => {
    const tuning = { type: "tuning", sysctl: { "net.core.somaxconn": 500 } };
    expect(drawn(listOf(macvlan, tuning)).split("\n")).toContain(box("bad", 204, 96, "tuning", "tuning fails"));
  });

  test("ends a wrapper's message, which has a full stop, with one, and names all that did not run", () => {
    const misspelled = { ...bridge, type: "bridge-wrapper", wraper: { ifName: "eth1" } };
    expect(
      textsIn(drawn(listOf(misspelled, portmap, { type: "firewall" })))
        .slice(5)
        .join(" "),
    ).toBe(
      "bridge-wrapper fails: invalid plugin configuration: misplaced key wraper; The block is called &quot;wrapper&quot;. Put the keys of the wrapper into a &quot;wrapper&quot; block at the top level of the plugin&#39;s configuration. Not run: portmap, firewall.",
    );
  });

  test("has the published ports", () => {
    expect(textsIn(drawn(listOf(bridge, portmap))).slice(-2)).toEqual([
      "eth0: The host reaches 172.26.64.2.",
      "Port 20080/tcp of the host leads to 172.26.64.2:80.",
    ]);
  });

  test.each([
    ["has no plugin", listOf()],
    ["has a name that is none", parsedList({ cniVersion: "1.0.0", name: ["zone"], plugins: [bridge] })],
    ["has a type that is none", listOf({ ...bridge, type: 5 })],
    ["makes nothing that leads to a container", listOf({ type: "loopback" })],
  ])("is empty for a list that %s", (_, list) => {
    expect(drawn(list)).toBe("");
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

  // A box has room for 19 characters, the place below for 52.
  test.each([
    ["a word that fits", "x".repeat(19), ["x".repeat(19)]],
    ["a longer word, in pieces", "x".repeat(39), ["x".repeat(19), "x".repeat(19), "x"]],
    ["words that fit", "ab cdefghi jklmnopq", ["ab cdefghi jklmnopq"]],
    ["words that do not", "ab cdefghi jklmnopqr", ["ab cdefghi", "jklmnopqr"]],
    ["signs of two units", "\u{1f310}".repeat(20), ["\u{1f310}".repeat(19), "\u{1f310}"]],
    ["signs that XML has no place for", "a\u0001\ufffe\uffff\ud800", ["a\ufffd\ufffd\ufffd\ufffd"]],
    ["signs that XML reads", `<&>"'`, ["&lt;&amp;&gt;&quot;&#39;"]],
  ])("breaks a text into lines: %s", (_, master, lines) => {
    const texts = textsIn(drawn(listOf({ ...macvlan, master })));
    expect(texts.slice(2, texts.indexOf("card"))).toEqual(lines);
  });
});
