import { describe, expect, test } from "vitest";
import { explain, type Source, type Step } from "../../../../cli/explain/explain.ts";
import { exampleSource } from "../../../../cli/explain/model-answers.ts";
import type { List } from "../../../../cli/lists/list.ts";
import { Machine } from "../../../../cli/model/machine.ts";
import type { JsonObject } from "../../../../shared/protocol/json.ts";
import type { ConfiguredVerb } from "../../../../shared/protocol/request.ts";
import type { CniResult } from "../../../../shared/protocol/result.ts";
import { callsOf, readCall, recordedChains, recordedList } from "./support.ts";

// go-cni and Nomad ran these lists with real plugins. The expected values do not come from the wrappers' code
// (test/fixtures/go-cni/ORIGIN.md).

/** What the plugin must get, and on ADD what the runtime must get. */
interface Expected {
  readonly delegate: { readonly environment: Record<string, string>; readonly configuration: JsonObject };
  readonly runtime?: JsonObject;
}

/** The steps, from the list and the plugins' recorded answers alone. */
function stepsOf(chain: string, verb: ConfiguredVerb): readonly Step[] {
  const list = recordedList(chain);
  const [first = ""] = callsOf(chain);
  const {
    CNI_CONTAINERID = "",
    CNI_NETNS = "",
    CNI_IFNAME = "",
    CNI_ARGS = "",
    CNI_PATH = "",
  } = variablesOf(chain, first);
  const machine = new Machine();
  const attachment = {
    containerId: CNI_CONTAINERID,
    netns: CNI_NETNS,
    ifName: CNI_IFNAME,
    args: CNI_ARGS,
    pluginPath: CNI_PATH,
    capabilityArgs: { portMappings: portMappingsOf(chain) },
  };
  const source = exampleSource(attachment, undefined, machine);
  const readFile = withMacOrigins(list, source);
  return explain(list, verb, {
    ...source,
    answer: withLinks(machine, answersOf(chain, list, source)),
    state: { ...source.state, readFile },
  }).steps;
}

/** The container has each interface that a plugin made, with its addresses: the wrappers look for it. */
function withLinks(machine: Machine, answer: Source["answer"]): Source["answer"] {
  return (plugin, type, call) => {
    const ended = answer(plugin, type, call);
    const { CNI_COMMAND, CNI_NETNS = "", CNI_IFNAME = "" } = call.environment;
    const namespace = machine.namespaces.get(CNI_NETNS);
    if (CNI_COMMAND !== "ADD" || !namespace || namespace.links.has(CNI_IFNAME)) return ended;
    const { ips } = (ended.output ?? {}) as CniResult;
    machine.addLink(namespace, CNI_IFNAME, "veth").addresses = (ips ?? []).map(({ address }) => address);
    return ended;
  };
}

/** The answers of the plugins that the wrappers ran. Another plugin, such as loopback, has an example. */
function answersOf(chain: string, { plugins }: List, source: Source): Source["answer"] {
  const isWrapped = plugins.filter((plugin) => plugin.isWrapped);
  return (plugin, type, call) => {
    const { CNI_COMMAND } = call.environment;
    const calls = callsOf(chain).filter((one) => one.includes(`-${CNI_COMMAND}-`));
    const index = isWrapped.indexOf(plugin);
    const recorded = (CNI_COMMAND === "DEL" ? calls.reverse() : calls)[index];
    if (index < 0 || recorded === undefined) return source.answer(plugin, type, call);
    return CNI_COMMAND === "ADD"
      ? { exitCode: 0, output: readCall(chain, recorded, "delegate.json") }
      : { exitCode: 0 };
  };
}

function variablesOf(chain: string, call: string): Record<string, string> {
  return readCall(chain, call, "request.json").env as Record<string, string>;
}

/** A bridge with an address and without VLANs keeps its MAC: the plugin has set it. */
function withMacOrigins({ plugins }: List, { state }: Source): Source["state"]["readFile"] {
  const gateways = plugins.filter(({ configuration }) => configuration.isGateway && !configuration.vlan);
  const fixed = gateways.map(({ configuration: { bridge } }) => `/sys/class/net/${bridge}/addr_assign_type`);
  return (path) => (fixed.includes(path) ? "3\n" : state.readFile(path));
}

function portMappingsOf(chain: string): unknown {
  const requests = callsOf(chain).map((call) => readCall(chain, call, "request.json").stdin as JsonObject);
  const given = requests.map(({ runtimeConfig }) => runtimeConfig as JsonObject | undefined);
  return given.find((one) => one?.portMappings)?.portMappings ?? [];
}

// A script made the result that the first plugin of the other chains got.
const wholeChains = recordedChains.filter(
  (chain) => !chain.startsWith("stand-in/") && callsOf(chain).some((call) => call.includes("-ADD-")),
);

const verbs = wholeChains.flatMap((chain) => {
  const seen = new Set(callsOf(chain).map((call) => call.split("-")[1]));
  return [...seen].map((verb) => [chain, verb as ConfiguredVerb] as const);
});

test("there are recorded chains of go-cni and of Nomad, with every verb", () => {
  expect(wholeChains.length).toBeGreaterThan(12);
  expect(wholeChains.map((chain) => chain.split("/")[0])).toEqual(expect.arrayContaining(["go-cni", "nomad"]));
  expect(new Set(verbs.map(([, verb]) => verb))).toEqual(new Set(["ADD", "CHECK", "DEL", "GC", "STATUS"]));
});

describe.each(verbs)("%s, %s", (chain, verb) => {
  const calls = callsOf(chain).filter((call) => call.includes(`-${verb}-`));
  const expected = calls.map((call) => ({
    request: readCall(chain, call, "request.json"),
    kept: prevResultOfAdd(chain, call),
    // The runtime gets the plugin's own answer if it lists no interfaces (0.2.0).
    answer: verb === "ADD" ? readCall(chain, call, "delegate.json") : undefined,
    ...(readCall(chain, call, "expected.json") as unknown as Expected),
  }));

  test("the runtime gives and gets what it gave and got, and each plugin gets what it got", () => {
    const steps = stepsOf(chain, verb).filter(({ plugin }) => plugin.isWrapped);
    expect(steps.map(({ given }) => given.stdin)).toEqual(expected.map(({ request }) => request.stdin));
    expect(steps.map(gotBy)).toEqual(
      expected.map(({ request, delegate, kept }) => [
        {
          plugin: delegate.configuration.type,
          environment: withoutArgs({ ...(request.env as object), ...delegate.environment }),
          stdin: { ...delegate.configuration, ...kept },
        },
      ]),
    );
    expect(steps.map(({ answer }) => answer)).toEqual(
      expected.map(({ runtime, answer }) => ({ exitCode: 0, output: runtime ?? answer })),
    );
  });
});

/** A runtime with 0.3 gives DEL no prevResult. A chained plugin gets the one of its ADD, which the journal has. */
function prevResultOfAdd(chain: string, call: string): JsonObject {
  const [, plugin = ""] = /-DEL-((?:tuning|portmap)-wrapper)$/.exec(call) ?? [];
  const add = callsOf(chain).find((one) => one.endsWith(`-ADD-${plugin}`));
  if (!/-0\.3\.\d$/.test(chain) || plugin === "" || add === undefined) return {};
  const { delegate } = readCall(chain, add, "expected.json") as unknown as Expected;
  return { prevResult: delegate.configuration.prevResult };
}

function gotBy({ runs }: Step) {
  return runs.map(({ plugin, environment, stdin }) => ({ plugin, environment: withoutArgs(environment), stdin }));
}

/** go-cni passes CNI_ARGS in random order, and not to DEL. */
function withoutArgs(environment: object): object {
  return { ...environment, CNI_ARGS: "" };
}
