import { isSea } from "node:sea";
import type { Host } from "../../shared/host/host.ts";
import { jq } from "../../shared/host/node/jq.ts";
import type { List } from "../lists/list.ts";
import { attachmentOf, readAttachments } from "../live/cached-results.ts";
import { Trouble } from "../terminal.ts";
import type { Source } from "./explain.ts";
import { presentState } from "./host-state.ts";
import { pluginPath } from "./model-answers.ts";

/** jq is a part of the executable. */
export function ownJq(): Host["jq"] {
  return isSea() ? jq : undefined;
}

/**
 * Returns a source for a container of this host, with its attachment to a list's network in libcni's cache. The id may be the
 * beginning of the container's id. Throws Trouble if there is no such attachment, or if there are several.
 */
export function cacheSource({ name = "", isDropIn }: List, containerId: string, cacheDirectory: string): Source {
  const unread: string[] = [];
  const { wanted } = readAttachments({ cacheDirectory, network: name, containerId }, (line) => unread.push(line));
  const exact = wanted.filter((one) => one.containerId === containerId);
  const [only, another] = exact.length > 0 ? exact : wanted;
  if (only?.result === undefined) {
    const none = `${cacheDirectory}/results: there is no attachment of ${containerId} to the network ${name}`;
    throw new Trouble([none, ...unread].join("\n"));
  }
  if (another !== undefined)
    throw new Trouble(
      `${cacheDirectory}/results: several attachments begin with ${name}-${containerId}; write more of the id`,
    );
  const attachment = attachmentOf(only, pluginPath(isDropIn));
  // Of CHECK and DEL, a plugin that passes prints nothing.
  const answer = () => ({ exitCode: 0 });
  return { attachment, state: presentState(cacheDirectory), jq: ownJq(), result: only.result, answer };
}
