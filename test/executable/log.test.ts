import { chmodSync, chownSync, linkSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { execa } from "execa";
import { describe, expect } from "vitest";
import { skipEmulated } from "./support/emulator.ts";
import { handedOver, inTurn, Machine, test, through, verbs } from "./support/machine.ts";

function lines(machine: Machine, name = "log"): Record<string, unknown>[] {
  const text = machine.read(name)?.toString() ?? "";
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

function logging(machine: Machine, name: string, level = "info") {
  return { configuration: { wrapper: { log: { file: machine.path(name), level } } } };
}

test.for(["wrapper.log", "CNI_WRAPPERS_LOG"])("%s: what a line says", async (by, { machine }) => {
  const env = { CNI_ARGS: "NOMAD_JOB_ID=two;SECRET=hush" };
  const noting = through('echo $$ >"$SCRATCH/pid"; exec "$@"');
  if (by === "wrapper.log") await machine.call({ env, ...logging(machine, "log"), through: noting });
  else await machine.call({ env: { ...env, CNI_WRAPPERS_LOG: machine.path("log") }, through: noting });
  expect(lines(machine)).toEqual([
    {
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: "info",
      pid: Number(machine.read("pid")),
      command: "ADD",
      containerId: "blue",
      ifName: "eth0",
      workload: { NOMAD_JOB_ID: "two" },
      network: "zone",
      delegate: "plain",
      durationMs: expect.any(Number),
      exitCode: 0,
      message: "delegate passed ADD",
    },
  ]);
  expect(Math.abs(Date.parse(String(lines(machine)[0]?.time)) - Date.now())).toBeLessThan(60_000);
});

test.for(["log", "a/b/log"])(
  "%s is made with mode 0640, and its directory where it is missing",
  async (name, { machine }) => {
    const ended = await machine.call({
      command: "DEL",
      ...logging(machine, name),
      through: through('umask 0; exec "$@"'),
    });
    expect(ended.exitCode).toBe(0);
    expect(statSync(machine.path(name)).mode & 0o7777).toBe(0o640);
    if (name !== "log") expect(statSync(machine.path("a")).mode & 0o7777).toBe(0o755);
    expect(lines(machine, name)).toMatchObject([{ command: "DEL" }]);
  },
);

test("links of root's are followed, relative and absolute ones", async ({ machine }) => {
  mkdirSync(machine.path("disk"));
  symlinkSync(machine.path("disk"), machine.path("absolute"));
  symlinkSync("absolute/../disk", machine.path("logs"));
  symlinkSync("real", machine.path("disk/log"));
  await machine.call({ command: "DEL", ...logging(machine, "logs/log") });
  expect(lines(machine, "disk/real")).toMatchObject([{ command: "DEL" }]);
});

test("forty links are followed, as the kernel does, and no more", async ({ machine }) => {
  for (let index = 1; index <= 41; index++) symlinkSync(index === 1 ? "log" : `${index - 1}`, machine.path(`${index}`));
  await machine.call({ command: "DEL", ...logging(machine, "40") });
  expect(lines(machine)).toMatchObject([{ command: "DEL" }]);
  const { stderr } = await machine.call({ command: "DEL", ...logging(machine, "41") });
  expect(stderr).toBe(`cni-wrappers: warning: cannot write the log ${machine.path("41")}: ELOOP\n`);
});

test("hard links of root's are followed: nobody else can make one in its directory", async ({ machine }) => {
  linkSync(machine.file("target", ""), machine.path("log"));
  await machine.call({ command: "DEL", ...logging(machine, "log") });
  expect(lines(machine, "target")).toMatchObject([{ command: "DEL" }]);
});

// The capability lets it reach the executable, and write root's files, wherever they are.
const asUser = through('exec setpriv --reuid 1234 --inh-caps +dac_override --ambient-caps +dac_override "$@"');

test.for([0, 1234])(
  "for another user's call, a link in a directory of %d's is followed",
  async (owner, { machine }) => {
    symlinkSync(machine.file("target", ""), machine.path("log"));
    chownSync(machine.directory, owner, owner);
    const { stderr } = await machine.call({ command: "DEL", ...logging(machine, "log"), through: asUser });
    expect(stderr).toBe("");
    expect(lines(machine, "target")).toMatchObject([{ command: "DEL" }]);
  },
);

test("a log that exists keeps its lines and its mode", async ({ machine }) => {
  machine.file("log", '{"level":"from before"}\n', 0o600);
  await machine.call({ command: "DEL", ...logging(machine, "log") });
  expect(lines(machine)).toMatchObject([{ level: "from before" }, { level: "info" }]);
  expect(statSync(machine.path("log")).mode & 0o7777).toBe(0o600);
});

test("ten at once: every line is whole", async ({ machine }) => {
  const CNI_ARGS = `K8S_POD_NAME=${"x".repeat(100_000)}`;
  const calls = Array.from({ length: 10 }, (_, index) =>
    machine.call({ env: { CNI_CONTAINERID: `c${index}`, CNI_ARGS }, ...logging(machine, "log") }),
  );
  for (const { exitCode } of await Promise.all(calls)) expect(exitCode).toBe(0);
  const ids = lines(machine).map(({ containerId }) => containerId);
  expect(ids.sort()).toEqual(Array.from({ length: 10 }, (_, index) => `c${index}`).sort());
});

describe("a log that cannot be written is no hindrance", () => {
  const ofAll = (machine: Machine) => chmodSync(machine.directory, 0o1707);
  const ofAnother = (machine: Machine) => chownSync(machine.directory, 1234, 1234);
  const ofGroup = (machine: Machine) => {
    chownSync(machine.directory, 0, 1234);
    chmodSync(machine.directory, 0o775);
  };
  /** A folder in which somebody else made a link to root's file. */
  const withLink =
    (link: typeof symlinkSync, give: (machine: Machine) => void): ((machine: Machine) => void) =>
    (machine) => {
      link(machine.file("target", ""), machine.path("log"));
      give(machine);
    };
  const belowFolderOfGroup = (machine: Machine) => {
    machine.file("target", "");
    mkdirSync(machine.path("outside"));
    symlinkSync(machine.path("outside"), machine.path("logs"));
    ofGroup(machine);
  };
  /** A directory of another user with a link out of it, and a link of root's to that one. */
  const behindOwnLink = (machine: Machine, name: string, target: string) => {
    machine.file("target", "");
    for (const folder of ["outside", "theirs"]) mkdirSync(machine.path(folder));
    symlinkSync(machine.path(target), machine.path("theirs/link"));
    symlinkSync("theirs/link", machine.path(name));
    chownSync(machine.path("theirs"), 1234, 1234);
  };
  const nothing = () => {};
  // Where fs.protected_hardlinks is 0, everybody can make a hard link to every file.
  const places: [string, string, string, (machine: Machine) => unknown][] = [
    ["a directory", "EISDIR", "log", (machine) => mkdirSync(machine.path("log"))],
    ["in a file", "ENOTDIR", "file/log", (machine) => machine.file("file", "")],
    ["a pipe without a reader", "ENXIO", "log", (machine) => execa("mkfifo", [machine.path("log")])],
    ["a full disk", "ENOSPC", "log", (machine) => symlinkSync("/dev/full", machine.path("log"))],
    ["its own stdin", "EINVAL", "../../proc/self/fd/0", nothing],
    ["its own stdout", "EINVAL", "../../proc/self/fd/1", nothing],
    ["a missing directory of /proc", "ENOENT", "../../proc/nothing/log", nothing],
    ["a link in a directory of others", "ELOOP", "log", withLink(symlinkSync, ofAll)],
    ["a link in a directory of another user", "ELOOP", "log", withLink(symlinkSync, ofAnother)],
    ["a link in a directory of a group", "ELOOP", "log", withLink(symlinkSync, ofGroup)],
    ["a linked directory in a directory of a group", "ENOTDIR", "logs/log", belowFolderOfGroup],
    ["another user's link behind one of root's", "ELOOP", "log", (machine) => behindOwnLink(machine, "log", "target")],
    [
      "another user's linked directory behind one of root's",
      "ENOTDIR",
      "logs/log",
      (machine) => behindOwnLink(machine, "logs", "outside"),
    ],
    ["a hard link in a directory of others", "EMLINK", "log", withLink(linkSync, ofAll)],
    ["a hard link in a directory of another user", "EMLINK", "log", withLink(linkSync, ofAnother)],
    ["a hard link in a directory of a group", "EMLINK", "log", withLink(linkSync, ofGroup)],
    ["links in a circle", "ELOOP", "log", (machine) => symlinkSync("log", machine.path("log"))],
    ["a linked directory above, in a directory of a group", "ENOTDIR", "logs/more/log", belowFolderOfGroup],
  ];

  test.for(inTurn(handedOver, places))("ADD and %s, %s: %s", async ([other, _, problem, name, make], { machine }) => {
    await make(machine);
    for (const command of ["ADD", other]) {
      const log = logging(machine, name, "debug");
      const ended = await machine.call({
        command,
        ...log,
        env: { EXIT_CODE: "0" },
        through: through('cat | "$@" | cat'),
      });
      const stderr = `cni-wrappers: warning: cannot write the log ${machine.path(name)}: ${problem}\n`;
      expect(ended).toEqual({ exitCode: 0, signal: undefined, stdout: "{}", stderr });
    }
    expect(machine.read("target")?.toString() ?? "").toBe("");
    expect(machine.calls()).toEqual(["ADD", other]);
  });

  test("a hard link that another file replaces as soon as it is opened", async ({ machine, skip }) => {
    skipEmulated(skip, "strace does not see the calls of a program in qemu");
    withLink(linkSync, ofGroup)(machine);
    const names = Array.from({ length: 100 }, (_, descriptor) => `-P /proc/self/fd/${descriptor}/log`).join(" ");
    const strace = `strace -qq -f -o /dev/null -P "$SCRATCH" ${names} -e trace=openat -e inject=openat:delay_exit=2000000:when=1`;
    const replace =
      'until ls -l /proc/[0-9]*/fd | grep -q "$SCRATCH/log"; do :; done; rm "$SCRATCH/log"; : >"$SCRATCH/log"';
    const script = `{ ${replace}; } 2>/dev/null & ${strace} "$@"; kill $! 2>/dev/null; exit 0`;
    const ended = await machine.call({ command: "DEL", ...logging(machine, "log"), through: through(script) });
    expect(ended.stderr).toBe(`cni-wrappers: warning: cannot write the log ${machine.path("log")}: EMLINK\n`);
    expect([machine.read("target")?.toString(), machine.read("log")?.toString()]).toEqual(["", ""]);
    expect(statSync(machine.path("target")).nlink).toBe(1);
  });
});

describe.each(
  inTurn(
    ["error", "info"],
    verbs.map((verb) => [verb] as const),
  ),
)("at %s, a failed %s", (level, command) => {
  const error = '{"cniVersion": "1.0.0", "code": 11, "msg": "no lease", "details": "of eth1"}\n\n';

  test("is one line, and the runtime sees what it would without a log", async () => {
    const [machine, silent] = [new Machine(), new Machine()];
    for (const one of [machine, silent]) one.answer(command, error);
    const env = { EXIT_CODE: "3", WORDS: "said" };
    const ended = await machine.call({ command, env, ...logging(machine, "log", level) });
    expect(ended).toEqual(await silent.call({ command, env }));
    expect(ended).toMatchObject({ exitCode: 3, stdout: error });
    expect(lines(machine)).toMatchObject([
      {
        level: "error",
        command,
        message: `delegate failed ${command}: no lease`,
        code: 11,
        msg: "no lease",
        details: "of eth1",
        exitCode: 3,
        durationMs: expect.any(Number),
      },
    ]);
  });

  test("by a signal is one line as well", async ({ machine }) => {
    const call = { command, delegate: "dies", env: { SIGNAL: "KILL" }, ...logging(machine, "log", "error") };
    const ended = await machine.call(call);
    expect(ended).toMatchObject({ exitCode: 1, signal: undefined });
    expect(lines(machine)).toMatchObject([{ level: "error", code: 101, message: "delegate dies died" }]);
  });
});

describe("debug changes nothing that the runtime sees", () => {
  const each = verbs.map((verb) => [verb] as const);
  test.each([...inTurn(["0", "3"], each), ["3", "ADD"]])("exit code %s, %s", async (EXIT_CODE, command) => {
    const [machine, silent] = [new Machine(), new Machine()];
    for (const one of [machine, silent]) one.answer(command, '{"a": 1}\n\n');
    const env = { EXIT_CODE, WORDS: "said" };
    const ended = await machine.call({ command, env, ...logging(machine, "log", "debug") });
    expect(ended).toEqual(await silent.call({ command, env }));
    expect(machine.received(command)).toEqual(silent.received(command));
    expect(lines(machine).at(-1)).toMatchObject({ message: "delegate's answer", answer: { a: 1 } });
  });

  test("VERSION", async ({ machine }) => {
    machine.answer("VERSION", '{"a": 1}\n\n');
    const env = { CNI_WRAPPERS_LOG: machine.path("log"), CNI_WRAPPERS_LOG_LEVEL: "debug" };
    const through = ["bash", "-c", 'exec -a plain-wrapper "$@"', "bash"];
    const ended = await machine.call({ command: "VERSION", stdin: '{"cniVersion":"0.4.0"}', env, through });
    expect(ended).toMatchObject({ exitCode: 0, stdout: '{"a": 1}\n\n' });
    expect(machine.received("VERSION")?.toString()).toBe('{"cniVersion":"0.4.0"}');
  });
});

test.each(["ADD", "CHECK"])("debug, and %s with values that are nested too deeply for a line", async (command) => {
  // On every architecture the engines read so many levels, and give up when they write them.
  const deep = `${"[".repeat(2500)}${"]".repeat(2500)}`;
  const error = `{"code":11,"msg":"no lease","x":${deep}}`;
  const [machine, silent] = [new Machine(), new Machine()];
  for (const one of [machine, silent]) one.answer(command, error);
  const call = { command, env: { EXIT_CODE: "3" } };
  const ended = await machine.call({ ...call, ...logging(machine, "log", "debug") });
  expect(ended).toEqual(await silent.call(call));
  expect(lines(machine)).toMatchObject([{}, {}, { message: `delegate failed ${command}: no lease` }, {}]);
});

test("a pipe gets a line of 4096 bytes, and none of one more", async ({ machine }) => {
  await execa("mkfifo", [machine.path("pipe")]);
  // In a process namespace, the wrapper's number is 1, and each line is as long as the others.
  const script =
    'exec 3<>"$SCRATCH/pipe"; unshare --pid --fork "$@"; exec 4<"$SCRATCH/pipe" 3>&-; cat <&4 >"$SCRATCH/got"';
  const say = async (name: string, length: number) => {
    const env = { CNI_ARGS: `K8S_POD_NAME=${"x".repeat(length)}`, CNI_WRAPPERS_LOG: machine.path(name) };
    return machine.call({ stdin: "{", env, through: through(script) });
  };
  await say("log", 100);
  const rest = 4096 - (machine.read("log")?.length ?? 0);
  await say("pipe", 100 + rest);
  expect(machine.read("got")).toHaveLength(4096);
  expect((await say("pipe", 101 + rest)).stderr).toContain("EMSGSIZE");
  expect(machine.read("got")).toHaveLength(0);
});

test("a pipe gets whole lines only: one that is too long is left out", async ({ machine }) => {
  await execa("mkfifo", [machine.path("pipe")]);
  // Nobody reads before the wrapper has ended, so the pipe fills up.
  const script = 'exec 3<>"$SCRATCH/pipe"; "$@"; exec 4<"$SCRATCH/pipe" 3>&-; cat <&4 >"$SCRATCH/log"';
  const configuration = {
    filler: "x".repeat(100_000),
    wrapper: { log: { file: machine.path("pipe"), level: "debug" } },
  };
  const { stderr } = await machine.call({ command: "CHECK", configuration, through: through(script) });
  expect(stderr).toBe(`cni-wrappers: warning: cannot write the log ${machine.path("pipe")}: EMSGSIZE\n`);
  expect(lines(machine)).toMatchObject([{ message: "delegate passed CHECK" }, { message: "delegate's answer" }]);
});
