import { describe, expect, test } from "vitest";
import { answersFor, stepsText } from "../../../cli/page/answers.ts";

function listText(...plugins: readonly object[]): string {
  return JSON.stringify({ cniVersion: "1.0.0", name: "zone", plugins }, null, 2);
}

/** A list with so many levels of values and properties around its innermost value. The first array in it has five. */
function deepList(depth: number): string {
  return listText({ ...bridge, x: JSON.parse("[".repeat(depth - 4) + "]".repeat(depth - 4)) });
}

const ipam = (subnet: string) => ({ type: "host-local", ranges: [[{ subnet }]] });
const macvlan = { type: "macvlan", master: "ens18", ipam: ipam("172.16.5.0/24") };
const bridge = { type: "bridge", bridge: "disc0", isGateway: true, ipam: ipam("172.26.64.0/20") };

describe("the page's answers", () => {
  test("a plain list fails at its second interface plugin, and its wrapped text passes", () => {
    const { outcomes, wrapping } = answersFor(listText(macvlan, bridge));
    expect(outcomes.find(({ event }) => event === "start")).toMatchObject({ passes: false, type: "bridge" });
    const wrapped = answersFor(wrapping?.text ?? "");
    expect(wrapped.findings).toEqual([]);
    // A list that names its interfaces can be attached only once to a container.
    expect(wrapped.outcomes.flatMap(({ event, passes }) => (passes ? [] : event))).toEqual(["twice"]);
    expect(wrapped.outcomes).toHaveLength(9);
  });

  test("CHECK of a plain list after a script's ADD is told only where ADD fails without the script", () => {
    const { afterScript } = answersFor(listText(macvlan, bridge));
    expect(afterScript).toMatchObject({ message: "Failed to match addr 172.26.64.2/20 on interface eth0" });
    expect(answersFor(listText(bridge)).afterScript).toBeUndefined();
  });

  test("what fails rarely at an only interface plugin is mended by its wrapper, which the page then offers", () => {
    const portmap = { type: "portmap", capabilities: { portMappings: true } };
    const { outcomes, wrapping } = answersFor(listText(bridge, portmap));
    expect(outcomes.flatMap(({ event, passes }) => (passes ? [] : event))).toEqual(["retry", "reboot"]);
    expect(wrapping).toMatchObject({ passes: true, plugins: [{ becomes: "bridge-wrapper", does: "makes eth0" }] });
    expect(JSON.stringify(wrapping?.notes)).not.toContain("works without a wrapper");
    const { outcomes: wrapped } = answersFor(wrapping?.text ?? "");
    expect(wrapped.filter(({ event }) => event !== "twice").every(({ passes }) => passes)).toBe(true);
  });

  test("it does not say that a list works which fails with wrappers, too", () => {
    const { wrapping } = answersFor(listText({ ...bridge, ipam: ipam("172.26.64.1/33") }));
    expect(wrapping).toMatchObject({ plugins: [], notes: ["Wrappers would not fix what fails."] });
    expect(wrapping?.passes).toBeUndefined();
  });

  test("it says whether the wrapped list passes, unless that is not known", () => {
    const outside = { ...macvlan, ipam: { ...ipam("172.16.5.0/33") } };
    expect(answersFor(listText(macvlan, bridge)).wrapping?.passes).toBe(true);
    expect(answersFor(listText(outside, bridge)).wrapping?.passes).toBe(false);
    expect(answersFor(listText(macvlan, bridge, { type: "calico" })).wrapping?.passes).toBeUndefined();
  });

  test("where two plain plugins fail on ADD, it does not ask to move the firewall, which the wrapped list has in its place", () => {
    const { findings, wrapping } = answersFor(listText(bridge, { type: "firewall" }, macvlan));
    expect(findings.map(({ code }) => code)).toEqual(["unwrapped-creator", "unwrapped-creator"]);
    expect(wrapping?.passes).toBe(true);
  });

  test("a text that does not begin as a list is told what a list is", () => {
    const [finding] = answersFor('job "web" { group "web" {} }').findings;
    expect(finding?.hint).toBe('A list is an object: { "cniVersion": "1.0.0", "name": "...", "plugins": [...] }');
    expect(answersFor('{ "name": zone }').findings[0]?.hint).toBe("Put text into double quotes");
  });

  test("it does not run jq", () => {
    const { outcomes, list } = answersFor(listText({ ...bridge, type: "bridge-wrapper", wrapper: { jq: "." } }));
    expect(outcomes).toEqual([{ event: "start", passes: undefined, message: "the page does not run jq", leaves: [] }]);
    expect(list && stepsText(list, "ADD")).toBe("Not known: the page does not run jq.\n");
  });

  test.each([
    ["", "There is no list yet."],
    [" \n", "There is no list yet."],
    ['{ "name": "zone",, }', "Line 1, column 18: "],
    ["[]", "Line 1, column 1: the file has no JSON object."],
    ["[".repeat(60_000), "Its values are nested too deeply."],
    [deepList(65), "Its values are nested too deeply."],
    [
      listText(...Array(17).fill({ type: "tuning" })),
      "It has 17 plugins; the page reads up to 16. Use cni-wrappers explain.",
    ],
  ])("%#: it says why it does not read a text", (text, start) => {
    const { problem, list, outcomes } = answersFor(text);
    expect(problem?.slice(0, start.length)).toBe(start);
    expect({ list, outcomes }).toEqual({ list: undefined, outcomes: [] });
  });

  test.each([
    ["64 levels", deepList(64)],
    ["16 plugins", listText(...Array(16).fill({ type: "tuning" }))],
  ])("it reads a list with %s", (_, text) => {
    expect(answersFor(text).problem).toBeUndefined();
  });

  test.each([
    [
      "plugins",
      "Rename the key plugin to plugins",
      '{ "cniVersion": "1.0.0", "name": "zone", "plugin": [{ "type": "tuning" }] }',
    ],
    ["capabilities", "The nearest key is capabilities", listText({ ...bridge, capabilites: { ips: true } })],
  ])("a finding names %s, which a misspelled key means", (_, hint, text) => {
    expect(answersFor(text).findings.map((finding) => finding.hint)).toEqual([hint]);
  });

  test("one plugin without a list is a .conf, and one in a list is not", () => {
    const alone = JSON.stringify({ cniVersion: "1.0.0", name: "zone", ...bridge });
    expect(answersFor(alone).list?.file.path).toBe("list.conf");
    expect(answersFor(alone).findings.map(({ code }) => code)).not.toContain("wrong-ending");
    expect(answersFor(listText(bridge)).list?.file.path).toBe("list.conflist");
    expect(answersFor("{}").list?.file.path).toBe("list.conflist");
  });

  test("a plugin with a key twice keeps its text", () => {
    const text =
      '{ "cniVersion": "1.0.0", "name": "z", "plugins": [{ "type": "bridge", "type": "bridge" }, { "type": "ptp" }] }';
    expect(answersFor(text).wrapping).toMatchObject({ plugins: [], text });
  });
});
