import { expect, test } from "vitest";
import { verdictOn } from "../../../reports/surface/generated/differences.ts";
import { type GeneratedLife, generatedVerbs, livesWith } from "../../../reports/surface/generated/lives.ts";
import { generatedPlugins } from "../../../reports/surface/generated/plugins.ts";

const lives = livesWith(2000, 7);

test("a seed generates the same calls again, and another seed generates others", () => {
  expect(livesWith(2000, 7)).toEqual(lives);
  expect(livesWith(2000, 8)).not.toEqual(lives);
  expect(lives.flatMap(({ calls }) => calls).length).toBeGreaterThanOrEqual(2000);
});

test("every verb of every plugin is generated", () => {
  for (const { name } of generatedPlugins) {
    const own = lives.filter(({ plugin }) => plugin.name === name).flatMap(({ calls }) => calls);
    expect(new Set(own.map(({ verb }) => verb)), name).toEqual(new Set(generatedVerbs));
  }
});

test("a container with two ADDs has no repairs, because the plain plugin has none", () => {
  const twice = lives.filter(({ calls }) => calls.filter(({ verb }) => verb === "ADD").length > 1);
  expect(twice.length).toBeGreaterThan(20);
  expect(twice.filter(({ wrapper }) => wrapper?.recover !== "never")).toEqual([]);
});

const life = { cniVersion: "1.1.0", config: { name: "zone" } } as unknown as GeneratedLife;
const call = { verb: "ADD", before: "", recall: "none", variables: {}, cut: undefined } as const;
const end = (exitCode: number, stdout: string, host: unknown = {}) => ({
  outcome: { exitCode, stdout, stderr: "" },
  host,
});
const failure = (code: number, msg: string) => end(1, JSON.stringify({ code, msg }));

const lost = { recall: "ips without interface" } as const;
const withIndex = (index?: number) =>
  end(0, JSON.stringify({ ips: [{ address: "10.0.0.2/24", interface: index }] }, null, 4));

test.each([
  ["a panic", { exitCode: 2, stdout: "", stderr: "panic: nil map" }, 7, "wrong name"],
  ["a version without CHECK", failure(1, "config version does not allow CHECK").outcome, 7, "wrong name"],
  ["another failure", failure(999, "a").outcome, 7, "DIFFERENT"],
  ["a panic, and another code of the wrapper", { exitCode: 2, stdout: "", stderr: "panic: nil map" }, 4, "DIFFERENT"],
])("a wrong name: %s", (_, outcome, code, verdict) => {
  const wrong = { ...life, config: { name: "a/b" } } as unknown as GeneratedLife;
  expect(verdictOn(wrong, call, { outcome, host: {} }, failure(code, "b"))).toBe(verdict);
  if (code === 7 && verdict !== "DIFFERENT") {
    expect(verdictOn(life, call, { outcome, host: {} }, failure(code, "b"))).toBe("DIFFERENT");
  }
});

test.each([
  ["equal ends", call, end(0, "{}"), end(0, "{}"), "same"],
  ["another host", call, end(0, "{}", { a: 1 }), end(0, "{}", { a: 2 }), "DIFFERENT"],
  ["another message", call, failure(7, "a"), failure(7, "b"), "DIFFERENT"],
  ["another message of a malformed call", { ...call, cut: 3 }, failure(7, "a"), failure(7, "b"), "own words"],
  ["another code of a malformed call", { ...call, cut: 3 }, failure(6, "a"), failure(7, "b"), "DIFFERENT"],
  ["a malformed call that passes", { ...call, cut: 3 }, failure(7, "a"), end(0, "{}"), "DIFFERENT"],
  ["a CHECK that passes", { ...call, verb: "CHECK" as const }, failure(999, "a"), end(0, ""), "DIFFERENT"],
  [
    "a CHECK that passes with an index",
    { ...call, verb: "CHECK" as const, ...lost },
    withIndex(),
    withIndex(2),
    "DIFFERENT",
  ],
  ["an index that was missing", { ...call, ...lost }, withIndex(), withIndex(2), "index"],
  ["an index in another call", call, withIndex(), withIndex(2), "DIFFERENT"],
  ["another address", { ...call, ...lost }, withIndex(), end(0, "{}"), "DIFFERENT"],
] as const)("%s", (_, made, plain, wrapped, verdict) => {
  expect(verdictOn(life, made, plain, wrapped)).toBe(verdict);
});
