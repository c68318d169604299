import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { type RequestOptions, request as requestHttps } from "node:https";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { attempt, isOwn } from "../../shared/host/node/files.ts";
import { type JsonObject, objectOf, objectsOf } from "../../shared/protocol/json.ts";
import { exposedDirectory } from "../files/atomic-write.ts";
import { capabilitiesOf } from "../host/programs.ts";
import { isOwnPeer } from "./peer.ts";

/** Nomad's variables (api/api.go, DefaultConfig). */
export type NomadEnvironment = Readonly<Record<string, string | undefined>>;

/** Nomad's names for what runs in an allocation. */
export interface Allocation {
  readonly job: string;
  readonly group: string;
  readonly tasks: readonly string[];
}

/** How long the agent may be silent, and how long it may take, in milliseconds. */
const patience = { silent: 1000, all: 5000 };
/** Each allocation comes with its whole job. */
const largest = 128 * 1024 * 1024;

// The agent answers it without the servers.
const selfPath = "/v1/agent/self";

/** The local agent. It is asked once what it is, whatever is asked of it later. */
export class NomadAgent {
  readonly env: NomadEnvironment;
  #self: Promise<unknown> | undefined;

  constructor(env: NomadEnvironment) {
    this.env = env;
  }

  /** Returns what the agent says of itself. */
  self(): Promise<unknown> {
    this.#self ??= getJson(this.env, selfPath);
    return this.#self;
  }

  /** Asks for a path below its client's node. */
  async ofNode(path = ""): Promise<unknown> {
    return getJson(this.env, `/v1/node/${nodeIdOf(await this.self())}${path}`);
  }
}

/**
 * Asks the agent for the allocations of its node by their ids, which are those of containers: one request, whatever their number.
 * `problem` says why there are none. Of Nomad's lists only the one of a node has an index in the servers, and any server may
 * answer it.
 */
export async function askNomad(agent: NomadAgent) {
  try {
    const answer = await agent.ofNode("/allocations?stale");
    return { allocations: new Map(objectsOf(answer).flatMap(allocationIn)), problem: undefined };
  } catch (error) {
    return { allocations: new Map<string, Allocation>(), problem: agentError(error) };
  }
}

/** Says why the agent did not answer. */
function agentError(error: unknown): string {
  // Node has no message if several addresses of a name refuse.
  const { message, code } = error as NodeJS.ErrnoException;
  return message || String(code);
}

function nodeIdOf(self: unknown): string {
  const { stats } = objectOf(self);
  const { node_id } = objectOf(objectOf(stats).client);
  if (typeof node_id === "string" && /^[0-9a-f-]+$/.test(node_id)) return node_id;
  throw new Error("the agent is no Nomad client");
}

function allocationIn({ ID, JobID, TaskGroup, AllocatedResources }: JsonObject): [string, Allocation][] {
  if (typeof ID !== "string" || typeof JobID !== "string" || typeof TaskGroup !== "string") return [];
  const tasks = Object.keys(objectOf(objectOf(AllocatedResources).Tasks)).sort();
  return [[ID, { job: JobID, group: TaskGroup, tasks }]];
}

async function getJson(env: NomadEnvironment, path: string): Promise<unknown> {
  const { NOMAD_TOKEN, ...withoutToken } = env;
  let address: string | undefined;
  // guard: no process of another user gets the token
  if (NOMAD_TOKEN && isUnproven(requestTo(env, path))) {
    const first = await believedFrom(withoutToken, selfPath);
    // A name such as localhost has several, and another user may listen at one of them by now.
    address = first.socket.remoteAddress;
    first.destroy();
  }
  const response = await believedFrom(env, path, address);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response) {
    size += part.length;
    if (size > largest) throw new Error("the answer is too long");
    parts.push(part);
  }
  if (response.statusCode !== 200) throw new Error(`the agent answered with status ${response.statusCode}`);
  return JSON.parse(Buffer.concat(parts).toString());
}

/** Asks, at an address of the agent's host if one is given, and throws if the process that answers is not believed. */
async function believedFrom(env: NomadEnvironment, path: string, address?: string): Promise<IncomingMessage> {
  const call = requestTo(env, path, address);
  const response = await responseTo(call);
  // guard: root runs no plugins from directories that another user names
  if (isUnproven(call) && !isOwnPeer(response.socket)) {
    response.destroy();
    if (call.options.socketPath) throw new Error("another user owns the socket, or can put another one into its place");
    const nobody = "no program nomad of root's on this host answers at its address";
    const unseen = "this process may not see who answers at its address; run it as root, with CAP_SYS_PTRACE";
    // With CAP_SYS_PTRACE (uapi/linux/capability.h), it may look into the processes of root.
    throw new Error((capabilitiesOf("/proc/self") >> 19n) & 1n ? nobody : unseen);
  }
  // To look at 190,000 open files takes a second of the agent's time.
  return response.setTimeout(patience.silent);
}

// A certificate that is verified says who answers, and so does a socket. Root runs programs from the directories of the answer.
function isUnproven({ options: { socketPath, rejectUnauthorized } }: ReturnType<typeof requestTo>): boolean {
  // guard: no socket that another user can have put there
  if (socketPath) return attempt(() => isOwn(statSync(socketPath)) && !exposedDirectory(dirname(socketPath))) !== true;
  return !rejectUnauthorized;
}

function responseTo({ request, options }: ReturnType<typeof requestTo>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const call = request({ ...options, signal: AbortSignal.timeout(patience.all) }, resolve);
    call.on("timeout", () => call.destroy(new Error("no answer")));
    call.on("error", reject);
    // An answer to be upgraded (101) is no response, and Node closes the connection without an error.
    call.on("close", () => reject(new Error("the connection was closed without an answer")));
    call.end();
  });
}

function requestTo(
  env: NomadEnvironment,
  path: string,
  address?: string,
): { readonly request: typeof requestHttp; readonly options: RequestOptions } {
  const { protocol, hostname, port, pathname } = new URL(env.NOMAD_ADDR || "http://127.0.0.1:4646");
  // The agent's end stays open until this one has looked at it.
  const headers = { Connection: "keep-alive", ...(env.NOMAD_TOKEN && { "X-Nomad-Token": env.NOMAD_TOKEN }) };
  const common: RequestOptions = { path, headers, timeout: patience.silent, agent: false };
  if (protocol === "unix:") {
    const path = decodeURI(pathname);
    const socketPath = attempt(() => realpathSync(path)) ?? path;
    return { request: requestHttp, options: { ...common, socketPath } };
  }
  const options = { ...common, hostname: address ?? hostname.replace(/^\[(.*)\]$/, "$1"), ...(port && { port }) };
  if (protocol === "http:") return { request: requestHttp, options };
  if (protocol === "https:") return { request: requestHttps, options: { ...options, ...tlsOf(env) } };
  throw new Error("the address must begin with http://, https:// or unix://");
}

function tlsOf(env: NomadEnvironment): RequestOptions {
  const { NOMAD_CACERT, NOMAD_CAPATH, NOMAD_CLIENT_CERT, NOMAD_CLIENT_KEY, NOMAD_TLS_SERVER_NAME } = env;
  return {
    ...(NOMAD_CACERT && { ca: readFileSync(NOMAD_CACERT) }),
    ...(!NOMAD_CACERT &&
      NOMAD_CAPATH && { ca: readdirSync(NOMAD_CAPATH).map((name) => readFileSync(join(NOMAD_CAPATH, name))) }),
    ...(NOMAD_CLIENT_CERT && { cert: readFileSync(NOMAD_CLIENT_CERT) }),
    ...(NOMAD_CLIENT_KEY && { key: readFileSync(NOMAD_CLIENT_KEY) }),
    ...(NOMAD_TLS_SERVER_NAME && { servername: NOMAD_TLS_SERVER_NAME }),
    rejectUnauthorized: !/^(1|t|true)$/i.test(env.NOMAD_SKIP_VERIFY ?? ""),
  };
}

/** What the Nomad client of this host says of CNI. */
export interface NomadHost {
  /** The name of its node, as `nomad node status` has it. */
  readonly name: string;
  /** Its version; undefined if the agent does not say it. */
  readonly version?: string;
  /** Its cni_config_dir. */
  readonly configDirectory: string;
  /** Its cni_path. */
  readonly cniPath: string;
  /** The networks that it has loaded. A reload adds networks, and only a restart forgets one. */
  readonly networks: readonly string[];
}

/** Why the agent did not say it. */
export interface NoAnswer {
  readonly version?: undefined;
  readonly problem: string;
  /** Whether this host has no Nomad client, as far as one can see: there was nothing to ask. */
  readonly isAbsent: boolean;
}

/** Asks the local agent for its directories and networks. The agent that NOMAD_ADDR names may be another host's. */
export async function askNomadHost(agent: NomadAgent, host = hostname()): Promise<NomadHost | NoAnswer> {
  try {
    const { Client } = objectOf(objectOf(await agent.self()).config);
    // command/agent/config.go, ClientConfig: the defaults are in it, too.
    const { CNIPath, CNIConfigDir, Enabled } = objectOf(Client);
    if (Enabled === false) return { problem: "the agent is no Nomad client", isAbsent: true };
    const node = objectOf(await agent.ofNode());
    const { "unique.hostname": ownHost, "nomad.version": version } = objectOf(node.Attributes);
    if (ownHost !== host) return { problem: `the agent is that of another host, ${ownHost}`, isAbsent: false };
    if (typeof CNIPath !== "string" || typeof CNIConfigDir !== "string")
      return { problem: "the agent does not say its directories", isAbsent: false };
    const name = typeof node.Name === "string" ? node.Name : host;
    const own = { configDirectory: CNIConfigDir, cniPath: CNIPath, networks: networksOf(node) };
    return { name, ...(typeof version === "string" && { version }), ...own };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // Without NOMAD_ADDR, nothing says that there should be an agent.
    const isAbsent = ["ECONNREFUSED", "ENETUNREACH"].includes(code) && !agent.env.NOMAD_ADDR;
    return { problem: agentError(error), isAbsent };
  }
}

// client/fingerprint/cni.go. NodeNetworks has only the last one (nomad/structs, NodeResources.Merge).
function networksOf({ NodeResources }: JsonObject): readonly string[] {
  const { Networks } = objectOf(NodeResources);
  const modes = objectsOf(Networks).map(({ Mode }) => String(Mode));
  return modes.filter((mode) => mode.startsWith("cni/")).map((mode) => mode.slice("cni/".length));
}
