import type { JsonObject } from "../../shared/protocol/json.ts";
import { type Plugin, type PluginCall, PluginError, passedOn } from "./plugin.ts";

/** Plugins that are not in the reference plugins, and loopback. */
export const foreign: Readonly<Record<string, Plugin>> = {
  mark: mark(),
  loopback: reporter(({ env }) => ({ name: "lo", sandbox: env.CNI_NETNS }), "127.0.0.1/8"),
  uplink: reporter(() => ({ name: "uplink0" }), "10.99.0.1/24"),
};

/** A plugin of somebody else's that keeps a file for the container. */
function mark(): Plugin {
  const fileOf = ({ env }: PluginCall) => `/var/lib/mark/${env.CNI_CONTAINERID}`;
  return {
    *add(machine, call) {
      machine.writeFile(fileOf(call), "marked");
      yield "marked";
      return passedOn(call.config);
    },
    check(machine, call) {
      if (!machine.files.has(fileOf(call))) throw new PluginError("the mark is missing");
    },
    *del(machine, call) {
      machine.files.delete(fileOf(call));
      yield "mark removed";
    },
    effects: ({ files }, { containerId }) => [{ what: "mark", holds: () => files.has(`/var/lib/mark/${containerId}`) }],
  };
}

/** A plugin that stands first in a list, unwrapped, and only reports an interface that is there: loopback; one of the host. */
function reporter(interfaceOf: (call: PluginCall) => JsonObject, address: string): Plugin {
  return {
    // biome-ignore lint/correctness/useYield: it does nothing on the host
    *add(_, call) {
      return { cniVersion: "1.1.0", interfaces: [interfaceOf(call)], ips: [{ address, interface: 0 }] };
    },
    check() {},
    *del() {},
    effects: () => [],
  };
}
