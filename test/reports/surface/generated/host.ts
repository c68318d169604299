import { Lab } from "../../../support/lab.ts";
import { surfaceVersion } from "../go-options.ts";

/**
 * Removes everything that a life leaves on a host, and prints what is still there. Chains of iptables are tables of
 * nftables here.
 */
const clean = `
ip netns delete c1 2>/dev/null
for link in $(ls /sys/class/net); do
  case $link in lo | uplink*) ;; *) ip link delete "$link" 2>/dev/null ;; esac
done
nft flush ruleset
find /var/lib/cni /run/cni -mindepth 1 -delete 2>/dev/null
for key in ipv4/ip_forward ipv6/conf/all/forwarding; do echo 0 >/proc/sys/net/$key; done
echo 4096 >/proc/sys/net/core/somaxconn
ip link set uplink0 mtu 1500
ip netns add c1
ip -4 -brief address show
nft list ruleset
find /var/lib/cni /run/cni -mindepth 1
grep --no-messages . /proc/sys/net/ipv4/conf/*/* /proc/sys/net/ipv6/conf/*/*
`;

/** A lab that one life after another uses. The state before each is the same. */
export class ReusedHost implements AsyncDisposable {
  #lab: Lab | undefined;
  #clean = "";

  /** Returns the lab, clean, with the container c1. If something stays, it is a new lab. */
  async renewed(): Promise<Lab> {
    const state = await this.#lab?.call("sh", ["-c", clean]);
    if (this.#lab !== undefined && state?.stdout === this.#clean) return this.#lab;
    await this[Symbol.asyncDispose]();
    this.#lab = await Lab.start({ plugins: surfaceVersion });
    this.#clean = (await this.#lab.call("sh", ["-c", clean])).stdout;
    return this.#lab;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lab?.[Symbol.asyncDispose]();
  }
}
