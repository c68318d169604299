import { existsSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import type { FileIdentity } from "../../../../shared/host/host.ts";
import { namespaceOf } from "../../../../shared/journal/journal.ts";
import { type Expected, journalOf } from "../../../unit/support/fixture-journals.ts";
import { bin, delegates, Machine, through } from "../../support/machine.ts";

// The unit tests run them on Node's engine.
const root = join(import.meta.dirname, "../../../fixtures");
const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
const cases = globSync("**/request.json", { cwd: root }).map(dirname).sort();

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Calls the wrapper of that name. A plugin of that type keeps its input, and prints the recorded answer. */
async function replay(path: string, expected: Expected) {
  const machine = new Machine();
  const { plugin, env, stdin } = JSON.parse(read(join(path, "request.json")));
  const { type } = expected.delegate.configuration;
  for (const name of ["plugins", "wrappers"]) mkdirSync(machine.path(name));
  const plugins = { CNI_PATH: machine.path("plugins") };
  // CHECK of a bridge without `ipam` runs static, if it is there.
  for (const name of [type, "static"]) symlinkSync(join(delegates, "notes-variables"), machine.path(`plugins/${name}`));
  symlinkSync(join(bin, "cni-wrappers"), machine.path(`wrappers/${plugin}`));
  // This stands for the container's namespace, and has no interfaces.
  mkdirSync(machine.path("run/netns"), { recursive: true });
  const netns = machine.file("run/netns/blue", "");
  if (existsSync(join(root, path, "delegate.json"))) machine.answer(env.CNI_COMMAND, read(join(path, "delegate.json")));
  if (["CHECK", "DEL"].includes(env.CNI_COMMAND) && type !== "loopback") {
    const namespace = namespaceOf(env.CNI_NETNS, identityOf(netns));
    const changes = { bootId, path: machine.path(`plugins/${type}`), ...(namespace && { namespace }) };
    for (const [file, text] of Object.entries(journalOf({ env, stdin }, expected, changes))) {
      const place = machine.path(`lib/${relative("/var/lib", file)}`);
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, text);
    }
  }
  const call = { path: machine.path(`wrappers/${plugin}`), env: { ...env, ...plugins } } as const;
  const onHost = through('mount --bind "$SCRATCH/run" /run && exec "$@"');
  const ended = await machine.call({
    ...call,
    through: onHost,
    stdin: typeof stdin === "string" ? stdin : JSON.stringify(stdin),
  });
  return { ended, machine, stdin, variables: { ...env, ...plugins, ...expected.delegate.environment } };
}

describe.each(cases)("%s", (path) => {
  const expected: Expected = JSON.parse(read(join(path, "expected.json")));
  const { delegate, runtime } = expected;

  test("the delegate gets its own call, and the runtime its answer", async () => {
    const { ended, machine, stdin, variables } = await replay(path, expected);
    const command = variables.CNI_COMMAND;
    expect(ended).toMatchObject({ exitCode: 0, signal: undefined });
    // No ADD of an earlier plugin ran on this host.
    if (command !== "ADD") expect(ended.stderr).toBe("");
    const configuration = JSON.parse(machine.received(command)?.toString() ?? "");
    // This host's /sys does not have the bridge.
    expect(configuration).toEqual(
      command === "CHECK" ? withoutMac(delegate.configuration, stdin.bridge) : delegate.configuration,
    );
    const given = machine.read("variables")?.toString().split("\0") ?? [];
    expect(given).toEqual(expect.arrayContaining(Object.entries(variables).map((pair) => pair.join("="))));
    if (runtime !== undefined) expect(JSON.parse(Buffer.from(ended.stdout, "latin1").toString())).toEqual(runtime);
  });
});

function identityOf(file: string): FileIdentity {
  const { dev, ino, size, mtimeMs, ctimeMs } = statSync(file);
  return { device: dev, inode: ino, size, modifiedMs: mtimeMs, changedMs: ctimeMs };
}

interface WithInterfaces {
  readonly prevResult?: { readonly interfaces?: readonly { readonly name: string; readonly mac?: string }[] };
}

function withoutMac(configuration: object, name: string | undefined): object {
  const { prevResult } = configuration as WithInterfaces;
  if (prevResult?.interfaces === undefined) return configuration;
  const interfaces = prevResult.interfaces.map((each) => (each.name === name ? { name: each.name } : each));
  return { ...configuration, prevResult: { ...prevResult, interfaces } };
}
