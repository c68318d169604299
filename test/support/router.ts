import type { Container, Lab, Service } from "./lab.ts";

/** What a router advertises. */
export interface Advertised {
  /** Such as `2001:db8:1::/64`. Without one, hosts are told to ask a DHCP server (the M flag). */
  readonly prefix?: string;
}

const config = "/run/lab/radvd.conf";
const pidFile = "/run/lab/radvd.pid";

/** A router behind a lab's uplink0, in a namespace of its own. radvd sends its advertisements. */
export class Router {
  readonly container: Container;
  readonly #lab: Lab;
  #service: Service | undefined;

  private constructor(lab: Lab, container: Container) {
    this.#lab = lab;
    this.container = container;
  }

  /** Makes the namespace. Nothing is advertised yet. */
  static async make(lab: Lab): Promise<Router> {
    const container = await lab.addContainer("router");
    // radvd waits for an address that is no longer tentative.
    const settings = ["net.ipv6.conf.default.accept_dad=0", "net.ipv6.conf.all.forwarding=1"];
    await lab.run("ip", ["netns", "exec", container.name, "sysctl", "-qw", ...settings]);
    await lab.ip(undefined, "link", "set", "uplink1", "netns", container.name);
    await lab.ip(container, "address", "add", "2001:db8:ffff::1/64", "dev", "uplink1", "nodad");
    await lab.ip(container, "link", "set", "uplink1", "up");
    return new Router(lab, container);
  }

  /** Begins to advertise, or advertises something else. */
  async advertise({ prefix }: Advertised): Promise<void> {
    await this.die();
    const what = prefix === undefined ? "AdvManagedFlag on;" : `prefix ${prefix} {};`;
    await this.#lab.writeFile(
      config,
      `interface uplink1 { AdvSendAdvert on; MinRtrAdvInterval 3; MaxRtrAdvInterval 4; ${what} };\n`,
    );
    const radvd = ["radvd", "--nodaemon", "--config", config, "--pidfile", pidFile, "--logmethod", "stderr"];
    const args = ["netns", "exec", this.container.name, ...radvd];
    this.#service = this.#lab.start("ip", args, "/run/lab/radvd.log");
  }

  /** Ends radvd as a power loss does: hosts are not told. */
  async die(): Promise<void> {
    if (this.#service === undefined) return;
    await this.#lab.run("sh", ["-c", `kill -KILL "$(cat ${pidFile})"; rm ${pidFile}`]);
    await this.#service;
    this.#service = undefined;
  }
}
