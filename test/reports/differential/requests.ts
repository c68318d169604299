import fc from "fast-check";

/** One call, and the behavior of its delegate. */
export interface Request {
  readonly link: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array | "a directory";
  readonly logged: boolean;
  /** The delegate's output and its end, by verb. */
  readonly answers: Readonly<Record<string, { readonly output: string; readonly end: string }>>;
  /** The journal of earlier ADDs on the host. */
  readonly journal: JournalKind;
  /** The properties that are counted. */
  readonly kind: { readonly verb: string; readonly version: string; readonly position: Position };
}

export type Position = (typeof positions)[number];

export const verbs = ["ADD", "CHECK", "DEL", "GC", "STATUS", "VERSION", "none", "unknown"] as const;
export const versions = ["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0", "9.0.0", "none"] as const;
export const positions = ["first", "behind others", "behind its own interface", "behind what is malformed"] as const;

const journalKinds = [
  "none",
  "none",
  "of this namespace",
  "of another namespace",
  "of an earlier boot",
  "of a newer format",
  "unreadable",
  "a directory",
] as const;
export type JournalKind = (typeof journalKinds)[number];

/** Every host has this namespace. Calls read only its identity. */
export const sandbox = "/proc/self/ns/net";
export const network = "zone";
export const containerId = "blue";

/** Returns the same requests for the same seed. */
export function makeRequests(count: number, seed: number): Request[] {
  return fc.sample(request(), { numRuns: count, seed });
}

const often = <T>(value: T, other: fc.Arbitrary<T>, weight = 9): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: other });
const oneOf = <const T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

function request(): fc.Arbitrary<Request> {
  const version = oneOf(...versions, "0.4.0", "1.0.0", "1.1.0");
  return fc
    .record({
      verb: oneOf(...verbs, "ADD", "ADD", "ADD", "ADD", "ADD", "CHECK", "CHECK", "DEL", "DEL", "GC"),
      version,
      position: oneOf(...positions, "behind others", "behind others", "behind its own interface"),
    })
    .chain((kind) =>
      fc.record({
        kind: fc.constant(kind),
        link: oneOf(
          "bridge-wrapper",
          "bridge-wrapper",
          "macvlan-wrapper",
          "portmap-wrapper",
          "nobody-wrapper",
          "cni-wrappers",
        ),
        env: variables(kind.verb),
        stdin: stdin(kind.verb, kind.version, kind.position),
        logged: fc.boolean(),
        answers: fc.record({ ADD: answer("ADD"), DEL: answer("DEL"), CHECK: answer("CHECK") }),
        journal: oneOf(...journalKinds),
      }),
    );
}

function variables(verb: string): fc.Arbitrary<Record<string, string>> {
  const command = verb === "none" ? "" : verb === "unknown" ? "PRUNE" : verb;
  const value = (usual: string, ...others: string[]) => often(usual, oneOf("", ...others), 19);
  return fc.record({
    CNI_COMMAND: fc.constant(command),
    CNI_CONTAINERID: value(containerId, "../blue", "b\u00e9"),
    CNI_NETNS: value(sandbox, "/nowhere"),
    CNI_IFNAME: value("eth0", "sixteen-bytes-16", "a:b", "\u00e9th0"),
    CNI_ARGS: often("", oneOf("IP=10.0.0.9;K8S_POD_NAME=a;MAC=02:00:00:00:00:01", "NOMAD_JOB_ID=\u65e5;x", ";;")),
    CNI_WRAPPERS_LOG_LEVEL: oneOf("", "debug", "info", "warn", "error", "loud"),
    ODD: oneOf("", "two\nlines", "a=b", "\u{1f41d}"),
  });
}

function stdin(verb: string, version: string, position: Position): fc.Arbitrary<Request["stdin"]> {
  const text = configuration(verb, version, position);
  const bytes = text.map((one) => Buffer.from(one));
  const broken = fc.oneof(
    text.map((one) => Buffer.from(one.slice(0, one.length / 2))),
    text.map((one) => Buffer.from(`\uFEFF${one}`)),
    text.map((one) => Buffer.from(`${one}${one}`)),
    text.map((one) => Buffer.from(one.replace("zone", "z\xff"), "latin1")),
    oneOf("", " \n", "[]", "null", "7", '{"name":"zone",}', "nul").map((one) => Buffer.from(one)),
  );
  return fc.oneof(
    { weight: 180, arbitrary: bytes },
    { weight: 14, arbitrary: broken },
    { weight: 2, arbitrary: fc.constant(Buffer.alloc(8 * 1024 * 1024 + 1, " ")) },
    { weight: 2, arbitrary: fc.constant("a directory" as const) },
  );
}

function configuration(verb: string, version: string, position: Position): fc.Arbitrary<string> {
  return fc
    .record({
      name: often<unknown>(network, oneOf<unknown>(undefined, "", "a/b", 7), 30),
      wrapper: fc.oneof(
        { weight: 2, arbitrary: fc.constant(undefined) },
        { weight: 9, arbitrary: wrapperBlock() },
        {
          weight: 1,
          arbitrary: oneOf<unknown>(null, [], "eth1", { ifname: "eth1" }, { log: { path: "/l" } }, { role: "both" }),
        },
      ),
      bridge: oneOf(undefined, "disc0", "eth1"),
      isGateway: oneOf(undefined, true, false),
      ipam: oneOf<unknown>(undefined, {}, { type: "static", addresses: [] }),
      runtimeConfig: fc.option(fc.oneof(portMappings(), fc.jsonValue({ maxDepth: 3 })), { nil: undefined }),
      prevResult: prevResult(version, position),
      more: fc.dictionary(
        oneOf("a", "__proto__", "1", "10", "2", "BRIDGE", "\u00e9", "constructor", "toString", "Wrappers"),
        json(),
      ),
      large: often<string>("", large()),
    })
    .map(({ name, wrapper, more, large, prevResult, ...rest }) => {
      const cniVersion = version === "none" ? undefined : version;
      const attachments =
        verb === "GC" ? { "cni.dev/valid-attachments": [{ containerID: containerId, ifname: "eth0" }] } : {};
      const before = position === "first" ? {} : { prevResult };
      const whole = { cniVersion, name, type: "bridge-wrapper", wrapper, ...rest, ...attachments, ...before };
      // JSON text keeps keys that JavaScript treats specially.
      return `${JSON.stringify(whole).slice(0, -1)}${large},${JSON.stringify(more).slice(1)}`.replace(/,}$/, "}");
    });
}

/** A member that is so large that the slim flavor may not parse it. */
function large(): fc.Arbitrary<string> {
  const key = oneOf("args", "args", "x", "ipam", "1", "\u00e9");
  const part = fc.oneof(
    json().map((value) => JSON.stringify(value)),
    oneOf("1.0", '"\\u0041"', " 1", '{"a":1,"a":2}', "01"),
  );
  return fc.tuple(key, part).map(([key, part]) => `,"${key}":[${`${part},`.repeat(30_000 / (part.length + 1))}7]`);
}

const json = () => fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.double({ noNaN: true }), fc.constant("half \\ud800"));

function portMappings(): fc.Arbitrary<object> {
  const port = oneOf<unknown>(443, 80, 8500, "443");
  const mapping = fc.oneof(fc.record({ containerPort: port }), fc.record({ ContainerPort: port, HostPort: port }));
  return fc.record({ portMappings: fc.array(mapping, { maxLength: 3 }) });
}

function wrapperBlock(): fc.Arbitrary<object> {
  const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
  return fc.record({
    ifName: maybe(often<string>("eth1", oneOf("eth0", "eth2", "a b", "\ud800", "eth@1"), 2)),
    delegate: maybe(
      often<string>("bridge", oneOf("macvlan", "portmap", "nobody", "unloadable", "../bridge", "\ud800"), 2),
    ),
    role: often<string | undefined>(undefined, oneOf("creator", "meta")),
    network: maybe(often("disc", fc.constant("a b"))),
    args: maybe(often<unknown>("keep", oneOf<unknown>({ IP: "NOMAD_JOB_ID", MAC: "MAC" }, { IP: "a;b" }))),
    ports: maybe(
      often<unknown>(
        { only: [443, "8000-8999"] },
        oneOf<unknown>({ except: [443] }, { only: ["9-1"] }, { onyl: [443] }),
      ),
    ),
    recover: maybe(oneOf("own", "always", "never")),
  });
}

function prevResult(version: string, position: Position): fc.Arbitrary<unknown> {
  if (position === "behind what is malformed") {
    return oneOf<unknown>(
      [],
      "eth0",
      7,
      { ips: [{ address: "10.0.0.2/24", interface: 9 }] },
      { interfaces: [{}] },
      { routes: [{ gw: 1 }] },
    );
  }
  const own = position === "behind its own interface";
  const attachment = (name: string, subnet: number) => ({
    interfaces: [{ name: "disc0" }, { name: `veth${subnet}`, mac: "02:00:00:00:00:01" }, { name, sandbox }],
    ips: [{ address: `10.0.${subnet}.2/24`, gateway: `10.0.${subnet}.1` }, { address: `fd00:${subnet}::2/64` }],
    routes: [{ dst: "0.0.0.0/0", gw: `10.0.${subnet}.1` }],
  });
  const names = oneOf(
    ...(own ? [["eth0"], ["eth1"], ["eth0", "eth1"], ["eth1", "eth0"]] : [["eth5"], ["net1", "eth5"]]),
  );
  return fc
    .record({ names, indexed: fc.boolean(), unknown: json(), dns: dns() })
    .map(({ names, indexed, unknown, dns }) => {
      const parts = names.map((name, index) => attachment(name, index));
      return {
        cniVersion: version === "none" ? undefined : version,
        interfaces: parts.flatMap(({ interfaces }) => interfaces),
        ips: parts.flatMap(({ ips }, index) => ips.map((ip) => (indexed ? { ...ip, interface: 3 * index + 2 } : ip))),
        routes: parts.flatMap(({ routes }) => routes),
        dns,
        unknown,
      };
    });
}

function dns(): fc.Arbitrary<unknown> {
  return oneOf<unknown>(
    undefined,
    null,
    {},
    { nameservers: ["10.0.0.53"], search: ["a", "b"], domain: "x" },
    { search: ["b"] },
  );
}

function answer(verb: string): fc.Arbitrary<{ output: string; end: string }> {
  const error = JSON.stringify({ code: 11, msg: "try again" });
  const exists = JSON.stringify({ code: 999, msg: "file exists" });
  const result = (name: string) =>
    JSON.stringify({
      cniVersion: "1.0.0",
      interfaces: [{ name: "br0" }, { name: "veth9" }, { name, sandbox }, { name: "trailing" }],
      ips: [{ address: "172.16.0.2/16", interface: 2 }, { address: "fd00::2/64" }],
      routes: [{ dst: "10.0.0.0/8" }],
      dns: { nameservers: ["9.9.9.9"], search: ["b", "c"] },
    });
  const good = verb === "ADD" ? oneOf(result("eth0"), result("eth1"), "{}") : oneOf("", '{"a": 1}\n');
  const bad = oneOf(
    "done\n",
    "[]",
    '{"ips":[{"address":"10.0.0.2/24","interface":9}]}',
    '{"cniVersion":"2.0.0"}',
    error,
  );
  return fc.oneof(
    { weight: 10, arbitrary: fc.record({ output: good, end: fc.constant("0") }) },
    { weight: 3, arbitrary: fc.record({ output: good, end: fc.constant("forgets") }) },
    { weight: 3, arbitrary: fc.record({ output: oneOf(error, exists, "panic\n"), end: oneOf("1", "77") }) },
    { weight: 8, arbitrary: fc.record({ output: bad, end: oneOf("0", "1") }) },
    { weight: 3, arbitrary: fc.record({ output: fc.constant(""), end: oneOf("SIGKILL", "SIGTERM", "SIGSEGV") }) },
  );
}
