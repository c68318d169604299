import { spawnSync } from "node:child_process";
import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";
import { searchPath } from "../../shared/delegate/find-delegate.ts";
import { canSpawn } from "../../shared/host/node/executable-file.ts";
import { parseJsonObject } from "../../shared/protocol/json.ts";
import { once } from "../once.ts";
import { withPath } from "../terminal.ts";
import { type Advice, compareVersions, isPluginName, noProgram, versionIn } from "./plugin-folder.ts";

/** The plugins in the directories of --cni-path, as a runtime finds them. Nothing is run before a rule asks for it. */
export type PluginFolder = Readonly<ReturnType<typeof readPluginFolder>>;

/** A file with the name of a plugin. */
export type InstalledPlugin = ReturnType<typeof pluginAt>;

/** Reads the directories of a CNI_PATH. An executable with several names is run once. */
export function readPluginFolder(cniPath: string, directory: string) {
  const directories = searchPath(cniPath).map((path) => directoryAt(path, directory));
  const plugin = pluginReader(directory);
  const candidates = (type: string, among = directories) => {
    return isPluginName(type) ? among.flatMap(({ path }) => plugin(join(path, type)) ?? []) : [];
  };
  return {
    directories,
    /** Returns the file that a runtime takes for a type; undefined if no directory has it. */
    find: (type: string) => candidates(type)[0],
    /** Returns the file that a wrapper takes for its delegate: the first executable that is no wrapper. */
    findDelegate: (delegate: string, wrapper: InstalledPlugin) => {
      const folder = dirname(realpathSync(resolve(directory, wrapper.path)));
      const next = isPluginName(delegate) ? plugin(join(folder, delegate)) : undefined;
      return [...candidates(delegate), ...(next ? [next] : [])].find((each) => each.isExecutable && !each.isWrapper);
    },
    /** Returns the file whose version Nomad knows of a type. A later directory's takes the place of an earlier one's. */
    findForNomad: (type: string, among = directories) =>
      candidates(type, among).findLast(({ version }) => version !== undefined),
  };
}

/** A directory of --cni-path, and why no plugin comes from it. */
function directoryAt(path: string, directory: string) {
  try {
    const isEmpty = readdirSync(resolve(directory, path)).length === 0;
    return { path, problem: isEmpty ? "is empty" : undefined };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { path, problem: code === "ENOENT" ? "does not exist" : `cannot be read (${code})` };
  }
}

/** Returns a function that reads the plugin at a path; undefined if there is no file. It remembers the answers. */
function pluginReader(directory: string): (path: string) => InstalledPlugin | undefined {
  const plugins = new Map<string, InstalledPlugin | undefined>();
  const executables = new Map<string, Executable>();
  return (path) => {
    if (plugins.has(path)) return plugins.get(path);
    const full = resolve(directory, path);
    const file = withPath(path, () => statSync(full, { throwIfNoEntry: false }));
    const real = file?.isFile() ? realpathSync(full) : undefined;
    const found = real === undefined ? undefined : pluginAt(path, real, file?.mode ?? 0, executables);
    plugins.set(path, found);
    return found;
  };
}

function pluginAt(path: string, real: string, mode: number, executables: Map<string, Executable>) {
  const isExecutable = (mode & 0o111) !== 0;
  const known = executables.get(real) ?? { real };
  executables.set(real, known);
  const about = () => (isExecutable ? (aboutOf(known) ?? "") : "");
  return {
    path,
    isExecutable,
    /** Whether the kernel starts it, its mode aside. Nothing else is ever run: execvp would hand it to a shell. */
    isProgram: canSpawn(real),
    /** Whether it is a wrapper, under its own name or under the plugin's. */
    get isWrapper() {
      return basename(real) === "cni-wrappers" || /^Built from commit /m.test(about());
    },
    /** As Nomad finds it: the first word of its output that is a version. */
    get version() {
      return versionIn(about());
    },
    /** Why it has no version, and what to do; undefined if it has one. */
    get silence(): Advice | undefined {
      if (versionIn(about()) !== undefined) return undefined;
      if (!isExecutable) return { reason: `${path} is not executable`, cure: `run: chmod 755 ${path}` };
      const problem = problemOf(real);
      if (problem !== undefined) return { reason: `${path}: ${problem.reason}`, cure: problem.cure };
      return { reason: `${path} prints none`, cure: "replace it by the reference plugin" };
    },
    /** The versions of the specification that its answer to VERSION has; undefined if it does not answer. */
    get speaks() {
      return isExecutable ? versionsIn(probed(known)) : undefined;
    },
    /** The signal that ended it when it was asked with VERSION; undefined if it ended by itself. */
    get crash() {
      return isExecutable ? crashIn(probed(known)) : undefined;
    },
    /** Whether it can run `wrapper.jq`: only the Node flavor of a wrapper can. */
    get hasJq() {
      return isExecutable && takesArguments(known);
    },
  };
}

/** Why the system does not start a program, by the code of its error. */
const refusals: Readonly<Record<string, Advice>> = {
  EACCES: {
    reason: "the system runs no program there: its file system is perhaps mounted with noexec",
    cure: "mount it without noexec, or name another directory in cni_path",
  },
  ETXTBSY: { reason: "another program has it open for writing", cure: "run the command again when that has ended" },
};

/** Why the system does not start the executable at a path. */
function problemOf(path: string): Advice | undefined {
  if (!canSpawn(path)) return { reason: noProgram, cure: "install it again" };
  const { error } = spawnSync(path, [], { env: {}, input: "", timeout, killSignal: "SIGKILL" });
  return refusals[(error as NodeJS.ErrnoException | undefined)?.code ?? ""];
}

/** An executable, which may have several names. Each of its answers is asked for once, when it is first needed. */
interface Executable {
  readonly real: string;
}

// The page for a browser leaves pure calls out. Nomad finds versions with the first one.
const aboutOf = /* @__PURE__ */ once(({ real }: Executable) => outputOf(real, [], {}));
const probed = /* @__PURE__ */ once(({ real }: Executable) => outcomeOf(real, [], probe, '{"cniVersion":"1.1.0"}'));
// The Node flavor of the wrappers does.
const takesArguments = /* @__PURE__ */ once(({ real }: Executable) => outputOf(real, ["--version"], {}) !== undefined);

/** libcni's variables for VERSION. */
const probe = { CNI_COMMAND: "VERSION", CNI_NETNS: "dummy", CNI_IFNAME: "dummy", CNI_PATH: "dummy" };

/** Nomad's limit. */
const timeout = 3000;

function outputOf(path: string, args: readonly string[], variables: object): string | undefined {
  const { status, stdout, stderr } = outcomeOf(path, args, variables) ?? {};
  return status === 0 ? `${stdout}${stderr}` : undefined;
}

function outcomeOf(path: string, args: readonly string[], variables: object, input = "") {
  if (!canSpawn(path)) return undefined;
  const env = { PATH: process.env.PATH ?? "", ...variables };
  return spawnSync(path, args, { env, input, timeout, killSignal: "SIGKILL", encoding: "utf8" });
}

/** The signal that ended a program. One that takes too long is killed, too. One that dies at once leaves its input unread (EPIPE). */
function crashIn(answer: ReturnType<typeof outcomeOf>): string | undefined {
  const isKilled = (answer?.error as NodeJS.ErrnoException | undefined)?.code === "ETIMEDOUT";
  return isKilled ? undefined : (answer?.signal ?? undefined);
}

function versionsIn(answer: ReturnType<typeof outcomeOf>): readonly string[] | undefined {
  const versions = parseJsonObject(answer?.status === 0 ? answer.stdout : "")?.supportedVersions;
  return Array.isArray(versions) ? versions.filter((version) => typeof version === "string") : undefined;
}

/** The oldest bridge with which Nomad runs CHECK, also for lists without a bridge. */
export const oldestBridge = "1.3.0";

/** The oldest Nomad that looks beyond a directory that is empty or missing (client/fingerprint/plugins_cni.go). */
const looksOn = "1.11.2";

/**
 * Says why Nomad runs no CHECK with these plugins; undefined if it does (client/allocrunner/networking_cni.go). `nomad` is its
 * version, if that is known.
 */
export function whyNoCheck(plugins: PluginFolder, nomad = looksOn): Advice | undefined {
  const cure = `install bridge ${oldestBridge} or newer`;
  const { directories } = plugins;
  const isOld = compareVersions(nomad, looksOn) < 0;
  const stop = isOld ? directories.find(({ problem }) => problem !== undefined) : undefined;
  const known = stop ? directories.slice(0, directories.indexOf(stop)) : directories;
  const { path = "", version } = plugins.findForNomad("bridge", known) ?? {};
  if (version !== undefined && compareVersions(version, oldestBridge) >= 0) return undefined;
  const isFirst = plugins.find("bridge")?.path === path;
  const which = isFirst ? "" : ` in ${dirname(path)}, and Nomad takes that of the last directory`;
  if (version !== undefined) return { reason: `bridge has version ${version}${which}`, cure };
  const where = directories.map(({ path }) => path).join(", ") || "no directory";
  const none = { reason: `there is no bridge in ${where}`, cure };
  const end = {
    reason: `${stop?.path} ${stop?.problem}, and Nomad before ${looksOn} looks no further`,
    cure: "fix cni_path and restart the client",
  };
  const isBeyond = plugins.findForNomad("bridge") !== undefined;
  const silence = isBeyond ? end : (plugins.find("bridge")?.silence ?? none);
  return { ...silence, reason: `Nomad finds no version of bridge: ${silence.reason}` };
}
