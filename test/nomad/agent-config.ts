interface Place {
  readonly name: string;
  /** Other hosts reach it there. With the usual one, only its own host does. */
  readonly address: string;
  readonly ports: Readonly<Record<"http" | "rpc" | "serf", number>>;
}

const usualPorts = { http: 4646, rpc: 4647, serf: 4648 };
const usualAddress = "127.0.0.1";

/** The configuration of both roles. The agent calls nobody outside its lab or cluster. */
function commonConfig(role: string, { name, address, ports }: Place): string {
  return `
name = "${name}"
data_dir = "/var/lib/nomad/${role}"
bind_addr = "${address === usualAddress ? usualAddress : "0.0.0.0"}"
advertise {
  http = "${address}"
  rpc = "${address}"
  serf = "${address}"
}
ports {
  http = ${ports.http}
  rpc = ${ports.rpc}
  serf = ${ports.serf}
}
log_level = "TRACE"
log_json = true
disable_update_check = true
`;
}

/** The configuration of a server. */
export function serverConfig(address = usualAddress): string {
  return `${commonConfig("server", { name: "server", address, ports: usualPorts })}
server {
  enabled = true
  bootstrap_expect = 1
  raft_multiplier = 1
  # A restored client has more than enough time to be heard of, on however busy a machine.
  heartbeat_grace = "60s"
}
`;
}

/** The configuration of a client on the server's host. Without a path, it uses Nomad's default. */
export function clientConfig(cniPath?: string): string {
  const place = { name: "client", address: usualAddress, ports: { http: 5646, rpc: 5647, serf: 5648 } };
  return `${commonConfig("client", place)}${clientPart(usualAddress, cniPath)}`;
}

/** The configuration of a client on a host of its own. */
export function remoteClientConfig({ name, address, server, cniPath }: RemoteClient): string {
  return `${commonConfig("client", { name, address, ports: usualPorts })}${clientPart(server, cniPath)}`;
}

interface RemoteClient {
  readonly name: string;
  readonly address: string;
  readonly server: string;
  readonly cniPath?: string | undefined;
}

function clientPart(server: string, cniPath?: string): string {
  return `
client {
  enabled = true
  servers = ["${server}:4647"]
  network_interface = "lo"
  # The second kernel does not tell the speed of its CPU.
  ${process.env.CNI_WRAPPERS_SECOND_KERNEL ? "cpu_total_compute = 4000" : ""}
  ${cniPath ? `cni_path = "${cniPath}"` : ""}
  options {
    "driver.allowlist" = "raw_exec"
    "fingerprint.denylist" = "env_aws,env_azure,env_digitalocean,env_gce"
  }
}
# Each task's executor looks at every process of the host to measure its own.
telemetry {
  collection_interval = "1h"
}
plugin "raw_exec" {
  config {
    enabled = true
  }
}
`;
}
