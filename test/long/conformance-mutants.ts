/** Shell commands that make a plugin break a rule. They run before the real plugin, or instead of it. */
export type Mutant = string;

/** The functions of the commands, and the request in `$in`. */
const prelude = `#!/bin/sh
if in=$(cat 2>/dev/null && echo x); then
  in=\${in%x}
  real() { printf %s "$in" | "$plugin"; }
else
  real() { "$plugin"; }
fi
netns=\${CNI_NETNS##*/}
is() { [ "$CNI_COMMAND" = "$1" ]; }
edit() { if is ADD; then real | jq "$1"; exit; fi; }
hasLink() { ip -n "$netns" link show "$CNI_IFNAME" >/dev/null 2>&1; }
hasNamespace() { [ -e "$CNI_NETNS" ]; }
`;

/** A shell script that is a plugin with one fault. Without a fault, it is like the real plugin. */
export function scriptOf(plugin: string, mutant: Mutant): string {
  return `${prelude.replace("\n", `\nplugin=\${0%/*}/${plugin}\n`)}\n${mutant}\nreal\n`;
}

const accepts = 'is CHECK || is ADD || is DEL || is NONSENSE || is "" && exit 0';
const wrongCode = `out=$(real) || { echo "$out" | sed 's/"code": *[0-9]*/"code": 42/'; exit 1; }; echo "$out"; exit`;
const unnamed = `out=$(real) || { echo "$out" | sed 's/CNI_[A-Z]*/a variable/g'; exit 1; }; echo "$out"; exit`;
const losesLink = 'is ADD && ip -n "$netns" link delete "$CNI_IFNAME" 2>/dev/null';
const needsNamespace = "is DEL && ! hasNamespace && exit 1";
const onlyWithNamespace = "is DEL && ! hasNamespace && exit 0";
const needsLink = "is DEL && ! hasLink && exit 1";
const blindCheck = "is CHECK && exit 0";
/** Removes the recorded calls of IPAM, as if the plugin had not made them. */
const withoutCall = (verb: string) => `real; code=$?; rm -f /run/lab/spies/*/calls/*-${verb}.*; exit $code`;
const hidesFailure = "real || exit 0; exit";

/** The mutants of the cases whose names match. */
const families: readonly (readonly [RegExp, readonly Mutant[]])[] = [
  [/gives code \d/, [accepts, wrongCode]],
  [/is refused with code 7/, [accepts, wrongCode]],
  [/(gives code 4 and|an invalid CNI_[A-Z]*) names? it/, [unnamed]],
  [/^the error for an invalid/, [accepts]],
  [/^CHECK (sees|compares|without prevResult fails)/, [blindCheck]],
  [/^DEL with.* CNI_NETNS.* succeeds/, [needsNamespace]],
  [/^DEL .*cleans up the host/, [onlyWithNamespace]],
  [/^DEL (after the interface is gone|without an ADD before) succeeds/, [needsLink]],
  [/^DEL (runs DEL of IPAM even|without CNI_NETNS runs)/, [onlyWithNamespace]],
  [/^(\w+) fails if (\1 of )?IPAM fails/, [hidesFailure]],
  [/^CHECK runs/, [withoutCall("CHECK")]],
  [/^DEL runs DEL of IPAM$/, [withoutCall("DEL")]],
  [/^GC runs/, [withoutCall("GC")]],
  [/^STATUS runs/, [withoutCall("STATUS")]],
];

const single: Readonly<Record<string, readonly Mutant[]>> = {
  "a failed call has an exit code other than 0": ["real; exit 0"],
  "an error is JSON on stdout with cniVersion, code and msg": ["real >/dev/null || { echo broken; exit 1; }"],
  "an error has the cniVersion of the request": [`real | sed 's/"cniVersion": "[^"]*"/"cniVersion": "0.1.0"/'; exit 1`],
  "an error code below 100 is a well-known one": [wrongCode],
  "unknown keys of args are ignored": ["case $in in *labels*) exit 1 ;; esac"],
  "VERSION needs no other variable, and lists the version in use": [
    'is VERSION && [ -z "$CNI_PATH" ] && exit 1',
    "is VERSION && { real | jq 'del(.supportedVersions)'; exit; }",
  ],
  "VERSION needs no configuration": ['is VERSION && [ -z "$in" ] && exit 1'],
  "VERSION answers with the cniVersion of the request": [
    "is VERSION && { real | jq '.cniVersion = \"0.1.0\"'; exit; }",
  ],
  "ADD answers with a result of the request's cniVersion": ["edit '.cniVersion = \"0.3.1\"'"],
  "ADD makes the interface CNI_IFNAME in CNI_NETNS": ["export CNI_IFNAME=eth0"],
  "the result has the interface, with CNI_NETNS as its sandbox": ["edit 'del(.interfaces[].sandbox)'"],
  "the result has every host interface that ADD made": ["edit '.interfaces |= map(select(.sandbox))'"],
  "the result has the interface's MAC": ["edit '.interfaces[].mac = \"0e:00:00:00:00:01\"'"],
  "the result has the interface's MTU": ["edit '.interfaces[].mtu = 9000'"],
  "the result has the MAC of each host interface": ["edit '.interfaces[].mac = \"0e:00:00:00:00:01\"'"],
  "each address names its interface, which has it": [
    "edit 'del(.ips[].interface)'",
    "edit '.ips[].address = \"10.1.1.1/24\"'",
  ],
  "each address has its version, 4 or 6": ["edit '.ips[].version = \"6\"'"],
  "the routes of the result are in the namespace": ["edit '.routes += [{dst: \"10.250.0.0/16\"}]'"],
  "ADD refuses a name that the container already has, and leaves that interface": [losesLink],
  "the result has the DNS of the configuration": ["edit 'del(.dns)'"],
  "ADD to a namespace that does not exist fails": ["is ADD && ! hasNamespace && exit 0"],
  "a container gets a second interface, whose DEL leaves the first one": [
    'is DEL && ip -n "$netns" link delete eth0 2>/dev/null',
    'is DEL && [ "$CNI_IFNAME" = eth5 ] && rm -r /var/lib/cni/networks',
  ],
  "a second ADD of an attachment fails, and the first one keeps its address": [losesLink],
  "four ADDs of different containers at once succeed": [
    "is ADD && { mkdir /run/lab/busy || exit 1; real; sleep 0.3; rmdir /run/lab/busy; exit; }",
  ],
  "ADD returns prevResult, with its own changes": ["edit '{cniVersion}'", "edit 'del(.ips)'", "edit 'del(.dns)'"],
  "ADD without changes returns a result equivalent to prevResult": ["edit 'del(.routes)'"],
  "ADD keeps the keys of version 1.1.0 in prevResult": [
    "edit 'del(.interfaces[].socketPath)'",
    "edit 'del(.routes[].scope)'",
  ],
  "ADD of an interface plugin returns prevResult as well": ["edit '{cniVersion}'"],
  "DEL undoes ADD": ["is DEL && exit 0", "is ADD && iptables -A FORWARD -d 10.88.0.9 -j ACCEPT"],
  "a second DEL succeeds": ['is DEL && { mkdir "/run/lab/$CNI_CONTAINERID" 2>/dev/null || exit 1; }'],
  "DEL without prevResult succeeds": ["is DEL && case $in in *prevResult*) ;; *) exit 1 ;; esac"],
  "DEL after a failed ADD succeeds": ["is DEL && ls /run/lab/spies/*/fail-ADD >/dev/null 2>&1 && exit 1"],
  "CHECK right after ADD succeeds and prints nothing": ["is CHECK && exit 1", "is CHECK && echo '{}'"],
  "CHECK accepts a route that a later plugin added": ['is CHECK && ip -n "$netns" route | grep -q 10.203 && exit 1'],
  "CHECK accepts a MAC that a later plugin changed": ["is CHECK && case $in in *0e:00:*) exit 1 ;; esac"],
  "STATUS of a plugin that is ready succeeds, without the variables of an attachment": [
    'is STATUS && [ -z "$CNI_IFNAME" ] && exit 1',
  ],
  "GC succeeds and prints nothing": ["is GC && exit 1", "is GC && echo '{}'"],
  "GC leaves valid attachments": ["is GC && rm -r /var/lib/cni/networks"],
  "GC removes what a stale attachment left on the host": ["is GC && exit 0"],
  "IPAM gets every variable of the plugin": ["export CNI_ARGS=", "unset OTHER"],
  "IPAM gets the complete configuration of the plugin": [`in=$(printf %s "$in" | jq 'del(."example.org/unknown")')`],
  "the stderr of IPAM goes to the stderr of the plugin": ["real 2>/dev/null; exit"],
  "IPAM is looked up in CNI_PATH: without it there, ADD fails": [
    "export CNI_PATH=$CNI_PATH:$(ls -td /run/lab/spies/* | head -1)",
  ],
  "an IPAM type with a slash is refused": [`in=$(printf %s "$in" | sed 's|calls/../||')`],
  "ADD succeeds if the container has a default route already": [
    'is ADD && ip -n "$netns" route | grep -q default && exit 1',
  ],
  "the result has the addresses, routes and DNS of IPAM": [
    "edit 'del(.dns)'",
    "edit '.routes = []'",
    "edit '.ips[].gateway = \"10.1.1.1\"'",
  ],
  "if ADD of IPAM fails, its DEL is run": [withoutCall("DEL")],
  "STATUS fails if the IPAM plugin is missing": ["is STATUS && exit 0"],
  "ADD and DEL succeed although STATUS fails": ["is ADD && ls /run/lab/spies/*/fail-STATUS >/dev/null 2>&1 && exit 1"],
  "GC goes on after an error of IPAM: it removes the plugin's own resources": [
    "is ADD && iptables -A FORWARD -d 10.88.0.9 -j ACCEPT",
  ],
  "CHECK passes the error of IPAM on": [wrongCode],
};

/** The mutants for a case. */
export function mutantsOf(name: string): readonly Mutant[] {
  return [...families.flatMap(([pattern, mutants]) => (pattern.test(name) ? mutants : [])), ...(single[name] ?? [])];
}
