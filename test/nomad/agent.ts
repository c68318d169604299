import { createReadStream } from "node:fs";
import { text } from "node:stream/consumers";
import type { Lab, Service } from "../support/lab.ts";
import { wordsOf } from "./log.ts";
import { until } from "./until.ts";

/** A line of an agent's log. */
export interface LogLine {
  readonly "@level": string;
  readonly "@message": string;
  readonly "@timestamp": string;
  readonly alloc_id?: string;
  readonly alloc?: string;
  readonly name?: string;
  readonly msg?: string;
  readonly error?: string;
}

/** A Nomad agent in a lab, server or client. */
export class Agent {
  readonly #lab: Lab;
  readonly #name: "server" | "client";
  #service: Service | undefined;
  #hasEnded = false;
  readonly #lines: LogLine[] = [];
  /** The number of bytes of the log that are in `#lines`. */
  #parsed = 0;
  /** The first line since the last start. */
  #firstLine = 0;

  constructor(lab: Lab, name: "server" | "client") {
    this.#lab = lab;
    this.#name = name;
  }

  async configure(config: string): Promise<void> {
    await this.#lab.writeFile(`/run/lab/${this.#name}.hcl`, config);
    await this.#lab.writeFile(this.#log, "");
  }

  async start(): Promise<void> {
    this.#firstLine = (await this.allLines()).length;
    // The lab first starts a process that enters the lab and then becomes the agent. So the agent writes its own
    // process id.
    const agent = `exec /run/lab/programs/nomad agent -config /run/lab/${this.#name}.hcl`;
    const service = this.#lab.start("sh", ["-c", `echo $$ >${this.#pidFile}; ${agent}`], this.#log);
    this.#hasEnded = false;
    void service.then(() => {
      this.#hasEnded = true;
    });
    this.#service = service;
    await until(
      `process id of the ${this.#name}`,
      async () => (await this.#lab.call("test", ["-s", this.#pidFile])).exitCode === 0,
    );
  }

  /** Waits until a value is there or true. Fails at once if the agent ends. */
  until<T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T> {
    return until(what, async () => {
      if (this.#hasEnded) throw new Error(`the ${this.#name} ended: ${(await this.lines()).slice(-3).map(wordsOf)}`);
      return await probe();
    });
  }

  /** Stops the agent as a service manager does: it saves its state, and its tasks go on. */
  async stop(): Promise<void> {
    await this.#signal("TERM");
  }

  async kill(): Promise<void> {
    await this.#signal("KILL");
  }

  /** Makes the agent read its configuration and the networks again. */
  async reload(): Promise<void> {
    await this.#lab.run("kill", ["-HUP", await this.#pid()]);
  }

  /** The lines of the log since the last start. */
  async lines(): Promise<LogLine[]> {
    await this.#readLog();
    return this.#lines.slice(this.#firstLine);
  }

  /** The lines of the log since the first start. */
  async allLines(): Promise<LogLine[]> {
    await this.#readLog();
    return this.#lines;
  }

  // The log of many allocations is long, and the tests look into it again and again.
  async #readLog(): Promise<void> {
    const start = this.#parsed;
    const unread = await text(createReadStream(this.#lab.path(this.#log), { start }));
    // Another call may have read the same lines.
    if (this.#parsed !== start) return;
    const whole = unread.slice(0, unread.lastIndexOf("\n") + 1);
    this.#parsed += Buffer.byteLength(whole);
    for (const line of whole.split("\n").slice(0, -1)) this.#lines.push(parseLine(line));
  }

  async #signal(name: "TERM" | "KILL"): Promise<void> {
    await this.#lab.run("kill", [`-${name}`, await this.#pid()]);
    await this.#service;
    await this.#lab.run("rm", [this.#pidFile]);
  }

  async #pid(): Promise<string> {
    return (await this.#lab.readFile(this.#pidFile)).trim();
  }

  get #log(): string {
    return `/run/lab/${this.#name}.log`;
  }

  get #pidFile(): string {
    return `/run/lab/${this.#name}.pid`;
  }
}

// Before its logger is set up, an agent prints plain text.
function parseLine(line: string): LogLine {
  if (line.startsWith("{")) return JSON.parse(line);
  return { "@level": "info", "@message": line, "@timestamp": "" };
}
