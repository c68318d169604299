import { addressText } from "../../cli/lists/addresses.ts";
import { ipams, nextFree, rangesOf } from "../../cli/model/ipam.ts";
import { Machine, type Makers, type Namespace, type Thing } from "../../cli/model/machine.ts";
import { namesOf, type PluginCall, PluginError } from "../../cli/model/plugin.ts";

/** A host with tasks that keep their namespaces, with plugins that come and go, and with a DHCP daemon. */
export class SimulatedMachine extends Machine {
  /** The namespaces of tasks, by the task's pid. A task keeps its namespace when the path is gone. */
  readonly tasks = new Map<number, Namespace>();
  /** The leases that the DHCP daemon maintains, by client id. */
  readonly dhcp = new Map<string, { readonly address: string; readonly by: Makers }>();
  /** The plugins that are not installed at the moment. */
  readonly missing = new Set<string>();
  override hasEqualRoutes = true;

  constructor() {
    super();
    // The core asks for it to know whether it sees the processes of others.
    this.writeFile("/proc/1/stat", "1 (init) S", true);
  }

  /** Removes the path of a namespace in which a task stays. */
  leaveTask(path: string, pid: number): void {
    const namespace = this.namespaces.get(path);
    this.namespaces.delete(path);
    if (namespace) this.tasks.set(pid, namespace);
  }

  endTask(pid: number): void {
    const namespace = this.tasks.get(pid);
    if (namespace) this.free(namespace);
    this.tasks.delete(pid);
  }

  override namespaceAt(path: string): Namespace | undefined {
    const [, pid] = /^\/proc\/(\d+)\/ns\/net$/.exec(path) ?? [];
    return pid ? this.tasks.get(Number(pid)) : super.namespaceAt(path);
  }

  override allNamespaces(): Namespace[] {
    return [...super.allNamespaces(), ...this.tasks.values()];
  }

  override list(directory: string): string[] {
    return directory === "/proc" ? [...this.tasks.keys()].map(String) : super.list(directory);
  }

  override reboot(): void {
    super.reboot();
    for (const pid of [...this.tasks.keys()]) this.endTask(pid);
    this.dhcp.clear();
  }

  override things(): Thing[] {
    const leases = [...this.dhcp].map(([client, { by }]) => {
      return { what: `DHCP lease ${client}`, by, remove: () => this.dhcp.delete(client) };
    });
    return [...super.things(), ...leases];
  }
}

// The daemon keeps one lease for a client, and gives it out again (plugins/ipam/dhcp/daemon.go, Allocate). The server names a
// router.
ipams.dhcp = {
  *reserve(machine, call) {
    const dhcp = leasesOn(machine);
    const client = clientId(call);
    const taken = [...dhcp.values()].map(({ address }) => address);
    const known = dhcp.get(client);
    const [[range] = []] = rangesOf(call.config);
    if (!range) throw new PluginError("no DHCP server");
    const address = known?.address ?? nextFree([range], undefined, (one) => !taken.includes(one))?.address;
    if (address === undefined) throw new PluginError("error calling DHCP.Allocate: no more tries");
    const by = new Map([...(known?.by ?? []), ...machine.makers()]);
    dhcp.set(client, { address, by });
    yield "acquired";
    const gateway = addressText({ bits: range.bits, value: range.gateway });
    return { ips: [{ address: `${address}/24`, gateway }], routes: [] };
  },
  check() {},
  release(machine, call) {
    leasesOn(machine).delete(clientId(call));
  },
};

function leasesOn(machine: Machine) {
  return (machine as SimulatedMachine).dhcp;
}

function clientId(call: PluginCall): string {
  const { containerId, network, ifName } = namesOf(call);
  return `${containerId}/${network}/${ifName}`;
}
