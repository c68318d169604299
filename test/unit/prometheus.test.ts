import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { prometheusText } from "../../cli/status/prometheus.ts";
import { emptyStatus } from "./support/host-status.ts";

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const rules = read("conf-examples/prometheus/cni-wrappers.rules.yml");
const dashboard = read("conf-examples/prometheus/grafana-dashboard.json");

const namesIn = (text: string) => [...new Set(text.match(/\bcni_wrappers_\w+/g))].sort();
/** With a log, status has every metric. */
const printed = namesIn(prometheusText({ ...emptyStatus, repaired: { file: "log", passed: 0, failed: 0 } }));

test("the dashboard and the page show what status prints, and nothing else", () => {
  expect(printed.length).toBeGreaterThan(15);
  expect(namesIn(dashboard)).toEqual(printed);
  expect(namesIn(read("docs/commands.md").replace(/^.*(?=\n## status\n)/s, ""))).toEqual(printed);
});

test("there is an alert for each metric that can say that something is wrong", () => {
  const neverWrong = ["cni_wrappers_attachments", "cni_wrappers_installation_info"];
  expect(namesIn(rules)).toEqual(printed.filter((name) => !neverWrong.includes(name)));
});

interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test?: readonly { readonly alertname: string; readonly exp_alerts: readonly object[] }[];
  }[];
}

// `npm run test:alerts` runs them.
test("each alert has a test in which it fires", () => {
  const alerts: string[] = parse(rules).groups[0].rules.map(({ alert }: { alert: string }) => alert);
  const cases = (parse(read("test/alerts/rules.test.yml")) as RuleTests).tests.flatMap(
    ({ alert_rule_test = [] }) => alert_rule_test,
  );
  const firing = cases.filter(({ exp_alerts }) => exp_alerts.length > 0).map(({ alertname }) => alertname);
  expect(firing.sort()).toEqual(alerts.sort());
});
