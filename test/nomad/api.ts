import { request } from "node:http";

/** The HTTP API of an agent, through a Unix socket. */
export class Api {
  readonly #socket: string;

  constructor(socket: string) {
    this.#socket = socket;
  }

  get<T>(path: string): Promise<T> {
    return this.#call("GET", path);
  }

  put<T>(path: string, body: object): Promise<T> {
    return this.#call("PUT", path, JSON.stringify(body));
  }

  delete<T>(path: string): Promise<T> {
    return this.#call("DELETE", path);
  }

  #call<T>(method: string, path: string, body?: string): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const call = request({ socketPath: this.#socket, method, path, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
      });
    });
    call.on("error", reject);
    call.end(body);
    return promise;
  }
}

/** The fields of an allocation that the tests read: https://developer.hashicorp.com/nomad/api-docs/allocations */
export interface Allocation {
  readonly ID: string;
  readonly ClientStatus: "pending" | "running" | "complete" | "failed" | "lost" | "unknown";
  readonly CreateIndex: number;
  readonly TaskGroup: string;
  readonly NodeID: string;
  readonly NextAllocation?: string;
  readonly NetworkStatus?: {
    readonly InterfaceName: string;
    readonly Address: string;
    readonly AddressIPv6?: string;
    readonly DNS?: { readonly Servers: readonly string[] | null; readonly Searches: readonly string[] | null };
  } | null;
  readonly TaskStates?: Readonly<Record<string, { readonly Events: readonly TaskEvent[] }>> | null;
  readonly AllocatedResources?: { readonly Shared: { readonly Ports?: readonly Port[] | null } };
}

interface TaskEvent {
  readonly Type: string;
  readonly DisplayMessage: string;
}

interface Port {
  readonly Label: string;
  readonly Value: number;
  readonly To: number;
}

export interface Node {
  readonly ID: string;
  readonly Name: string;
  readonly Status: string;
  readonly Attributes: Readonly<Record<string, string>>;
}
