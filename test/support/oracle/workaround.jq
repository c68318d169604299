# What the bash workaround of hashicorp/nomad#25510 makes of its stdin on CHECK, written anew from a description of it: the
# first interface named $ifName is looked for (without one nothing is changed), its addresses are kept, and of the
# interfaces those of that name; for bridge ($bridge) also all without a sandbox, and the addresses are given its new index.
# The script has CNI_IFNAME in $ifName: the runtime's, or for bridge the one it sets itself.

def place: map(.name) | index($ifName);

def narrowed:
  (.interfaces | place) as $index
  | if $index == null then . else
      .interfaces |= map(select(.name == $ifName or ($bridge == "true" and .sandbox == null)))
      | (.interfaces | place) as $new
      | .ips |= (map(select(.interface == $index)) | if $bridge == "true" then map(.interface = $new) end)
    end;

.prevResult |= narrowed
