import { applyEdits } from "jsonc-parser";
import { creatorsOf, type List, type ListedPlugin, runtimeIfName } from "../lists/list.ts";
import { objectAt, removal, typeEdit, valueIn } from "./edits.ts";

/** What `unwrap` does to a list, and what the operator should know. */
export type Unwrapping = ReturnType<typeof decideUnwrapping>;

/** Decides how to unwrap a list. If no plugin changes, nothing in it is wrapped. */
export function decideUnwrapping(list: List) {
  const plugins = list.plugins.flatMap((plugin) => {
    const { index, type, delegate: becomes, wrapper, configuration } = plugin;
    if (type === becomes && configuration.wrapper === undefined) return [];
    return [{ index, type, becomes, wrapper, losses: lossesOf(plugin, list.name ?? "") }];
  });
  return { plugins, notes: plugins.length === 0 ? [] : notesOn(list) };
}

/** Returns the text of the plain list. For a list that `wrap` wrapped, it is the text from before. */
export function unwrappedText({ file, plugins }: List, unwrapping: Unwrapping): string {
  const edits = unwrapping.plugins.flatMap((plugin) => {
    const object = objectAt(file, plugins[plugin.index]?.path ?? []);
    const block = valueIn(object, "wrapper") ? [removal(object, "wrapper")] : [];
    return [...typeEdit(file, object, plugin), ...block];
  });
  return applyEdits(file.text, edits);
}

/** What the plain plugin does differently, in words that follow its type. */
function lossesOf(plugin: ListedPlugin, name: string): readonly string[] {
  const { role, wrapper, isWrapped, ifName, isRenamed, network } = plugin;
  if (!isWrapped) return [];
  const verb = role === "creator" ? "makes" : "acts on";
  return [
    ...(isRenamed ? [`${verb} ${runtimeIfName} instead of ${ifName}`] : []),
    ...(role === "creator" && network !== name ? [`does not find its leases in the network ${network}`] : []),
    ...Object.entries(lost).flatMap(([key, words]) => (wrapper[key] === undefined ? [] : [words])),
  ];
}

const lost: Readonly<Record<string, string>> = {
  ports: "publishes all ports",
  args: "does not read other keys of CNI_ARGS",
  slaac: "does not report the address from a router",
  jq: "gets its configuration without the changes of the jq program",
  recover: "is not repaired after a failed ADD",
  log: "writes no log",
};

function notesOn({ plugins, isDropIn }: List): readonly string[] {
  const creators = creatorsOf({ plugins });
  return [
    ...(creators.length > 1 ? [severalCreators] : []),
    ...(creators.some(({ isRenamed }) => isRenamed) ? [drainFirst] : []),
    ...(isDropIn ? [dropIn] : []),
  ];
}

const severalCreators =
  "The plain list has several interface plugins. It does not work: all of them make the interface with the runtime's name.";
const drainFirst = "Drain the node first: only the wrappers find the leases and interfaces of running containers.";
const dropIn = "Remove the links with the plugins' own names, too: they wrap the plugins of every list.";
