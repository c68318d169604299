import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { profiles } from "../../../../plugins/index.ts";
import { bin, delegates, Machine } from "../../support/machine.ts";

// The unit tests run them on Node's engine.
const root = join(import.meta.dirname, "../../../fixtures");
const cases = globSync("**/request.json", { cwd: root }).map(dirname).sort();

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Calls the wrapper of that name. A plugin of that type keeps its input, and prints the recorded answer. */
async function replay(path: string, type: string) {
  const machine = new Machine();
  const { plugin, env, stdin } = JSON.parse(read(join(path, "request.json")));
  for (const name of ["plugins", "wrappers"]) mkdirSync(machine.path(name));
  symlinkSync(join(delegates, "notes-variables"), machine.path(`plugins/${type}`));
  symlinkSync(join(bin, "cni-wrappers"), machine.path(`wrappers/${plugin}`));
  if (existsSync(join(root, path, "delegate.json"))) machine.answer(env.CNI_COMMAND, read(join(path, "delegate.json")));
  const call = { path: machine.path(`wrappers/${plugin}`), env: { ...env, CNI_PATH: machine.path("plugins") } };
  const ended = await machine.call({ ...call, stdin: typeof stdin === "string" ? stdin : JSON.stringify(stdin) });
  const isSecond = env.CNI_COMMAND === "DEL" && hasNetworkOfItsOwn(type, env.CNI_IFNAME, stdin);
  return { ended, machine, env, isSecond };
}

describe.each(cases)("%s", (path) => {
  const { delegate, runtime } = JSON.parse(read(join(path, "expected.json")));

  test("the delegate gets its own call, and the runtime its answer", async () => {
    const { ended, machine, env, isSecond } = await replay(path, delegate.configuration.type);
    expect(ended).toMatchObject({ exitCode: 0, signal: undefined, stderr: "" });
    // This host has no record of a renamed interface. So DEL runs under the list's own name first, and this one runs without a
    // namespace.
    expect(JSON.parse(machine.received(env.CNI_COMMAND)?.toString() ?? "")).toEqual(delegate.configuration);
    const variables = machine.read("variables")?.toString().split("\0") ?? [];
    expect(variables).toEqual(
      expect.arrayContaining(
        pairs({
          ...env,
          CNI_PATH: machine.path("plugins"),
          ...delegate.environment,
          ...(isSecond && { CNI_NETNS: "" }),
        }),
      ),
    );
    if (runtime !== undefined) expect(JSON.parse(Buffer.from(ended.stdout, "latin1").toString())).toEqual(runtime);
  });
});

/** Whether a plugin makes an interface with another name than the runtime's, and has no `network`. */
function hasNetworkOfItsOwn(
  type: string,
  runtimeIfName: string,
  { wrapper = {} }: { wrapper?: WrapperBlock },
): boolean {
  const { ifName = runtimeIfName, network } = wrapper;
  const isCreator = Object.entries(profiles).some(([name, { role }]) => name === type && role === "creator");
  return isCreator && ifName !== runtimeIfName && network === undefined;
}

interface WrapperBlock {
  readonly ifName?: string;
  readonly network?: string;
}

function pairs(variables: Record<string, string>): string[] {
  return Object.entries(variables).map((pair) => pair.join("="));
}
