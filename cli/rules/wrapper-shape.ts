import { blockShape, faultsIn, pathWords } from "../../shared/protocol/shapes.ts";
import type { PluginRule } from "../lint/rule.ts";

export const wrapperShape: PluginRule = {
  title: "A key of the wrapper block has a value that the wrapper refuses.",
  page: `ADD and CHECK fail with code 7 and the same words. DEL and STATUS ignore the value. See
[the wrapper block](configuration.md#the-wrapper-block) for all keys and their values.`,
  findInPlugin({ isWrapped, wrapper: { ifName }, configuration: { wrapper = null } }) {
    const faults = isWrapped && wrapper !== null ? faultsIn(blockShape, wrapper) : [];
    // Another rule looks at the names of interfaces.
    return faults
      .filter(({ path: [key] }) => key !== "ifName" || typeof ifName !== "string")
      .map(({ path, words }) => ({
        at: ["wrapper", ...path],
        message: `${pathWords("wrapper", path)} ${words}`,
        hint: hints[String(path[0])] ?? 'Write an object, such as { "ifName": "eth1" }',
      }));
  },
};

const hints: Readonly<Record<string, string>> = {
  ifName: 'Name the interface, as in "ifName": "eth1"',
  delegate: 'Name the plugin\'s executable, as in "delegate": "bridge"',
  role: "Leave it out for a reference plugin. The wrapper knows its role",
  network: 'Name the network that the plugin sees, as in "network": "zone"',
  args: 'Write "keep", or an object such as { "IP": "ETH1_IP" }',
  ports: 'Write an object such as { "only": [443, "8000-8999"] }',
  recover: 'Leave it out for "own"',
  slaac: 'Write an object such as { "wait": "5s", "required": true }',
  jq: "Write a jq program as text",
  log: 'Write an object such as { "file": "/var/log/cni-wrappers.log", "level": "info" }',
};
