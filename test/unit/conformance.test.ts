import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readSection } from "../../build/docs/page-section.ts";
import type { ConformanceCase } from "../../conformance/case.ts";
import { isIn } from "../../conformance/case.ts";
import { conformanceCases } from "../../conformance/cases.ts";
import type { SpecVersion } from "../../conformance/specification.ts";
import { caseTable, failureTable } from "../reports/conformance/report.ts";
import { committedOf, merged, problemsOf, readCommitted } from "../reports/conformance/results.ts";
import type { Ended } from "../reports/conformance/run.ts";
import { newestPlugins } from "../support/go.ts";
import { moduleSources } from "../support/upstream.ts";

const ended = (executable: Ended["executable"], problem: string, version: SpecVersion = "1.1.0"): Ended => ({
  plugin: "bridge",
  executable,
  name: "DEL undoes ADD",
  version,
  problem,
});

test("the page has the committed results", () => {
  expect(readSection("conformance")).toBe(failureTable(readCommitted()));
});

test("the pages are about the plugins that run", () => {
  const root = path.join(import.meta.dirname, "../..");
  const text = (page: string) => readFileSync(path.join(root, page), "utf8");
  expect(text("docs/conformance.md")).toContain(`The reference plugins ${newestPlugins} break`);
  expect(text("test/reports/conformance/CASES.md")).toContain(`with the reference plugins\n(${newestPlugins})`);
});

test("the page has every case", () => {
  expect(readSection("conformance-cases")).toBe(caseTable());
});

test("each case quotes a sentence of the specification", async () => {
  const texts = await Promise.all(["v1.3.0", "v0.8.1"].map(specificationOf));
  const unknown = conformanceCases.filter(
    ({ sentence, until }) => !texts[until === "0.4.0" ? 1 : 0]?.includes(sentence),
  );
  expect(unknown.map(({ name, sentence }) => `${name}: ${sentence}`)).toEqual([]);
});

/** SPEC.md in a release of libcni, which Go downloads if its cache lacks it. */
async function specificationOf(version: string): Promise<string> {
  const sources = await moduleSources({ module: "github.com/containernetworking/cni", version });
  if (sources === undefined) throw new Error(`Go cannot download libcni ${version}`);
  return readFileSync(path.join(sources, "SPEC.md"), "utf8").replaceAll(/\s+/g, " ");
}

test("no two cases have one name", () => {
  const names = conformanceCases.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test("a rule of 0.4.0 to 1.0.0 is in these versions", () => {
  const isInRule = (version: SpecVersion) => isIn({ since: "0.4.0", until: "1.0.0" } as ConformanceCase, version);
  expect((["0.3.1", "0.4.0", "1.0.0", "1.1.0"] as const).filter(isInRule)).toEqual(["0.4.0", "1.0.0"]);
});

const listing = (...more: string[]) => ({ cases: { bridge: ["DEL undoes ADD", ...more] }, plain: {}, wrapped: {} });
const worse = (what: string) => `worse than the plain plugin: bridge, slim, 1.1.0, DEL undoes ADD: ${what}`;
const renew = (key: string) =>
  `results.json: "${key}" is not what this run found. "-- --write" renews it and the page.`;
const [plain, slim, brokenPlain] = [ended("plain", ""), ended("slim", ""), ended("plain", "x")];
const older = ended("plain", "x", "0.3.0");
const second = "a second DEL succeeds";

test.each<[string, ReturnType<typeof ended>[], string[], ReturnType<typeof listing>?]>([
  ["fails if a wrapper breaks a rule that the plain plugin follows", [plain, ended("slim", "a lie")], [worse("a lie")]],
  ["passes if the plain plugin breaks it in the same version", [brokenPlain, ended("slim", "x")], []],
  ["fails if the plain plugin breaks it in another version only", [older, plain, ended("slim", "x")], [worse("x")]],
  [
    "fails if a case of the list did not run",
    [plain, slim],
    [...["plain", "slim"].map((one) => `not run: bridge, ${one}: ${second}`), renew("cases")],
    listing(second),
  ],
  ["fails if a plugin of the list ran only plain", [plain], ["not run: bridge, wrapped"], listing()],
  ["fails if it found other failures than the list", [brokenPlain, slim], [renew("plain")], listing()],
])("a run %s", (_, run, problems, list) => {
  expect(problemsOf(run, list ? ["bridge"] : [], list)).toEqual(problems);
});

test("the results name the versions in which a plain and a wrapped plugin fail", () => {
  const run = [ended("plain", "x", "0.3.0"), ended("plain", ""), ended("slim", "x")];
  expect(committedOf(run)).toEqual({
    cases: { bridge: ["DEL undoes ADD"] },
    plain: { "DEL undoes ADD": { bridge: ["0.3.0"] } },
    wrapped: { "DEL undoes ADD": { bridge: ["1.1.0"] } },
  });
});

test("the results of plugins that did not run stay", () => {
  const older = {
    cases: { bridge: ["DEL undoes ADD"], vlan: ["DEL undoes ADD"] },
    plain: { "DEL undoes ADD": { bridge: ["0.3.0"], vlan: ["1.1.0"] } },
    wrapped: { "a second DEL succeeds": { bridge: ["0.3.0"] } },
  } as const;
  expect(merged(older, committedOf([ended("plain", ""), ended("slim", "x")]))).toEqual({
    cases: { bridge: ["DEL undoes ADD"], vlan: ["DEL undoes ADD"] },
    plain: { "DEL undoes ADD": { vlan: ["1.1.0"] } },
    wrapped: { "DEL undoes ADD": { bridge: ["1.1.0"] } },
  });
});
