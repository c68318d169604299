import { chained } from "../../cli/model/chained.ts";
import { creators } from "../../cli/model/creators.ts";
import { ipams } from "../../cli/model/ipam.ts";
import type { Plugin } from "../../cli/model/plugin.ts";
import { foreign } from "./foreign.ts";

/** What the plugins do to a host, read from the sources of reference plugins 1.10.0 and of flannel 1.8. */
export const plugins: Readonly<Record<string, Plugin>> = {
  ...creators,
  ...chained,
  ...foreign,
  "host-local": ipamAlone("host-local"),
  dhcp: ipamAlone("dhcp"),
};

/** An IPAM plugin that a wrapper runs: only its DEL. */
function ipamAlone(name: string): Plugin {
  const neverRun = (): never => {
    throw new Error(`${name} is run alone for DEL only`);
  };
  return {
    add: neverRun,
    check: neverRun,
    *del(machine, call) {
      ipams[name]?.release(machine, call);
      yield "released";
    },
  };
}
