import { expect, test } from "vitest";
import { droppedPlugins, isGood, type Verdict } from "../../../../cli/live/check.ts";
import { cachedAttachment } from "../../support/cached-results.ts";
import { listWith } from "../needs/support.ts";

const bridge = { type: "bridge-wrapper", bridge: "disc0" };
const portMappings = [{ hostPort: 8080, containerPort: 80, protocol: "tcp" }];

test.each<[Verdict, boolean]>([
  [{ is: "passes" }, true],
  [{ is: "passes", dropped: ["x"] }, false],
  [{ is: "passes", outside: ["x"] }, false],
  [{ is: "fails", error: "x" }, false],
  [{ is: "unchecked", why: "x" }, true],
  [{ is: "gone" }, true],
])("%j is good: %j", (verdict, expected) => {
  expect(isGood(verdict)).toBe(expected);
});

test.each([
  ["portmap", [bridge, { type: "portmap" }], [bridge], { portMappings }, ["portmap"]],
  ["firewall", [bridge, { type: "firewall" }], [bridge], {}, ["firewall"]],
  ["nothing", [bridge, { type: "portmap" }], [bridge, { type: "portmap" }], { portMappings }, []],
  ["portmap of a container without ports", [bridge, { type: "portmap" }], [bridge], { portMappings: [] }, []],
  ["portmap of a runtime without ports", [bridge, { type: "portmap" }], [bridge], {}, []],
  ["a plugin whose rules are in the container", [bridge, { type: "tuning" }], [bridge], {}, []],
])("taken out of the list: %s", (_, before, after, capabilityArgs, told) => {
  const attachment = cachedAttachment({ list: { plugins: before }, capabilityArgs });
  expect(droppedPlugins(listWith(...after), attachment).map((line) => line.split(" ")[0])).toEqual(told);
});
