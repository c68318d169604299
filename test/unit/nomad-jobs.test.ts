import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { stat as statOf } from "../../shared/host/node/files.ts";
import { type Entry, type Namespace, namespaceOf } from "../../shared/journal/journal.ts";
import { beganLine, linesText } from "../../shared/journal/lines.ts";
import { scratch } from "../support/scratch.ts";
import { entryOf } from "./support/journals.ts";
import { writeProgram } from "./support/programs.ts";
import { writeFile } from "./support/written.ts";

const jobs = path.resolve(import.meta.dirname, "../../conf-examples/nomad-jobs");

const directory = scratch();
beforeEach(() => {
  for (const name of ["bin", "tools", "commands"]) fs.mkdirSync(at(name));
  program("bin/sleep", "");
});

const at = (name: string) => path.join(directory, name);

const program = (name: string, script: string) => writeProgram(at(name), script);
const textOf = (name: string) => (fs.existsSync(at(name)) ? fs.readFileSync(at(name), "utf8") : undefined);

type Texts = Readonly<Record<string, string>>;

function run(script: string, args: readonly string[] = [], variables: Texts = {}) {
  const env = { PATH: `${at("bin")}:${process.env.PATH}`, NOMAD_TASK_DIR: directory, DIR: directory, ...variables };
  return spawnSync("sh", [path.join(jobs, script), ...args], { env, encoding: "utf8", timeout: 60_000 });
}

test.each(["install", "fleet"])("%s.nomad.hcl: node=client-1 is not client-10", (job) => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is HCL.
  expect(fs.readFileSync(path.join(jobs, `${job}.nomad.hcl`), "utf8")).toContain('value     = "^(${var.node})$"');
});

describe("fleet.sh", () => {
  /** A Nomad whose n-th answer about the allocations is the n-th case. Each call gets a line in `calls`. */
  const nomad = (answers: readonly string[], others = "") => {
    const cases = answers.map((answer, index) => `${index === answers.length - 1 ? "*" : index + 1}) ${answer} ;;`);
    program(
      "bin/nomad",
      `echo "$@" >>$DIR/calls
case "$1 $2" in
"job allocs") echo x >>$DIR/asked; case $(wc -l <$DIR/asked) in ${cases.join(" ")} esac ;;
"alloc logs") [ "$3" = -stderr ] || echo "answer of $4" ;;
${others}
esac`,
    );
  };
  const fleet = (...args: string[]) => {
    const { status, stdout, stderr } = run("fleet.sh", args);
    return { status, stdout, stderr, isPurged: calls().includes("job stop -purge") };
  };
  const calls = () => fs.readFileSync(at("calls"), "utf8");

  test.each([
    [["list"], "name the file: fleet.sh list zone.conflist"],
    [["back"], "name the file: fleet.sh back zone.conflist"],
    [["check", "/nowhere"], "/nowhere: No such file"],
    [["list", "/"], "Is a directory"],
    [["back", "zone.conflist", "client-1"], "name the file: fleet.sh back zone.conflist. NODE names the clients"],
    [["restart", "client-1"], "restart takes no name: NODE names the clients, as in NODE=client-1 fleet.sh restart"],
    [["run"], "name the job: fleet.sh run install.nomad.hcl"],
  ])("runs no job without its list, or on more clients than meant: %j", (args, words) => {
    nomad([""]);
    const { status, stderr } = run("fleet.sh", args);
    const refused = { status: 2, stderr: expect.stringContaining(words), calls: undefined };
    expect({ status, stderr, calls: textOf("calls") }).toEqual(refused);
  });

  test.each([
    ["preflight", "-var options= "],
    ["preflight --network zone", "-var options= --network zone"],
    ["adopt --undo", "-var options= --undo"],
    ["back zone.conflist", "-var list=/opt/cni/config/zone.conflist"],
  ])(
    "%s waits until the job has ended, also after an error of the API, and sorts the answers by client",
    (words, end) => {
      nomad(["echo c1 a running", "exit 1", "echo c1 a pending", "echo c2 a complete; echo c1 b complete"]);
      const stdout = "answer of b\nanswer of a\n";
      expect(fleet(...words.split(" "))).toEqual({ status: 0, stdout, stderr: "", isPurged: true });
      expect(calls()).toMatch(new RegExp(`^job run .*${end} fleet.nomad.hcl$`, "m"));
    },
  );

  const noQuota = { status: 2, stdout: "", stderr: expect.stringMatching(/^no quota\n/) };
  const nothing = { status: 2, stderr: expect.stringContaining("Nomad ran nothing") };
  const oneFailed = { status: 1, stdout: "answer of a\nanswer of b\n", isPurged: true };

  test.each<[string, string[], string, string, object]>([
    [
      "no answer of Nomad",
      ["echo c1 a running", "exit 1"],
      "",
      "preflight",
      { status: 2, stdout: "", isPurged: false },
    ],
    ["a job that cannot start", ["echo c1 a complete"], '"job run") echo no quota; exit 1 ;;', "preflight", noQuota],
    ...["failed", "lost", "unknown"].map((status): [string, string[], string, string, object] => [
      `an allocation that is ${status}`,
      [`echo c1 a complete; echo c2 b ${status}`],
      ...(["", "adopt", oneFailed] as const),
    ]),
    ["a step that ran nowhere", ["true"], "", "preflight", nothing],
    ["a job that has nothing to do", ["true"], "", "run install.nomad.hcl", { status: 0 }],
  ])("the outcome of %s", (_, answers, others, words, outcome) => {
    nomad(answers, others);
    expect(fleet(...words.split(" "))).toMatchObject(outcome);
  });

  test("a job that another terminal runs goes on, and its answers are not taken for this one's", () => {
    const run =
      '"job run") case "$*" in *"-check-index 0"*) echo "Enforcing job modify index 0: job already exists"; exit 1 ;; esac ;;';
    nomad(["echo c1 a complete"], run);
    const { status, stdout, stderr, isPurged } = fleet("preflight");
    expect({ status, stdout, isPurged }).toEqual({ status: 2, stdout: "", isPurged: false });
    expect(stderr).toContain("another fleet.sh runs cni-fleet, or one was cut off.");
  });

  test("a step that did not run on a client is no good answer: the client is named", () => {
    const nodes = "echo c1 id1 ready; echo c2 id2 ready; echo c10 id3 down; echo d id4 ready";
    nomad(["echo c1 a complete"], `"node status") ${nodes} ;;`);
    const { status, stdout, stderr } = run("fleet.sh", ["adopt"], { NODE: "c.*" });
    const line = "Nomad ran nothing on c10 c2: not ready, not eligible, of another node pool, or without raw_exec\n";
    expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: "answer of a\n", stderr: line });
    nomad(["echo c1 a failed; echo c10 b complete; echo c2 c complete"], `"node status") ${nodes} ;;`);
    expect(run("fleet.sh", ["adopt"], { NODE: "c.*" })).toMatchObject({ status: 1, stderr: "" });
    nomad(["echo c1 a failed"], `"node status") ${nodes} ;;`);
    expect(run("fleet.sh", ["adopt"], { NODE: "c.*" })).toMatchObject({ status: 1, stderr: line });
    nomad(["echo c1 a complete"], '"node status") exit 1 ;;');
    const unknown = { status: 2, stderr: expect.stringMatching(/^Nomad does not tell its clients/) };
    expect(fleet("adopt")).toMatchObject(unknown);
  });

  describe("restart", () => {
    // The name of a job's group can have a line break.
    const group = "g\\n-address=http://c3  x  run  running  y";
    const clients = (...lines: string[]) => `"node status")
      case $3 in -t) ${lines.map((line) => `echo ${line}`).join(";")} ;; *) printf 'Allocations\\na1  x  g  0  run  running  x\\na2  x  ${group}\\n' ;; esac ;;`;
    const stays = '"alloc status") echo running ;;';
    const both = clients("c2 id2 ready", "c1.x id1 ready");
    const restarted = () => [...calls().matchAll(/-var step=restart -var node=(\S+)/g)].map(([, name]) => name);

    test("one client after the other, each by its whole name", () => {
      nomad(["echo c1.x a complete; echo c2 b complete"], `${both}${stays}`);
      expect(fleet("restart")).toMatchObject({ status: 0 });
      expect(restarted()).toEqual(["c1\\.x", "c2"]);
      expect(calls()).not.toContain("-address");
      // A client may give itself a name with a space, so what stands for an id may be an option, too.
      const asked = calls().match(/^(?:node|alloc) .*[^}\n]$/gm);
      expect(asked?.filter((line) => !/ -- \S+$/.test(line))).toEqual([]);
    });

    // The author of a job can have a say in the reason.
    const isLost = `"alloc status") printf 'failed: no\\033 network\\n' ;;`;
    const lost = "allocation a1 ran before, and is failed: no network";
    const oneDown = clients("c1 id1 down", "c2 id2 ready");

    test.each([
      ["a step that fails", "echo c1 a failed", both, stays, "stopped at c1.x: see above", ["c1\\.x"]],
      ["a step that ran nowhere", "true", both, stays, "stopped at c1.x: see above", ["c1\\.x"]],
      ["an allocation that is lost", "echo c1.x a complete", both, isLost, `stopped at c1.x: ${lost}`, ["c1\\.x"]],
      ["a client that is not ready", "echo c1 a complete", oneDown, stays, "stopped at c1: it is down", []],
    ])("%s ends the run", (_, answer, nodes, allocation, words, names) => {
      nomad([answer], `${nodes}${allocation}`);
      const { status, stderr } = fleet("restart");
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(words) });
      expect(restarted()).toEqual(names);
    });

    test("no client has the name: exit code 2", () => {
      nomad(["echo c1 a complete"], `${clients("c1 id1 ready")}${stays}`);
      const { status, stderr } = run("fleet.sh", ["restart"], { NODE: "c" });
      expect({ status, stderr }).toEqual({ status: 2, stderr: "no client fits NODE=c\n" });
    });
  });
});

const passing = `echo '{"plugins":["/opt/cni/bin"],"lists":[{"file":"'$LIST'"}],"is":"passes"}'`;

const runClient = (variables: Texts) =>
  run("client.sh", [], {
    ...{ NODE: "c1", OPTIONS: "", LIST: at("zone.conflist"), SETTLE: "60", AGENT: "echo 1" },
    ...variables,
  });

describe("client.sh", () => {
  const failing = `echo '{"is":"fails"}'; exit 1`;
  const lists = () => [textOf("zone.conflist"), textOf("zone.conflist.old")];
  /** Runs a step. Each pattern of arguments has its commands, the others pass. */
  const step = (name: string, answers: Texts = {}, variables: Texts = {}) => {
    const cases = Object.entries(answers).map(([words, commands]) => `"${words}"*) ${commands} ;;`);
    program("bin/cni-wrappers", `echo "$@" >>$DIR/asked\ncase "$*" in ${cases.join("\n")}\n*) ${passing} ;; esac`);
    const given = { STEP: name, TEXT: btoa("new"), RESTART: "touch $DIR/restarted", ...variables };
    const { status, stdout, stderr } = runClient(given);
    return { status, stdout, stderr, isRestarted: fs.existsSync(at("restarted")) };
  };
  beforeEach(() => {
    fs.writeFileSync(at("zone.conflist"), "old");
    // The clock stands at the second in which the list was written: a slow machine makes no client younger than it.
    program("bin/date", `echo ${Math.floor(fs.statSync(at("zone.conflist")).ctimeMs / 1000)}`);
  });

  test("preflight and adopt print a line, also if something is left to do", () => {
    expect(step("adopt", { adopt: "printf '[\\n]\\n'; exit 1" })).toMatchObject({ status: 0, stdout: "[]\n" });
    expect(step("preflight", { preflight: "echo '{}'; exit 2" })).toMatchObject({ status: 2, stdout: "" });
  });

  test("check leaves nothing but what an operator has prepared, and says what preflight --with says", () => {
    fs.writeFileSync(at("zone.conflist.new"), "by hand");
    const files = () => fs.readdirSync(directory).filter((name) => name.startsWith("zone."));
    const outcome = step("check", { "preflight --with": failing });
    expect(outcome).toMatchObject({ status: 0, stdout: '{"is":"fails"}\n' });
    expect([files(), textOf("zone.conflist.new")]).toEqual([["zone.conflist", "zone.conflist.new"], "by hand"]);
    expect(step("check", { lint: "exit 2" })).toMatchObject({ status: 1 });
    expect(step("list", { "adopt --with": "exit 2" })).toMatchObject({ status: 1 });
    expect(files()).toEqual(["zone.conflist", "zone.conflist.new"]);
  });

  test("a list is adopted for before it is in place, and the old one is kept once", () => {
    expect(step("list")).toMatchObject({ status: 0, stdout: expect.stringMatching(/^c1: .* is in place, and all/) });
    expect(lists()).toEqual(["new", "old"]);
    expect(textOf("asked")).toMatch(/^adopt --with \S+zone\.conflist\.fleet --write$/m);
    expect(step("list")).toMatchObject({ status: 0, stdout: expect.stringContaining("is in place already") });
    expect(lists()).toEqual(["new", "old"]);
    expect(step("back")).toMatchObject({ status: 0 });
    expect(lists()).toEqual(["old", "old"]);
  });

  test("a list that is a link stays one: its file is exchanged", () => {
    fs.renameSync(at("zone.conflist"), at("managed.conflist"));
    fs.symlinkSync("managed.conflist", at("zone.conflist"));
    expect(step("list")).toMatchObject({ status: 0 });
    expect([fs.readlinkSync(at("zone.conflist")), ...lists()]).toEqual(["managed.conflist", "new", undefined]);
    expect(textOf("managed.conflist.old")).toBe("old");
    expect(step("back")).toMatchObject({ status: 0 });
    expect([fs.readlinkSync(at("zone.conflist")), ...lists()]).toEqual(["managed.conflist", "old", undefined]);
  });

  test.each<[string, Texts, string]>([
    ["lint finds an error", { lint: "echo 'x:1:1: error: y'; exit 1" }, "lint found mistakes"],
    ["lint cannot look", { lint: "exit 2" }, "lint could not look"],
    ["preflight cannot look", { preflight: "exit 2" }, "preflight could not look"],
    ["adopt cannot look", { "adopt --with": "exit 2" }, "adopt could not look"],
    ["a container would fail", { "preflight --with": failing }, "these containers need another list"],
  ])("%s: the old list stays", (_, answers, words) => {
    expect(step("list", answers)).toMatchObject({ status: 1, stderr: expect.stringContaining(words) });
    expect(lists()).toEqual(["old", undefined]);
  });

  test("a warning of lint does not matter, nor a container that adopt leaves, if it passes", () => {
    const answers = { lint: "echo 'x:1:1: warning: y'; exit 1", "adopt --with": "exit 1" };
    expect(step("list", answers)).toMatchObject({ status: 0 });
  });

  test("a container that started meanwhile and fails is told", () => {
    const answers = { "preflight --json": `[ $(cat $LIST) = old ] && ${passing} || { ${failing}; }` };
    expect(step("list", answers)).toMatchObject({ status: 1, stderr: expect.stringContaining("do not survive") });
  });

  test("there is nothing to go back to, or the containers would fail", () => {
    expect(step("back")).toMatchObject({ status: 1, stderr: expect.stringContaining("there is no") });
    fs.writeFileSync(at("zone.conflist.old"), "older");
    expect(step("back", { "preflight --with": failing })).toMatchObject({ status: 1 });
    expect(textOf("zone.conflist")).toBe("old");
  });

  test("a client that started before its newest list is restarted, and one that started after is done", () => {
    program("bin/ps", 'echo "$AGE"');
    const isDone = { status: 0, stdout: expect.stringContaining("done already"), isRestarted: false };
    expect(step("restart", {}, { AGE: "-2" })).toMatchObject(isDone);
    const restarted = { status: 0, stdout: "c1: restarted, and 1 containers pass\n", isRestarted: true };
    // The times are in whole seconds: this one may have started right before the list, too.
    expect(step("restart", {}, { AGE: "-1" })).toMatchObject(restarted);
    // A link is as new as its file.
    program("bin/stat", `case "$*" in *-L*) echo 9999999999 ;; *) echo 1 ;; esac`);
    expect(step("restart", {}, { AGE: "0" })).toMatchObject(restarted);
  });

  test("a step that does not exist is no good answer", () => {
    expect(step("lists")).toMatchObject({ status: 1, stderr: "c1: there is no step lists\n" });
  });

  test("a client whose agent does not run is restarted, and nothing else is said", () => {
    program("bin/ps", 'case "$*" in "-o etimes= -p 0") exit 1 ;; esac');
    const outcome = step("restart", {}, { AGENT: "[ -e $DIR/restarted ] && echo 1 || echo 0" });
    const stdout = "c1: restarted, and 1 containers pass\n";
    expect(outcome).toEqual({ status: 0, stdout, stderr: "", isRestarted: true });
  });

  const afterwards = (answer: string) => ({ preflight: `[ ! -e $DIR/restarted ] && ${passing} || ${answer}` });

  test.each<[string, Texts, Texts, string, boolean]>([
    ["a container would fail", { preflight: failing }, {}, "would not survive", false],
    ["preflight cannot look", { preflight: "exit 2" }, {}, "could not look", false],
    ["the restart fails", {}, { RESTART: "exit 3" }, "the restart failed: exit 3", false],
    ["a container fails after it", afterwards(`{ ${failing}; }`), {}, "fail CHECK after the restart", true],
    ["one is gone after it", afterwards("echo '{}'"), {}, "0 containers pass CHECK after the restart, and 1 ", true],
  ])("restart: %s", (_, answers, variables, words, isRestarted) => {
    program("bin/ps", "echo 1");
    const outcome = step("restart", answers, variables);
    expect(outcome).toMatchObject({ status: 1, stderr: expect.stringContaining(words), isRestarted });
  });
});

describe("client.sh, after a restart", () => {
  const restartedBeside = (ps: string) => {
    fs.writeFileSync(at("zone.conflist"), "old");
    program("bin/sleep", "echo x >>$DIR/seconds");
    program("bin/ps", `case "$*" in *etimes*) echo 100 ;; *) ${ps} ;; esac`);
    program("bin/cni-wrappers", passing);
    const { status, stderr } = runClient({ STEP: "restart", TEXT: "", RESTART: "true" });
    return { status, stderr, seconds: fs.readFileSync(at("seconds"), "utf8").length / 2 };
  };

  test("waits until the agent has run no plugin for ten seconds", () => {
    const ps = "[ $(wc -l <$DIR/seconds) -ge 40 ] || echo /opt/cni/bin/bridge";
    expect(restartedBeside(ps)).toEqual({ status: 0, stderr: "", seconds: 49 });
  });

  test("an agent that checks for too long is no good answer", () => {
    const stderr = "c1: the client is not back, or still checks its containers, 60 seconds after the restart\n";
    const outcome = restartedBeside("echo /bin/sh /opt/cni/bin/script/bridge");
    expect(outcome).toEqual({ status: 1, stderr, seconds: 60 });
  });
});

describe("install.sh", () => {
  const passing = `echo '{"attachments": []}'`;
  /** Runs the script with commands whose preflight runs `before`, and `after` once something is installed. */
  const install = (before: string, after: string, variables: Texts = {}) => {
    program(
      "tools/cni-wrappers",
      `case "$1 $2" in
"preflight --json") if [ -e $DIR/installed ]; then ${after}; else ${before}; fi ;;
"install --json") cat "$4" >$DIR/installed; echo '{"is": "replaced"}' ;;
"install --rollback") touch $DIR/rolled-back ;;
esac`,
    );
    spawnSync("tar", ["-czf", at("tools.tgz"), "-C", at("tools"), "./cni-wrappers"]);
    fs.writeFileSync(at("archive.tgz"), "archive");
    const sumOf = (name: string) =>
      createHash("sha256")
        .update(fs.readFileSync(at(name)))
        .digest("hex");
    const sums = { CHECKSUM: `sha256:${sumOf("archive.tgz")}`, TOOLS_CHECKSUM: `sha256:${sumOf("tools.tgz")}` };
    const given = { COMMANDS: at("commands"), RELOAD: "true", OPTIONS: "", ...sums, ...variables };
    const { status, stderr } = run("install.sh", [], given);
    return { status, stderr, isInstalled: fs.existsSync(at("installed")), isBack: fs.existsSync(at("rolled-back")) };
  };

  test("installs and reloads", () => {
    const outcome = install(passing, passing, { RELOAD: "touch $DIR/reloaded" });
    expect(outcome).toEqual({ status: 0, stderr: "", isInstalled: true, isBack: false });
    expect(fs.existsSync(at("reloaded"))).toBe(true);
    expect(fs.readdirSync(at("commands"))).toEqual(["cni-wrappers"]);
  });

  test.each(["CHECKSUM", "TOOLS_CHECKSUM"])(
    "nothing is run of archives that another user has exchanged in the task's directory: %s",
    (name) => {
      const outcome = install(passing, passing, { [name]: `sha256:${"0".repeat(64)}` });
      expect(outcome).toMatchObject({ status: 1, isInstalled: false, isBack: false });
      expect(fs.readdirSync(at("commands"))).toEqual([]);
    },
  );

  test("nor if it is exchanged later", () => {
    const exchanging = `echo other >$DIR/archive.tgz; echo exit 1 >$DIR/tools/cni-wrappers; ${passing}`;
    expect(install(exchanging, passing)).toMatchObject({ status: 0, stderr: "" });
    expect(textOf("installed")).toBe("archive");
  });

  test("a pipe that another user has put there holds nothing up", () => {
    program("bin/timeout", `shift; exec ${spawnSync("which", ["timeout"], { encoding: "utf8" }).stdout.trim()} 1 "$@"`);
    spawnSync("mkfifo", [at("archive.tgz")]);
    expect(run("install.sh", [], { COMMANDS: at("commands") }).status).toBe(124);
    expect(fs.readdirSync(at("commands"))).toEqual([]);
  });

  test("preflight gets the options of the job", () => {
    const asked = `echo $# $3 $4 >>$DIR/asked; ${passing}`;
    expect(install(asked, asked, { OPTIONS: "--config-dir /opt/cni/config" })).toMatchObject({ status: 0 });
    expect(install(asked, asked)).toMatchObject({ status: 0 });
    const given = "4 --config-dir /opt/cni/config\n";
    expect(fs.readFileSync(at("asked"), "utf8")).toBe(`${given}${given}2\n2\n`);
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
    fs.symlinkSync("cni-wrappers", at("commands/bridge-wrapper"));
    expect(install(passing, passing)).toMatchObject({ status: 1, isInstalled: false });
    expect(fs.existsSync(at("commands/cni-wrappers"))).toBe(false);
  });
});

describe("prerm: no removal of the package while a container runs", () => {
  const bootId = fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  // A plugin's configuration may have the same keys.
  const configuration = { args: { bootId, netns: "/elsewhere", namespace: "1:1" }, namespace: { path: "/elsewhere" } };
  const own = namespaceOf("/proc/self/ns/net", statOf("/proc/self/ns/net")) as Namespace;
  const entry = entryOf({ containerId: "c1", bootId, namespace: own, configuration });

  function remove(name: string, content: string, word = "remove") {
    const file = path.join(at("wrappers"), name);
    writeFile(file, content);
    const script = fs.readFileSync(path.resolve(jobs, "../../build/packages/files/prerm"), "utf8");
    fs.writeFileSync(at("prerm"), script.replaceAll("/var/lib/cni/wrappers", at("wrappers")));
    const { status, stderr } = spawnSync("sh", [at("prerm"), word], { encoding: "utf8" });
    return { status, uses: /need the wrappers:\n((?: {2}.*\n)*)/.exec(stderr)?.[1], stderr };
  }

  const journalOf = (...entries: readonly Entry[]) => linesText(entries.map(beganLine));
  const gone = { path: "/run/netns/gone-c0", device: 4, inode: 1, changedMs: 1 };

  test.each([
    ["its first entry", "remove", [entry]],
    ["its second entry, of rpm, which calls it with a number", "0", [{ ...entry, namespace: gone }, entry]],
  ])("by %s in a journal", (_, word, entries) => {
    const outcome = remove("c1/zone:eth0", journalOf(...entries), word);
    expect(outcome).toMatchObject({ status: 1, uses: "  c1/zone:eth0\n" });
  });

  test.each(["upgrade", "1"])("an upgrade, which calls it with %s, goes on", (word) => {
    expect(remove("c1/zone:eth0", journalOf(entry), word)).toMatchObject({ status: 0 });
  });

  test("by a record of 0.2.0", () => {
    const namespace = `${own.device}:${own.inode}`;
    const record = { network: "zone", bootId, namespace, netns: "/proc/self/ns/net", configuration };
    const outcome = remove("zone:c1:eth0:eth0", JSON.stringify(record));
    expect(outcome).toMatchObject({ status: 1, uses: "  zone:c1:eth0:eth0\n" });
  });

  test.each([
    ["its namespace is gone", { ...entry, namespace: gone }],
    ["another namespace is at its path", { ...entry, namespace: { ...own, inode: own.inode + 1 } }],
    ["it is of an earlier boot", { ...entry, bootId: "1" }],
  ])("it goes if %s", (_, one) => {
    expect(remove("c1/zone:eth0", journalOf(one))).toEqual({ status: 0, uses: undefined, stderr: "" });
  });
});

test.each(["install.sh", "client.sh"])(
  "%s: Nomad takes a default value in braces for a template of its own",
  (script) => {
    expect(fs.readFileSync(path.join(jobs, script), "utf8")).not.toMatch(/\$\{\w*[^\w}]/);
  },
);
