import { type Answer, answerOf, demandSuccess, type Result } from "./answer.ts";
import type { Outcome } from "./calls.ts";
import type { PrivateHost } from "./host.ts";
import type { Container } from "./kernel.ts";
import { interfaceByHand, leaveNamespace, spareNamespace } from "./namespaces.ts";
import { demand, NotRun, type SpecVersion, Stopped } from "./specification.ts";
import { Spy, type SpyAnswer, spyType } from "./spy.ts";
import { configOf, hintsOf, type Target } from "./target.ts";

/** Changes to the environment (undefined leaves a variable out) and to stdin of a call. */
export interface Changes {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Keys of the configuration; undefined leaves a key out. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Replaces the whole stdin. */
  readonly stdin?: string;
  /** A file that is stdin instead. */
  readonly stdinFile?: string;
}

/** A call of the plugin, and its end. */
export interface Call extends Outcome {
  readonly env: Readonly<Record<string, string>>;
  /** The text, or the file that stdin was. */
  readonly stdin: string | { readonly file: string };
}

/** One case with one plugin: a container, and the calls of its attachment. */
export class Trial {
  readonly ifName = "eth0";
  readonly spy: Spy;
  /** The number of the trial in its lab: part of names and addresses. */
  readonly number: number;
  readonly lab: PrivateHost;
  readonly target: Target;
  readonly version: SpecVersion;
  readonly container: Container;
  /** The calls of the plugin so far. */
  readonly calls: Call[] = [];
  /** The prevResult of the next calls. */
  prevResult: Result | undefined;

  /** The container's id. Its namespace may have had another container before. */
  get id(): string {
    return `c${this.number}`;
  }

  private constructor(lab: PrivateHost, target: Target, version: SpecVersion, number: number, namespace: string) {
    this.lab = lab;
    this.target = target;
    this.version = version;
    this.number = number;
    this.container = { name: namespace, netns: `/run/netns/${namespace}` };
    this.spy = new Spy(lab, number);
  }

  /** Makes the container. For a chained plugin, it also makes the interface that an earlier plugin would have made. */
  static async start(
    lab: PrivateHost,
    target: Target,
    version: SpecVersion,
    number: number,
    namespace = spareNamespace(lab),
  ): Promise<Trial> {
    const trial = new Trial(lab, target, version, number, namespace ?? `n${number}`);
    if (namespace === undefined) await lab.addContainer(trial.container.name);
    await trial.runHint("prepare");
    if (target.role === "chained") {
      await lab.run("sh", ["-ec", interfaceByHand(trial.container.name, trial.address, trial.gateway)]);
      trial.prevResult = await trial.madeByHand();
    }
    return trial;
  }

  get address(): string {
    return `10.66.${this.number % 250}.2`;
  }

  get gateway(): string {
    return `10.66.${this.number % 250}.1`;
  }

  /** The result of an earlier plugin that made eth0. */
  async madeByHand(): Promise<Result> {
    const inside = await this.lab.kernel.link(this.container, "eth0");
    const host = await this.lab.kernel.link(undefined, `h${this.container.name}`);
    const family = this.version < "1.0.0" ? { version: "4" } : {};
    return {
      cniVersion: this.version,
      interfaces: [
        { name: host.ifname, mac: host.address },
        { name: "eth0", mac: inside.address, sandbox: this.container.netns },
      ],
      ips: [{ ...family, address: `${this.address}/24`, gateway: this.gateway, interface: 1 }],
      routes: [{ dst: "0.0.0.0/0", gw: this.gateway }],
      dns: { nameservers: [this.gateway] },
    };
  }

  /** The request's configuration as a runtime derives it. */
  request(changes: Changes["config"] = {}): Record<string, unknown> {
    const { prevResult } = this;
    return {
      cniVersion: this.version,
      name: "conformance",
      type: this.target.type,
      ...configOf(this.target, this.number),
      ...(prevResult ? { prevResult } : {}),
      ...changes,
    };
  }

  /** Calls the plugin. */
  async call(verb: string, { env = {}, config, stdin, stdinFile }: Changes = {}): Promise<Answer> {
    const all = {
      CNI_COMMAND: verb,
      CNI_CONTAINERID: this.id,
      CNI_NETNS: this.container.netns,
      CNI_IFNAME: this.ifName,
      CNI_PATH: this.path,
      ...env,
    };
    this.#wasAdded ||= verb === "ADD";
    const input = stdin ?? JSON.stringify(this.request(config));
    const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const { file, seconds } = this.target;
    const options = { env: Object.fromEntries(given), input, seconds };
    const outcome = await (stdinFile === undefined
      ? this.lab.call(file, [], options)
      : this.lab.call("sh", ["-c", `exec ${file} <${stdinFile}`], options));
    // After sbr, the namespace refuses routes that a new one accepts.
    this.#isChanged ||= verb === "ADD" && outcome.exitCode === 0 && this.target.role === "chained";
    const sent = { env: options.env, stdin: stdinFile === undefined ? input : { file: stdinFile } };
    this.calls.push({ ...sent, ...outcome });
    if (outcome.stopped !== undefined) throw new Stopped(`${verb}: ${outcome.stopped}`);
    return answerOf(outcome, this.version);
  }

  /** The CNI_PATH with the spy's folder, if it is installed. */
  get path(): string {
    return this.#hasSpy ? `${this.spy.directory}:${this.lab.pluginPath}` : this.lab.pluginPath;
  }
  #hasSpy = false;
  #wasAdded = false;
  #isChanged = false;

  /** Installs the recording IPAM plugin. The returned changes make the plugin use it. */
  async withSpy(answer: SpyAnswer = {}): Promise<Changes> {
    await this.spy.install(this.version, answer);
    this.#hasSpy = true;
    return { config: { ipam: { type: spyType } } };
  }

  /** An ADD that must succeed. Its result is the prevResult of the next calls. */
  async add(changes: Changes = {}): Promise<Result> {
    const answer = await this.call("ADD", changes);
    demandSuccess(answer, "ADD");
    demand(answer.json !== undefined, `ADD prints no JSON object: ${answer.stdout.slice(0, 200) || "nothing"}`);
    this.prevResult = answer.json as Result;
    await this.#keep(this.prevResult);
    return this.prevResult;
  }

  /** Trials of other containers in the same lab. */
  async others(count: number): Promise<Trial[]> {
    const made: Trial[] = [];
    // Their numbers are far away from those of the other trials.
    for (let index = 1; index <= count; index++) {
      made.push(await Trial.start(this.lab, this.target, this.version, this.number + 1000 * index + index));
    }
    return made;
  }

  /** Runs a shell command of the configuration's hints. Says whether there is such a command. */
  async runHint(key: "break" | "cleanUp" | "prepare"): Promise<boolean> {
    const command = hintsOf(this.target, this.number)[key];
    if (command === undefined) return false;
    const { name: CONTAINER, netns: CNI_NETNS } = this.container;
    const options = { env: { CONTAINER, CNI_NETNS, CNI_CONTAINERID: this.id, ADDRESS: this.address } };
    const { exitCode, stdout, stderr } = await this.lab.call("sh", ["-ec", command], options);
    // What is missing needs no clean-up.
    if (exitCode !== 0 && key !== "cleanUp") {
      throw new NotRun(`the command of "conformance.${key}" fails: ${stderr || stdout || `exit code ${exitCode}`}`);
    }
    return true;
  }

  /** Deletes the interface in the container. */
  async loseInterface(): Promise<void> {
    await this.lab.ip(this.container, "link", "delete", this.ifName);
  }

  /** Removes what the trial made, as a runtime does after a failure. */
  async end(): Promise<void> {
    const { container, lab } = this;
    const isStopped = this.calls.some(({ stopped }) => stopped !== undefined);
    if (this.#wasAdded && !isStopped) await this.call("DEL").catch(() => undefined);
    await leaveNamespace(lab, container.name, this.#cached, this.#isChanged);
    await this.runHint("cleanUp");
  }

  /** The place of libcni's results. A runtime must keep the result of ADD. */
  get #cached(): string {
    return `/var/lib/cni/results/conformance-${this.id}-${this.ifName}`;
  }

  async #keep(result: Result): Promise<void> {
    const ids = { kind: "cniCacheV1", containerId: this.id, ifName: this.ifName };
    await this.lab.run("mkdir", ["-p", "/var/lib/cni/results"]);
    await this.lab.writeFile(this.#cached, JSON.stringify({ ...ids, networkName: "conformance", result }));
  }
}
