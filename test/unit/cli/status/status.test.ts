import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import {
  type CheckedAttachment,
  countNetworks,
  type HostStatus,
  isWell,
  statusText,
} from "../../../../cli/status/host-status.ts";
import { prometheusText } from "../../../../cli/status/prometheus.ts";
import { printable } from "../../../../cli/terminal.ts";
import { scratch } from "../../../support/scratch.ts";
import { writeResult } from "../../support/cached-results.ts";
import { makeHostFolders } from "../../support/fake-host-folders.ts";
import { runCommand, trouble } from "../../support/fake-terminal.ts";
import { emptyStatus } from "../../support/host-status.ts";
import { setVariable } from "../../support/programs.ts";
import { redirect } from "../../support/redirected.ts";
import { writeFile, writeList } from "../../support/written.ts";

const directory = scratch();
const at = (name: string) => join(directory, name);
beforeEach(() => {
  for (const name of ["results", "config"]) mkdirSync(join(directory, name));
  makeHostFolders(directory, { cniPath: { bin: { bridge: { version: "v1.6.2" }, static: {} } } });
  attach("zone", "c1", "/proc/self/ns/net");
  attach("zone", "c2", "/proc/self/ns/net");
  attach("zone", "c3", "/gone");
  attach("shop", "c4", "/proc/self/ns/net");
  writeList(at("config/shop.conflist"), { type: "bridge", ipam: { type: "static" } });
});

function attach(networkName: string, containerId: string, netns: string): void {
  writeResult(directory, { networkName, containerId, netns });
}

const status = (...options: string[]) => {
  const host = ["--cache-dir", directory, "--cni-path", at("bin"), "--config-dir", at("config")];
  return runCommand(["status", ...host, ...options], { directory });
};

const expected = `# HELP cni_wrappers_status_timestamp_seconds When status ended, in seconds since 1970.
# TYPE cni_wrappers_status_timestamp_seconds gauge
cni_wrappers_status_timestamp_seconds TIME
# HELP cni_wrappers_installation_info The wrappers in a directory of the plugins. The value is always 1.
# TYPE cni_wrappers_installation_info gauge
# HELP cni_wrappers_installation_intact 0 if the executable does not answer, is not the one that install wrote, has no link that a list names, may be changed by another user, or is shadowed by another version.
# TYPE cni_wrappers_installation_intact gauge
# HELP cni_wrappers_installation_links_missing Wrappers that a list names and that have no link.
# TYPE cni_wrappers_installation_links_missing gauge
# HELP cni_wrappers_lists_invalid Lists that no runtime loads: Nomad does not start with one.
# TYPE cni_wrappers_lists_invalid gauge
cni_wrappers_lists_invalid 0
# HELP cni_wrappers_list_errors Errors that lint finds in the lists that runtimes load, and what they and their containers lack on this host, and who else may change them.
# TYPE cni_wrappers_list_errors gauge
cni_wrappers_list_errors 0
# HELP cni_wrappers_networks_not_loaded Networks of the Nomad client's lists that it has not loaded: it needs a reload.
# TYPE cni_wrappers_networks_not_loaded gauge
cni_wrappers_networks_not_loaded 0
# HELP cni_wrappers_attachments Attachments in libcni's cache.
# TYPE cni_wrappers_attachments gauge
cni_wrappers_attachments{network="shop"} 1
cni_wrappers_attachments{network="zone"} 3
# HELP cni_wrappers_attachments_failing Attachments whose CHECK fails: the next restart of Nomad would destroy them.
# TYPE cni_wrappers_attachments_failing gauge
cni_wrappers_attachments_failing{network="shop"} 0
cni_wrappers_attachments_failing{network="zone"} 2
# HELP cni_wrappers_attachments_outside Attachments with an address outside of the list's subnets: the next ADD may fail.
# TYPE cni_wrappers_attachments_outside gauge
cni_wrappers_attachments_outside{network="shop"} 0
cni_wrappers_attachments_outside{network="zone"} 0
# HELP cni_wrappers_attachments_without_journal Attachments of a wrapped list without a journal: the wrappers recover nothing of them.
# TYPE cni_wrappers_attachments_without_journal gauge
cni_wrappers_attachments_without_journal{network="shop"} 0
cni_wrappers_attachments_without_journal{network="zone"} 0
# HELP cni_wrappers_orphans Results whose namespace is gone, and journals of the wrappers without a result.
# TYPE cni_wrappers_orphans gauge
cni_wrappers_orphans{kind="result"} 1
cni_wrappers_orphans{kind="journal"} 0
# HELP cni_wrappers_results_unreadable Lists, results in libcni's cache, journals of the wrappers and others that could not be looked at.
# TYPE cni_wrappers_results_unreadable gauge
cni_wrappers_results_unreadable 0
# HELP cni_wrappers_nomad_skips_check 1 if Nomad would skip CHECK, because its bridge plugin is missing, does not answer or is too old.
# TYPE cni_wrappers_nomad_skips_check gauge
cni_wrappers_nomad_skips_check 0
# HELP cni_wrappers_journals_writable 0 if the wrappers cannot write journals: ADD fails.
# TYPE cni_wrappers_journals_writable gauge
cni_wrappers_journals_writable 1
# HELP cni_wrappers_narrow_runtimes Runtimes whose limit of address space ends the Node flavor.
# TYPE cni_wrappers_narrow_runtimes gauge
cni_wrappers_narrow_runtimes 0
`;

/** The text with a word in place of the time, which must be within the last minute. */
function timeless(text: string): string {
  return text.replace(/^(cni_wrappers_status_timestamp_seconds) (.*)$/m, (_, name, seconds) => {
    const age = Date.now() / 1000 - Number(seconds);
    return age >= 0 && age < 60 ? `${name} TIME` : `${name} ${age} seconds ago`;
  });
}

describe("status", () => {
  test("counts attachments by network, and those whose CHECK fails", async () => {
    const { stdout, ...rest } = await status("--prometheus");
    expect(timeless(stdout)).toBe(expected);
    expect(rest).toEqual({ stderr: "", exitCode: 1 });
  });

  test.each([
    ["beside --prometheus", ["--prometheus"]],
    ["alone, too: nothing reads prose from a file", []],
  ])("--output replaces the file in one step and prints nothing, %s", async (_, more) => {
    writeFile(at("out/a.prom"), "# HELP cni_wrappers_old A number of an older version.\n");
    expect(await status("--output", "out/a.prom", ...more)).toEqual({ stdout: "", stderr: "", exitCode: 1 });
    expect(timeless(readFileSync(at("out/a.prom"), "utf8"))).toBe(expected);
    expect(readdirSync(at("out"))).toEqual(["a.prom"]);
  });

  test("--output writes what node_exporter's user may read, whatever the umask, and keeps the mode that somebody chose", async () => {
    const earlier = process.umask(0o077);
    try {
      await status("--output", "a.prom");
      expect(statSync(at("a.prom")).mode & 0o777).toBe(0o644);
      chmodSync(at("a.prom"), 0o640);
      await status("--output", "a.prom");
      expect(statSync(at("a.prom")).mode & 0o777).toBe(0o640);
    } finally {
      process.umask(earlier);
    }
  });

  test("--output replaces only what status wrote: a list of that name stays", async () => {
    const file = at("a.out");
    const list = '{"cniVersion":"1.0.0","name":"zone","plugins":[]}';
    for (const text of [list, "# HELP node_load1 1m load average.\n"]) {
      writeFileSync(file, text);
      expect(await status("--output", "a.out")).toEqual(
        trouble("a.out exists, and status did not write it; name another file, or remove this one if nobody needs it"),
      );
      expect(readFileSync(file, "utf8")).toBe(text);
    }
    writeFileSync(file, "");
    for (const more of [["--json"], ["--json"], []])
      expect(await status("--output", "a.out", ...more)).toEqual({ stdout: "", stderr: "", exitCode: 1 });
    expect(timeless(readFileSync(file, "utf8"))).toBe(expected);
  });

  test("--log of a file that is not there", async () => {
    expect(await status("--network", "shop", "--log", "nope")).toEqual(trouble("--log nope: there is no such file"));
  });

  test("the text has the same numbers", async () => {
    expect((await status()).stdout.split("\n")).toEqual([
      "no installation in the directories of the plugins",
      "",
      `looked at: lists in ${directory}/config, plugins in ${directory}/bin, results in ${directory}`,
      "lists: 1",
      "",
      "network  attachments  failing  gone",
      "shop     1            0        0",
      "zone     3            2        1",
      "",
      "cni-wrappers preflight says why they fail",
      "results without a namespace: 1 (nothing runs there: cni-wrappers prune shows what is left)",
      "journals without a result: 0",
      "",
    ]);
  });

  test("a list that no runtime loads has a number of its own", async () => {
    writeFileSync(at("config/broken.conflist"), "{");
    const { stdout, exitCode } = await status("--network", "shop", "--prometheus");
    expect(stdout).toContain("\ncni_wrappers_lists_invalid 1\n");
    expect(stdout).toContain("\ncni_wrappers_results_unreadable 1\n");
    expect(exitCode).toBe(2);
    const { lists } = JSON.parse((await status("--network", "shop", "--json")).stdout);
    expect(lists.invalid).toEqual([expect.stringMatching(/broken\.conflist:1:2: /)]);
  });

  test("counts live attachments of a wrapped list without a journal", async () => {
    const bridge = { type: "bridge-wrapper", ipam: { type: "static" } };
    writeList(at("config/zone.conflist"), bridge, { type: "portmap" });
    attach("zone", "c5", "/proc/self/ns/net");
    makeHostFolders(directory, { entries: [{ containerId: "c1" }] });
    redirect("/var/lib/cni", at("state"));
    const lines = (await status("--prometheus")).stdout.split("\n");
    // Of zone's, c1 has a journal, c2 and c5 live, and c3 is gone. shop's list has no wrapper.
    expect(lines.filter((line) => line.startsWith("cni_wrappers_attachments_without_journal"))).toEqual([
      'cni_wrappers_attachments_without_journal{network="shop"} 0',
      'cni_wrappers_attachments_without_journal{network="zone"} 2',
    ]);
    expect((await status()).stdout).toContain("\nzone: attachments without a journal: 2\n");
  });

  test("two containers with one address are an error; one that is gone does not count", async () => {
    const result = { interfaces: [{ name: "eth0", sandbox: "/x" }], ips: [{ address: "10.0.0.9/24", interface: 0 }] };
    const here = "/proc/self/ns/net";
    for (const [containerId, netns] of Object.entries({ c4: here, c5: here, c6: "/gone" }))
      writeResult(directory, { networkName: "shop", containerId, netns, result });
    const line = `${directory}/config/shop.conflist: c4 and c5 have one address, 10.0.0.9/24 (bridge): stop all but one`;
    expect(JSON.parse((await status("--network", "shop", "--json")).stdout).lists.errors).toEqual([line]);
  });

  test("interfaces that cannot be read are left out", async () => {
    setVariable("PATH", directory);
    const stderr = "the host's interfaces: ip(8) is missing, or fails\n";
    expect(await status("--network", "shop")).toMatchObject({ stderr, exitCode: 2 });
  });

  test("--log adds the repaired ADDs, and so does CNI_WRAPPERS_LOG", async () => {
    const message = "an earlier try was not completed: undoing it before ADD";
    writeFileSync(at("log"), `${JSON.stringify({ level: "warn", pid: 1, message })}\n`);
    const { stdout } = await status("--prometheus", "--log", "log");
    const lines = stdout.split("\n").filter((line) => line.includes("repaired_adds"));
    expect(lines.slice(1)).toEqual([
      "# TYPE cni_wrappers_repaired_adds_total counter",
      'cni_wrappers_repaired_adds_total{outcome="passed"} 1',
      'cni_wrappers_repaired_adds_total{outcome="failed"} 0',
    ]);
    expect(lines[0]).toContain(`in ${directory}/log. It starts again at 0 when the log is rotated`);
    const env = { CNI_WRAPPERS_LOG: at("log") };
    const text = await runCommand(["status", "--cache-dir", directory], { directory, env });
    expect(text.stdout).toContain(`repaired ADDs in ${directory}/log: 1 passed, 0 failed\n`);
  });
});

const network = { network: "zone", attachments: 2, failing: 0, gone: 0, outside: 0, withoutJournal: 0 };

test.each<[string, Partial<HostStatus>, boolean]>([
  ["nothing is wrong", { networks: [network], unreadable: 1 }, true],
  ["a CHECK fails", { networks: [network, { ...network, failing: 1 }] }, false],
  ["an address is outside of its subnet", { networks: [{ ...network, outside: 1 }] }, false],
  ["a list has an error", { lists: { ...emptyStatus.lists, errors: ["x"] } }, false],
  ["no journal can be written", { journalProblem: "x" }, false],
  ["a network is not loaded", { agent: { ...emptyStatus.agent, notLoaded: ["x"] } }, false],
  ["a runtime has too little address space", { narrowRuntimes: [{ name: "x", pid: 1, addressSpace: 1 }] }, false],
  ["a result has no namespace", { orphans: { results: 1, journals: 0 } }, false],
  ["a journal has no result", { orphans: { results: 0, journals: 1 } }, false],
])("%s: whether a host is well", (_, changes, expected) => {
  expect(isWell({ ...emptyStatus, ...changes })).toBe(expected);
});

test("attachments are counted by network, in the order of the names", () => {
  const checked = (network: string, verdict: CheckedAttachment["verdict"]) =>
    ({ attachment: { network }, verdict, lacksJournal: false }) as CheckedAttachment;
  const all = [checked("zone", { is: "passes" }), checked("shop", { is: "passes", outside: ["10.0.0.2"] })];
  expect(countNetworks(all)).toEqual([
    { ...network, network: "shop", attachments: 1, outside: 1 },
    { ...network, attachments: 1 },
  ]);
});

test("the text says all that is wrong, and what to do", () => {
  const links = { made: ["a-wrapper", "b-wrapper"], missing: [], needed: [], taken: [] };
  const status: HostStatus = {
    ...emptyStatus,
    installations: [
      {
        ...{ directory: "/a", release: undefined, state: "broken", problem: "it is old", madeBy: "hand" },
        ...{ links: { ...links, made: [] }, previous: undefined },
      },
      {
        ...{ directory: "/b", release: { version: "1.0.0", commit: "c1", flavor: "slim" }, state: "unknown" },
        ...{ madeBy: "a package", links, previous: undefined, shadowedBy: { directory: "/a", links: links.made } },
      },
    ],
    networks: [
      { ...network, failing: 1, outside: 1 },
      { ...network, network: "shop" },
    ],
    lists: { ...emptyStatus.lists, files: 2, errors: ["a: x"], switchedOff: ["b: y"] },
    unreadable: 1,
    nomadSkipsCheck: { reason: "old", cure: "newer" },
    narrowRuntimes: [{ name: "nomad", pid: 812, addressSpace: 1_048_576_000 }],
  };
  expect(printable(statusText(status, { hasColors: true })).split("\n")).toEqual([
    "installation in /a: no version",
    "  \u001B[31mbroken: it is old\u001B[39m",
    "  links: none",
    "  kept for a rollback: nothing",
    "installation in /b: 1.0.0 (slim flavor, commit c1)",
    "  made by a package: there is no checksum to compare with",
    "  runtimes run a-wrapper, b-wrapper in /a",
    "  links: a-wrapper, b-wrapper",
    "  kept for a rollback: nothing",
    "",
    "looked at: lists in no directory (usual), plugins in  (usual), results in ",
    "lists: 2",
    "  a: x",
    "  b: y",
    "",
    "network  attachments  failing",
    "zone     2            \u001B[31m1\u001B[39m",
    "shop     2            0",
    "",
    "cni-wrappers preflight says why they fail",
    "zone: attachments with an address outside of the list's subnets: 1",
    "results without a namespace: 0",
    "journals without a result: 0",
    "lists, results, journals and others that could not be looked at: 1",
    "Nomad would skip CHECK: old; newer",
    "nomad (process 812) gives its plugins 1000 MiB of address space, and the Node flavor needs 2048 MiB: install the slim flavor",
    "",
  ]);
  const well = statusText({ ...emptyStatus, networks: [network] }, { hasColors: true });
  expect(well.split("\n").slice(3)).toEqual([
    ...["lists: 0", "", "network  attachments  failing", "zone     2            0", ""],
    ...["results without a namespace: 0", "journals without a result: 0", ""],
  ]);
  expect(statusText(emptyStatus, { hasColors: true })).toContain("\nlists: 0\n\nno attachments\nresults without");
});

test("label values and HELP are escaped as the format wants it", () => {
  const text = prometheusText({
    ...emptyStatus,
    nomadSkipsCheck: { reason: "old", cure: "newer" },
    repaired: { file: 'a"b\\c\nd', passed: 0, failed: 0 },
    networks: [{ ...network, network: 'a"b\\c\nd\u001b[2J', attachments: 1 }],
    journalProblem: "read-only",
  });
  expect(text).toContain('\ncni_wrappers_attachments{network="a\\"b\\\\c\\nd\\\\u001b[2J"} 1\n');
  expect(text).toContain('by the lines in a"b\\\\c\\nd. It starts');
  expect(text).toContain("\ncni_wrappers_nomad_skips_check 1\n");
  expect(text).toContain("\ncni_wrappers_journals_writable 0\n");
  expect(text).toContain("\ncni_wrappers_status_timestamp_seconds 1795521600\n");
});
