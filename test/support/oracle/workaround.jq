# How the bash workaround of hashicorp/nomad#25510 changes its stdin on CHECK, written from a description of it. It looks for
# the first interface named $ifName, and changes nothing if there is none. It keeps this interface's addresses and all
# interfaces of that name. For bridge ($bridge) it also keeps all interfaces without a sandbox, and gives the addresses the
# new index. $ifName is CNI_IFNAME: the runtime's, or for bridge the script's own.

def place: map(.name) | index($ifName);

def narrowed:
  (.interfaces | place) as $index
  | if $index == null then . else
      .interfaces |= map(select(.name == $ifName or ($bridge == "true" and .sandbox == null)))
      | (.interfaces | place) as $new
      | .ips |= (map(select(.interface == $index)) | if $bridge == "true" then map(.interface = $new) end)
    end;

.prevResult |= narrowed
