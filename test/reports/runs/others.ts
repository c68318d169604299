import { existsSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import type { Subject } from "./subject.ts";

/** A plugin of another project, and what its cases show. */
export interface Other extends Subject {
  readonly url: string;
  readonly works: string;
  readonly fails: string;
}

/** The plugins of other projects, in the order of the page. */
export const others: readonly Other[] = [
  {
    ...plugin("tc-redirect-tap", "https://github.com/awslabs/tc-redirect-tap"),
    works:
      'unwrapped at the end of the list, its tap gets the traffic of `eth0`. Wrapped with `"ifName": "eth1"`, its tap gets the traffic of `eth1`; wrapped for both, each interface has its own tap. CHECK sees a lost tap and a lost redirection; DEL leaves nothing',
    fails: "unwrapped, it takes only `eth0`",
  },
  {
    ...plugin("route-override", "https://github.com/openshift/route-override-cni"),
    works:
      'wrapped with `"ifName": "eth1"`: it adds, deletes and flushes the routes of `eth1` alone (unwrapped, it flushes every interface\'s); CHECK sees a deleted route that is back. Its DEL does nothing',
    fails:
      'its CHECK fails (`cannot find gateway <nil>`) if a route of another interface has no gateway in the list: add `"gw"` to that route',
  },
  {
    ...plugin("flannel", "https://github.com/flannel-io/cni-plugin"),
    works:
      "two in one list, wrapped, each with a `subnetFile` and a bridge of its own: both interfaces, CHECK passes (it looks at nothing), DEL leaves nothing",
    fails:
      "two plain ones: ADD fails (`already exists`), and they need two [`dataDir`](lint.md#shared-flannel). It writes its configuration to stderr on every ADD",
  },
  {
    ...plugin("consul-cni", "https://github.com/hashicorp/consul-k8s"),
    works:
      "unwrapped at the end of a list with two wrapped interface plugins, with Nomad's argument: the container's TCP traffic goes to the proxy, CHECK passes and sees a lost address of `eth1`, DEL leaves nothing",
    fails: "its own CHECK looks at nothing. After the same two interface plugins unwrapped: ADD fails (`file exists`)",
  },
  {
    ...plugin("bond", "https://github.com/k8snetworkplumbingwg/bond-cni"),
    works:
      'wrapped with `"role": "creator", "ifName": "eth1"`: it bonds the interfaces of two wrapped macvlan before it in the list (`linksInContainer`), or two interfaces of the host, which DEL gives back; CHECK passes, DEL leaves nothing',
    fails:
      "its CHECK looks at nothing: not at a port that left the bond. Plain after a plain bridge: ADD fails (`file exists`)",
  },
  {
    ...plugin("ovs", "https://github.com/k8snetworkplumbingwg/ovs-cni", "ovs.test.ts"),
    works:
      'with Open vSwitch 3.1.0 in user space, two wrapped in one list (`"role": "creator"`): both interfaces with their VLANs. CHECK passes, and sees another VLAN of the port and a lost address; DEL leaves nothing, also in Open vSwitch',
    fails: "plain after a plain bridge: ADD fails (`already exists`). It writes a line to stderr on every call",
  },
  {
    ...plugin("whereabouts", "https://github.com/k8snetworkplumbingwg/whereabouts", "whereabouts.test.ts"),
    works:
      "an IPAM plugin; its Kubernetes API is a stand-in here. In a wrapped bridge and a wrapped macvlan: ADD gives each interface an address, from two ranges or from one, and DEL frees both",
    fails:
      "every CHECK, wrapped or plain: `CNI CHECK method is not implemented`. Do not use it with Nomad or CRI-O. A DEL without `K8S_POD_NAME` in CNI_ARGS (as Nomad's) passes and frees nothing",
  },
  {
    ...plugin("egress-router", "https://github.com/openshift/egress-router-cni", "egress-router.test.ts"),
    works:
      'wrapped with `"role": "creator", "ifName": "eth1"` after a wrapped bridge, in a list of 0.4.0 (it knows no later one): the default route and the DNAT rules lead to `eth1`; CHECK passes, and DEL leaves nothing',
    fails:
      "its CHECK looks at nothing; bridge's sees that the default route is gone. Its ADD that fails exits with 0 and prints nothing: the list's ADD then fails, plain (`unexpected end of JSON input`) and wrapped (`output of delegate egress-router is invalid`)",
  },
  {
    ...plugin("calico", "https://github.com/projectcalico/calico", "calico.test.ts"),
    works:
      'with its datastore in etcd 3.4.23, without Felix and Kubernetes. First in the list, wrapped (`"role": "creator"`), with host-local, before a wrapped macvlan: both interfaces. CHECK passes and sees a lost address of `eth1`; DEL leaves nothing, also in etcd',
    fails:
      "its CHECK looks at nothing. With calico-ipam, ADD and DEL work, but CHECK of the macvlan fails (`Expected Route ... not found`): calico reports a route that it does not make. Plain before a plain macvlan: ADD fails (`file exists`)",
  },
];

function plugin(name: string, url: string, file = "other-plugins.test.ts"): Subject & Pick<Other, "url"> {
  return { name, url, folder: "runtimes", file, suite: name, version: () => commitOf(name) };
}

/** The commit that Go wrote into an executable, such as `092e6d2 of May 2026`. */
async function commitOf(name: string): Promise<string | undefined> {
  const file = path.join(process.env.OTHER_PLUGINS || "/nowhere", name);
  if (!existsSync(file)) return undefined;
  const { stdout } = await execa("go", ["version", "-m", file]);
  const [, commit] = /\tvcs\.revision=(\w+)/.exec(stdout) ?? [];
  const [, time = ""] = /\tvcs\.time=(\S+)/.exec(stdout) ?? [];
  if (commit === undefined || stdout.includes("vcs.modified=true")) {
    throw new Error(`${file} does not say its commit: build it in a clean git checkout, with -buildvcs=true`);
  }
  const month = new Date(time).toLocaleDateString("en", { month: "long", year: "numeric", timeZone: "UTC" });
  return `${commit.slice(0, 7)} of ${month}`;
}
