import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { noProgram } from "../../../../cli/host/plugin-folder.ts";
import { install as installBytes } from "../../../../cli/install/install.ts";
import { placeAt } from "../../../../cli/install/place.ts";
import { scratch } from "../../../support/scratch.ts";
import { runCommand } from "../../support/fake-terminal.ts";
import { redirect } from "../../support/redirected.ts";
import { writeFile, writeList } from "../../support/written.ts";

const directory = scratch();
const at = (name: string) => join(directory, name);
const bin = () => at("bin");
beforeEach(() => {
  for (const name of ["bin", "results"]) mkdirSync(join(directory, name));
});

/** Installs a program that answers as the slim flavor of a version does, or another one. */
function install(
  version: string,
  { folder = bin(), plugins = "bridge,macvlan", commit = `c${version}`, help = 2 } = {},
) {
  const lines = ["#!/bin/sh", `[ $# = 0 ] || exit ${help}`, `echo "CNI x plugin v${version}"`];
  const bytes = Buffer.from([...lines, `echo "Built from commit ${commit}"`, ""].join("\n"));
  installBytes(placeAt(folder, "/"), { bytes, links: undefined }, plugins);
}

const run = (...options: string[]) => {
  const plugins = options.includes("--cni-path") ? [] : ["--cni-path", `${bin()}:/nowhere`];
  const host = ["--cache-dir", directory, "--config-dir", at("results"), ...plugins];
  return runCommand(["status", ...host, ...options], { directory });
};
const executable = () => join(bin(), "cni-wrappers");
const installation = async () => JSON.parse((await run("--json")).stdout).installations[0];

/** The plugins that have a wrapper, in the order of the archive. */
const others = "ptp ipvlan vlan host-device tap dummy portmap tuning bandwidth firewall sbr vrf";
const missing = others.split(" ").map((plugin) => `${plugin}-wrapper`);

test("an installation as install made it", async () => {
  install("1.0.0");
  install("2.0.0");
  const release = { version: "2.0.0", commit: "c2.0.0", flavor: "slim" };
  expect(await installation()).toEqual({
    directory: bin(),
    release,
    state: "intact",
    madeBy: "install",
    links: { made: ["bridge-wrapper", "macvlan-wrapper"], missing, needed: [], taken: [] },
    previous: { version: "1.0.0", commit: "c1.0.0", flavor: "slim" },
  });
  const { stdout, ...ended } = await run();
  expect(ended).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout.split("\n").slice(0, 5)).toEqual([
    `installation in ${bin()}: 2.0.0 (slim flavor, commit c2.0.0)`,
    "  intact: the checksum and the version are those that install wrote",
    "  links: bridge-wrapper, macvlan-wrapper",
    `  without a link: ${missing.join(", ")}`,
    "  kept for a rollback: 1.0.0 (slim flavor, commit c1.0.0)",
  ]);
});

test("what is kept for a rollback and does not answer is not called nothing", async () => {
  install("1.0.0");
  expect((await run()).stdout).toContain("\n  kept for a rollback: nothing\n");
  install("2.0.0");
  chmodSync(join(bin(), ".cni-wrappers/previous"), 0o644);
  expect((await run()).stdout).toContain("\n  kept for a rollback: a file that does not answer\n");
});

test.each<[string, () => void, string]>([
  ["it is empty", () => writeFileSync(executable(), ""), `${noProgram}; move it away, and install again`],
  [
    "it is not executable",
    () => chmodSync(executable(), 0o644),
    `it is not executable; run: chmod 755 ${executable()}`,
  ],
  [
    "it is another program",
    () => writeFileSync(executable(), "#!/bin/sh\n"),
    "it does not answer as cni-wrappers does; move it away, and install again",
  ],
])("a broken installation, and why: %s", async (_, change, problem) => {
  install("1.0.0");
  change();
  const { stdout } = await run();
  expect(stdout.split("\n").slice(0, 2)).toEqual([`installation in ${bin()}: no version`, `  broken: ${problem}`]);
  expect(JSON.parse((await run("--json")).stdout).installations[0]).toMatchObject({ state: "broken", problem });
});

test("Prometheus gets the release and the state", async () => {
  install("1.0.0");
  const values = (await run("--prometheus")).stdout.split("\n").filter((line) => line.includes("installation_i"));
  expect(values.filter((line) => !line.startsWith("#"))).toEqual([
    `cni_wrappers_installation_info{directory="${bin()}",version="1.0.0",commit="c1.0.0",flavor="slim"} 1`,
    `cni_wrappers_installation_intact{directory="${bin()}"} 1`,
  ]);
  appendFileSync(executable(), "# more\n");
  expect((await run("--prometheus")).stdout).toContain(`installation_intact{directory="${bin()}"} 0\n`);
});

test("an executable with other bytes is changed, and a broken one is broken: exit code 1", async () => {
  install("1.0.0");
  appendFileSync(executable(), "# one more line\n");
  expect(await installation()).toMatchObject({ state: "changed", release: { version: "1.0.0" } });
  const words = "changed: the checksum or the version is not the one that install wrote";
  expect(await run()).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(words) });
  writeFileSync(executable(), "");
  expect(await installation()).toMatchObject({ state: "broken" });
  expect(await run()).toMatchObject({ exitCode: 1 });
});

test.each([
  ["another user's", 0o755, 65534, "exposed"],
  ["with the rights of its owner for everybody", 0o4755, 0, "exposed"],
  ["with the rights of its group for everybody", 0o2755, 0, "exposed"],
  ["written by its group", 0o775, 0, "exposed"],
  ["written by everybody", 0o757, 0, "exposed"],
  ["read by nobody else", 0o700, 0, "intact"],
])("an executable that is %s", async (_how, mode, uid, state) => {
  install("1.0.0");
  chownSync(executable(), uid, 0);
  chmodSync(executable(), mode);
  expect(await installation()).toMatchObject({ state });
  const { exitCode, stdout } = await run();
  expect(exitCode).toBe(state === "intact" ? 0 : 1);
  const words = "exposed: another user may change the executable, or gets its owner's rights; run: chown root: ";
  const cure = `${executable()} && chmod ug-s,go-w ${executable()}`;
  expect(stdout.includes(`  ${words}${cure}\n`)).toBe(exitCode === 1);
});

test.each([
  ["another user's", 0o755, 65534, "exposed"],
  ["written by its group", 0o775, 0, "exposed"],
  ["written by everybody", 0o757, 0, "exposed"],
  ["written by everybody, who removes only his own files", 0o1777, 0, "intact"],
])("an executable in a directory that is %s", async (_how, mode, uid, state) => {
  install("1.0.0");
  chownSync(bin(), uid, 0);
  chmodSync(bin(), mode);
  expect(await installation()).toMatchObject({ state });
  const cureOf = (path: string) =>
    state === "intact" ? "" : `; run: chown root: ${path} && chmod ug-s,go-w ${path}\n`;
  expect((await run()).stdout).toContain(cureOf(bin()));
  chownSync(directory, uid, 0);
  chmodSync(directory, mode);
  chownSync(bin(), 0, 0);
  chmodSync(bin(), 0o755);
  expect(await installation()).toMatchObject({ state });
  expect((await run()).stdout).toContain(cureOf(directory));
});

test.each<[string, () => unknown, string?]>([
  ["everybody may write", () => chmodSync(at("zone.conflist"), 0o666), "zone.conflist"],
  ["belongs to another user", () => chownSync(at("zone.conflist"), 65534, 0), "zone.conflist"],
  ["is in a directory where everybody may write", () => chmodSync(directory, 0o777), ""],
  ["is a link to a directory where everybody may write", () => linkTo("bin/zone.conflist", 0o777), "bin"],
  ["is a link to one where only root may", () => linkTo("bin/zone.conflist", 0o755)],
  ["nobody else may write", () => {}],
])("a list that %s", async (_how, change, exposed) => {
  writeList(at("zone.conflist"), { type: "ptp", ipam: { type: "static", addresses: [] } });
  change();
  const path = join(directory, exposed ?? "");
  const cure = `chown root: ${path} && chmod ug-s,go-w ${path}`;
  const line = `${at("zone.conflist")}: another user may change it, and plugins run as root with it; run: ${cure}`;
  const { lists } = JSON.parse((await run("--json", "--config-dir", directory)).stdout);
  expect(lists.errors.filter((one: string) => one.includes("another user"))).toEqual(
    exposed === undefined ? [] : [line],
  );
});

function linkTo(target: string, mode: number) {
  renameSync(at("zone.conflist"), at(target));
  symlinkSync(target, at("zone.conflist"));
  chmodSync(bin(), mode);
}

test("a link that a list names and nobody has: the installation is incomplete, and exit code 1", async () => {
  install("1.0.0");
  const file = at("zone.conflist");
  writeList(file, { type: "ptp-wrapper", ipam: { type: "static" } });
  const outcome = await run("--config-dir", directory);
  expect(outcome.exitCode).toBe(1);
  expect(outcome.stdout).toContain("\n  incomplete: lists name links that are missing; install makes them\n");
  expect(outcome.stdout).toContain("\n  named in a list, and missing: ptp-wrapper\n");
  expect(outcome.stdout).toContain(`${file}:1:56: no directory of --cni-path has ptp-wrapper [missing-plugin]`);
  const metrics = await run("--config-dir", directory, "--prometheus");
  expect(metrics.stdout).toContain(`installation_intact{directory="${bin()}"} 0\n`);
  expect(metrics.stdout).toContain(`installation_links_missing{directory="${bin()}"} 1\n`);
  chmodSync(executable(), 0o777);
  const exposed = (await run("--config-dir", directory)).stdout;
  expect(exposed).toContain(`\n  exposed: `);
  expect(exposed).toContain("\n  named in a list, and missing: ptp-wrapper\n");
  writeFileSync(executable(), "");
  expect((await run("--config-dir", directory)).stdout).toContain("\n  broken: ");
});

test("a directory that is there twice is one installation: Prometheus takes no number twice", async () => {
  install("1.0.0");
  const { stdout } = await run("--prometheus", "--cni-path", `${bin()}:${bin()}/`);
  expect(stdout.match(/^cni_wrappers_installation_intact.*/gm)).toEqual([
    `cni_wrappers_installation_intact{directory="${bin()}"} 1`,
  ]);
});

test("a version that install noted otherwise is changed", async () => {
  install("1.0.0");
  const sums = join(bin(), ".cni-wrappers/checksums");
  writeFileSync(sums, readFileSync(sums, "utf8").replace("1.0.0", "1.0.1"));
  expect(await installation()).toMatchObject({ state: "changed" });
});

test("names that something else has, and a link that is not in the archive", async () => {
  install("1.0.0");
  writeFileSync(join(bin(), "ptp-wrapper"), "");
  symlinkSync("elsewhere", join(bin(), "vlan-wrapper"));
  symlinkSync(executable(), join(bin(), "calico-wrapper"));
  const { links } = await installation();
  expect(links.made).toEqual(["bridge-wrapper", "macvlan-wrapper", "calico-wrapper"]);
  expect(links.taken).toEqual([
    { name: "ptp-wrapper", is: "a file" },
    { name: "vlan-wrapper", is: "a link to elsewhere" },
  ]);
  expect((await run()).stdout).toContain(
    "  names taken by something else: ptp-wrapper (a file), vlan-wrapper (a link to elsewhere)\n",
  );
});

test("a copy by hand and a package have no checksum: that is no finding", async () => {
  install("1.0.0");
  const hidden = join(bin(), ".cni-wrappers");
  renameSync(hidden, at("hidden"));
  expect(await installation()).toMatchObject({ state: "unknown", madeBy: "hand" });
  writeFile(join(hidden, "owner"), "a package made these files\n");
  // What an install of before wrote says nothing of the package's executable.
  writeFileSync(join(hidden, "checksums"), `${"0".repeat(64)}  1.0.0\n`);
  expect(await installation()).toMatchObject({ state: "unknown", madeBy: "a package" });
  expect(await run()).toMatchObject({ exitCode: 0 });
});

test("a second installation: which directory is used for which links", async () => {
  const own = at("own");
  mkdirSync(own);
  install("2.0.0", { folder: own, plugins: "bridge" });
  install("1.0.0");
  const paths = ["--cni-path", `${own}:${bin()}`];
  const [first, second] = JSON.parse((await run("--json", ...paths)).stdout).installations;
  expect(first).not.toHaveProperty("shadowedBy");
  // The directory before it has no macvlan-wrapper.
  expect(second).toMatchObject({ state: "shadowed", shadowedBy: { directory: own, links: ["bridge-wrapper"] } });
  expect((await run(...paths)).stdout).toContain(`installation in ${bin()}: 1.0.0 (slim flavor, commit c1.0.0)
  shadowed: a directory before it has another version, which runtimes run
  runtimes run bridge-wrapper in ${own}
`);
  const intact = (await run("--prometheus", ...paths)).stdout.split("\n").filter((line) => /^\w+_intact/.test(line));
  expect(intact).toEqual([
    `cni_wrappers_installation_intact{directory="${own}"} 1`,
    `cni_wrappers_installation_intact{directory="${bin()}"} 0`,
  ]);
});

test("a runtime with too little address space matters to the Node flavor alone", async () => {
  mkdirSync(at("proc/812/ns"), { recursive: true });
  symlinkSync(readlinkSync("/proc/self/ns/pid"), at("proc/812/ns/pid"));
  for (const name of ["self", "sys"]) symlinkSync(`/proc/${name}`, at(`proc/${name}`));
  writeFileSync(at("proc/812/comm"), "nomad\n");
  symlinkSync("/", at("proc/812/root"));
  writeFileSync(at("proc/812/status"), "Uid:\t0\t0\t0\t0\n");
  writeFileSync(at("proc/812/limits"), "Max address space         1048576000 \n");
  redirect("/proc", at("proc"));
  const narrow = async () => JSON.parse((await run("--json")).stdout).narrowRuntimes;
  install("1.0.0");
  expect(await narrow()).toEqual([]);
  install("2.0.0", { plugins: "bridge", commit: "c", help: 0 });
  expect(await narrow()).toEqual([{ name: "nomad", pid: 812, addressSpace: 1_048_576_000 }]);
});

test("no installation: a link to the executable of another directory is none", async () => {
  symlinkSync("/elsewhere/cni-wrappers", executable());
  expect((await run()).stdout).toMatch(/^no installation in the directories of the plugins\n/);
  expect(JSON.parse((await run("--json")).stdout).installations).toEqual([]);
  expect(await run("--json", "--prometheus")).toMatchObject({ exitCode: 2 });
});

test.each<[string, string, Parameters<typeof install>[1], "own" | "bin" | undefined, string[], number]>([
  ["another version", "2.0.0", {}, undefined, ["intact", "shadowed"], 1],
  ["the same version of another commit", "1.0.0", { commit: "c1" }, undefined, ["intact", "shadowed"], 1],
  ["the same version", "1.0.0", {}, undefined, ["intact", "intact"], 0],
  ["another version, with other links", "2.0.0", { plugins: "ptp" }, undefined, ["intact", "intact"], 0],
  ["one that does not answer", "2.0.0", {}, "own", ["broken", "intact"], 1],
  ["another version, and the own one is damaged", "2.0.0", {}, "bin", ["intact", "broken"], 1],
])("a directory before it has %s", async (_, first, more, spoilt, states, exitCode) => {
  mkdirSync(at("own"));
  install(first, { folder: at("own"), ...more });
  install("1.0.0");
  if (spoilt !== undefined) writeFileSync(join(directory, spoilt, "cni-wrappers"), "half a download");
  const outcome = await run("--json", "--cni-path", `${directory}/own:${bin()}`);
  const { installations } = JSON.parse(outcome.stdout);
  expect(installations.map(({ state }: { state: string }) => state)).toEqual(states);
  expect(outcome.exitCode).toBe(exitCode);
});
