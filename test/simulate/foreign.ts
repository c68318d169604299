import { bridge } from "../../cli/model/bridge.ts";
import { attach, detach } from "../../cli/model/creators.ts";
import { kinds } from "../../cli/model/kinds.ts";
import { namesOf, type Plugin, type PluginCall, PluginError, passedOn, resultOf } from "../../cli/model/plugin.ts";
import type { JsonObject } from "../../shared/protocol/json.ts";

/** Plugins that are none of the reference plugins. Only the simulation has them. */
export const foreign: Readonly<Record<string, Plugin>> = {
  twin: twin(),
  flannel: flannel(),
  mark: mark(),
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
  };
}

/** A plugin that stands first in a list, unwrapped, and only reports an interface that is there. */
function reporter(interfaceOf: (call: PluginCall) => JsonObject, address: string): Plugin {
  return {
    // biome-ignore lint/correctness/useYield: it does nothing on the host
    *add(_, call) {
      return { cniVersion: "1.1.0", interfaces: [interfaceOf(call)], ips: [{ address, interface: 0 }] };
    },
    check() {},
    *del() {},
  };
}

/** Returns the name of a twin's second interface. */
export function secondName(ifName: string): string {
  return `${ifName}b`;
}

/** A plugin of somebody else's that makes two interfaces. Its CHECK and DEL know them from prevResult, if there is one. */
function twin(): Plugin {
  const named = ({ env, config }: PluginCall, name: string): PluginCall => ({
    env: { ...env, CNI_IFNAME: name },
    config,
  });
  const ownNames = (call: PluginCall): string[] => {
    const { ifName } = namesOf(call);
    const listed = resultOf(call.config).interfaces.map(({ name }) => String(name));
    return listed.length > 0 ? listed : [ifName, secondName(ifName)];
  };
  return {
    *add(machine, call) {
      const { ifName } = namesOf(call);
      const one = yield* attach(kinds.macvlan, machine, call);
      const { args: _, ...config } = call.config;
      const other = yield* attach(kinds.macvlan, machine, named({ ...call, config }, secondName(ifName)));
      const [first, second] = [resultOf({ prevResult: one }), resultOf({ prevResult: other })];
      const moved = second.ips.map((ip) => ({ ...ip, interface: 1 }));
      return { ...one, interfaces: [...first.interfaces, ...second.interfaces], ips: [...first.ips, ...moved] };
    },
    check(machine, call) {
      const { ifName, netns } = namesOf(call);
      const links = machine.namespaces.get(netns)?.links;
      const { ips } = resultOf(call.config);
      for (const [index, name] of [ifName, secondName(ifName)].entries()) {
        const addresses = links?.get(name)?.addresses ?? [];
        const given = ips.filter((ip) => ip.interface === index);
        if (!ownNames(call).includes(name)) throw new PluginError(`prevResult has no ${name}`);
        if (!given.every(({ address }) => addresses.includes(String(address))))
          throw new PluginError(`${name} lost it`);
      }
    },
    *del(machine, call) {
      for (const name of ownNames(call)) yield* detach(kinds.macvlan, machine, named(call, name));
    },
  };
}

/** flannel runs bridge, and keeps bridge's configuration by container id (flannel-io/cni-plugin, flannel_linux.go). */
function flannel(): Plugin {
  const fileOf = ({ env, config: { dataDir = "/var/lib/cni/flannel" } }: PluginCall) =>
    `${dataDir}/${env.CNI_CONTAINERID}`;
  return {
    *add(machine, call) {
      const { name, subnet } = call.config;
      const config = { name, type: "bridge", ipam: { type: "host-local", subnet } };
      machine.writeFile(fileOf(call), JSON.stringify(config));
      yield "configuration kept";
      return yield* attach(bridge, machine, { env: call.env, config });
    },
    check() {},
    *del(machine, call) {
      const kept = machine.files.get(fileOf(call))?.text;
      if (kept === undefined) return;
      yield* detach(bridge, machine, { env: call.env, config: JSON.parse(kept) });
      machine.files.delete(fileOf(call));
    },
  };
}
