// `npm run test:fresh`: README's commands, to the letter, in a clone of the last commit in a bare Debian 12 that has Node,
// Go, git and root: once without cargo, and once with it, as in CI. Debian's packages and all others come from the
// registries. The process, mount and other namespaces are its own, and the network is the host's, as in some containers.
//
//     node test/fresh/fresh.ts                  both, with empty caches
//     node test/fresh/fresh.ts --only cargo     only with cargo; `--only bare` is without
//     node test/fresh/fresh.ts --warm           with copies of this machine's caches

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { given, text } from "../support/given.ts";
import { type Given, givenBy, writeMounts } from "./given.ts";

const project = join(import.meta.dirname, "../..");
const values = given({ only: text, warm: false });
const hosts = { bare: "without cargo", cargo: "with cargo" };

const scratch = mkdtempSync(join(tmpdir(), "cni-wrappers-fresh-"));
// Processes of an interrupted run may write for a moment.
process.on("exit", () => rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort(signal));
const cancelSignal = stop.signal;

const chosen = Object.entries(hosts).filter(([name]) => values.only === undefined || values.only === name);
if (chosen.length === 0) throw new Error(`--only is one of ${Object.keys(hosts).join(", ")}`);
const all = await Promise.all(chosen.map(([name]) => givenBy(name === "cargo", values.warm)));
const archive = join(scratch, "debian.tar");
await makeDebian(archive);
const summary: string[] = [];
for (const [index, [name, title]] of chosen.entries()) {
  console.log(`== a bare Debian 12 ${title}`);
  for (const ended of await runOn(join(scratch, name), all[index] as Given)) {
    if (ended.exitCode !== 0) process.exitCode = 1;
    const lines = [`${title}: ${ended.command}: exit code ${ended.exitCode}`, ...ended.failed, ended.verdict];
    summary.push(lines.join("\n  "));
  }
}
console.log(`== summary\n${summary.join("\n")}`);

/** Writes an archive of Debian 12 with nothing but what every Debian has, git, and certificates. apt's own mirror is used. */
async function makeDebian(archive: string): Promise<void> {
  const format = "$(REPO_URI) $(RELEASE) $(COMPONENT)";
  const targets = ["indextargets", "--format", `deb ${format}`, "Origin: Debian", "Created-By: Packages"];
  const { stdout: mirrors } = await execa("apt-get", targets, { reject: false });
  const own = [...new Set(mirrors.split("\n"))].filter((line) => / bookworm\S* main$/.test(line));
  const { stdout: settings } = await execa`apt-config dump`;
  const way = settings.match(/^Acquire::(?:https?::|Check-).*$/gm) ?? [];
  const options = ["--variant=minbase", "--include=git,ca-certificates", ...way.map((line) => `--aptopt=${line}`)];
  await execa("mmdebstrap", ["--quiet", ...options, "bookworm", archive, ...own], { stdio: "inherit", cancelSignal });
}

/** How a command of the README ended: its last line, and the lines about what failed and what did not run. */
interface Ended {
  readonly command: string;
  readonly exitCode: number;
  readonly verdict: string;
  readonly failed: readonly string[];
}

/** Runs the README's commands in a new root, and prints what they print. */
async function runOn(root: string, given: Given): Promise<Ended[]> {
  mkdirSync(root);
  await execa`tar --extract --file ${archive} --directory ${root}`;
  await execa`git clone --quiet --no-hardlinks ${project} ${join(root, "root/cni-wrappers")}`;
  writeMounts(root, given);
  const namespaces = ["--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child"];
  const enter = ["sh", join(import.meta.dirname, "enter.sh"), ...commandsOf(root)];
  const program = execa("unshare", [...namespaces, ...enter], {
    ...{ cwd: root, env: given.variables, extendEnv: false, reject: false },
    ...{ stdin: "ignore", stderr: "inherit", cancelSignal, killSignal: "SIGKILL" },
  });
  const lines: string[] = [];
  for await (const line of program) {
    console.log(line);
    lines.push(line);
  }
  const { exitCode, shortMessage } = await program;
  if (exitCode !== 0) throw new Error(shortMessage);
  rmSync(root, { recursive: true });
  return endsIn(lines);
}

/** The commands to try and to change it, in the README's words. */
function commandsOf(root: string): string[] {
  const readme = readFileSync(join(root, "root/cni-wrappers/README.md"), "utf8");
  const commands = [...readme.matchAll(/^(npm run demo)$|`(npm test)`/gm)].map(([, demo, test = ""]) => demo ?? test);
  if (commands.length !== 2) throw new Error(`README.md has other than two commands to try: ${commands.join(", ")}`);
  return commands;
}

function endsIn(lines: readonly string[]): Ended[] {
  const ends = [...lines.join("\n").matchAll(/^== (npm .*?)\n(.*?)\n== exit code (\d+)$/gms)];
  return ends.map(([, command = "", output = "", exitCode]) => {
    const failed = output.match(/^ *(?:FAIL|✗|skipped:) .*$|^[\w -]+ (?:FAILED|skipped) \(.*$/gm) ?? [];
    return { command, exitCode: Number(exitCode), verdict: output.split("\n").at(-1) ?? "", failed };
  });
}
