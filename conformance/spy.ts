import type { PrivateHost } from "./host.ts";
import type { SpecVersion } from "./specification.ts";

/** A recorded call of the IPAM plugin. */
export interface SpiedCall {
  readonly verb: string;
  readonly env: Readonly<Record<string, string>>;
  readonly config: Readonly<Record<string, unknown>>;
}

/** The type of the IPAM plugin, and its words on stderr. */
export const spyType = "conformance-ipam";
export const spyWords = "conformance-ipam was here";
/** What its answer has instead of the fixed values. */
export interface SpyAnswer {
  readonly routes?: readonly { readonly dst: string; readonly gw?: string }[];
}

/** The error of a verb that fails, since version 1.0.0 with a code of its own. */
export const spyError = { code: 142, msg: "conformance-ipam refuses" };

// Its own folder is its log and its configuration: a plugin under test passes on neither.
const script = `#!/bin/sh
dir=\${0%/*}
call=$dir/calls/$(date +%s%N)-$CNI_COMMAND
env >"$call.env"
cat >"$call.stdin"
echo '${spyWords}' >&2
if [ -e "$dir/fail-$CNI_COMMAND" ]; then cat "$dir/error"; exit 1; fi
if [ -e "$dir/$CNI_COMMAND" ]; then cat "$dir/$CNI_COMMAND"; fi
`;

/** An IPAM plugin that records its calls and gives one fixed address. */
export class Spy {
  readonly directory: string;
  readonly #lab: PrivateHost;
  readonly #number: number;

  constructor(lab: PrivateHost, number: number) {
    this.#lab = lab;
    this.#number = number;
    this.directory = `/run/lab/spies/${number}`;
  }

  /** What it answers to ADD. */
  answer(version: SpecVersion) {
    const family = version < "1.0.0" ? { version: "4" } : {};
    const subnet = `10.77.${this.#number % 250}`;
    return {
      cniVersion: version,
      ips: [{ ...family, address: `${subnet}.5/24`, gateway: `${subnet}.1` }],
      routes: [{ dst: "10.201.0.0/16", gw: `${subnet}.1` }],
      dns: { nameservers: [`${subnet}.53`], search: ["spy.example"] },
    };
  }

  async install(version: SpecVersion, answer: SpyAnswer = {}): Promise<void> {
    await this.#lab.run("mkdir", ["-p", `${this.directory}/calls`]);
    await this.#write(spyType, script);
    await this.#lab.run("chmod", ["+x", `${this.directory}/${spyType}`]);
    await this.#write("ADD", JSON.stringify({ ...this.answer(version), ...answer }));
    await this.#write("VERSION", JSON.stringify({ cniVersion: version, supportedVersions: [version] }));
    await this.#write("error", JSON.stringify({ cniVersion: version, ...spyError }));
  }

  /** Makes a verb fail from now on. */
  async fail(verb: string): Promise<void> {
    await this.#write(`fail-${verb}`, "");
  }

  async calls(): Promise<SpiedCall[]> {
    const names = (await this.#lab.readdir(`${this.directory}/calls`)).filter((name) => name.endsWith(".env"));
    return Promise.all(
      names.map(async (name) => {
        const call = `${this.directory}/calls/${name.slice(0, -".env".length)}`;
        const lines = (await this.#lab.readFile(`${call}.env`)).split("\n").filter((line) => line.includes("="));
        const env = Object.fromEntries(lines.map((line) => [line.split("=", 1)[0], line.slice(line.indexOf("=") + 1)]));
        const config = JSON.parse(await this.#lab.readFile(`${call}.stdin`));
        return { verb: env.CNI_COMMAND ?? "", env, config };
      }),
    );
  }

  /** The verbs of its calls, without VERSION. */
  async verbs(): Promise<string[]> {
    return (await this.calls()).map(({ verb }) => verb).filter((verb) => verb !== "VERSION");
  }

  #write(name: string, content: string): Promise<void> {
    return this.#lab.writeFile(`${this.directory}/${name}`, content);
  }
}
