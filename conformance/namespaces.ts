import type { PrivateHost } from "./host.ts";

/** Namespaces without a trace of a container. The kernel takes long to delete one. */
const spareNamespaces = new WeakMap<PrivateHost, string[]>();

/** Returns the name of a namespace that another container left clean. */
export function spareNamespace(lab: PrivateHost): string | undefined {
  return spareNamespaces.get(lab)?.pop();
}

/** The shell commands that make eth0 as an earlier plugin would have made it. */
export function interfaceByHand(name: string, address: string, gateway: string): string {
  return `
    ip link add h${name} type veth peer name eth0 netns ${name}
    ip link set h${name} up
    ip address add ${gateway}/24 dev h${name}
    ip -n ${name} link set lo up
    ip -n ${name} link set eth0 up
    ip -n ${name} address add ${address}/24 dev eth0
    ip -n ${name} route add default via ${gateway}`;
}

/** Removes what a container left. The namespace becomes a spare one if it is like a new one. */
export async function leaveNamespace(
  lab: PrivateHost,
  name: string,
  cached: string,
  isChanged: boolean,
): Promise<void> {
  const { stdout } = await lab.call("sh", ["-c", leave(name, cached, isChanged)]);
  if (stdout.trim() === "clean") spareNamespaces.set(lab, [...(spareNamespaces.get(lab) ?? []), name]);
}

/** The shell commands that clean up. They print "clean" if the namespace is like a new one, and delete it if not. */
function leave(name: string, cached: string, isChanged: boolean): string {
  return `
    rm -f ${cached}
    ip link delete h${name} 2>/dev/null
    links=$(ip -n ${name} -oneline link 2>/dev/null | grep -v ': lo:')
    rest=$(for family in -4 -6; do ip -n ${name} $family rule; done | grep -vE 'from all lookup (local|main|default) *$')
    if [ -e /run/netns/${name} ] && ${!isChanged} && [ -z "$links$rest" ]; then echo clean
    else ip netns delete ${name}; fi`;
}
