import { expect, test } from "vitest";
import type { Verdict } from "../../../../cli/live/check.ts";
import type { Forecast, HostReport } from "../../../../cli/preflight/forecasts.ts";
import { preflightJson, preflightText } from "../../../../cli/preflight/report.ts";
import { cachedAttachment } from "../../support/cached-results.ts";
import { entryOf } from "../../support/journals.ts";
import { rememberedOf } from "../prune/support.ts";

const plain = { hasColors: false };
const from = { lists: "option", plugins: "option" } as const;
const lookedAt = {
  directories: { lists: ["/lists"], plugins: ["/bin"], results: "/results", from },
  journalProblem: null,
  agent: { problem: null, differs: [], notLoaded: [] },
};
// A journal has configurations, and a configuration may have a password: no report has it.
const memory = rememberedOf(entryOf({ configuration: { type: "bridge", password: "hunter2" } }));

function forecastOf(containerId: string, verdict: Verdict, more: Partial<Forecast> = {}): Forecast {
  const result = {
    cniVersion: "1.0.0",
    interfaces: [{ name: "veth1" }, { name: "eth0", sandbox: "/netns/a" }, { name: "eth1", sandbox: "/netns/a" }],
    ips: [
      { address: "10.0.0.2/24", interface: 1 },
      { address: "fd00::2/64", interface: 2 },
    ],
  };
  const attachment = cachedAttachment({ file: "/results/a", containerId, netns: "/netns/a", result });
  const workload = { runtime: "Nomad", name: `job ${containerId}` } as const;
  return { attachment, workload, verdict, changed: [], isAdoptable: false, ...more };
}

function reportOf(forecasts: readonly Forecast[], more: Partial<HostReport> = {}): HostReport {
  return {
    origin: {
      ...{ format: 1, tool: { version: "1.2.3", commit: "abc" }, time: "now" },
      ...{ lists: [], with: null, network: null, container: null },
    },
    ...{ host: "h", forecasts, strays: { namespaces: [], memories: [] }, leftOut: [], unsaved: [] },
    nomadSkipsCheck: undefined,
    lookedAt,
    ...more,
  };
}

const looked = "looked at: lists in /lists, plugins in /bin, results in /results";
const row = (name: string, verdict: string) =>
  `zone     job ${name}     eth0 eth1   10.0.0.2/24 fd00::2/64  ${verdict}`;
const head = "network  workload  interfaces  addresses               verdict";

test("attachments that pass need no explanation", () => {
  const text = preflightText(reportOf([forecastOf("a", { is: "passes" })]), plain);
  expect(text).toBe(`${[`${head}\n${row("a", "passes")}`, looked, "1 of 1 pass"].join("\n\n")}\n`);
});

test("without an attachment, the report says where it looked, and counts none", () => {
  expect(preflightText(reportOf([]), plain)).toBe(`There is no attachment to check.\n\n${looked}\n`);
});

test("each verdict has its reason, what changed and what to do, and is counted", () => {
  const failed = { is: "fails" } as const;
  const outside = ["10.0.0.2 is outside", "fd00::2 is outside"];
  const forecasts = [
    forecastOf("a", { ...failed, plugin: "bridge", error: "no veth", cure: "start it again" }, { changed: ["x", "y"] }),
    forecastOf("b", { is: "fails", error: "no list" }),
    forecastOf("c", { is: "fails", error: "two interfaces", cure: "none" }, { isAdoptable: true }),
    forecastOf("d", { is: "unchecked", why: "disableCheck is set" }),
    forecastOf("e", { is: "gone" }),
    forecastOf("f", { is: "passes", outside, dropped: ["sbr is dropped"] }),
    forecastOf("g", { is: "passes" }, { changed: ["z"], isAdoptable: true }),
  ];
  const rows = ["fails", "fails", "fails", "unchecked", "gone", "passes", "passes"];
  const table = rows.map((verdict, index) => row("abcdefg".charAt(index), verdict));
  const reasons = [
    "zone a fails: bridge: no veth",
    "  changed since it started: x, y",
    "  start it again",
    "zone b fails: no list",
    "zone c fails: two interfaces",
    "  cni-wrappers adopt can complete its result",
    "zone d unchecked: disableCheck is set",
    "zone e gone: its namespace is gone",
    "zone f passes: 10.0.0.2 is outside; fd00::2 is outside; sbr is dropped",
  ];
  const parts = [[head, ...table], reasons, [looked], ["2 of 7 pass, 3 fail, 1 unchecked, 1 gone"]];
  expect(preflightText(reportOf(forecasts), plain)).toBe(`${parts.map((part) => part.join("\n")).join("\n\n")}\n`);
});

test("more than five of one cause have one row and one reason, five have a row each", () => {
  /** The parts of the report, each with its lines. */
  const partsFor = (names: string, is: "gone" | "passes" = "gone") => {
    const report = reportOf([...names].map((name) => forecastOf(name, { is })));
    return preflightText(report, plain)
      .split("\n\n")
      .map((part) => part.split("\n"));
  };
  expect(partsFor("abcdef").slice(0, 2)).toEqual([
    ["network  workload       interfaces  addresses  verdict", "zone     6 attachments                         gone"],
    ["zone a gone: its namespace is gone", "  and 5 more attachments of zone: job b, job c, job d, job e, job f"],
  ]);
  expect(partsFor("abcde")[0]?.slice(1)).toEqual([..."abcde"].map((name) => row(name, "gone")));
  expect(partsFor("abcdef", "passes")[0]).toHaveLength(7);
});

test("it names what belongs to no attachment, what Nomad skips and what it has not saved", () => {
  const report = reportOf([], {
    strays: { namespaces: ["/netns/b", "/netns/c"], memories: [memory] },
    nomadSkipsCheck: { reason: "bridge is old", cure: "install 1.3.0" },
    unsaved: ["a"],
  });
  const young = (count: string, them: string) =>
    `${count} younger than a minute: Nomad has perhaps not saved ${them}; stop the client with SIGTERM (systemctl stop nomad), not with SIGKILL`;
  expect(preflightText(report, plain).split("\n\n").slice(1, -1)).toEqual([
    "namespace without an attachment: /netns/b\nnamespace without an attachment: /netns/c",
    "journal without an attachment: /var/lib/cni/wrappers/blue/zone:eth0",
    "Nomad would skip CHECK: bridge is old; install 1.3.0",
    young("1 container is", "it"),
  ]);
  expect(preflightText({ ...report, unsaved: ["a", "b"] }, plain)).toContain(young("2 containers are", "them"));
});

test.each([
  ["green", 32, { is: "passes" }],
  ["red", 31, { is: "fails", error: "no" }],
  ["yellow", 33, { is: "unchecked", why: "no" }],
  ["dim", 2, { is: "gone" }],
] as const)("on a terminal with colors, the verdict is %s", (_, code, verdict) => {
  const text = preflightText(reportOf([forecastOf("a", verdict)]), { hasColors: true });
  expect(text).toMatch(new RegExp(`\u001b\\[${code};[\\d;]+m${verdict.is}\u001b`));
});

test("the same as JSON, which names the files of journals, and not what they have", () => {
  const report = reportOf([forecastOf("a", { is: "fails", error: "no list" }, { changed: ["x"], isAdoptable: true })], {
    strays: { namespaces: ["/netns/b"], memories: [memory] },
    leftOut: ["/results/b: no JSON"],
    unsaved: ["a"],
  });
  const text = preflightJson(report);
  expect(text).toMatch(/^\{\n {2}"format": 1,\n[\s\S]*\n\}\n$/);
  expect(JSON.parse(text)).toEqual({
    ...report.origin,
    host: "h",
    ...{ ...lookedAt, nomadSkipsCheck: null },
    ...{ leftOut: ["/results/b: no JSON"], unsaved: ["a"] },
    strays: { namespaces: ["/netns/b"], journals: ["/var/lib/cni/wrappers/blue/zone:eth0"] },
    attachments: [
      {
        ...{ network: "zone", containerId: "a", workload: { runtime: "Nomad", name: "job a" }, ifName: "eth0" },
        ...{ netns: "/netns/a", interfaces: ["eth0", "eth1"], addresses: ["10.0.0.2/24", "fd00::2/64"] },
        ...{ verdict: { is: "fails", error: "no list" }, changed: ["x"], adoptable: true },
      },
    ],
  });
  const skipped = preflightJson({ ...report, nomadSkipsCheck: { reason: "bridge is old", cure: "" } });
  expect(JSON.parse(skipped).nomadSkipsCheck).toBe("bridge is old");
});
