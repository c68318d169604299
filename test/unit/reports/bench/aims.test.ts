import { describe, expect, test } from "vitest";
import { aimsOf, isMet } from "../../../reports/bench/aims.ts";
import type { Report, Row } from "../../../reports/bench/report.ts";

const always = (figure: number) => ({ median: figure, p10: figure, p90: figure });

/** A row in which the processor time is half of the elapsed time. */
function row(title: string, times: Readonly<Record<string, number>>): Row {
  const timings = Object.entries(times).map(([peer, ms]) => ({ peer, wallMs: always(ms), cpuMs: always(ms / 2) }));
  return { title, timings };
}

const nothing: Report = {
  machine: { cores: "2", architecture: "x86_64", kernel: "6", node: "24", bash: "5" },
  loadBefore: 0,
  missing: [],
};

const found = (report: Partial<Report>) =>
  Object.fromEntries(aimsOf({ ...nothing, ...report }).map(({ title, found }) => [title, found]));

describe("whether an aim is met", () => {
  test.each([
    [{ most: 2, found: 2 }, true],
    [{ most: 2, found: 2.01 }, false],
    [{ least: 3, found: 3 }, true],
    [{ least: 3, found: 2.99 }, false],
    [{ most: 2, found: undefined }, undefined],
  ])("%j: %s", (aim, expected) => {
    expect(isMet({ title: "", ...aim })).toBe(expected);
  });
});

test("without figures nothing is met or missed", () => {
  expect(new Set(aimsOf(nothing).map(isMet))).toEqual(new Set([undefined]));
});

test("of both CHECKs, and of all later jqs, the worst counts", () => {
  const rows = [
    row("CHECK first", {
      floor: 1,
      slim: 2,
      "Node flavor": 30,
      "empty SEA": 20,
      "bash + jq 1.6": 24,
      "bash + jq 1.7": 8,
    }),
    row("CHECK chained", {
      floor: 1,
      slim: 3,
      "Node flavor": 30,
      "empty SEA": 25,
      "bash + jq 1.6": 27,
      "bash + jq 1.8.2": 6,
    }),
    row("ADD first", { floor: 1, slim: 9, "bash + jq 1.6": 1 }),
  ];
  expect(found({ calls: { runs: 1, rows, footprints: [] } })).toMatchObject({
    "CHECK: slim ÷ floor": 3,
    "CHECK: bash + later jq ÷ slim": 2,
    "CHECK: bash + jq 1.6 ÷ slim": 9,
    "CHECK: Node flavor ÷ empty SEA": 1.5,
  });
});

test("the flavor for musl has aims of its own where it was timed", () => {
  const rows = [row("CHECK first", { floor: 1, "floor, musl": 0.5, slim: 3, "slim, musl": 2, "bash + jq 1.7": 6 })];
  expect(found({ calls: { runs: 1, rows, footprints: [] } })).toMatchObject({
    "CHECK: slim ÷ floor": 3,
    "CHECK: slim, musl ÷ floor": 2,
    "CHECK: slim, musl ÷ floor, musl": 4,
    "CHECK: bash + later jq ÷ slim, musl": 3,
  });
  expect(found({})).not.toHaveProperty(["CHECK: slim, musl ÷ floor"]);
});

test("a whole CHECK of two and of eight interfaces is compared with the bare plugins and multus", () => {
  const rows = [
    row("two interfaces", { "bare plugins": 10, slim: 13, multus: 26 }),
    row("four interfaces", { "bare plugins": 10, slim: 50, multus: 26 }),
    row("eight interfaces", { "bare plugins": 40, slim: 44, multus: 88 }),
  ];
  const whole = { runs: 1, rows };
  expect(found({ chains: whole })).toMatchObject({
    "go-cni CHECK of two: slim ÷ bare plugins": 1.3,
    "go-cni CHECK of two: slim ÷ multus": 0.5,
    "go-cni CHECK of eight: slim ÷ bare plugins": 1.1,
    "go-cni CHECK of eight: slim ÷ multus": 0.5,
  });
  expect(found({ chains: whole })).not.toHaveProperty(["go-cni CHECK of two: slim, musl ÷ multus"]);
});

test("growth and many calls at once are the slim flavor's", () => {
  const interfaces = [row("2 interfaces", { slim: 2, floor: 1 }), row("128 interfaces", { slim: 3, floor: 5 })];
  const crowd = { ...row("64 at once", { floor: 1, slim: 1 }), calls: 64, load: [1.5, 1.1] };
  const configuration = [row("1 KB", { slim: 2, floor: 1 }), row("1024 KB", { slim: 9, floor: 2 })];
  expect(found({ growth: { runs: 1, interfaces, configuration }, atOnce: [crowd] })).toMatchObject({
    "slim: 128 interfaces ÷ 2": 1.5,
    "slim: configuration of 1024 KB ÷ 1 KB": 4.5,
    "slim: 64 at once ÷ (64 × one's CPU time ÷ cores)": 1.1,
  });
});

test("size and memory are as they were found", () => {
  const footprints = [
    { peer: "slim", peakMB: 2.4, systemCalls: 40, sizeMB: 2.3 },
    { peer: "slim, musl", peakMB: 1.9, systemCalls: 40, sizeMB: 1.3 },
  ];
  expect(found({ calls: { runs: 1, rows: [], footprints } })).toMatchObject({
    "slim: memory, MB": 2.4,
    "slim, static glibc: size, MB": 2.3,
    "slim, musl: size, MB": 1.3,
  });
});
