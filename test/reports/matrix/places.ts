import { bridge, macvlan, twoInterfaces, zone } from "../../e2e/support.ts";
import type { PluginVersion } from "../../support/go.ts";
import type { NomadVersion } from "../../support/nomad.ts";
import type { NetworkList } from "../../support/runtime.ts";

const matrixPlugins = ["1.3.0", "1.6.2", "1.9.1", "1.10.0"] as const satisfies PluginVersion[];
const specifications = ["0.3.1", "0.4.0", "1.0.0", "1.1.0"] as const;
/** The columns. `NOMAD_BIN` runs only if the variable names a Nomad. */
const matrixRuntimes = [
  "Nomad 1.9.5",
  "Nomad 1.10.5",
  "Nomad 1.11.3",
  "NOMAD_BIN",
  "go-cni",
  "cnitool",
] as const satisfies (`Nomad ${NomadVersion}` | "NOMAD_BIN" | "go-cni" | "cnitool")[];

/** One cell of the matrix. */
export interface Place {
  readonly plugins: (typeof matrixPlugins)[number];
  readonly specification: (typeof specifications)[number];
  readonly runtime: (typeof matrixRuntimes)[number];
}

/** Every cell, row by row. */
export const places: readonly Place[] = matrixPlugins.flatMap((plugins) =>
  specifications.flatMap((specification) =>
    matrixRuntimes.map((runtime) => ({ plugins, specification, runtime }) as const),
  ),
);

/** The name of a cell in messages and in expected.json. */
export function nameOf({ plugins, specification, runtime }: Place): string {
  return `${plugins} ${specification} ${runtime}`;
}

/** A chain, and the fault that CHECK must find. */
export interface Chain {
  readonly title: string;
  readonly list: NetworkList;
  readonly interfaces: readonly string[];
  readonly fault: { readonly ifName: string; readonly address: string };
  /** Links that stay on the host. */
  readonly staying: readonly string[];
}

const ofMacvlan = { ifName: "eth0", address: "172.16.5.2/24" };
const ofBridge = { ifName: "eth0", address: "172.26.64.2/20" };

export function wrappedChain(specification: string): Chain {
  return {
    title: "wrapped",
    list: twoInterfaces(specification),
    interfaces: ["eth0", "eth1"],
    fault: { ...ofBridge, ifName: "eth1" },
    staying: ["disc0"],
  };
}

/** The unwrapped plugins, each alone in a chain: the best that they can do. */
export function plainChains(specification: string): readonly Chain[] {
  return [
    { title: "macvlan alone", list: zone(specification, macvlan), interfaces: ["eth0"], fault: ofMacvlan, staying: [] },
    {
      title: "bridge alone",
      list: zone(specification, bridge),
      interfaces: ["eth0"],
      fault: ofBridge,
      staying: ["disc0"],
    },
  ];
}
