import type { Container, Lab, Service } from "./lab.ts";

/** What a router advertises. */
export interface Advertised {
  /** Such as `2001:db8:1::/64`. Without one, hosts are told to ask a DHCP server (the M flag). */
  readonly prefix?: string;
}

const config = "/run/lab/radvd.conf";
const pidFile = "/run/lab/radvd.pid";

/** A router behind an interface of a lab's host, in a namespace of its own. radvd sends its advertisements. */
export class Router {
  readonly container: Container;
  readonly #lab: Lab;
  readonly #link: string;
  #service: Service | undefined;

  private constructor(lab: Lab, container: Container, link: string) {
    this.#lab = lab;
    this.container = container;
    this.#link = link;
  }

  /** Makes the namespace, and moves the end of a veth into it. Nothing is advertised yet. */
  static async make(lab: Lab, link = "uplink1"): Promise<Router> {
    const container = await lab.addContainer("router");
    // radvd waits for an address that is no longer tentative.
    const settings = ["net.ipv6.conf.default.accept_dad=0", "net.ipv6.conf.all.forwarding=1"];
    await lab.run("ip", ["netns", "exec", container.name, "sysctl", "-qw", ...settings]);
    await lab.ip(undefined, "link", "set", link, "netns", container.name);
    await lab.ip(container, "address", "add", "2001:db8:ffff::1/64", "dev", link, "nodad");
    await lab.ip(container, "link", "set", link, "up");
    return new Router(lab, container, link);
  }

  /** Begins to advertise, or advertises something else. */
  async advertise({ prefix }: Advertised): Promise<void> {
    await this.die();
    const what = prefix === undefined ? "AdvManagedFlag on;" : `prefix ${prefix} {};`;
    await this.#lab.writeFile(
      config,
      `interface ${this.#link} { AdvSendAdvert on; MinRtrAdvInterval 3; MaxRtrAdvInterval 4; ${what} };\n`,
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
