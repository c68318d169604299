import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { scratch, temporary } from "../../../support/scratch.ts";
import { writeResult } from "../../support/cached-results.ts";
import { runCommand, trouble } from "../../support/fake-terminal.ts";

const directory = scratch();

const passes = { network: "zone", verdict: { is: "passes" }, adoptable: false };
const unchecked = { network: "old", verdict: { is: "unchecked", why: "x" }, adoptable: false };
const missing = {
  network: "zone",
  verdict: { is: "fails", plugin: "bridge-wrapper", error: "interface eth1 is not in prevResult" },
  adoptable: true,
};
const noAddress = (address: string) => ({
  network: "shop",
  verdict: { is: "fails", plugin: "macvlan", error: `Failed to match addr ${address} on interface eth0` },
  adoptable: false,
});
const answer = (host: string, ...attachments: object[]) => ({
  ...{ host, attachments, strays: { namespaces: [], journals: [] }, leftOut: [], nomadSkipsCheck: null, unsaved: [] },
});

function file(name: string, ...texts: string[]): string {
  writeFileSync(join(directory, name), texts.join(""));
  return name;
}
const pretty = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
const line = (value: object) => `${JSON.stringify(value)}\n`;
const summary = (files: string[], ...options: string[]) =>
  runCommand(["preflight", ...options, "--summary", ...files], {
    directory,
    readInput: () => line(answer("in", passes)),
  });

describe("preflight --summary", () => {
  test("has a line for each host, and the failing attachments by network and reason", async () => {
    const many = file("many", line(answer("n1", passes, unchecked)), line(answer("n2", passes, missing, missing)));
    const one = file("one", pretty(answer("n3", noAddress("172.16.5.2/24"), noAddress("fd00::2/64"), missing)));
    const { stdout, stderr, exitCode } = await summary([many, one]);
    expect(stdout.split("\n")).toEqual([
      "host  attachments  pass  fail  unchecked  gone  adoptable  verdict",
      "n3    3            0     3     0          0     1          not ready",
      "n2    3            1     2     0          0     2          adopt first",
      "",
      "network  fail  hosts  adoptable  reason",
      "zone     3     2      3          bridge-wrapper: interface eth1 is not in prevResult",
      "shop     2     1      0          macvlan: Failed to match addr <address> on interface eth0",
      "",
      "1 of 3 hosts are ready",
      "",
    ]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 1 });
  });

  test("tells what else is wrong with a host", async () => {
    const faults = { leftOut: ["x"], nomadSkipsCheck: "bridge has version 1.2.0", unsaved: ["a", "b"] };
    const bad = { ...answer("n1", passes), ...faults };
    const { stdout, exitCode } = await summary([file("bad", line(bad))]);
    expect((await summary([file("both", line(bad), line(answer("n2", passes)))])).exitCode).toBe(2);
    expect(stdout.split("\n").slice(3)).toEqual([
      "n1: lists, results and others that could not be looked at: 1",
      "n1: Nomad would skip CHECK: bridge has version 1.2.0",
      "n1: containers that Nomad has perhaps not saved: 2",
      "",
      "0 of 1 hosts are ready",
      "",
    ]);
    expect(exitCode).toBe(2);
  });

  test("300 good hosts are a line, and a host counts once with its newest answer", async () => {
    const good = Array.from({ length: 300 }, (_, index) => line(answer(`n${index}`, passes)));
    const old = line({ ...answer("n7", missing), time: "2026-01-01T00:00:00.000Z" });
    const fresh = line({ ...answer("n7", passes), time: "2026-01-02T00:00:00.000Z" });
    const files = [file("good", ...good), file("new", fresh)];
    const { stdout, exitCode } = await summary([...files, file("old", old)]);
    expect({ stdout, exitCode }).toEqual({ stdout: "300 of 300 hosts are ready\n", exitCode: 0 });
  });

  test("a host's report says nothing of the others: a line break in it begins no line", async () => {
    const forged = "x\n9 of 9 hosts are ready";
    const bad = { ...answer(forged, passes), agent: { notLoaded: [forged] } };
    const { stdout } = await summary([file("a", line(bad))]);
    expect(stdout).toContain("x\\n9 of 9");
    expect(stdout.split("\n").filter((each) => each.startsWith("9 of 9"))).toEqual([]);
  });

  test("a host with a fault beside failing attachments is not ready, and all faults are told", async () => {
    const outside = { ...passes, verdict: { is: "passes", outside: ["x"] } };
    const dropped = { ...passes, verdict: { is: "passes", outside: [], dropped: ["sbr"] } };
    const texts = [
      answer("n1", outside, passes),
      { ...answer("n2", passes), agent: { notLoaded: ["shop", "zone", { toString: 1 }] } },
      answer("n3", dropped, dropped),
      { ...answer("n4", passes), journalProblem: "/var: full" },
      { ...answer("n5", passes), agent: { notLoaded: "shop" }, journalProblem: null },
    ].map(line);
    const { stdout, exitCode } = await summary([file("bad", ...texts)]);
    expect(stdout.split("\n\n").slice(1)).toEqual([
      [
        "n1: attachments with an address outside of the list's subnets: 1",
        "n2: the Nomad client has not loaded the network shop",
        "n2: the Nomad client has not loaded the network zone",
        "n3: attachments whose plugin is in the list no more, so DEL leaves its rules: 2",
        "n4: the wrappers cannot write journals: /var: full",
      ].join("\n"),
      "1 of 5 hosts are ready\n",
    ]);
    expect(exitCode).toBe(1);
  });

  test("an answer about a part of a host is not complete: it says nothing of the others", async () => {
    const part = (host: string, more: object) => ({ ...answer(host, passes), network: null, container: null, ...more });
    const texts = [part("n1", { network: "zone" }), part("n2", { container: "c1" }), part("n3", {})].map(line);
    const { stdout, exitCode } = await summary([file("parts", ...texts)]);
    expect(stdout.split("\n").slice(1)).toEqual([
      "n1    1            1     0     0          0     0          not ready",
      "n2    1            1     0     0          0     0          not ready",
      "",
      "n1, n2: lists, results and others that could not be looked at: 1",
      "n1: preflight looked only at --network zone; run it without",
      "n2: preflight looked only at --container c1; run it without",
      "",
      "1 of 3 hosts are ready",
      "",
    ]);
    expect(exitCode).toBe(2);
  });

  test.each([
    ["network", "zone"],
    ["container", "c1"],
  ])("preflight --json says that it looked at a part: --%s %s", async (name, value) => {
    for (const containerId of ["c1", "c2"]) writeResult(directory, { containerId, netns: "/none" });
    const options = ["--cache-dir", directory, "--cni-path", "/none", `--${name}`, value];
    const { stdout } = await runCommand(["preflight", "--json", ...options], { directory });
    expect(JSON.parse(stdout)).toMatchObject({ network: null, container: null, [name]: value });
  });

  test("hosts are sorted by name, groups of one size by network, and of many hosts with one fault two are named", async () => {
    const failing = (network: string) => ({ network, verdict: { is: "fails", error: "no list" }, adoptable: false });
    const hosts = ["n3", "n1", "n4", "n2"].map((host) => {
      return line({ ...answer(host, ...["b", "c", "a"].map(failing)), leftOut: ["x"] });
    });
    const { stdout } = await summary([file("bad", ...hosts)]);
    expect(stdout).toBe(
      [
        "host  attachments  pass  fail  unchecked  gone  adoptable  verdict",
        ...["n1", "n2", "n3", "n4"].map(
          (host) => `${host}    3            0     3     0          0     0          not ready`,
        ),
        "",
        "network  fail  hosts  adoptable  reason",
        ...["a", "b", "c"].map((network) => `${network}        4     4      0          no list`),
        "",
        "n3, n1 and 2 more: lists, results and others that could not be looked at: 1",
        "",
        "0 of 4 hosts are ready",
        "",
      ].join("\n"),
    );
  });

  describe("--expect", () => {
    const at = (time: string, host: string, ...attachments: object[]) =>
      line({ ...answer(host, ...attachments), time: `2026-01-01T${time}:00.000Z` });
    const expecting = (hosts: string, answers: string[], ...options: string[]) =>
      summary([file("answers", ...answers)], "--expect", file("hosts.txt", hosts), ...options);

    test("all are there and pass: one line. Comments, blank lines and spaces name no host", async () => {
      const hosts = "# nomad node status\n n1 # the first\n\nn2\nn2\n";
      const answers = [at("09:00", "n1", passes), at("09:59", "n2", passes)];
      const outcome = await expecting(hosts, answers);
      expect(outcome).toEqual({ exitCode: 0, stdout: "2 of 2 hosts are ready\n", stderr: "" });
    });

    test("one that fails: exit code 1", async () => {
      const { stdout, exitCode } = await expecting("n1\n", [at("09:00", "n1", missing)]);
      expect(stdout).toMatch(/^host .*\nn1 .*\n0 of 1 hosts are ready\n$/s);
      expect(exitCode).toBe(1);
    });

    const untimed = line(answer("n1", passes));
    const [early, late] = [at("09:00", "n1", passes), at("10:01", "n2", passes)];
    const several = "several answers, perhaps of several hosts with this name: n1";

    const [again, other] = ["n1", "n2"].map((host) => at("09:01", host, passes)) as [string, string];
    const old = "an old answer: n1";

    test.each([
      ["missing", "n1 n2 n3", [early], "no answer: n2, n3", "1 of 3"],
      ["listed twice", "n1 n2 n2", [early], "no answer: n2", "1 of 2"],
      ["stale", "n1 n2", [early, late], old, "1 of 2"],
      ["without a time", "n1", [untimed], old, "0 of 1"],
      ["without a time, beside a new one", "n1 n2", [untimed, other], old, "1 of 2"],
      ["missing, beside a stale one", "n1 n2 n3", [early, late], `no answer: n3\n${old}`, "1 of 3"],
      ["missing, beside a doubled one", "n1 n2", [early, again], `no answer: n2\n${several}`, "0 of 2"],
      ["doubled", "n1 n2", [at("09:00", "n1", missing), again, other], several, "1 of 2"],
      ["doubled, and one of them is old", "n1 n2", [early, at("10:01", "n1", passes), late], several, "1 of 2"],
    ])("%s: it is named, and the exit code is 2", async (_, hosts, answers, words, ready) => {
      const { stdout, exitCode } = await expecting(hosts.replaceAll(" ", "\n"), answers);
      expect(stdout).toBe(`${words}\n\n${ready} hosts are ready\n`);
      expect(exitCode).toBe(2);
    });

    test("a host that nobody expects is named: perhaps the file has a typing error", async () => {
      const outcome = await expecting("n1\n", [at("09:00", "n1", passes), at("09:00", "n2", passes)]);
      const stdout = "an answer that is not expected: n2\n\n2 of 2 hosts are ready\n";
      expect(outcome).toEqual({ exitCode: 0, stdout, stderr: "" });
    });

    test("--since names the time from which an answer counts", async () => {
      const since = (time: string) => expecting("n1\n", [at("09:00", "n1", passes)], "--since", time);
      expect(await since("2026-01-01T10:00:00+01:00")).toMatchObject({ exitCode: 0 });
      const { stdout, exitCode } = await since("2026-01-01T10:00:01+01:00");
      expect({ stdout, exitCode }).toEqual({
        stdout: "an old answer: n1\n\n0 of 1 hosts are ready\n",
        exitCode: 2,
      });
      for (const time of ["soon", "1"])
        expect(await since(time)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("date -Is") });
    });

    test.each([
      ["empty", () => file("hosts.txt", "\n# none\n"), "hosts.txt: it names no host"],
      ["missing", () => "none.txt", "none.txt: there is no such file"],
    ])("the file of the hosts is %s: exit code 2, with one line", async (_, makeFile, problem) => {
      const outcome = await summary(["-"], "--expect", makeFile());
      expect(outcome).toEqual(trouble(problem));
    });

    test.each([[["--expect", "hosts.txt"]], [["--since", "2026-01-01", "--summary", "-"]]])(
      "%j: an option that would do nothing",
      async (options) => {
        const outcome = await runCommand(["preflight", ...options], { directory, readInput: () => "" });
        expect(outcome).toEqual(trouble("--since needs --expect, and --expect needs --summary"));
      },
    );
  });

  test.each(["network", "container", "with"])("--summary does not select by --%s", async (name) => {
    expect(await summary(["-"], `--${name}`, "none")).toEqual({
      ...{ exitCode: 2, stdout: "" },
      stderr: expect.stringContaining(`option '--summary <file...>' cannot be used with option '--${name} <`),
    });
  });

  test("- is stdin, and exit code 0 means that every host is ready", async () => {
    expect(await summary(["-"])).toMatchObject({ stdout: "1 of 1 hosts are ready\n", exitCode: 0 });
  });

  test("--json has the same as data", async () => {
    const { stdout } = await summary([file("one", line(answer("n2", passes, missing)))], "--json");
    expect(JSON.parse(stdout)).toEqual({
      hosts: [
        {
          ...{ host: "n2", attachments: 2, passes: 1, fails: 1, adoptable: 1, leftOut: 0, unsaved: 0 },
          ...{ unchecked: 0, gone: 0, faults: [], time: "" },
          ...{ nomadSkipsCheck: null, verdict: "adopt first" },
        },
      ],
      ...{ missing: [], stale: [], doubled: [], unexpected: [] },
      failures: [
        {
          ...{ network: "zone", reason: "bridge-wrapper: interface eth1 is not in prevResult" },
          ...{ attachments: 1, hosts: 1, adoptable: 1 },
        },
      ],
    });
  });

  const notPrinted = "is not what preflight --json prints";

  test.each([
    ["", "it has no answer of preflight --json"],
    ["hello\n", `answer 1 ${notPrinted}`],
    [`${line(answer("n1"))}{"host":`, `answer 2 ${notPrinted}`],
    ['{"host":7,"attachments":[]}', `answer 1 ${notPrinted}`],
    ['{"host":"n1","attachments":{}}', `answer 1 ${notPrinted}`],
    ['{"host":"n1","attachments":[{"verdict":{}}]}', `answer 1 ${notPrinted}`],
    ['{"host":"n1","attachments":[{"network":"zone"}]}', `answer 1 ${notPrinted}`],
    ['{"host":"n1","attachments":["zone"]}', `answer 1 ${notPrinted}`],
    ['{"host":"n1","attachments":[{"network":"zone","verdict":{"is":"new"}}]}', `answer 1 ${notPrinted}`],
    [
      '{"host":"n1","attachments":[{"network":"zone","verdict":{"is":"fails","error":{"toString":1}}}]}',
      `answer 1 ${notPrinted}`,
    ],
    ['{"format":2,"host":"n1","attachments":[]}', "answer 1 is of another version of cni-wrappers; use that one"],
  ])("%j is no answer", async (text, problem) => {
    expect(await summary([file("wrong", text)])).toEqual(trouble(`wrong: ${problem}`));
  });

  test("reads what preflight --json prints", async () => {
    for (const containerId of ["c1", "c2"]) writeResult(directory, { containerId, netns: "/none" });
    file("results/zone-c3-eth0", "{");
    const options = ["--cache-dir", directory, "--cni-path", "/none"];
    const { stdout } = await runCommand(["preflight", "--json", ...options], { directory });
    const { hosts } = JSON.parse((await summary([file("real", stdout, stdout)], "--json")).stdout);
    const host = {
      ...{ host: hostname(), attachments: 2, passes: 0, fails: 0, adoptable: 0, leftOut: 1, unsaved: 0 },
      ...{ unchecked: 0, gone: 2, faults: [], time: expect.any(String) },
      ...{ nomadSkipsCheck: "Nomad finds no version of bridge: there is no bridge in /none", verdict: "not ready" },
    };
    expect(hosts).toEqual([host]);
  });
});

test.each(["preflight", "adopt", "status"])("%s shows a bar on a terminal while it checks", async (command) => {
  const directory = temporary();
  for (const containerId of ["c1", "c2", "c3"]) writeResult(directory, { containerId, netns: "/none" });
  let time = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (time += 2000));
  onTestFinished(() => clock.mockRestore());
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const progress = stream as unknown as NodeJS.WriteStream;
  const { stderr } = await runCommand([command, "--cache-dir", directory], { progress });
  expect(String(stream.read())).toContain("1 of 3 attachments");
  expect(stderr).toBe("");
});
