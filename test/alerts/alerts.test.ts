import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { prometheusText } from "../../cli/status/prometheus.ts";
import { promtool } from "../support/go.ts";
import { scratch } from "../support/scratch.ts";
import { emptyStatus } from "../unit/support/host-status.ts";

interface Rule {
  readonly alert: string;
}

const examples = path.resolve(import.meta.dirname, "../../conf-examples/prometheus");
const rulesFile = path.join(examples, "cni-wrappers.rules.yml");
const rules: readonly Rule[] = parse(readFileSync(rulesFile, "utf8")).groups[0].rules;
const ruleTests = path.join(import.meta.dirname, "rules.test.yml");

let program = "";
// The first build takes minutes.
beforeAll(async () => {
  program = await promtool();
}, 1_800_000);
const directory = scratch();

function run(args: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", input });
  return { status, output: stdout + stderr };
}

function write(name: string, value: unknown): string {
  const file = path.join(directory, name);
  writeFileSync(file, stringify(value));
  return file;
}

test("Prometheus reads the rules, and finds nothing to complain about", () => {
  expect(run(["check", "rules", "--lint=all", "--lint-fatal", rulesFile])).toMatchObject({
    status: 0,
    output: expect.stringContaining(`SUCCESS: ${rules.length} rules found`),
  });
});

test("each alert fires for a host with its mistake, and for no other host", () => {
  expect(run(["test", "rules", ruleTests])).toMatchObject({ status: 0, output: expect.stringContaining("SUCCESS") });
});

test.each(rules.map(({ alert }) => alert))("%s: without the rule, its test fails", (alert) => {
  const file = write("rules.yml", { groups: [{ name: "rest", rules: rules.filter((rule) => rule.alert !== alert) }] });
  const tests = write("tests.yml", { ...parse(readFileSync(ruleTests, "utf8")), rule_files: [file] });
  const { status, output } = run(["test", "rules", tests]);
  expect(status).toBe(1);
  expect(output).toContain(`alertname: ${alert}, `);
});

test("Prometheus parses each query of the dashboard", () => {
  const text = readFileSync(path.join(examples, "grafana-dashboard.json"), "utf8");
  const panels: readonly { targets: readonly { expr: string }[] }[] = JSON.parse(text).panels;
  const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll("$instance", ".*")));
  expect(queries.length).toBeGreaterThan(15);
  const recorded = queries.map((expr, index) => ({ record: `query_${index}`, expr }));
  const file = write("queries.yml", { groups: [{ name: "queries", rules: recorded }] });
  expect(run(["check", "rules", file])).toMatchObject({ status: 0 });
});

test("Prometheus reads what status prints, and finds nothing to complain about", () => {
  const links = { made: [], missing: [], needed: ["ptp-wrapper"], taken: [] };
  const release = { version: "1.0.0", commit: "abc", flavor: "slim" } as const;
  const metrics = prometheusText({
    ...emptyStatus,
    installations: [
      { directory: 'a"b\\c', release, state: "incomplete", madeBy: "install", links, previous: undefined },
    ],
    networks: [{ network: "zone", attachments: 1, failing: 1, gone: 0, outside: 1, withoutJournal: 1 }],
    repaired: { file: 'a"b\\c', passed: 1, failed: 1 },
  });
  expect(run(["check", "metrics"], metrics)).toEqual({ status: 0, output: "" });
});
