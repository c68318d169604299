import { isSea } from "node:sea";
import { jq } from "../../shared/host/node/jq.ts";
import type { ConfiguredVerb } from "../../shared/protocol/request.ts";
import type { List } from "../lists/list.ts";
import type { Attachment } from "../live/libcni.ts";
import { exampleAnswers } from "./example-answers.ts";
import type { Source } from "./explain.ts";
import { emptyState, presentState } from "./host-state.ts";
import type { Cached } from "./read-cache.ts";
import { matchTrace, type RecordedCall } from "./read-trace.ts";

/** Returns a source that invents everything. */
export function exampleSource(attachment: Attachment): Source {
  const answers = exampleAnswers();
  return {
    attachment,
    state: emptyState(attachment.netns),
    jq: ownJq(),
    answer: (plugin, type, call) => ({ ...answers(plugin, type, call), origin: "example" }),
  };
}

/** Returns a source for a container that runs on this host. */
export function cacheSource({ attachment, result }: Cached, cacheDirectory: string): Source {
  return { ...exampleSource(attachment), state: presentState(cacheDirectory), result };
}

/** Returns a source that knows the calls of a trace. Throws Trouble if the trace is of another list. */
export function traceSource(list: List, trace: readonly RecordedCall[], example: Attachment): Source {
  const verbs = ["ADD", "CHECK", "DEL", "GC", "STATUS"] as const;
  const calls = new Map(verbs.map((verb) => [verb as ConfiguredVerb, matchTrace(list, verb, trace)]));
  const attachment = attachmentOf(trace, example);
  const invented = exampleSource(attachment);
  return {
    ...invented,
    recorded: (index, verb) => calls.get(verb)?.get(index)?.call,
    answer(plugin, type, call) {
      const known = calls.get(call.environment.CNI_COMMAND as ConfiguredVerb)?.get(plugin.index);
      return known ? { ...known.answer, origin: "trace" } : invented.answer(plugin, type, call);
    },
  };
}

function attachmentOf(trace: readonly RecordedCall[], example: Attachment): Attachment {
  const { environment = {} } = trace.find(({ call }) => call.environment.CNI_CONTAINERID)?.call ?? {};
  const { CNI_CONTAINERID, CNI_NETNS, CNI_IFNAME, CNI_ARGS, CNI_PATH } = environment as Record<string, string>;
  return {
    ...example,
    containerId: CNI_CONTAINERID ?? example.containerId,
    netns: CNI_NETNS ?? example.netns,
    ifName: CNI_IFNAME ?? example.ifName,
    args: CNI_ARGS ?? example.args,
    pluginPath: CNI_PATH ?? example.pluginPath,
  };
}

// jq is a part of the executable.
function ownJq(): Source["jq"] {
  return isSea() ? jq : undefined;
}
