import type { JsonObject } from "../../shared/protocol/json.ts";
import { nearest } from "../../shared/protocol/spelling.ts";
import type { FoundAt, PluginRule } from "../lint/rule.ts";
import { isChainName, isOwnMac, kernelMac } from "../lists/kernel-text.ts";
import { isRewritten, type ListedPlugin } from "../lists/list.ts";
import { goView, type Problem, problemsOf, problemText } from "../schema/go-view.ts";
import { schemasOf } from "../schema/plugin.ts";

export const pluginValue: PluginRule = {
  title: "A key of a plugin has a value that the plugin refuses.",
  page: `The plugins are written in Go and do not convert values: \`"1500"\` is no number, \`"true"\` is neither true nor false,
and a sysctl of \`1\` is no text. A plugin decodes its whole configuration first, so ADD, CHECK and DEL fail. \`null\` is
the same as no key. Keys of unknown plugins are not checked. ADD or CHECK also fails if the \`mac\` of macvlan or tuning is not
the MAC address of one interface, if \`bridge\` is empty, or if iptables refuses \`iptablesAdminChainName\` of firewall.`,
  findInPlugin(plugin) {
    const { common, own } = schemasOf(plugin);
    const { configuration } = plugin;
    const found = [common, own].flatMap((schema) => {
      const problems = schema ? problemsOf(schema, goView(configuration, schema), configuration) : [];
      return problems.map((problem) => findingOf(problem, plugin));
    });
    // `type` has a rule of its own, and a key of both schemas is reported once.
    const seen = new Set<string>();
    const others = found.filter(({ message }) => !message.startsWith("type ") && seen.size < seen.add(message).size);
    return [...others, ...refusedText(plugin)];
  },
};

/** A key of a plugin, and the texts that Go, iptables or the kernel takes for it. */
interface Texts {
  readonly key: string;
  readonly isRight: (text: string, configuration: JsonObject) => boolean;
  readonly message: string;
  readonly hint: string;
}

// tap has its address read by `ip`, which reads more.
const mac: Texts = {
  key: "mac",
  isRight: (text) => text === "" || isOwnMac(kernelMac(text) ?? "01"),
  message: "mac must be the MAC address of one interface",
  hint: "Write six bytes, and an even first one, such as 02:00:00:00:00:01",
};

const texts: ReadonlyMap<string, Texts> = new Map([
  ["macvlan", mac],
  ["tuning", mac],
  [
    "bridge",
    {
      key: "bridge",
      isRight: (text) => text !== "",
      message: "bridge must not be empty",
      hint: "Name the bridge, or delete the key: the default is cni0",
    },
  ],
  [
    "firewall",
    {
      key: "iptablesAdminChainName",
      // firewalld has no such chain.
      isRight: (text, { backend }) => text === "" || backend === "firewalld" || isChainName(text),
      message: "iptablesAdminChainName must be the name of a chain",
      hint: "Use at most 28 characters without white space, and begin with a letter",
    },
  ],
]);

function refusedText(plugin: ListedPlugin): readonly FoundAt[] {
  const { delegate, configuration } = plugin;
  const known = isRewritten(plugin) ? undefined : texts.get(delegate);
  const text = known && configuration[known.key];
  if (!known || typeof text !== "string" || known.isRight(text, configuration)) return [];
  return [{ at: [known.key], message: known.message, hint: known.hint }];
}

function findingOf(problem: Problem, { type, delegate }: ListedPlugin): FoundAt {
  const isOwnKey = problem.path.length === 1 && problem.value === undefined;
  const at = isOwnKey ? ["type"] : problem.path;
  const message = isOwnKey ? `${type}: ${problemText(problem)}` : problemText(problem);
  const number = unquoted(problem);
  const hint = number === undefined ? hintOf(problem, delegate) : `Write ${number} without quotes`;
  return { at, message, hint, ...(number !== undefined && { instead: number }) };
}

function hintOf({ value, issue, path }: Problem, delegate: string): string {
  const owner = path[0] === "ipam" && path.length > 1 ? "the IPAM plugin" : delegate || "the plugin";
  if (value === undefined) return `Add it: ${owner} needs it`;
  if (issue.code === "invalid_value" && typeof value !== "object")
    return `The nearest value is "${nearest(String(value), issue.values.map(String))}"`;
  if (issue.code === "too_big" && issue.origin === "string") return "Shorten it";
  const isScalar = typeof value === "number" || typeof value === "boolean";
  if (isScalar && issue.code === "invalid_type" && issue.expected === "string") return `Write "${value}"`;
  return `Correct it: ${owner} refuses the whole configuration`;
}

/** The number or the truth value in a text. */
function unquoted({ value, issue }: Problem): string | undefined {
  if (issue.code !== "invalid_type" || typeof value !== "string") return undefined;
  const text = value.trim().toLowerCase();
  const isRight = issue.expected === "boolean" ? /^(?:true|false)$/ : /^(?:0|-?[1-9]\d{0,14})$/;
  return ["boolean", "int", "number"].includes(issue.expected) && isRight.test(text) ? text : undefined;
}
