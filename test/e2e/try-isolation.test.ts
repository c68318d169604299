import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { Lab, type Outcome } from "../support/lab.ts";
import { front, wrapped, zone } from "./support.ts";
import { processesOf, stateOf, usedHost } from "./try-support.ts";

// Without a special place, a chained plugin that changes nothing.
const waiting = `#!/bin/sh
config=$(cat)
if [ "$CNI_COMMAND" = "$(echo "$config" | jq -r .at)" ]; then exec sleep "$(echo "$config" | jq -r .seconds)"; fi
if [ "$CNI_COMMAND" = ADD ]; then echo "$config" | jq .prevResult; fi
`;
const path = "/opt/shims:/usr/sbin:/usr/bin:/sbin:/bin";

/** Installs a script that the command runs instead of a program. `$real` is the program. */
function replace(lab: Lab, name: string, script: string): Promise<void> {
  return lab.writeScript(`/opt/shims/${name}`, `#!/bin/sh\nreal=$(command -v -p ${name})\n${script}\n`);
}

function listWaiting(at: string, seconds: number) {
  return zone(wrapped(front), { type: "waiting", at, seconds });
}

async function tryList(lab: Lab, name: string, list: object, env = {}): Promise<Outcome> {
  const file = `/run/lab/net.d/${name}.conflist`;
  await lab.writeFile(file, JSON.stringify(list));
  return lab.call(Lab.command, ["try", file], { env });
}

/** Waits for a process whose command line has this text. Returns its id. */
async function processWith(lab: Lab, text: string): Promise<string> {
  for (let tries = 0; tries < 600; tries++) {
    const [id] =
      processesOf(lab)
        .find((line) => line.includes(text))
        ?.split(" ") ?? [];
    if (id !== undefined) return id;
    await setTimeout(50);
  }
  return expect.fail(`no process has ${text}`);
}

const places = ["mount", "ADD", "CHECK", "DEL"];
const signals = ["KILL", "INT", "TERM"];

test("a signal in the middle leaves nothing: no process, no namespace, no file, no rule", async () => {
  await using lab = await usedHost();
  await lab.writeScript("/opt/cni/bin/waiting", waiting);
  // The command's own path has the number of the case. sysfs is the last file system that it mounts.
  await replace(lab, "mount", 'case "$*" in *sysfs*) exec sleep "$TRY_SECONDS" ;; esac\nexec "$real" "$@"');
  const [before, processes] = [await stateOf(lab), processesOf(lab)];
  const cases = places.flatMap((place) => signals.map((signal) => ({ place, signal })));
  await Promise.all(
    cases.map(async ({ place, signal }, index) => {
      const [name, seconds] = [`case-${index}-of`, 5000 + index];
      const env = place === "mount" ? { PATH: path, TRY_SECONDS: `${seconds}` } : {};
      const outcome = tryList(lab, name, listWaiting(place, seconds), env);
      await processWith(lab, `sleep ${seconds} `);
      await lab.run("kill", [`-${signal}`, await processWith(lab, `try /run/lab/net.d/${name}`)]);
      expect((await outcome).exitCode).not.toBe(0);
    }),
  );
  await expect.poll(() => processesOf(lab)).toEqual(processes);
  expect(await stateOf(lab)).toBe(before);
});

test("the twin: without the process that waits for its end, a kill leaves the plugin", async () => {
  await using lab = await usedHost();
  await lab.writeScript("/opt/cni/bin/waiting", waiting);
  await replace(
    lab,
    "cat",
    'if [ $# = 0 ] && [ "$(readlink /proc/$$/fd/1)" = /dev/null ]; then exec sleep 7000; fi\nexec "$real" "$@"',
  );
  const processes = processesOf(lab);
  const outcome = tryList(lab, "twin", listWaiting("ADD", 6000), { PATH: path });
  await processWith(lab, "sleep 6000 ");
  await lab.run("kill", ["-KILL", await processWith(lab, "try /run/lab/net.d/twin")]);
  await outcome;
  await setTimeout(500);
  expect(processesOf(lab)).not.toEqual(processes);
});

const without = (option: string) =>
  `for one; do shift; [ "$one" = ${option} ] || set -- "$@" "$one"; done\nexec "$real" "$@"`;
const broken: Readonly<Record<string, readonly [program: string, script: string, message: string]>> = {
  // The kernel refuses another sysfs of the same network.
  "the network": ["unshare", without("--net"), "mount: /sys: "],
  "the process ids": ["unshare", without("--pid"), "unshare(1) made no process namespace"],
  "the IPC": ["unshare", without("--ipc"), "cni-wrappers: --inside: this process shares a namespace with the host"],
  "the host name": [
    "unshare",
    without("--uts"),
    "cni-wrappers: --inside: this process shares a namespace with the host",
  ],
  "the files": [
    "mount",
    'case "$*" in *"remount,bind,ro /proc/sys"*) ;; *remount*) exit 0 ;; esac\nexec "$real" "$@"',
    "it cannot be made read-only, so nothing was tried",
  ],
};

test.each(Object.entries(broken))(
  "without a separation of %s, nothing is run",
  async (_, [program, script, message]) => {
    await using lab = await usedHost();
    await replace(lab, program, script);
    const before = await stateOf(lab);
    const { exitCode, stdout, stderr } = await tryList(lab, "list", zone(wrapped(front)), { PATH: path });
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 2, stdout: "", stderr: expect.stringContaining(message) });
    expect(await stateOf(lab)).toBe(before);
  },
);

test("a plugin that kills all that it can ends the command with a line", async () => {
  await using lab = await usedHost();
  await lab.writeScript("/opt/cni/bin/fatal", "#!/bin/sh\nkill -KILL -1\n");
  const before = await stateOf(lab);
  const { exitCode, stdout, stderr } = await tryList(lab, "list", zone(wrapped(front), { type: "fatal" }));
  const message = "it was killed before its end: by a plugin that kills other processes, or for lack of memory";
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 2, stdout: "", stderr: `cni-wrappers: ${message}` });
  expect(await stateOf(lab)).toBe(before);
});

test("the option that the command gives itself runs nothing outside of its namespaces", async () => {
  await using lab = await usedHost();
  const before = await stateOf(lab);
  const list = zone(wrapped(front));
  const given = { path: "list", text: JSON.stringify(list), cniPath: ["/opt/cni/bin"], seconds: 60, commands: [] };
  for (const outside of [[], ["net:[1]"]]) {
    const { exitCode, stdout } = await lab.call(Lab.command, ["try", "--inside", "-"], {
      input: JSON.stringify({ ...given, outside }),
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  }
  expect(await stateOf(lab)).toBe(before);
});
