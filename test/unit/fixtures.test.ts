import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { callWrapper, exits, printed } from "./support/fake-host.ts";
import { chainedOf, entryOf, journalFiles } from "./support/journals.ts";

/** The content of `expected.json`: the changes for the delegate, and on ADD the result for the runtime. */
interface Expected {
  readonly delegate: {
    readonly environment: Record<string, string>;
    readonly configuration: { readonly type: string; readonly name: string };
  };
  readonly runtime?: unknown;
}

const creators = ["bridge", "macvlan", "ptp", "ipvlan", "vlan", "host-device", "tap", "dummy"];
const root = join(import.meta.dirname, "../fixtures");
const cases = globSync("**/request.json", { cwd: root }).map(dirname).sort();
const chains = [...new Set(cases.map(dirname))];

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** The journal that the plugin's ADD left on the host. */
function journalOf(env: Record<string, string>, { environment, configuration }: Expected["delegate"], network: string) {
  const { CNI_CONTAINERID: containerId = "", CNI_IFNAME: runtimeIfName = "" } = env;
  const { CNI_IFNAME: ifName = runtimeIfName } = environment;
  const { type, name } = configuration;
  const { prevResult: _, ...rest } = configuration as typeof configuration & { prevResult?: unknown };
  const key = { network, containerId, runtimeIfName, ifName, delegateNetwork: name, configuration: rest };
  return journalFiles(creators.includes(type) ? entryOf({ type, ...key }) : chainedOf(type, key));
}

test("there are fixtures of every origin", () => {
  expect([...new Set(cases.map((path) => path.split("/")[0]))]).toEqual(["cnitool", "go-cni", "nomad", "stand-in"]);
});

test.each(chains)("%s says where it comes from", (chain) => {
  const origins = [chain, dirname(chain)].map((folder) => join(folder, "ORIGIN.md"));
  expect(origins.filter((file) => existsSync(join(root, file)))).not.toEqual([]);
});

describe.each(cases)("%s", (path) => {
  const { plugin, env, stdin } = JSON.parse(read(join(path, "request.json")));
  const { delegate, runtime }: Expected = JSON.parse(read(join(path, "expected.json")));
  const answer = existsSync(join(root, path, "delegate.json")) ? read(join(path, "delegate.json")) : "";
  // The wrapper waits for a DEL, because it removes the journal.
  const isRecorded = ["CHECK", "DEL"].includes(env.CNI_COMMAND) && delegate.configuration.type !== "loopback";
  // The kernel says that somebody has set the MAC of a bridge with an address.
  const origin = {
    [`/sys/class/net/${stdin.bridge}/addr_assign_type`]:
      (stdin.isGateway || stdin.isDefaultGateway) && !stdin.vlan ? "3\n" : "1\n",
  };
  const files = { ...origin, ...(isRecorded ? journalOf(env, delegate, stdin.name) : {}) };
  const isHandedOver = runtime === undefined && env.CNI_COMMAND !== "DEL";
  const call = { calledAs: `/opt/cni/bin/${plugin}`, env, stdin };
  const outcome = callWrapper(call, { answers: [exits(0, answer)], files });

  test("the delegate gets its own call", () => {
    expect(outcome.runs).toStrictEqual([
      {
        how: isHandedOver ? "exec" : "spawn",
        path: `/opt/cni/bin/${delegate.configuration.type}`,
        env: { ...env, ...delegate.environment },
        stdin: delegate.configuration,
      },
    ]);
  });

  test("the runtime gets its answer", () => {
    expect(outcome.exitCode).toBe(0);
    if (runtime === undefined) expect(outcome).toMatchObject({ stdout: answer, writes: isHandedOver ? 0 : 1 });
    else expect(printed(outcome)).toStrictEqual(runtime);
  });
});
