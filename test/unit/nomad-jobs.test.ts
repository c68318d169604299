import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const jobs = path.resolve(import.meta.dirname, "../../conf-examples/nomad-jobs");

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "nomad-jobs-"));
  for (const name of ["bin", "tools", "commands"]) mkdirSync(at(name));
  writeProgram("bin/sleep", "");
});
afterEach(() => rmSync(directory, { recursive: true }));

const at = (name: string) => path.join(directory, name);

function writeProgram(name: string, text: string): void {
  writeFileSync(at(name), `#!/bin/sh\n${text}\n`);
  chmodSync(at(name), 0o755);
}

function run(script: string, args: readonly string[] = [], variables: Readonly<Record<string, string>> = {}) {
  const env = { PATH: `${at("bin")}:${process.env.PATH}`, NOMAD_TASK_DIR: directory, DIR: directory, ...variables };
  return spawnSync("sh", [path.join(jobs, script), ...args], { env, encoding: "utf8" });
}

test.each(["install", "adopt"])("%s.nomad.hcl: node=client-1 is not client-10", (job) => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is HCL.
  expect(readFileSync(path.join(jobs, `${job}.nomad.hcl`), "utf8")).toContain('value     = "^(${var.node})$"');
});

describe("collect.sh", () => {
  /** A Nomad whose n-th answer about the allocations is the n-th case. Each call gets a line in `calls`. */
  const collect = (...answers: string[]) => {
    const cases = answers.map((answer, index) => `${index === answers.length - 1 ? "*" : index + 1}) ${answer} ;;`);
    writeProgram(
      "bin/nomad",
      `echo "$1 $2 $3" >>$DIR/calls
case "$1 $2" in
"job allocs") echo x >>$DIR/asked; case $(wc -l <$DIR/asked) in ${cases.join(" ")} esac ;;
"alloc logs") [ "$3" = -stderr ] || echo "answer of $3" ;;
esac`,
    );
    const { status, stdout } = run("collect.sh", ["preflight.nomad.hcl"]);
    return { status, stdout, isPurged: readFileSync(at("calls"), "utf8").includes("job stop -purge") };
  };

  test("waits until the job has ended, also after an error of the API", () => {
    const answers = ["echo a running", "exit 1", "echo a pending", "echo a complete"];
    expect(collect(...answers)).toEqual({ status: 0, stdout: "answer of a\n", isPurged: true });
  });

  test("leaves the job alone if Nomad gives no answer", () => {
    expect(collect("echo a running", "exit 1")).toEqual({ status: 2, stdout: "", isPurged: false });
  });

  test.each(["failed", "lost", "unknown"])("an allocation that is %s: exit code 1", (status) => {
    const answer = `echo a complete; echo b ${status}`;
    expect(collect(answer)).toEqual({ status: 1, stdout: "answer of a\nanswer of b\n", isPurged: true });
  });
});

describe("install.sh", () => {
  const passing = `echo '{"attachments": []}'`;
  /** Runs the script with commands whose preflight runs `before`, and `after` once something is installed. */
  const install = (before: string, after: string, variables: Readonly<Record<string, string>> = {}) => {
    writeProgram(
      "tools/cni-wrappers",
      `case "$1 $2" in
"preflight --json") if [ -e $DIR/installed ]; then ${after}; else ${before}; fi ;;
"install --json") touch $DIR/installed; echo '{"is": "replaced"}' ;;
"install --rollback") touch $DIR/rolled-back ;;
esac`,
    );
    const { status, stderr } = run("install.sh", [], {
      COMMANDS: at("commands"),
      RELOAD: "true",
      OPTIONS: "",
      ...variables,
    });
    return { status, stderr, isInstalled: existsSync(at("installed")), isBack: existsSync(at("rolled-back")) };
  };

  test("installs and reloads", () => {
    const outcome = install(passing, passing, { RELOAD: "touch $DIR/reloaded" });
    expect(outcome).toEqual({ status: 0, stderr: "", isInstalled: true, isBack: false });
    expect(existsSync(at("reloaded"))).toBe(true);
    expect(existsSync(at("commands/cni-wrappers"))).toBe(true);
  });

  test("preflight gets the options of the job", () => {
    const asked = `echo $# $3 $4 >>$DIR/asked; ${passing}`;
    expect(install(asked, asked, { OPTIONS: "--config-dir /opt/cni/config" })).toMatchObject({ status: 0 });
    expect(install(asked, asked)).toMatchObject({ status: 0 });
    const given = "4 --config-dir /opt/cni/config\n";
    expect(readFileSync(at("asked"), "utf8")).toBe(`${given}${given}2\n2\n`);
  });

  test("no answer of preflight is no good answer", () => {
    expect(install("exit 1", passing)).toMatchObject({ status: 1, isInstalled: false });
    expect(install(passing, "exit 1")).toMatchObject({ status: 1, isInstalled: true, isBack: true });
  });

  test("more containers fail than before: the old version comes back", () => {
    const failing = `echo '{"attachments": [{"verdict": {"is": "fails"}}]}'; exit 1`;
    const outcome = install(passing, failing);
    expect(outcome).toMatchObject({ status: 1, isBack: true });
    expect(outcome.stderr).toContain("1 containers fail CHECK now, and 0 failed it before");
  });

  test("a reload that fails is told as such, and an empty one runs nothing", () => {
    const stderr = "installed, but the reload failed: exit 3\n";
    expect(install(passing, passing, { RELOAD: "exit 3" })).toMatchObject({ status: 1, stderr, isBack: false });
    expect(install(passing, passing, { RELOAD: "" })).toMatchObject({ status: 0 });
  });

  test("the directory of the wrappers gets no commands", () => {
    symlinkSync("cni-wrappers", at("commands/bridge-wrapper"));
    expect(install(passing, passing)).toMatchObject({ status: 1, isInstalled: false });
    expect(existsSync(at("commands/cni-wrappers"))).toBe(false);
  });
});

test("prerm: a key of the same name in a plugin's configuration does not count", () => {
  const records = at("records");
  mkdirSync(records);
  const script = readFileSync(path.resolve(jobs, "../../build/packages/files/prerm"), "utf8");
  writeFileSync(at("prerm"), script.replaceAll("/var/lib/cni/wrappers", records));
  const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  const namespace = spawnSync("stat", ["-Lc", "%d:%i", "/proc/self/ns/net"], { encoding: "utf8" }).stdout.trim();
  const configuration = { args: { netns: "/elsewhere", namespace: "1:1" } };
  const record = { network: "zone", bootId, namespace, netns: "/proc/self/ns/net", configuration };
  writeFileSync(path.join(records, "zone:c1:eth0:eth0"), JSON.stringify(record));
  const { status, stderr } = spawnSync("sh", [at("prerm"), "remove"], { encoding: "utf8" });
  expect(stderr).toContain("running containers need the wrappers:\n  zone:c1:eth0:eth0\n");
  expect(status).toBe(1);
});

test("Nomad takes a script that a job contains for a template: it has no default value in braces", () => {
  expect(readFileSync(path.join(jobs, "install.sh"), "utf8")).not.toMatch(/\$\{\w*[^\w}]/);
});
