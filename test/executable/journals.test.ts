import { readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { type Holder, hold } from "../../build/holder.ts";
import { journalFile } from "../../shared/journal/journal.ts";
import { skipEmulated } from "./support/emulator.ts";
import { apart, bin, delegates, Machine, stdinOf, test } from "./support/machine.ts";

const journal = journalFile({ network: "zone", containerId: "blue", runtimeIfName: "eth0" });
const container = dirname(journal);
const folder = dirname(container);

/** Runs an ADD on a host where /var/lib has only the files of a script. Returns the sorted files in it afterwards. */
async function filesAfterAdd(
  prepare: string,
  answer: object,
  {
    options = "rw",
    configuration = {},
    under = "",
  }: { options?: string; configuration?: Record<string, unknown>; under?: string } = {},
): Promise<string[]> {
  const machine = new Machine();
  const script = `
    mount -t tmpfs -o ${options} none /var/lib
    ${prepare}
    ${under} "$@"
    code=$?
    mkdir -p ${folder}; cd ${folder} && find . -mindepth 1 -printf '%y %m %s %P\\n' | grep -v '^d' | sort >"$SCRATCH/found"
    exit $code`;
  const ended = await machine.call({ configuration, env: { CNI_NETNS: "/proc/self/ns/net" }, through: apart(script) });
  expect(ended).toMatchObject(answer);
  return machine.read("found")?.toString().split("\n").slice(0, -1) ?? [];
}

const passes = { exitCode: 0, stdout: "{}" };
const refused = { exitCode: 1, stdout: expect.stringMatching(/"code":\s*5\b/) };
const isJournal = expect.stringMatching(new RegExp(`^f 600 [1-9]\\d+ ${journal.slice(folder.length + 1)}$`));

test("ADD leaves a journal, and nothing else", async () => {
  expect(await filesAfterAdd("", passes)).toEqual([isJournal]);
});

test("DEL removes it, and the directory of the container", async ({ machine }) => {
  for (const command of ["ADD", "DEL"]) await machine.call({ command });
  expect(readdirSync(machine.path("lib/cni/wrappers"))).toEqual([]);
});

test("what else is in the directory is left alone", async () => {
  expect(await filesAfterAdd(`mkdir -p ${container}; echo theirs >${container}/other:eth0`, passes)).toEqual([
    isJournal,
    expect.stringMatching(/^f 644 7 blue\/other:eth0$/),
  ]);
});

test("other calls may remove the directory several times before the journal is in it", async ({ skip }) => {
  skipEmulated(skip, "strace does not see the calls of a program in qemu");
  const under = `strace -f -qq -o /dev/null -P ${journal} -e trace=openat -e inject=openat:error=ENOENT:when=1..9`;
  expect(await filesAfterAdd("", passes, { under })).toEqual([isJournal]);
});

test("GC names what other lists have in its network in the order of their names", async ({ machine }) => {
  const [ids, wrapper] = [["k", "c", "a", "x", "e", "b", "m"], { network: "zone" }];
  for (const id of ids) await machine.call({ env: { CNI_CONTAINERID: id }, configuration: { name: "other", wrapper } });
  await machine.call({ command: "GC", configuration: { "cni.dev/valid-attachments": [] } });
  const { "cni.dev/valid-attachments": named } = JSON.parse(String(machine.received("GC")));
  expect(named).toEqual(ids.toSorted().map((containerID) => ({ containerID, ifname: "eth0" })));
});

test("no call waits for a pipe in place of a journal", async () => {
  const isPipe = expect.stringMatching(/^p /);
  const prepare = (name: string) => `mkdir -p ${container}; mkfifo ${container}/${name}`;
  expect(await filesAfterAdd(prepare("other:eth0"), passes)).toEqual([isJournal, isPipe]);
  // ADD removes it, as a journal that it could not write.
  expect(await filesAfterAdd(prepare("zone:eth0"), refused)).toEqual([]);
  const machine = new Machine();
  // Somebody who has one open for writing writes nothing.
  const pipes = `${prepare("zone:eth0")}; ${prepare("other:eth0")}; exec 9<>${container}/other:eth0`;
  const through = apart(`mount -t tmpfs none /var/lib; ${pipes}; "$@"`);
  expect(await machine.call({ command: "DEL", through })).toMatchObject({ exitCode: 0 });
});

test("the journal has the namespace as Node sees it: adopt writes journals that each flavor compares with", async ({
  machine,
}) => {
  const path = machine.path("netns");
  writeFileSync(path, "");
  // Its content is older than its inode.
  utimesSync(path, 1, 1);
  const script = `mount -t tmpfs none /var/lib; "$@"; cat ${container}/* >"$SCRATCH/journal"`;
  await machine.call({ through: apart(script) });
  const [began = ""] = String(machine.read("journal")).split("\n", 1);
  const { dev: device, ino: inode, ctimeMs } = statSync(path);
  expect(JSON.parse(began).namespace).toEqual({ path, device, inode, changedMs: Math.floor(ctimeMs) });
});

test("a namespace whose path is a link to a process's has no time", async ({ machine }) => {
  const path = machine.path("netns");
  symlinkSync("/proc/self/ns/net", path);
  await machine.call();
  const [began = ""] = readFileSync(join(machine.directory, "lib", journal.slice("/var/lib".length)), "utf8").split(
    "\n",
  );
  expect(JSON.parse(began).namespace).toEqual({ path, device: expect.any(Number), inode: expect.any(Number) });
});

test.for<[string, string, string[]]>([
  ["in a directory that is there", `mkdir -p ${container}`, [journal, container]],
  ["in new directories", ":", ["/var/lib", dirname(folder), folder, journal, container]],
])("a creator's entry %s is on the disk before the plugin runs", async ([, prepare, flushed], { skip }) => {
  skipEmulated(skip, "strace does not see the calls of a program in qemu");
  const machine = new Machine();
  const script = `
    mount -t tmpfs none /var/lib
    ${prepare}
    umask 0
    strace -f -qq -y -e trace=fsync,execve -o "$SCRATCH/trace" "$@"
    find ${dirname(folder)} -type d -printf '%m\n' >"$SCRATCH/modes"`;
  await machine.call({ env: { CNI_NETNS: "/proc/self/ns/net" }, through: apart(script) });
  const [before = ""] = String(machine.read("trace")).split(join(delegates, "plain"), 1);
  expect([...before.matchAll(/fsync\(\d+<(.*?)>\)/g)].map(([, path]) => path)).toEqual(flushed);
  if (prepare === ":") expect(String(machine.read("modes"))).toBe("700\n".repeat(3));
});

/** Makes an executable of a name, which says on ADD that it made eth0, and fails otherwise. */
function makePlugin(machine: Machine, name: string) {
  const result = { cniVersion: "1.0.0", interfaces: [{ name: "eth0", sandbox: "/proc/self/ns/net" }] };
  machine.file(name, `#!/bin/sh\n[ "$CNI_COMMAND" = ADD ] || exit 1\necho '${JSON.stringify(result)}'\n`, 0o755);
  const env = { CNI_PATH: machine.directory, CNI_NETNS: "/proc/self/ns/net" };
  return { path: join(bin, `${name}-wrapper`), delegate: name, env };
}

test.for(["gone0", "a-second-name-is-longer"])(
  "DEL passes without the plugin's master %s",
  async (master, { machine }) => {
    const call = { ...makePlugin(machine, "macvlan"), configuration: { master }, through: apart('exec "$@"') };
    expect(await machine.call(call)).toMatchObject({ exitCode: 0 });
    expect(await machine.call({ ...call, command: "DEL" })).toMatchObject({ exitCode: 0, stdout: "" });
  },
);

test("DEL fails if the plugin's master is there: it is looked for on the host, not in the container", async ({
  machine,
}) => {
  const call = { ...makePlugin(machine, "macvlan"), configuration: { master: "near9" } };
  machine.file("given", stdinOf(call));
  const script = `
    ip link add near9 type veth peer name far9
    unshare --net sleep 60 &
    until [ "$(readlink /proc/$!/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do :; done
    for verb in ADD DEL; do CNI_COMMAND=$verb CNI_NETNS=/proc/$!/ns/net "$@" <"$SCRATCH/given"; done
    code=$?
    kill $!
    exit $code`;
  expect(await machine.call({ ...call, through: apart(script) })).toMatchObject({ exitCode: 1, stderr: "" });
});

test("an interface whose name is not UTF-8 hides no route", async ({ machine }) => {
  const script = `
    ip link add name "$(printf 'x\\377y')" type veth peer name far0
    ip address add 10.1.0.1/24 dev far0 && ip link set far0 up
    "$@"
    cat ${container}/* >"$SCRATCH/journal"`;
  await machine.call({ ...makePlugin(machine, "sbr"), through: apart(script) });
  expect(String(machine.read("journal"))).toContain('{"dst":"10.1.0.0/24","dev":"far0"');
});

test("a journal that does not get to the disk fails ADD, and stays for DEL", async ({ skip }) => {
  skipEmulated(skip, "strace does not see the calls of a program in qemu");
  const ended = { exitCode: 1, stdout: expect.stringContaining(`${journal}: EIO`) };
  const under = `strace -f -qq -o /dev/null -P ${journal} -e trace=fsync -e inject=fsync:error=EIO`;
  expect(await filesAfterAdd("", ended, { under })).toEqual([isJournal]);
});

test("a journal for which no file descriptor is left fails ADD, and stays: another plugin has written to it", async ({
  skip,
}) => {
  skipEmulated(skip, "strace does not see the calls of a program in qemu");
  const ended = { exitCode: 1, stdout: expect.stringContaining(`${journal}: EMFILE`) };
  const under = `strace -f -qq -o /dev/null -P ${journal} -e trace=open,openat -e inject=open,openat:error=EMFILE`;
  const written = `mkdir -p ${container}; echo "an earlier plugin's" >${journal}; chmod 600 ${journal}`;
  expect(await filesAfterAdd(written, ended, { under })).toEqual([isJournal]);
});

describe("a journal that cannot be written fails ADD, and nothing is left behind", () => {
  test("because there is a directory in its place", async () => {
    expect(await filesAfterAdd(`mkdir -p ${journal}`, refused)).toEqual([]);
  });

  test("because its directory is a link to nothing", async () => {
    const ended = { exitCode: 1, stdout: expect.stringContaining(`${journal}: ENOENT`) };
    expect(await filesAfterAdd("mkdir /var/lib/cni; ln -s /nowhere/wrappers /var/lib/cni", ended)).toEqual([]);
  });

  test("because the limit of a file's size is in the middle of a line", async () => {
    const ended = { exitCode: 1, stdout: expect.stringContaining(`${journal}: EFBIG`) };
    const [configuration, under] = [{ note: "x".repeat(4096) }, "prlimit --fsize=1024"];
    expect(await filesAfterAdd("", ended, { configuration, under })).toEqual([]);
  });

  test("because the disk is full", async () => {
    const filler = `mkdir -p ${folder}; head -c 4096 /dev/zero >/var/lib/filler`;
    expect(await filesAfterAdd(filler, refused, { options: "size=4k" })).toEqual([]);
  });

  test("because the disk fills up in the middle of a line", async () => {
    const filler = `mkdir -p ${folder}; head -c 4096 /dev/zero >/var/lib/filler`;
    const configuration = { note: "x".repeat(4096) };
    expect(await filesAfterAdd(filler, refused, { options: "size=8k", configuration })).toEqual([]);
  });
});
describe("the journal has the index of the interface that was there before", () => {
  let holder: Holder;
  // ip(8) shows one end of the pair as `near0@far0`. It has a second name.
  const links = `
    ip link add near0 index 7 type veth peer name far0 &&
    ip link property add dev near0 altname alias0 &&
    echo made && cat`;
  beforeAll(async () => {
    holder = await hold("unshare", ["--net", "sh", "-c", links]);
  });
  afterAll(() => holder[Symbol.asyncDispose]());

  /** Runs an ADD in another namespace, and returns the index in its journal. */
  async function indexBefore(CNI_NETNS: string, CNI_IFNAME: string): Promise<unknown> {
    const machine = new Machine();
    const script = `
      mount -t tmpfs none /var/lib
      readlink /proc/self/ns/net >"$SCRATCH/own"
      "$@" && head -n 1 ${container}/* >"$SCRATCH/began"`;
    const call = { delegate: "notes-namespace", env: { CNI_NETNS, CNI_IFNAME }, through: apart(script) };
    expect(await machine.call(call)).toMatchObject({ exitCode: 0, stderr: "" });
    // The wrapper stays in its own namespace.
    expect(machine.read("namespace")).toEqual(machine.read("own"));
    return JSON.parse(String(machine.read("began"))).before;
  }

  const names: [string, number][] = [
    ["near0", 7],
    ["lo", 1],
    ["near", 0],
    ["near0@far0", 0],
    ["alias0", 0],
  ];

  test.for(names)("%s: %i", async ([name, index], { skip }) => {
    skipEmulated(skip, "qemu's clone copies the memory, so the child's socket does not reach the wrapper");
    expect(await indexBefore(`/proc/${holder.pid}/ns/net`, name)).toBe(index);
  });

  test.each(["/etc/passwd", "/proc/self/ns/mnt", "/"])("none for what is no network namespace: %s", async (path) => {
    expect(await indexBefore(path, "lo")).toBeUndefined();
  });
});
