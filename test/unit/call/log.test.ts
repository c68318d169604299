import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { type Call, callWrapper, exits, type Machine } from "../support/fake-host.ts";
import { macvlanResult } from "../support/results.ts";

const zone = { cniVersion: "1.0.0", name: "zone", type: "bridge-wrapper" };

/** The lines that a call logs, parsed. */
function logged(call: Call, machine?: Machine): JsonObject[] {
  const { log } = callWrapper(call, machine);
  for (const { line } of log) expect(line).toMatch(/^[^\n]+\n$/);
  return log.map(({ line }) => JSON.parse(line));
}

/** An answer that every call takes. */
const passing: Machine = { answers: [exits(0, "{}")] };

function withLog(level: string | undefined, more: JsonObject = {}, env: Record<string, string> = {}): Call {
  const log = { file: "/var/log/cni.log", ...(level === undefined ? {} : { level }) };
  return { env, stdin: { ...zone, ...more, wrapper: { ...(more.wrapper as JsonObject), log } } };
}

const hostWide = { CNI_WRAPPERS_LOG: "/host.log" };

test.each<[string, Call, string[]]>([
  ["nowhere", { stdin: zone }, []],
  ["nowhere, for an empty variable", { stdin: zone, env: { CNI_WRAPPERS_LOG: "" } }, []],
  ["where the host says", { stdin: zone, env: hostWide }, ["/host.log"]],
  ["where the configuration says, before the host", withLog(undefined, {}, hostWide), ["/var/log/cni.log"]],
])("the log's file is %s", (_, call, files) => {
  expect([...new Set(callWrapper(call, passing).log.map(({ file }) => file))]).toEqual(files);
});

describe("the log's level", () => {
  /** An ADD with an invalid answer: it has lines at each level. */
  const failing: Machine = { answers: [exits(0, "done"), exits(0)] };

  test.each(["trace", "INFO", "constructor"])(
    "an unknown level, %s: a warning once a call, then the default",
    (level) => {
      const env = { CNI_WRAPPERS_LOG: "/host.log", CNI_WRAPPERS_LOG_LEVEL: level };
      const message = `CNI_WRAPPERS_LOG_LEVEL is "${level}", which is not a level: the wrapper uses info. The levels are error, warn, info, debug.`;
      const warning = { level: "warn", message, command: expect.any(String), containerId: "blue" };
      const failed = { level: "error", code: 102 };
      expect(logged({ stdin: zone, env }, failing)).toMatchObject([
        ...[warning, { level: "info" }, { level: "error" }, { level: "info" }, failed],
      ]);
      for (const command of ["CHECK", "DEL", "VERSION"]) {
        const lines = logged({ stdin: zone, env: { ...env, CNI_COMMAND: command } });
        expect(lines).toMatchObject([warning, { level: "info" }]);
      }
      expect(logged({ stdin: "{", env })).toMatchObject([warning, { level: "error", code: 6 }]);
    },
  );

  test.each([
    ["the configuration has a level of its own", withLog("info"), { CNI_WRAPPERS_LOG_LEVEL: "trace" }],
    ["the variable is empty", { stdin: zone }, { CNI_WRAPPERS_LOG: "/host.log", CNI_WRAPPERS_LOG_LEVEL: "" }],
    ["there is no log", { stdin: zone }, { CNI_WRAPPERS_LOG_LEVEL: "trace" }],
  ])("no warning if %s", (_, call, env) => {
    expect(logged({ ...call, env }).filter(({ level }) => level === "warn")).toEqual([]);
  });
});

describe("a line of the log", () => {
  const args = "IgnoreUnknown=1;K8S_POD_NAME=web;K8S_POD_NAMESPACE=a=b;NOMAD_JOB_ID=two;OTHER=hush;XK8S_POD_NAME=hush";

  test("of an ADD", () => {
    const call = withLog("info", { wrapper: { ifName: "eth1" } }, { CNI_ARGS: args });
    expect(logged(call, passing)).toStrictEqual([
      {
        time: expect.stringMatching(/^2030-01-02T03:04:05\.\d{3}Z$/),
        level: "info",
        pid: 4711,
        command: "ADD",
        containerId: "blue",
        ifName: "eth1",
        workload: { K8S_POD_NAME: "web", K8S_POD_NAMESPACE: "a=b", NOMAD_JOB_ID: "two" },
        network: "zone",
        delegate: "bridge",
        message: "delegate passed ADD",
        durationMs: 7,
        exitCode: 0,
      },
    ]);
  });

  test("names the container and the interface, if the call has them", () => {
    const [ofCheck] = logged(withLog("info", {}, { CNI_COMMAND: "CHECK" }));
    expect(ofCheck).toMatchObject({ command: "CHECK", containerId: "blue", ifName: "eth0" });
    const [line] = logged(withLog("info", {}, { CNI_COMMAND: "STATUS", CNI_CONTAINERID: "", CNI_IFNAME: "" }));
    for (const key of ["containerId", "ifName", "workload"]) expect(line).not.toHaveProperty(key);
  });

  describe.each(["ADD", "CHECK", "DEL", "GC", "STATUS"])("of a failed %s, at every level", (command) => {
    const error = { code: 11, msg: "no lease for eth1", details: { ip: "10.0.0.2", token: "hush" } };
    const failure = {
      ...{ level: "error", command, delegate: "bridge", durationMs: 7, exitCode: 3 },
      message: `delegate failed ${command}: no lease for eth1`,
      ...error,
      details: { ip: "10.0.0.2", token: "***" },
    };

    test.each(["error", "warn", "info", "debug"])("%s: the delegate's code and message", (level) => {
      const call = withLog(level, {}, { CNI_COMMAND: command });
      const lines = logged(call, { answers: [exits(3, { cniVersion: "1.0.0", ...error })] });
      expect(lines.filter((line) => line.level !== "debug")).toMatchObject([failure]);
      expect(lines.some((line) => "answer" in line)).toBe(level === "debug");
    });

    test.each(["", "killed by hand", "[1]", "null", "{}"])("an answer that is not a CNI error, %j", (answer) => {
      const lines = logged(withLog("error", {}, { CNI_COMMAND: command }), { answers: [exits(3, answer)] });
      const message = `delegate failed ${command}: it printed no CNI error`;
      expect(lines).toMatchObject([{ level: "error", message, durationMs: 7, exitCode: 3 }]);
      expect(JSON.stringify(lines)).not.toContain("killed by hand");
    });
  });

  test("of the wrapper's own error: code, message, details", () => {
    const call = withLog("error", { prevResult: macvlanResult });
    expect(logged(call)).toMatchObject([
      { level: "error", code: 7, message: "interface name eth0 is taken", details: expect.any(String) },
    ]);
  });

  test("at debug: the configuration before and after, and the answer", () => {
    const lines = logged(withLog("debug", { bridge: "br0" }), { answers: [exits(0, { ips: [] })] });
    expect(lines.filter(({ level }) => level === "debug")).toMatchObject([
      { message: "plugin configuration received", configuration: { ...zone, bridge: "br0", wrapper: {} } },
      { message: "running /opt/cni/bin/bridge: ADD", configuration: { type: "bridge", bridge: "br0" } },
      { message: "delegate's answer", answer: { ips: [] } },
    ]);
  });

  test("at debug: a configuration and an answer that are nested too deeply change nothing but their lines", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const answers = [exits(3, `{"code":11,"msg":"no lease","details":${deep}}`)];
    for (const command of ["ADD", "CHECK", "DEL"]) {
      const { exitCode, stdout, log } = callWrapper(withLog("debug", {}, { CNI_COMMAND: command }), { answers });
      expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: answers[0]?.stdout.toString() });
      expect(log.map(({ line }) => JSON.parse(line)).slice(-2)).toMatchObject([
        { level: "error", message: `delegate failed ${command}: no lease`, leftOut: "nested too deeply" },
        { level: "debug", message: "delegate's answer", leftOut: "nested too deeply" },
      ]);
    }
  });

  test("at debug: an answer that is not UTF-8 is empty", () => {
    const answers = [exits(0, Buffer.from([0x7b, 0xff]))];
    const lines = logged(withLog("debug", {}, { CNI_COMMAND: "CHECK" }), { answers });
    expect(lines.at(-1)).toMatchObject({ message: "delegate's answer", answer: "" });
  });
});

test.each(["ADD", "CHECK", "DEL"])("a log that cannot be written: %s says so once on stderr, and passes", (command) => {
  const call = withLog("debug", {}, { CNI_COMMAND: command });
  const outcome = callWrapper(call, { answers: [exits(0, "{}")], logProblem: "EACCES" });
  expect(outcome).toMatchObject({ exitCode: 0, stdout: "{}" });
  // Later lines are still written.
  expect(outcome.log).not.toEqual([]);
  expect(outcome.stderr).toBe("cni-wrappers: warning: cannot write the log /var/log/cni.log: EACCES\n");
});

describe("secrets", () => {
  const masked = ["password", "passwd", "passphrase", "pass", "dbPassword", "secret", "clientSecret", "token"]
    .concat(["bearer_token", "TOKEN", "credentials", "privateKey", "private_key", "apiKey", "api-key", "auth"])
    .concat(["authorization", "psk", "presharedKey", "pwd", "passwords", "accessKey", "access_key_id", "encryptionKey"])
    .concat(["sshKey", "jwt", "kubeconfig", "env", "ENV", "envs", "environment"])
    .concat(["clientKey", "tls_key", "signingKey", "hmacKey", "masterKey", "bearer", "basicAuth", "cookie", "creds"])
    .concat(["community", "snmp-community", "dsn", "databaseDSN", "pin", "simPin"])
    .concat(["password2", "rootPasswordHash", "passcode", "sslKey", "deploy_keys", "account-key", "adminPw", "otp"]);
  const shown = ["name", "bridge", "passthru", "compass-x", "keyring", "publicKey", "mac", "master", "envoy", "key"]
    .concat(["portMappings", "sysctl", "pinned", "spin", "publicKeys", "public_key", "keys", "monkey"])
    .concat(["hot_keyboard", "bypassed"]);

  function loggedConfiguration(more: JsonObject): unknown {
    return logged(withLog("debug", { x: more }), passing)[0]?.configuration;
  }

  test.each(masked)("the value of %s is masked", (key) => {
    for (const value of ["hush", 7, true, ["hush"], { deep: "hush" }]) {
      expect(loggedConfiguration({ [key]: value })).toMatchObject({ x: { [key]: "***" } });
    }
    expect(loggedConfiguration({ list: [{ [key]: "hush" }] })).toMatchObject({ x: { list: [{ [key]: "***" }] } });
  });

  test.each(shown)("the value of %s is not masked", (key) => {
    expect(loggedConfiguration({ [key]: "said" })).toMatchObject({ x: { [key]: "said" } });
  });

  test.each([
    ["https://user:hush@host/path", "https://***@host/path"],
    ["etcd at http://user:hu@sh@host:2379, https://hush@b", "etcd at http://***@host:2379, https://***@b"],
    ["user@host", "user@host"],
    ["user:hush@tcp(10.0.0.1:3306)/db", "***@tcp(10.0.0.1:3306)/db"],
    ["dsn=user:hush@host and fd00::1", "dsn=***@host and fd00::1"],
    ["http://host/@path", "http://host/@path"],
    ["registry/image:1@sha256:0, 'user:hush@host", "registry/image:1@sha256:0, '***@host"],
  ])("credentials in the text %s", (text, expected) => {
    expect(loggedConfiguration({ url: text })).toMatchObject({ x: { url: expected } });
  });

  // A job chooses such a value: an expression that looks back and forth would take long.
  test.each(["=a:", "a", "://", "://a", " ", "a@", "=a", "=a:@"])("40,000 times %j is masked at once", (part) => {
    const begin = performance.now();
    const text = `@ ${part.repeat(40_000)} u:p@h`;
    expect(loggedConfiguration({ text })).toMatchObject({ x: { text: expect.stringMatching(/ \*\*\*@h$/) } });
    expect(performance.now() - begin).toBeLessThan(1000);
  });

  test("a failed DEL after a failed ADD: its message, not its answer", () => {
    const answers = [exits(0, "done"), exits(1, { code: 11, msg: "busy", token: "hush" })];
    const { log, stdout } = callWrapper(withLog("warn"), { answers });
    expect(stdout).toContain("The delegate's DEL failed as well: busy");
    expect(log.map(({ line }) => line).join("")).not.toContain("hush");
  });

  test("null is not masked", () => {
    expect(loggedConfiguration({ token: null })).toMatchObject({ x: { token: null } });
  });

  test("the delegate's configuration is not masked", () => {
    const { runs } = callWrapper(withLog("debug", { token: "hush" }), passing);
    expect(runs).toMatchObject([{ stdin: { token: "hush" } }]);
  });
});
