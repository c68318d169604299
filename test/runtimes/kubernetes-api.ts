// A stand-in for the part of the Kubernetes API that whereabouts uses: objects by path, with resource versions and JSON patches.
// `node test/runtimes/kubernetes-api.ts PORT` serves it on 127.0.0.1.
import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";

interface Stored {
  metadata: { name: string; resourceVersion: string; [key: string]: unknown };
  [key: string]: unknown;
}

interface Operation {
  readonly op: "test" | "add" | "replace" | "remove";
  readonly path: string;
  readonly value?: unknown;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

const objects = new Map<string, Stored>();
let version = 0;

createServer(async (request, response) => {
  const { status, body } = answer(request, await buffer(request));
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}).listen(Number(process.argv[2]), "127.0.0.1");

function answer({ method, url = "" }: IncomingMessage, sent: Buffer): Answer {
  const { pathname } = new URL(url, "http://localhost");
  const found = objects.get(pathname);
  switch (method) {
    case "POST": {
      const object = objectOf(sent);
      const place = `${pathname}/${object.metadata.name}`;
      return objects.has(place) ? refusal(409, "AlreadyExists") : { status: 201, body: keep(place, object) };
    }
    case "GET":
      return found
        ? { status: 200, body: found }
        : isCollection(pathname)
          ? listOf(pathname)
          : refusal(404, "NotFound");
    case "PUT": {
      const object = objectOf(sent);
      const isOld = found?.metadata.resourceVersion !== object.metadata.resourceVersion;
      return isOld ? refusal(409, "Conflict") : { status: 200, body: keep(pathname, object) };
    }
    case "PATCH": {
      const patched = found && applied(structuredClone(found), JSON.parse(sent.toString()));
      return patched ? { status: 200, body: keep(pathname, patched) } : refusal(422, "Invalid");
    }
    default:
      return objects.delete(pathname)
        ? { status: 200, body: { kind: "Status", status: "Success" } }
        : refusal(404, "NotFound");
  }
}

/** Reads an object in JSON, or a Lease as its client writes it: in protocol buffers (k8s.io/api/coordination/v1/generated.proto). */
function objectOf(sent: Buffer): Stored {
  if (!sent.subarray(0, 4).equals(Buffer.from("k8s\0"))) return JSON.parse(sent.toString());
  const lease = fieldsOf(bytesOf(fieldsOf(sent.subarray(4)).get(2)));
  const [metadata, spec] = [fieldsOf(bytesOf(lease.get(1))), fieldsOf(bytesOf(lease.get(2)))];
  const time = (field: number) => {
    const parts = fieldsOf(bytesOf(spec.get(field)));
    return new Date(Number(parts.get(1) ?? 0) * 1000 + Number(parts.get(2) ?? 0) / 1e6)
      .toISOString()
      .replace("Z", "000Z");
  };
  return {
    metadata: { name: `${metadata.get(1)}`, resourceVersion: `${metadata.get(6) ?? ""}` },
    spec: {
      ...{ holderIdentity: `${spec.get(1) ?? ""}`, leaseDurationSeconds: Number(spec.get(2)) },
      ...{ acquireTime: time(3), renewTime: time(4), leaseTransitions: Number(spec.get(5) ?? 0) },
    },
  };
}

/** The fields of a message by number: numbers, and everything else as bytes. */
function fieldsOf(message: Buffer): Map<number, number | Buffer> {
  const fields = new Map<number, number | Buffer>();
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++] ?? 0;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const value = varint();
    fields.set(tag >> 3, (tag & 7) === 2 ? message.subarray(at, at + value) : value);
    if ((tag & 7) === 2) at += value;
  }
  return fields;
}

function bytesOf(field: number | Buffer | undefined): Buffer {
  return Buffer.isBuffer(field) ? field : Buffer.alloc(0);
}

function keep(place: string, object: Stored): Stored {
  version++;
  const namespace = place.split("/")[5];
  const stored = { ...object, metadata: { ...object.metadata, namespace, resourceVersion: `${version}` } };
  objects.set(place, stored);
  return stored;
}

/** /apis/<group>/<version>/namespaces/<namespace>/<kind> */
function isCollection(pathname: string): boolean {
  return pathname.split("/").length === 7;
}

function listOf(pathname: string): Answer {
  const items = [...objects].flatMap(([place, object]) => (place.startsWith(`${pathname}/`) ? [object] : []));
  return { status: 200, body: { metadata: { resourceVersion: `${version}` }, items } };
}

function refusal(status: number, reason: string): Answer {
  return { status, body: { kind: "Status", apiVersion: "v1", status: "Failure", reason, code: status } };
}

/** The object after a JSON patch (RFC 6902); undefined if a test of it fails. */
function applied(object: Stored, operations: readonly Operation[]): Stored | undefined {
  for (const { op, path, value } of operations) {
    const keys = path.slice(1).split("/");
    const last = keys.pop() ?? "";
    // biome-ignore lint/suspicious/noExplicitAny: a place in JSON
    const parent = keys.reduce((place: any, key) => (place[key] ??= {}), object);
    if (op === "test" && JSON.stringify(parent[last] ?? null) !== JSON.stringify(value ?? null)) return undefined;
    if (op === "remove") delete parent[last];
    else if (op !== "test") parent[last] = value;
  }
  return object;
}
