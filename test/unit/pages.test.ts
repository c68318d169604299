import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readSection } from "../../build/docs/page-section.ts";
import { prometheusText } from "../../cli/status/prometheus.ts";
import { blocksOf } from "../nomad/readme-blocks.ts";
import { version } from "../support/version.ts";
import { emptyStatus } from "./support/host-status.ts";

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const patterns = ["*.md", "docs/*.md", "plugins/*/README.md", "conf-examples/README.md"];
const developersPages = ["build/release/README.md", "build/slim/README.md", "test/reports/conformance/CASES.md"];
const pages = [...globSync(patterns, { cwd: root }), ...developersPages].sort();

/** A page without its code: there, brackets are not links, and # is not a heading. */
function textOf(page: string): string {
  const text = read(page);
  return text.replaceAll(/^ *```.*?^ *```$/gms, "").replaceAll(/(`+)(?!`).+?\1(?=\]\()/g, "code");
}

function linksOf(page: string): string[] {
  const targets = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return targets.filter((target) => !/^https?:/.test(target));
}

/** The anchors that GitHub gives a page's headings. */
function anchorsOf(page: string): string[] {
  const text = read(page).replaceAll(/^ *```.*?^ *```$/gms, "");
  const seen = new Map<string, number>();
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/** The faults of a link; none if its file and its anchor exist. */
function problemOf(page: string, link: string): string | undefined {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? page : path.join(path.dirname(page), file);
  if (!existsSync(path.join(root, target))) return `${link}: there is no ${target}`;
  if (anchor === undefined || anchorsOf(target).includes(anchor)) return undefined;
  return `${link}: ${target} has no heading #${anchor}`;
}

test("there are pages, and they have links", () => {
  expect(pages).toEqual(expect.arrayContaining(["README.md", "CONTRIBUTING.md", "docs/operations.md"]));
  expect(pages.flatMap(linksOf).length).toBeGreaterThan(100);
});

test.each(pages)("%s has links to files and headings that exist", (page) => {
  expect(linksOf(page).flatMap((link) => problemOf(page, link) ?? [])).toEqual([]);
});

test("the README has at most 150 lines", () => {
  expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});

const ran = { "Is it yours?": 1, "See it": 1, Install: 2, Migrate: 4, Verify: 1, Undo: 3 };

// `npm run test:nomad` runs them, and fails if one did not run. Here the list says sooner that one is new.
test("README's blocks of commands are those that test/nomad/readme.test.ts runs", () => {
  const readme = read("README.md");
  const sections = Map.groupBy(blocksOf(readme), ({ section }) => section);
  expect(Object.fromEntries([...sections].map(([section, blocks]) => [section, blocks.length]))).toEqual(ran);
  expect(readme.match(/^ *```.+$/gm)?.filter((fence) => fence.trim() !== "```sh")).toEqual([]);
});

test.each(globSync("docs/*.md", { cwd: root }))("the README leads to %s", (page) => {
  expect(linksOf("README.md").map((link) => link.split("#")[0])).toContain(page);
});

test("the pages name the archives of this version", () => {
  const text = pages.map((page) => read(page)).join("");
  const versions = [
    ...text.matchAll(/cni-(?:wrappers|wrappers-tools|conformance)-linux-\w+-v(\d+\.\d+\.\d+)\.tgz/g),
  ].map(([, each]) => each);
  expect(new Set(versions)).toEqual(new Set([version]));
});

// host-local knows one host. Without a range of its own, each host gives out the same addresses of the LAN.
test.each(
  globSync(["README.md", "docs/commands.md", "plugins/*/README.md", "conf-examples/*.conflist"], { cwd: root }),
)("%s gives host-local a part of the LAN on a host's uplink", (page) => {
  const [, ...plugins] = read(page).split(/"type": "(?!host-local)/);
  const onLan = plugins.filter((text) => /^(?:mac|ip)vlan(?:-wrapper)?",/.test(text) && text.includes('"host-local"'));
  const ranges = onLan.flatMap((text) => text.match(/"subnet": "[\d.]+\/\d+"[^}]*/g) ?? []);
  expect(ranges.filter((range) => !range.includes('"rangeStart"'))).toEqual([]);
});

test("README's list gives each host its own part of the LAN, and says why", () => {
  const readme = read("README.md").replaceAll(/\s+/g, " ");
  expect(readme).toMatch(/ --master ens18 .* --lan-start [\d.]+ --lan-end [\d.]+ /);
  expect(readme).toContain(
    "host-local does not know what other hosts give out, so give each host its own part of the LAN",
  );
});

// Of the executable that a release has.
test("README's cost of a CHECK is the one that npm run bench wrote", () => {
  const [, titles = "", , row = ""] =
    /^(\|.*\| slim, musl .*)\n(.*)\n(\| two interfaces .*)$/m.exec(readSection("bench")) ?? [];
  const cells = (line: string) => line.split("|").map((cell) => cell.trim());
  const measured = cells(row)[cells(titles).indexOf("slim, musl")];
  expect(read("README.md")).toContain(
    `CHECK of two interfaces takes ${measured} times as long ([benchmarks](docs/benchmarks.md))`,
  );
});

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

const [, promises = ""] = /^## Promises$(.*?)^## /ms.exec(read("docs/security.md")) ?? [];
const rows = promises.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| promise |"));

test("docs/security.md has promises", () => {
  expect(rows.length).toBeGreaterThan(20);
});

test.each(rows)("a promise of docs/security.md names a test that exists: %s", (row) => {
  const [, file = "", title = ""] = /^\| .+ \| \[.*?\]\((.+?)\): (.+) \|$/.exec(row) ?? [];
  expect(title).not.toBe("");
  const source = read(path.join("docs", file));
  const quoted = [`"${title}"`, `\`${title}\``, `"${title.replaceAll('"', '\\"')}"`];
  expect(quoted.some((text) => source.includes(text))).toBe(true);
});
