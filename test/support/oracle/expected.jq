# Derives the correct actions of a wrapper in one recorded call from the delegates' answers to ADD. A wrapped plugin always
# sees a chain in which it is alone: the result that was returned for its interface. So this program searches nothing in
# prevResult.
#
# Input: { request, answer, before }: the wrapper's request ({ plugin, env, stdin }), its delegate's answer to ADD (else
# null), and the earlier ADDs of the chain, [{ plugin, ifName, answer }], also those of plugins without a wrapper. The
# runtime's own interface is eth0.
# Output: { delegate: { environment, configuration }, runtime }: the changed variables and the configuration that the
# delegate must get, and on ADD the result that the runtime must get. Before version 0.3.0 there are no chains, and the
# delegate itself answers.

def delegate: rtrimstr("-wrapper");
# A plugin that nobody knows is an interface plugin.
def isCreator: delegate | IN("bandwidth", "firewall", "portmap", "sbr", "tuning", "vrf") | not;
# ipvlan without a master or without ipam takes them from prevResult.
def needsPrevResult($plugin): ($plugin | delegate) == "ipvlan" and (.master == null or .ipam == null);
def ifName: .request.stdin.wrapper.ifName // "eth0";
def isRenamed: ifName != "eth0";
def network: .request.stdin.wrapper.network // (.request.stdin.name + if isRenamed then "-" + ifName else "" end);
def command: .request.env.CNI_COMMAND;

# The answer of a wrapped plugin as its wrapper reports it: an interface that it did not list is added, and host-side
# interfaces come before those in a sandbox.
def reported($env):
  if .plugin | endswith("-wrapper") then
    .ifName as $ifName
    | .answer |= (
        if $ifName != "eth0" and .interfaces == null then
          .interfaces = [{ name: $ifName, sandbox: $env.CNI_NETNS }] | .ips[]?.interface = 0
        else . end
        | if .interfaces then
            [.interfaces | to_entries[] | .value.sandbox // "" | . != ""] as $inside
            | [range($inside | length) | select($inside[.] | not)] + [range($inside | length) | select($inside[.])] as $order
            | .interfaces = [.interfaces[$order[]]]
            | (.ips[]?.interface | values) |= (. as $old | $order | index($old))
          else . end)
  else . end;

# Each interface of the chain with the last answer for it, in the order of the chain.
def attachments($env): reduce (.[] | reported($env)) as $add ([];
  if any(.[]; .ifName == $add.ifName) then map(if .ifName == $add.ifName then $add else . end) else . + [$add] end);

def arguments: split(";") | map(select(test("^(IP|MAC)=") | not)) | join(";");

def environment:
  .request.env as $env
  | if isRenamed and $env.CNI_IFNAME != "" then
      { CNI_IFNAME: ifName } + if ($env.CNI_ARGS | arguments) != $env.CNI_ARGS then { CNI_ARGS: ($env.CNI_ARGS | arguments) } else {} end
    else {} end;

def gateways: [.answer.ips[]?.gateway | values];
def isReachedBy($some): .gw as $gw | any($some[]; gateways | index($gw) != null);

# The plugin fixes the MAC of its bridge only if it gives the bridge an address. If not, the MAC follows the ports.
def hasFixedMac: .ipam.type != null and (.isGateway == true or .isDefaultGateway == true) and (.vlan // 0) == 0;

def fixedForCheck($plugin):
  if ($plugin | delegate) == "bridge" then
    (if hasFixedMac then . else .bridge as $bridge | .prevResult.interfaces |= map(if .name == $bridge then { name } else . end) end)
    | .ipam //= { type: "static" }
  else . end;

# prevResult for the wrapper's delegate: the result that was returned for its interface, with the other keys of the whole.
def shown:
  ifName as $ifName
  | .request.env as $env
  | (.before | attachments($env)) as $all
  | [$all[] | select(.ifName == $ifName)] as $own
  | [$all[] | select(.ifName != $ifName)] as $others
  | .request.stdin.prevResult
  | if has("interfaces") then .interfaces = $own[0].answer.interfaces end
  | if has("ips") then .ips = ($own[0].answer.ips // []) end
  | if has("routes") then .routes |= map(select((isReachedBy($others) | not) or isReachedBy($own))) end;

def withAttachment:
  ifName as $ifName
  | reduce (.request.stdin["cni.dev/valid-attachments", "cni.dev/attachments"] // [] | .[].containerID) as $id ([]; . + [$id])
  | unique | map({ containerID: ., ifname: $ifName });

def configuration:
  . as $call
  | .request.plugin as $plugin
  | (.request.stdin | del(.wrapper, .prevResult)) + { type: ($plugin | delegate), name: network }
  | if $call.request.stdin.prevResult == null or ($call | command == "ADD" and ($plugin | isCreator) and (.request.stdin | needsPrevResult($plugin) | not)) then .
    else .prevResult = ($call | shown) end
  | if $call | command == "CHECK" then fixedForCheck($plugin)
    elif $call | command == "GC" then
      ($call | withAttachment) as $added
      | (.["cni.dev/valid-attachments", "cni.dev/attachments"] | values) |= . + ($added - .)
    else . end;

def unique_in_order: reduce .[] as $item ([]; if index([$item]) then . else . + [$item] end);

def joined($first; $second):
  $second + $first
  | with_entries(if .value | type == "array" then .key as $key | .value = ([$first[$key][]?, $second[$key][]?] | unique_in_order) else . end);

# All attachments in one result. Each address refers to the new index of its interface.
def sideBySide: reduce (.[].answer) as $answer ({ interfaces: [], ips: [] };
  (.interfaces | length) as $offset
  | .interfaces += $answer.interfaces
  | .ips += [$answer.ips[]? | .interface += $offset]);

def runtime:
  ifName as $ifName
  | .request.stdin.prevResult as $prevResult
  | .request.env as $env
  | (.before + [{ plugin: .request.plugin, ifName: $ifName, answer }] | attachments($env)) as $all
  | if $prevResult == null then $all[0].answer
    elif .request.plugin | isCreator then
      .answer + $prevResult + ($all | sideBySide)
      | if $all | any(.answer.routes) then .routes = ([$prevResult.routes[]?, $all[-1].answer.routes[]?] | unique_in_order) end
      | if $all | any(.answer.dns) then .dns = joined($prevResult.dns // {}; $all[-1].answer.dns // {}) end
    else
      [$all[] | select(.ifName == $ifName)] as $own
      | [$all[] | select(.ifName != $ifName)] as $others
      | [$prevResult.routes[]? | select(isReachedBy($others) and (isReachedBy($own) | not))] as $hidden
      | $prevResult + .answer + ($all | sideBySide)
      | if .routes then .routes = $own[0].answer.routes + $hidden end
    end;

{ delegate: { environment: environment, configuration: configuration } }
+ if command == "ADD" and (.request.stdin.cniVersion | IN("0.1.0", "0.2.0") | not) then { runtime: runtime } else {} end
