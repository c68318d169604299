import { describe, expect, test } from "vitest";
import { sceneOf } from "../../../../cli/explain/drawing/scene.ts";
import { svgPicture } from "../../../../cli/explain/drawing/svg.ts";
import { drawing } from "../../../../cli/explain/drawing/terminal.ts";
import { examples, listOf as readExample } from "../../../support/examples.ts";
import { explained } from "./support.ts";

function drawn(name: string, width = 80): string {
  const scene = sceneOf(explained(readExample(name)));
  return scene === undefined ? "" : drawing(scene, width);
}

function picture(list: object): string {
  const scene = sceneOf(explained(list));
  return scene === undefined ? "" : svgPicture(scene);
}

/** The texts in an SVG, in their order. Throws if an element is not closed by its own end. */
function textsIn(svg: string): string[] {
  const open: string[] = [];
  const texts: string[] = [];
  const rest = svg.replaceAll(
    /<(\/?)(\w+)((?: [\w:-]+="[^"<&]*")*)(\/?)>|([^<>]+)/g,
    (_, end, name, _attributes, single, text) => {
      if (text !== undefined) {
        if (/&(?!(?:amp|lt|gt);)/.test(text)) throw new Error(`an ampersand in ${text}`);
        if (open.at(-1) === "text")
          texts.push(text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"));
      } else if (end) {
        if (open.pop() !== name) throw new Error(`</${name}> closes nothing`);
      } else if (!single) open.push(name);
      return "";
    },
  );
  if (rest !== "" || open.length > 0) throw new Error(`not well formed: ${rest} ${open}`);
  return texts;
}

describe("in the terminal", () => {
  test("shows the host's devices, the plugins, the interfaces, the addresses and the ports", () => {
    expect(drawn("published-on-two")).toBe(`\
┌ host ──────────────────────┐          ┌ container example ──┐
│ front0 ─ veth00000001      ├─ bridge ─┤ eth0  172.30.0.2/20 │
│ portmap :20080/tcp to :80  │          │                     │
│                            │          │                     │
│ veth00000002               ├── ptp ───┤ eth1  10.51.0.2/24  │
│ portmap :20443/tcp to :443 │          │                     │
└────────────────────────────┘          └─────────────────────┘
`);
  });

  test("shows the plugins that act on one interface, and an interface without a device of the host", () => {
    expect(drawn("limited")).toBe(`\
┌ host ────────────────────────────────┐           ┌ container example ────┐
│ ens18                                ├─ macvlan ─┤ eth0  172.16.5.100/24 │
│                                      │           │                       │
│ shared0 ─ veth00000001 ─ bwp00000002 ├─ bridge ──┤ eth1  172.31.0.2/20   │
│                                      │           │       (tuning)        │
│                                      │           │       (bandwidth)     │
│                                      │           │       (firewall)      │
└──────────────────────────────────────┘           └───────────────────────┘
`);
    expect(drawn("service-address")).toContain("│        │   dummy   │ svc0  10.255.0.1/32  │");
  });

  test("is a list where the terminal is narrow, and never wider than it", () => {
    expect(drawn("published-on-two", 30)).toBe(`\
container example
├ eth0 (bridge)
│   172.30.0.2/20
│   on front0 ─ veth00000001
│   portmap :20080/tcp to :80
├ eth1 (ptp)
│   10.51.0.2/24
│   on veth00000002
│   portmap :20443/tcp to :443
└
`);
    expect(drawn("published-on-two", 12).split("\n")).toContain("│   172.30.…");
  });

  test.each([20, 40, 60, 75, 80, 120])("no line has more than %i characters", (width) => {
    const lines = Object.keys(examples).flatMap((name) => drawn(name, width).split("\n"));
    expect(lines.filter((line) => line.length > width)).toEqual([]);
  });

  test("DEL shows the ports that each plugin published, although it gets all of them", () => {
    const scene = sceneOf(explained(readExample("published-on-two"), "DEL"));
    expect(scene?.interfaces.map(({ ports }) => ports)).toEqual([
      ["portmap :20080/tcp to :80"],
      ["portmap :20443/tcp to :443"],
    ]);
  });

  test("marks an address that another server chooses", () => {
    const list = { cniVersion: "1.0.0", name: "zone", plugins: [{ type: "macvlan-wrapper", ipam: { type: "dhcp" } }] };
    const scene = sceneOf(explained(list, "CHECK"));
    expect(scene?.interfaces).toMatchObject([{ addresses: ["192.0.2.10/24 (from DHCP)"], devices: ["default route"] }]);
  });

  test("is missing if there is no result, or no interface", () => {
    const macvlan = { type: "macvlan-wrapper" };
    expect(sceneOf(explained({ cniVersion: "1.0.0", name: "zone", plugins: [macvlan, macvlan] }))).toBeUndefined();
    expect(sceneOf(explained({ cniVersion: "0.2.0", name: "zone", plugins: [macvlan] }))).toBeUndefined();
  });
});

describe("as a picture", () => {
  test.each(Object.entries(examples))("%s: well formed, each interface and address once", (name, { addresses }) => {
    const texts = textsIn(picture(readExample(name)));
    const wanted = Object.entries(addresses).flatMap(([ifName, own]) => [ifName, ...own]);
    expect(wanted.map((word) => [word, texts.filter((text) => text === word).length])).toEqual(
      wanted.map((word) => [word, 1]),
    );
  });

  test("shows a device of the host once, even if two interfaces use it", () => {
    const texts = textsIn(picture(readExample("two-ipvlans")));
    expect(texts.filter((text) => text === "ens18")).toHaveLength(1);
  });

  test("keeps every text inside", () => {
    for (const name of Object.keys(examples)) {
      const svg = picture(readExample(name));
      const width = Number(/width="(\d+)"/.exec(svg)?.[1]);
      const height = Number(/height="(\d+)"/.exec(svg)?.[1]);
      for (const [, x, y, text = ""] of svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</g)) {
        expect(Number(x) + text.length * 8.5, `${name}: ${text}`).toBeLessThanOrEqual(width);
        expect(Number(y), `${name}: ${text}`).toBeLessThan(height);
      }
    }
  });

  test("has colors for light and dark pages, for every kind of shape", () => {
    const svg = picture(readExample("three-interfaces"));
    const [light = "", dark = ""] = svg.split("@media (prefers-color-scheme: dark)");
    const kinds = new Set([...svg.matchAll(/<(?:rect|path) class="(\w+)"/g)].map(([, kind]) => kind));
    expect(kinds.size).toBeGreaterThan(5);
    for (const kind of kinds) for (const style of [light, dark]) expect(style).toContain(`.${kind} {`);
  });

  test("escapes what XML reads", () => {
    const scene = { network: "a<b&c>", container: "blue", isExample: false, interfaces: [] };
    expect(textsIn(svgPicture(scene))).toContain("Container blue in the network a<b&c>");
  });

  test("says that it is an example", () => {
    expect(textsIn(picture(readExample("routed")))).toContain("An example: names and addresses are invented.");
  });
});
