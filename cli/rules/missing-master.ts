import { linkNamed } from "../host/links.ts";
import type { PluginRule } from "../lint/rule.ts";
import { isRewritten, masterOf } from "../lists/list.ts";

export const missingMaster: PluginRule = {
  title: "The host has no interface of the `master`'s name (`--host`).",
  page: `macvlan, ipvlan and vlan make their interface on one of the host. If there is none of that name, ADD fails (\`Link not
found\`), and so does CHECK of containers that run. Names differ from host to host: \`ip -brief link\` lists them. With
\`linkInContainer\` the master is one of the container, which is not looked for.`,
  findInPlugin(plugin, _, { links }) {
    const master = masterOf(plugin);
    if (!links || master === undefined || isRewritten(plugin) || linkNamed(master, links)) return undefined;
    const present = links.map(({ ifname }) => ifname).filter((name) => !/^(?:lo$|veth)/.test(name));
    return {
      at: ["master"],
      message: `this host has no interface ${master}`,
      hint: `Set "master" to one that it has: ${present.slice(0, mostNamed).join(", ") || '"ip -brief link" lists them'}`,
    };
  },
};

/** A host of many containers has hundreds of interfaces. */
const mostNamed = 10;
