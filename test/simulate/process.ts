import { type PluginCall, PluginError, type Steps } from "../../cli/model/plugin.ts";
import { type CallOf, errorResult, stepsOf } from "../../cli/model/verbs.ts";
import { viewOf } from "../../cli/model/view.ts";
import { hostOf } from "../../cli/model/wrapper-host.ts";
import { profiles } from "../../plugins/index.ts";
import type { Host } from "../../shared/host/host.ts";
import type { JsonObject } from "../../shared/protocol/json.ts";
import { lastElement } from "../../shared/protocol/names.ts";
import { run } from "../../shared/run.ts";
import { plugins } from "./plugins.ts";
import type { SimulatedMachine } from "./simulated-machine.ts";

/** The answer of an executable to the runtime. */
export interface Reply {
  readonly exitCode: number;
  readonly answer: JsonObject | undefined;
}

/** How a plugin ends early: by a signal, or with an error of its own. */
export type PluginEnd = "killed" | "fails" | undefined;

/** The work of a process. It stops at the points that `stops` chooses, and goes on, or ends, as its driver says. */
export type Task<T> = Generator<string, T, PluginEnd>;

/** Whether a task stops at a point. */
export type Stops = (point: string) => boolean;

/** A fault of every host, by which a test shows that a broken promise is seen. */
export type Sabotage = Partial<Host>;

/** Runs a wrapper: the real core on a host of the model. */
export function* wrapperCall(
  machine: SimulatedMachine,
  type: string,
  call: PluginCall,
  stops: Stops,
  sabotage: Sabotage = {},
): Task<Reply> {
  const process = new Process(machine, type, call, { stops, sabotage });
  for (;;) {
    const point = process.goOn();
    if (point === undefined) return process.reply();
    process.pluginEnd = yield point;
  }
}

/** Runs a plugin that no wrapper stands for. */
export function* plainCall(machine: SimulatedMachine, of: CallOf, stops: Stops): Task<Reply> {
  const { type } = of;
  try {
    const steps = stepsOf(machine, of);
    for (;;) {
      machine.plugin = type;
      const step = steps.next();
      machine.plugin = "";
      if (step.done) return { exitCode: 0, answer: step.value ?? undefined };
      if (stops(`${type}: ${step.value}`)) yield `${type}: ${step.value}`;
    }
  } catch (error) {
    return { exitCode: 1, answer: errorResult(error) };
  }
}

class Suspended extends Error {}

/**
 * The process of one wrapper. The core cannot stop between two answers of its host. So where it must, it is thrown out, and
 * begins again later: until it is back at that point, it gets the answers that it had before. They decide all that it does.
 */
class Process {
  /** How the plugin ends that runs at the point where the process stopped. */
  pluginEnd: PluginEnd;
  readonly #host: Host;
  readonly #machine: SimulatedMachine;
  readonly #stops: Stops;
  readonly #answers: unknown[] = [];
  #next = 0;
  /** Where the process stopped, until it goes on. */
  #point: string | undefined;
  #wasHere = false;
  #plugin: Steps<JsonObject | undefined> | undefined;
  #output = "";
  #replaced: number | undefined;
  #exitCode = 0;

  constructor(machine: SimulatedMachine, type: string, call: PluginCall, around: { stops: Stops; sabotage: Sabotage }) {
    this.#machine = machine;
    this.#stops = around.stops;
    this.#host = { ...this.#hostFor(type, call), ...around.sabotage };
  }

  #hostFor(type: string, { env, config }: PluginCall): Host {
    const machine = this.#machine;
    const calledAs = `${(env.CNI_PATH ?? "").split(":")[0]}/${type}`;
    const host = hostOf({
      ...{ view: viewOf(machine), env, calledAs, pid: 4711, stdin: JSON.stringify(config) },
      inspect(path) {
        const name = lastElement(path);
        // For drop-in, the wrappers have the plugins' names in the first directory.
        if (path === calledAs) return "the wrapper itself";
        return plugins[name] && !machine.missing.has(name) ? "executable" : "missing";
      },
      runPlugin: (name, changes, stdin) =>
        this.#runPlugin(name, { env: { ...env, ...changes }, config: JSON.parse(stdin) }),
      print: (text) =>
        this.#ask("stdout", () => {
          if (this.#replaced === undefined) this.#output += text;
        }),
    });
    const ask = <T>(point: string, perform: () => T) => this.#ask(point, perform);
    return {
      ...host,
      now: () => ask("clock", () => host.now()),
      sleep: (ms) => ask("sleep", () => machine.wait(ms)),
      inspect: (path) => ask("inspect", () => host.inspect(path)),
      tryExec: (path, changes, stdin) => this.#exec(path, changes, stdin),
      spawn: (path, changes, streams) => ask("spawn", () => host.spawn(path, changes, streams)),
      readFile: (path) => ask("read", () => host.readFile(path)),
      appendJournal: (file, text, how) => ask("write", () => host.appendJournal(file, text, how)),
      // No stop: a wrapper has looked at the file right before.
      removeFile: (path) => this.#answered(() => host.removeFile(path)),
      listDirectory: (path) => ask("list", () => host.listDirectory(path)),
      stat: (path) => ask("stat", () => host.stat(path)),
      linkIndex: (netns, name) => ask("link", () => host.linkIndex(netns, name)),
      ip: (args, commands, netns) => ask("ip", () => host.ip(args, commands, netns)),
      appendLine: (file, line) => ask("append", () => host.appendLine(file, line)),
    };
  }

  #exec(path: string, env: Host["env"], stdin: string | undefined): never {
    const answer = this.#host.spawn(path, env, { stdin, limit: 0 });
    this.#ask("exit", () => {
      if (answer.ended === "exit") this.#output += answer.stdout.decodeUtf8();
      this.#replaced = answer.ended === "exit" ? answer.exitCode : 137;
    });
    throw new Error("replaced");
  }

  /** Runs the wrapper to the next point at which it stops, or to its end. */
  goOn(): string | undefined {
    this.#wasHere = this.#point !== undefined;
    this.#point = undefined;
    this.#next = 0;
    try {
      this.#exitCode = run(this.#host, profiles);
    } catch (error) {
      if (this.#point === undefined) throw error;
    }
    return this.#point;
  }

  reply(): Reply {
    const answer = this.#output === "" ? undefined : JSON.parse(this.#output);
    return { exitCode: this.#replaced ?? this.#exitCode, answer };
  }

  #ask<T>(what: string, perform: () => T): T {
    if (this.#point !== undefined) throw new Suspended();
    if (this.#next === this.#answers.length && !this.#wasHere && this.#stops(what)) this.#stop(what);
    return this.#answered(perform);
  }

  #answered<T>(perform: () => T): T {
    if (this.#point !== undefined) throw new Suspended();
    if (this.#next === this.#answers.length) {
      const answer = perform();
      this.#wasHere = false;
      this.#answers.push(answer);
      this.#machine.wait(1);
    }
    return this.#answers[this.#next++] as T;
  }

  #stop(point: string): never {
    this.#point = point;
    throw new Suspended();
  }

  /** Runs a plugin to its end. Returns its exit code and its output; no exit code if it is killed. */
  #runPlugin(name: string, call: PluginCall): [number | undefined, string] {
    const isNew = this.#plugin === undefined;
    const steps = this.#plugin ?? stepsOf(this.#machine, { type: name, plugin: plugins[name], call });
    this.#plugin = steps;
    this.#machine.plugin = name;
    try {
      for (let step = isNew ? steps.next() : this.#resume(steps); step; step = steps.next()) {
        if (step.done) return this.#ended([0, step.value ? JSON.stringify(step.value) : ""]);
        const point = `${name}: ${step.value}`;
        this.#machine.wait(1);
        if (this.#stops(point)) this.#stop(point);
      }
      return this.#ended([undefined, ""]);
    } catch (error) {
      if (error instanceof Suspended) throw error;
      return this.#ended([1, JSON.stringify(errorResult(error))]);
    } finally {
      this.#machine.plugin = "";
    }
  }

  /** Goes on with a plugin at the point where it stopped, or ends it there. */
  #resume(steps: Steps<JsonObject | undefined>): IteratorResult<string, JsonObject | undefined> | undefined {
    const end = this.pluginEnd;
    this.pluginEnd = undefined;
    if (end === "killed") return undefined;
    return end === "fails" ? steps.throw(new PluginError("the plugin has no memory")) : steps.next();
  }

  #ended<T>(outcome: T): T {
    this.#plugin = undefined;
    return outcome;
  }
}
