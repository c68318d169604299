import { spawnSync } from "node:child_process";
import dns from "node:dns";
import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { askNomad, NomadAgent } from "../../../../cli/live/nomad-agent.ts";
import { workloadNames } from "../../../../cli/live/workload.ts";
import { scratch, temporary } from "../../../support/scratch.ts";
import { cachedAttachment } from "../../support/cached-results.ts";
import { intercept } from "../../support/file-functions.ts";
import { imitateNomad, redirect } from "../../support/redirected.ts";

const node = "0cb1e2c4-2a1e-4f0c-9a52-6f8c9f0b0001";
const allocation = {
  ...{ ID: "a1", Namespace: "default", JobID: "web", TaskGroup: "api", Job: { ID: "web" } },
  AllocatedResources: { Tasks: { server: {}, proxy: {} } },
};
const answers: Record<string, unknown> = {
  "/v1/agent/self": { stats: { client: { node_id: node } } },
  [`/v1/node/${node}/allocations?stale`]: [allocation, { ID: 7 }, null],
};

const directory = scratch();
let server: Server | undefined;
let requests: IncomingMessage[] = [];
beforeEach(() => {
  requests = [];
  imitateNomad();
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const agent: RequestListener = (request, response) => {
  requests.push(request);
  const answer = answers[request.url ?? ""];
  response.writeHead(answer ? 200 : 404).end(JSON.stringify(answer));
};

async function listening(made: Server, place?: string): Promise<string> {
  server = made;
  await new Promise<void>((resolve) =>
    made.listen(place === undefined ? { port: 0, host: "127.0.0.1" } : { path: place }, resolve),
  );
  return place === undefined ? `127.0.0.1:${(made.address() as AddressInfo).port}` : `unix://${place}`;
}

// Whoever answers so is no agent. Node closes the connection, without an error.
const upgrade = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n";
const expected = new Map([["a1", { job: "web", group: "api", tasks: ["proxy", "server"] }]]);

describe("askNomad", () => {
  test("an IPv6 address is in brackets", async () => {
    const { problem } = await askNomad(new NomadAgent({ NOMAD_ADDR: "http://[::1]:1" }));
    expect(problem).toMatch(/^connect E[A-Z]+ ::1:1/);
  });

  test("a unix socket", async () => {
    const NOMAD_ADDR = await listening(createServer(agent), join(directory, "api.sock"));
    expect((await askNomad(new NomadAgent({ NOMAD_ADDR, NOMAD_TOKEN: "s3cret" }))).allocations).toEqual(expected);
    expect(requests.map(({ headers }) => headers["x-nomad-token"])).toEqual(["s3cret", "s3cret"]);
  });

  test.each<[string, (path: string) => void]>([
    ["is another user's", (path) => chownSync(path, 7, 0)],
    ["is in a directory where others may write", () => chmodSync(directory, 0o777)],
    ["a link leads to, in such a directory", () => chmodSync(directory, 0o777)],
  ])("a unix socket that %s is not believed, and gets no token", async (name, expose) => {
    const place = join(directory, "api.sock");
    let NOMAD_ADDR = await listening(createServer(agent), place);
    if (name.startsWith("a link")) {
      const link = join(temporary(), "link");
      symlinkSync(place, link);
      NOMAD_ADDR = `unix://${link}`;
    }
    expose(place);
    const problem = "another user owns the socket, or can put another one into its place";
    for (const token of [{}, { NOMAD_TOKEN: "s3cret" }])
      expect((await askNomad(new NomadAgent({ NOMAD_ADDR, ...token }))).problem).toBe(problem);
    expect(requests.map(({ headers }) => headers["x-nomad-token"])).toEqual([undefined, undefined]);
  });

  test.each<[string, RequestListener, string]>([
    ["no right", (_, response) => response.writeHead(403).end("no"), "the agent answered with status 403"],
    ["a server, no client", (_, response) => response.end('{"stats":{}}'), "the agent is no Nomad client"],
    ["something else", (_, response) => response.end("hello"), `Unexpected token 'h', "hello" is not valid JSON`],
    ["silence", () => {}, "no answer"],
    ["an upgrade", (_, { socket }) => socket?.end(upgrade), "the connection was closed without an answer"],
  ])("%s is a problem, and no names", async (_, listener, problem) => {
    const NOMAD_ADDR = `http://${await listening(createServer(listener))}`;
    expect(await askNomad(new NomadAgent({ NOMAD_ADDR }))).toEqual({ allocations: new Map(), problem });
  });

  test("an address at which no process of root's answers is not believed, and does not get the token", async () => {
    redirect("/proc/net", directory);
    const NOMAD_ADDR = `http://${await listening(createServer(agent))}`;
    const problem = "no program nomad of root's on this host answers at its address";
    for (const token of [{}, { NOMAD_TOKEN: "s3cret" }])
      expect(await askNomad(new NomadAgent({ NOMAD_ADDR, ...token }))).toEqual({ allocations: new Map(), problem });
    expect(requests.map(({ headers }) => headers["x-nomad-token"])).toEqual([undefined, undefined]);
  });

  test("the token goes to the address that was believed, also if the name has another one", async () => {
    const user = createServer((_, response) => response.end("{}"));
    // The user listens at the other address as soon as the agent is asked.
    const listenToo = (answer: () => void) =>
      user.listen(((server as Server).address() as AddressInfo).port, "127.0.0.2", answer);
    const place = await listening(
      createServer((...call) => (user.listening ? agent(...call) : listenToo(() => agent(...call)))),
    );
    const NOMAD_ADDR = `http://${place.replace("127.0.0.1", "nomad.test")}`;
    const addresses = ["127.0.0.2", "127.0.0.1"].map((address) => ({ address, family: 4 }));
    vi.spyOn(dns, "lookup").mockImplementation(((...[, , found]: [string, object, (...its: unknown[]) => void]) =>
      found(null, addresses)) as never);
    await new NomadAgent({ NOMAD_ADDR, NOMAD_TOKEN: "s3cret" }).self();
    vi.restoreAllMocks();
    user.close();
    expect(requests.map(({ headers }) => headers["x-nomad-token"])).toEqual([undefined, "s3cret"]);
    // The first connection would keep the command running until its time is over, after a second.
    await vi.waitFor(() => expect(requests[0]?.socket.destroyed).toBe(true), 900);
  });

  test("an answer in two parts is awaited while it takes long to find its process", async () => {
    const whole = JSON.stringify(answers["/v1/agent/self"]);
    const NOMAD_ADDR = `http://${await listening(
      createServer((_, response) => {
        response.write(whole.slice(0, 9));
        setTimeout(() => response.end(whole.slice(9)), 50);
      }),
    )}`;
    let isSlow = true;
    intercept("readlinkSync", (actual) => (path: string) => {
      // As with 190,000 open files.
      if (isSlow) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1100);
      isSlow = false;
      return actual(path);
    });
    expect(await new NomadAgent({ NOMAD_ADDR }).self()).toEqual(answers["/v1/agent/self"]);
    expect(isSlow).toBe(false);
  });

  test("a process that may not look into root's processes cannot tell who answers there", async () => {
    redirect("/proc/net", directory);
    redirect("/proc/self", directory);
    writeFileSync(join(directory, "status"), "Name:\tnode\nCapEff:\t000001fffff7ffff\n");
    const NOMAD_ADDR = `http://${await listening(createServer(agent))}`;
    const problem = "this process may not see who answers at its address; run it as root, with CAP_SYS_PTRACE";
    expect(await askNomad(new NomadAgent({ NOMAD_ADDR }))).toEqual({ allocations: new Map(), problem });
  });
});

describe("workloadNames", () => {
  const attachment = cachedAttachment({ containerId: "a1", args: [["NOMAD_JOB_ID", "web"]] });

  test("a container whose id is an allocation's has its names", async () => {
    const NOMAD_ADDR = `http://${await listening(createServer(agent))}`;
    const nameOf = await workloadNames([attachment], new NomadAgent({ NOMAD_ADDR }), () => {});
    const tasks = ["proxy", "server"];
    expect(nameOf(attachment)).toEqual({ runtime: "Nomad", name: "web/api (proxy, server) a1", tasks });
    expect(nameOf({ ...attachment, containerId: "b2" })).toEqual({ runtime: "Nomad", name: "web b2" });
  });

  test("without an answer the names come from CNI_ARGS, and one line says so", async () => {
    const lines: string[] = [];
    const nowhere = new NomadAgent({ NOMAD_ADDR: "unix:///nowhere" });
    const nameOf = await workloadNames([attachment], nowhere, (line) => lines.push(line));
    expect(nameOf(attachment)).toEqual({ runtime: "Nomad", name: "web a1" });
    expect(lines).toEqual(["unix:///nowhere: connect ENOENT /nowhere; names are from CNI_ARGS\n"]);
  });
});

describe("TLS", () => {
  let address = "";
  let [cert, key] = ["", ""];
  beforeEach(async () => {
    [cert, key] = [join(directory, "cert.pem"), join(directory, "key.pem")];
    const subject = ["-subj", "/CN=client.global.nomad", "-addext", "subjectAltName=DNS:client.global.nomad"];
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    spawnSync("openssl", ["req", "-x509", ...kind, ...subject, "-keyout", key, "-out", cert]);
    const own = { cert: readFileSync(cert), key: readFileSync(key) };
    const options = { ...own, ca: own.cert, requestCert: true, rejectUnauthorized: true };
    address = await listening(createTlsServer(options, agent));
  });

  const asked = (variables: Record<string, string>) => {
    const usual = { NOMAD_ADDR: `https://${address}`, NOMAD_CLIENT_CERT: cert, NOMAD_CLIENT_KEY: key };
    return askNomad(new NomadAgent({ ...usual, ...variables }));
  };
  const NOMAD_TLS_SERVER_NAME = "client.global.nomad";

  test("the authority is a file or a directory", async () => {
    mkdirSync(join(directory, "ca"));
    copyFileSync(cert, join(directory, "ca/ca.pem"));
    expect((await asked({ NOMAD_CACERT: cert, NOMAD_TLS_SERVER_NAME })).problem).toBeUndefined();
    expect((await asked({ NOMAD_CAPATH: join(directory, "ca"), NOMAD_TLS_SERVER_NAME })).problem).toBeUndefined();
    expect((await asked({ NOMAD_TLS_SERVER_NAME })).problem).toMatch(/self-signed certificate/);
  });

  test("a certificate is enough, whoever has the process", async () => {
    redirect("/proc/net", directory);
    expect((await asked({ NOMAD_CACERT: cert, NOMAD_TLS_SERVER_NAME })).allocations).toEqual(expected);
  });

  test("NOMAD_SKIP_VERIFY accepts every certificate, unless it is false", async () => {
    expect((await asked({ NOMAD_SKIP_VERIFY: "true" })).allocations).toEqual(expected);
    expect((await asked({ NOMAD_SKIP_VERIFY: "false" })).problem).toMatch(/self-signed certificate/);
  });

  test("a certificate that is not verified says nothing: no other process is believed", async () => {
    redirect("/proc/net", directory);
    const { problem } = await asked({ NOMAD_SKIP_VERIFY: "true", NOMAD_TOKEN: "s3cret" });
    expect(problem).toBe("no program nomad of root's on this host answers at its address");
    expect(requests.map(({ headers }) => headers["x-nomad-token"])).toEqual([undefined]);
  });

  test("the client shows its certificate", async () => {
    const none = { NOMAD_CLIENT_CERT: "", NOMAD_CLIENT_KEY: "" };
    const { problem } = await asked({ NOMAD_CACERT: cert, NOMAD_TLS_SERVER_NAME, ...none });
    expect(problem).toMatch(/certificate required/);
  });
});
