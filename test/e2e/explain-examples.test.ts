import { mkdirSync, rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { explain, type Source } from "../../cli/explain/explain.ts";
import { type HostState, stateOver } from "../../cli/explain/host-state.ts";
import { exampleSource } from "../../cli/explain/model-answers.ts";
import { cacheSource } from "../../cli/explain/sources.ts";
import { type List, listOf as parsedList } from "../../cli/lists/list.ts";
import { parseListFile } from "../../cli/lists/list-file.ts";
import { listDirectory, readFile, stat } from "../../shared/host/node/files.ts";
import { ip, linkIndex } from "../../shared/host/node/ip.ts";
import type { JsonObject } from "../../shared/protocol/json.ts";
import type { ConfiguredVerb } from "../../shared/protocol/request.ts";
import { type Example, exampleHost, examples, listOf } from "../support/examples.ts";
import type { CallRecord, Container, Lab, Outcome } from "../support/lab.ts";
import { isPossible } from "../support/needs.ts";
import type { NetworkList } from "../support/runtime.ts";

// A recorder between each wrapper and its plugin writes down what the plugin really gets. The wrappers' own calls are recorded,
// too, except for drop-in.

let lab: Lab;

beforeAll(async () => {
  lab = await exampleHost(undefined, true);
});

afterAll(() => lab[Symbol.asyncDispose]());

describe.each(Object.entries(examples))("%s.conflist", (name, example) => {
  test.runIf(isPossible(example))(
    "explain shows what each plugin gets and what the runtime gets, on every verb",
    async () => {
      const list = listOf(name);
      // Only this version has STATUS and GC.
      const newest: NetworkList = { ...list, cniVersion: "1.1.0" };
      const container = await lab.addContainer(name);
      await expectAdd(list, example, container);
      await expectCalls(list, "CHECK", container, () => lab.goCni.check(list, container, example.options));
      if (!listIn(list).isDropIn) {
        await expectCalls(newest, "STATUS", container, () => lab.goCni.status(newest));
        const valid = [{ containerID: lab.goCni.id(container), ifname: "eth0" }];
        await expectCalls(newest, "GC", container, () => lab.goCni.gc(newest, valid));
      }
      await expectCalls(list, "DEL", container, () => lab.goCni.del(list, container, example.options));
    },
  );
});

/** Attaches the container. `explain` gets the plugins' own answers. */
async function expectAdd(list: NetworkList, { options }: Example, container: Container): Promise<void> {
  const records = await recorded(() => lab.goCni.add(list, container, options));
  const parsed = listIn(list);
  const calls = pluginCalls(parsed, records);
  const cached = cacheSource(parsed, container.name, lab.path("/var/lib/cni"));
  const answer: Source["answer"] = ({ index }) => ({ exitCode: 0, output: calls[index]?.stdout as JsonObject });
  const { steps, result } = explain(parsed, "ADD", { ...exampleSource(cached.attachment), answer });
  expect(
    steps
      .flatMap(({ runs }) => runs)
      .map(call)
      .map(withoutArgs),
  ).toEqual(calls.map(recordedCall).map(withoutArgs));
  const wrapperAnswers = records.filter(({ plugin }) => plugin.endsWith("-wrapper")).map(({ stdout }) => stdout);
  if (!parsed.isDropIn) {
    expect(steps.filter(({ plugin }) => plugin.isWrapped).map(({ answer }) => answer.output)).toEqual(wrapperAnswers);
  }
  expect(result).toEqual(cached.result);
}

/** Compares the calls with those that `explain` finds out from libcni's cache, before they are made. */
async function expectCalls(
  list: NetworkList,
  verb: ConfiguredVerb,
  container: Container,
  action: () => Promise<Outcome>,
): Promise<void> {
  const parsed = listIn(list);
  const { steps } = explain(parsed, verb, cachedSource(parsed, container));
  const shown = steps.flatMap(({ runs }) => runs).map(call);
  const records = await recorded(action);
  expect(shown.map(withoutArgs)).toEqual(pluginCalls(parsed, records).map(recordedCall).map(withoutArgs));
}

async function recorded(action: () => Promise<Outcome>): Promise<CallRecord[]> {
  // The recorder counts the files, and their names sort only up to 99.
  const folder = lab.path("/run/lab/records");
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  expect(await action()).toMatchObject({ exitCode: 0 });
  return await lab.records();
}

function listIn(list: NetworkList): List {
  const parsed = parsedList(parseListFile("list", JSON.stringify(list)));
  if (parsed === undefined) throw new Error("the example is no list");
  return parsed;
}

function cachedSource(list: List, container: Container): Source {
  return { ...cacheSource(list, container.name, lab.path("/var/lib/cni")), state: stateOfLab() };
}

/** The lab as `explain` would see it from inside. */
function stateOfLab(): HostState {
  return stateOver({
    readFile: (file) => readFile(lab.path(file)),
    listDirectory: (directory) => listDirectory(lab.path(directory)),
    stat: (file) => stat(lab.path(file)),
    linkIndex: (netns, ifName) => linkIndex(lab.path(netns), ifName),
    ip: (args, commands, netns) => ip(args, commands, netns && lab.path(netns)),
  });
}

interface Call {
  readonly plugin: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly stdin: object;
}

function call({ plugin, environment, stdin }: Call): Call {
  return { plugin, environment, stdin };
}

function recordedCall({ plugin, env, stdin }: CallRecord): Call {
  // The mark is for another wrapper only.
  const { CNI_WRAPPERS_NESTED: _, ...environment } = env;
  return { plugin, environment, stdin };
}

// go-cni passes CNI_ARGS in random order, and none to DEL.
function withoutArgs({ environment: { CNI_ARGS: _, ...environment }, ...rest }: Call): Call {
  return { ...rest, environment };
}

/** The recorded calls of the plugins that do the work, without those of wrappers and of IPAM plugins. */
function pluginCalls({ plugins }: List, records: readonly CallRecord[]): CallRecord[] {
  const delegates = plugins.map(({ delegate }) => delegate);
  return records.filter(({ plugin }) => delegates.includes(plugin));
}
