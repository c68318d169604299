import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { makeHostFolders } from "../../support/fake-host-folders.ts";
import { type CommandOutcome, runCommand } from "../../support/fake-terminal.ts";

/** One mistake of an operator, and what a command must tell before anything is restarted. */
export interface Mistake {
  readonly name: string;
  /** What else is on the host, and is right. */
  readonly before?: Step;
  readonly make?: Step;
  /** The command lines that tell it, without the host's directories, and their exit codes. */
  readonly told: Readonly<Record<string, number>>;
  /** The right command line, if the mistake is in the other one. */
  readonly right?: string;
  /** What an operator must read, in any order. A right host's output has not all of it. */
  readonly says: readonly string[];
}

/** A mistake that no command tells. The name says why. */
export interface Untold extends Pick<Mistake, "name" | "before" | "make"> {
  /** The command lines that print the same as on a right host. */
  readonly tried: readonly string[];
}

type Step = (host: MistakenHost) => void;

/** The list of a right host: a line for each key, because the tables name lines. Every host has the master. */
export const zone = `{
  "cniVersion": "1.0.0",
  "name": "zone",
  "plugins": [
    {
      "type": "macvlan-wrapper",
      "master": "lo",
      "ipam": { "type": "host-local", "subnet": "172.16.5.0/24", "rangeStart": "172.16.5.10", "rangeEnd": "172.16.5.20" }
    },
    {
      "type": "bridge-wrapper",
      "wrapper": { "ifName": "eth1" },
      "bridge": "disc0",
      "isGateway": true,
      "ipam": { "type": "host-local", "ranges": [[{ "subnet": "172.26.64.0/20" }]] }
    },
    {
      "type": "portmap-wrapper",
      "wrapper": { "ifName": "eth1" },
      "capabilities": { "portMappings": true }
    }
  ]
}
`;

/** A list with one bridge, which shares nothing with `zone`. */
export const shop = `{
  "cniVersion": "1.0.0",
  "name": "shop",
  "plugins": [
    {
      "type": "bridge",
      "bridge": "shop0",
      "isGateway": true,
      "ipam": { "type": "host-local", "ranges": [[{ "subnet": "10.77.0.0/24" }]] }
    }
  ]
}
`;

const wrapper = { link: "cni-wrappers" };

/** A host in a directory of its own: `config/`, `bin/` and libcni's cache. Its plugins only say their versions. */
export class MistakenHost {
  readonly directory = mkdtempSync(join(tmpdir(), "mistake-"));

  constructor() {
    const plugins = Object.fromEntries(["macvlan", "bridge", "portmap", "host-local", "ptp"].map((name) => [name, {}]));
    const wrappers = { "macvlan-wrapper": wrapper, "bridge-wrapper": wrapper, "portmap-wrapper": wrapper };
    makeHostFolders(this.directory, {
      cniPath: { bin: { ...plugins, ...wrappers, "cni-wrappers": { wrapper: "node" } } },
    });
    for (const folder of ["cache/results", "config", "elsewhere"])
      mkdirSync(join(this.directory, folder), { recursive: true });
    this.write("config/zone.conflist", zone);
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  write(name: string, text: string | Buffer, mode = 0o644): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
    chmodSync(this.path(name), mode);
  }

  read(name: string): Buffer {
    return readFileSync(this.path(name));
  }

  remove(name: string): void {
    rmSync(this.path(name));
  }

  /** Replaces a line of a list; the first one is 1. */
  line(number: number, text: string, name = "config/zone.conflist"): void {
    const lines = this.read(name).toString().split("\n");
    lines[number - 1] = text;
    this.write(name, lines.join("\n"));
  }

  /** Adds a container that runs, with an interface and an address for each of `ips`. */
  attach(network: string, ips: Readonly<Record<string, string>>, netns = "/proc/self/ns/net"): void {
    const names = Object.keys(ips);
    const result = {
      cniVersion: "1.0.0",
      interfaces: names.map((name) => ({ name, sandbox: netns })),
      ips: names.map((name, index) => ({ address: ips[name], interface: index })),
    };
    const config = this.read("config/zone.conflist").toString("base64");
    const key = { kind: "cniCacheV1", networkName: network, containerId: "c1", ifName: "eth0", netns, config };
    this.write(`cache/results/${network}-c1-eth0`, JSON.stringify({ ...key, result }));
  }

  /** Runs a command line, in which `{host}` is the host's directory. */
  run(line: string): Promise<CommandOutcome> {
    const [command = "", ...rest] = line.replaceAll("{host}", this.directory).split(" ");
    const usual = this.#usual(command).filter(([option = ""]) => !rest.includes(option));
    return runCommand([command, ...usual.flat(), ...rest], { directory: this.directory });
  }

  /** The options that name the host's directories. */
  #usual(command: string): readonly (readonly string[])[] {
    const cache = this.path("cache");
    if (command === "lint") return [["config"], ["--cni-path", "bin"], ["--state", "cache"]];
    const directories = { "--cache-dir": cache, "--config-dir": this.path("config"), "--cni-path": this.path("bin") };
    return Object.entries(directories);
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true });
  }
}
