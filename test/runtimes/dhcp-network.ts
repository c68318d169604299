import { existsSync } from "node:fs";
import { expect, vi } from "vitest";
import { Lab } from "../support/lab.ts";

const leaseFile = "/run/lab/dnsmasq.leases";
const serverLog = "/run/lab/dnsmasq.log";
const serverPid = "/run/lab/dnsmasq.pid";
const daemonLog = "/run/lab/dhcp.log";
const daemonPid = "/run/lab/dhcp.pid";
const socket = "/run/cni/dhcp.sock";

/** The DHCP server's entry for one address. */
export interface Lease {
  /** Seconds since 1970. */
  readonly expires: number;
  readonly mac: string;
  readonly address: string;
  readonly clientId: string;
}

/** dnsmasq in the network of a lab's uplink (`ens18` here), and the daemon through which the dhcp plugin asks it. */
export class DhcpNetwork {
  readonly #lab: Lab;

  private constructor(lab: Lab) {
    this.#lab = lab;
  }

  static async start(lab: Lab): Promise<DhcpNetwork> {
    const network = new DhcpNetwork(lab);
    await network.#makeNetwork();
    await network.startServer("172.16.5.100,172.16.5.150");
    await network.startDaemon();
    return network;
  }

  async #makeNetwork(): Promise<void> {
    const lab = this.#lab;
    await lab.ip(undefined, "link", "set", "uplink0", "name", "ens18");
    await lab.ip(undefined, "address", "add", "172.16.5.1/24", "dev", "uplink1");
  }

  /** Starts a server that leases these addresses, such as `172.16.5.100,172.16.5.150`. */
  async startServer(range: string): Promise<void> {
    const lab = this.#lab;
    // It ends with the lab. Without --no-ping it tests each address for seconds first.
    void lab.call("dnsmasq", [
      "--conf-file=/dev/null",
      "--keep-in-foreground",
      "--user=root",
      "--port=0",
      "--interface=uplink1",
      "--bind-interfaces",
      "--no-ping",
      `--dhcp-range=${range},255.255.255.0,1h`,
      `--pid-file=${serverPid}`,
      `--dhcp-leasefile=${leaseFile}`,
      `--log-facility=${serverLog}`,
    ]);
    await vi.waitFor(async () => expect(await this.serverLog()).toContain("sockets bound"), { timeout: 20_000 });
  }

  /** Ends the server, which forgets its leases. */
  async killServer(): Promise<void> {
    await this.#lab.run("sh", ["-c", `kill -KILL "$(cat ${serverPid})"; rm ${leaseFile} ${serverLog}`]);
  }

  async startDaemon(): Promise<void> {
    // A killed daemon leaves its socket behind, and the next one does not start then.
    await this.#lab.run("rm", ["-f", socket]);
    const command = `exec ${Lab.pluginPath}/dhcp daemon -pidfile ${daemonPid} 2>>${daemonLog}`;
    void this.#lab.call("sh", ["-c", command]);
    await vi.waitFor(() => expect(existsSync(this.#lab.path(socket))).toBe(true), { timeout: 20_000 });
  }

  async killDaemon(): Promise<void> {
    await this.#lab.run("sh", ["-c", `kill -KILL "$(cat ${daemonPid})"`]);
  }

  /** The server's leases by client id, such as `c1/office/eth0`. */
  async leases(): Promise<Record<string, Lease>> {
    const lines = (await this.#lab.readFile(leaseFile)).split("\n").filter(Boolean);
    return Object.fromEntries(lines.map(leaseOf).map((lease) => [lease.clientId, lease]));
  }

  serverLog(): Promise<string> {
    return this.#lab.readFile(serverLog);
  }

  daemonLog(): Promise<string> {
    return this.#lab.readFile(daemonLog);
  }
}

// The client id is a type, which the daemon sets to 0, and a text (RFC 2132, section 9.14).
function leaseOf(line: string): Lease {
  const [expires = "", mac = "", address = "", , id = ""] = line.split(" ");
  const [type, ...text] = Buffer.from(id.replaceAll(":", ""), "hex");
  expect(type).toBe(0);
  return { expires: Number(expires), mac, address, clientId: Buffer.from(text).toString() };
}
