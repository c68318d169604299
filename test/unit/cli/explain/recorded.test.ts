import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { explain, type Source, type Step } from "../../../../cli/explain/explain.ts";
import { exampleAttachment, type RecordedCall, readTrace, traceSource } from "../../../../cli/explain/sources.ts";
import type { List } from "../../../../cli/lists/list.ts";
import type { JsonObject } from "../../../../shared/protocol/json.ts";
import type { ConfiguredVerb } from "../../../../shared/protocol/request.ts";
import { callsOf, readCall, recordedChains, recordedList, root } from "./support.ts";

// go-cni and Nomad ran these lists with real plugins. The expected values do not come from the wrappers' code
// (test/fixtures/go-cni/ORIGIN.md).

/** What the plugin must get, and on ADD what the runtime must get. */
interface Expected {
  readonly delegate: { readonly environment: Record<string, string>; readonly configuration: JsonObject };
  readonly runtime?: JsonObject;
}

function stepsOf(chain: string, verb: ConfiguredVerb, change: (call: RecordedCall) => RecordedCall = (call) => call) {
  const list = recordedList(chain);
  const trace = readTrace(join("test/fixtures", chain), root).map(change);
  const example = exampleAttachment(list, { ports: ["25649:8080"] });
  const capabilityArgs = { portMappings: portMappingsOf(chain) };
  const source = traceSource(list, trace, { ...example, capabilityArgs });
  return explain(list, verb, { ...source, state: { ...source.state, readFile: withMacOrigins(list, source) } }).steps;
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

/** The answers stay, and the variables: go-cni passes CNI_ARGS in random order, and not to DEL. */
function withoutStdin({ call: { environment }, ...recorded }: RecordedCall): RecordedCall {
  return { ...recorded, call: { environment } };
}

const verbs = recordedChains.flatMap((chain) => {
  const seen = new Set(callsOf(chain).map((call) => call.split("-")[1]));
  return [...seen].map((verb) => [chain, verb as ConfiguredVerb] as const);
});

test("there are recorded chains of go-cni and of Nomad, with every verb", () => {
  expect(recordedChains.length).toBeGreaterThan(12);
  expect(recordedChains.map((chain) => chain.split("/")[0])).toEqual(expect.arrayContaining(["go-cni", "nomad"]));
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

  test("each plugin gets what it got, and the runtime gets what it got", () => {
    const steps = stepsOf(chain, verb).filter(({ plugin }) => plugin.isWrapped);
    expect(steps.map(gotBy)).toEqual(
      expected.map(({ request, delegate, kept }) => [
        {
          plugin: delegate.configuration.type,
          environment: { ...(request.env as object), ...delegate.environment },
          stdin: { ...delegate.configuration, ...kept },
        },
      ]),
    );
    expect(steps.map(({ answer }) => answer)).toEqual(
      expected.map(({ runtime, answer }) => ({ exitCode: 0, output: runtime ?? answer })),
    );
  });

  // A script made the result that the first plugin of these chains got.
  const isWhole = !chain.startsWith("stand-in/") && callsOf(chain).some((call) => call.includes("-ADD-"));
  if (!isWhole) return;

  test("the runtime gives what it gave, from the list and the plugins' answers alone", () => {
    const steps = stepsOf(chain, verb, withoutStdin).filter(({ plugin }) => plugin.isWrapped);
    expect(steps.map(({ given }) => given.stdin)).toEqual(expected.map(({ request }) => request.stdin));
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
  return runs.map(({ plugin, environment, stdin }) => ({ plugin, environment, stdin }));
}
