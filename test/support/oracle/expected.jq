# Derives the correct actions of a wrapper in one recorded call from the delegates' answers to ADD. A wrapped plugin always
# sees a chain in which it is alone: the result that was returned for its interface. So this program searches nothing in
# prevResult.
#
# Input: { request, answer, before }: the wrapper's request ({ plugin, env, stdin }), its delegate's answer to ADD (else
# null), and the earlier ADDs of the chain, [{ plugin, ifName, answer }]. The runtime's own interface is eth0.
# Output: { delegate: { environment, configuration }, runtime }: the changed variables and the configuration that the
# delegate must get, and on ADD the result that the runtime must get.

def delegate: rtrimstr("-wrapper");
def isCreator: delegate | IN("bridge", "dummy", "host-device", "ipvlan", "macvlan", "ptp", "tap", "vlan");
def ifName: .request.stdin.wrapper.ifName // "eth0";
def isRenamed: ifName != "eth0";
def network: .request.stdin.wrapper.network // (.request.stdin.name + if isRenamed then "-" + ifName else "" end);
def command: .request.env.CNI_COMMAND;

# Each interface of the chain with the last answer for it, in the order of the chain.
def attachments: reduce .[] as $add ([];
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
  | (.before | attachments) as $all
  | [$all[] | select(.ifName == $ifName)] as $own
  | [$all[] | select(.ifName != $ifName)] as $others
  | .request.stdin.prevResult
  | .interfaces = $own[0].answer.interfaces
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
  | if $call.request.stdin.prevResult == null or ($call | command == "ADD" and ($plugin | isCreator)) then .
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
  | (.before + [{ plugin: .request.plugin, ifName: $ifName, answer }] | attachments) as $all
  | if $prevResult == null then .answer
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
+ if command == "ADD" then { runtime: runtime } else {} end
