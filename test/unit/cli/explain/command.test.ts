import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { linesText } from "../../../../shared/journal/lines.ts";
import { runCommand, trouble } from "../../support/fake-terminal.ts";
import { entryOf, linesOf } from "../../support/journals.ts";
import { writeFile } from "../../support/written.ts";
import { root } from "./support.ts";

const directory = mkdtempSync(join(tmpdir(), "explain-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Runs a command in the repository's root. */
const inRoot = (args: readonly string[]) => runCommand(args, { directory: root });

const zone = "conf-examples/macvlan-bridge.conflist";

function written(name: string, content: string | object): string {
  const path = join(directory, name);
  writeFile(path, content);
  return path;
}

/** libcni's cache with one attachment, as libcni writes it. */
function cache(name: string, changes: object = {}, file = "zone-blue-eth0"): string {
  const result = {
    cniVersion: "1.0.0",
    interfaces: [
      { name: "eth0", mac: "02:00:00:00:00:01", sandbox: "/run/netns/none" },
      { name: "disc0", mac: "02:00:00:00:00:02" },
      { name: "veth1a2b3c4d", mac: "02:00:00:00:00:03" },
      { name: "eth1", mac: "02:00:00:00:00:04", sandbox: "/run/netns/none" },
    ],
    ips: [
      { address: "172.16.5.123/24", gateway: "172.16.5.1", interface: 0 },
      { address: "172.26.64.77/20", gateway: "172.26.64.1", interface: 3 },
    ],
  };
  const key = { kind: "cniCacheV1", containerId: "blue", ifName: "eth0", networkName: "zone" };
  const cniArgs = Object.entries({ IgnoreUnknown: "true", NOMAD_JOB_ID: "two" });
  written(`${name}/results/${file}`, { ...key, config: "e30=", cniArgs, capabilityArgs: {}, result, ...changes });
  return join(directory, name);
}

describe("explain", () => {
  test.each([
    [
      ["--args", "IP"],
      "option '--args <pairs>' argument 'IP' is invalid. Write pairs, such as IP=172.16.5.9;MAC=02:00:00:00:00:01.",
    ],
    [["--args", "IP=172.16.5.9;"], "option '--args <pairs>' argument 'IP=172.16.5.9;' is invalid. Write pairs, "],
    [
      ["--container", "blue", "--args", "IP=1.2.3.4"],
      "option '--container <id>' cannot be used with option '--args <pairs>'",
    ],
    [
      ["--container", "blue", "--port", "80:80"],
      "option '--container <id>' cannot be used with option '--port <mapping>'",
    ],
  ])("refuses what no plugin takes, or what it would not look at: %j", async (words, message) => {
    const { exitCode, stderr } = await inRoot(["explain", zone, ...words]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  test("prints data", async () => {
    const { exitCode, stdout } = await inRoot(["explain", zone, "--json", "--verb", "check"]);
    expect(exitCode).toBe(0);
    const { verb, network, steps, result, verdict } = JSON.parse(stdout);
    expect({ verb, network }).toEqual({ verb: "CHECK", network: "zone" });
    expect(verdict[0]).toMatchObject({ event: "start", passes: true });
    const plain = readFileSync(join(root, zone), "utf8")
      .replace(/-wrapper",/g, '",')
      .replace(/"wrapper": .*\n/, "");
    const scripted = await inRoot(["explain", written("plain.conflist", plain), "--json"]);
    expect(JSON.parse(scripted.stdout)).toMatchObject({
      afterScript: { message: expect.stringMatching(/^Failed to match/) },
    });
    const addresses = result.ips.map(({ address }: { address: string }) => address);
    expect(addresses).toEqual(["172.16.5.100/24", "172.26.64.2/20"]);
    expect(steps[1]).toMatchObject({
      plugin: "bridge-wrapper",
      isWrapped: true,
      given: { environment: { CNI_IFNAME: "eth0" }, stdin: { type: "bridge-wrapper" } },
      plan: { do: "handOver" },
      runs: [{ plugin: "bridge", environment: { CNI_IFNAME: "eth1" }, stdin: { name: "zone-eth1" } }],
      exitCode: 0,
    });
  });

  test("ends with 1 if the list fails", async () => {
    const twoTaps = (name: string, block: object) => {
      const plugins = [{ type: "tap-wrapper" }, { type: "tap-wrapper", ...block }];
      return written(name, { cniVersion: "1.0.0", name: "zone", plugins });
    };
    const twice = twoTaps("twice.conflist", {});
    expect(await inRoot(["explain", twice])).toMatchObject({ exitCode: 1, stderr: "" });
    const wrong = twoTaps("wrong.conflist", { wrapper: { ifName: 7 } });
    const container = ["--container", "blue", "--cache-dir", cache("fails")];
    expect(await inRoot(["explain", wrong, ...container])).toMatchObject({ exitCode: 1, stderr: "" });
  });

  test("publishes the ports and passes the CNI_ARGS that are named", async () => {
    const list = "conf-examples/published-on-two.conflist";
    const args = ["--port", "9000:9000/udp", "--args", "IP=172.30.0.9;A=B"];
    // A list after --port is no port.
    const { stdout } = await inRoot(["explain", "--port", "8080:80", list, ...args]);
    expect(stdout).toMatch(/^portmap :8080\/tcp to :80$/m);
    expect(stdout).toMatch(/^portmap :9000\/udp to :9000$/m);
    expect(stdout).toMatch(/ eth0 +172.30.0.9\/20$/m);
    expect(stdout).toContain("- CNI_ARGS=IP=172.30.0.9;A=B\n");
  });
});

test("explain --html replaces no file that is no page, such as the list itself", async () => {
  const list = written("own.conflist", readFileSync(join(root, zone), "utf8"));
  expect(await inRoot(["explain", "--html", list, list])).toEqual(
    trouble(`${list} exists, and explain did not write it; name another file, or remove this one if nobody needs it`),
  );
  expect(await inRoot(["explain", zone, "--html", directory])).toEqual(
    trouble(`${directory} is a directory: name a file in it`),
  );
  expect(readFileSync(list, "utf8")).toBe(readFileSync(join(root, zone), "utf8"));
});

describe("explain --container", () => {
  const explainBlue = (cacheDir: string, ...options: string[]) =>
    inRoot(["explain", zone, "--container", "blue", "--cache-dir", cacheDir, ...options]);

  test("takes the addresses of a container from libcni's cache, and CHECK is the verb", async () => {
    const { exitCode, stdout } = await explainBlue(cache("live"));
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^CHECK in the network zone: container blue, interface eth0\n/);
    expect(stdout).toMatch(/ eth1 +172.26.64.77\/20$/m);
    expect(stdout).not.toContain("example");
  });

  test("gives each plugin its part of the cached result, and the cached CNI_ARGS", async () => {
    const cacheDir = cache("parts", { cniArgs: Object.entries({ IP: "172.16.5.123", A: "B" }) });
    const { steps } = JSON.parse((await explainBlue(cacheDir, "--json")).stdout);
    expect(steps[0].runs).toMatchObject([
      {
        environment: { CNI_ARGS: "IP=172.16.5.123;A=B", CNI_CONTAINERID: "blue", CNI_NETNS: "/run/netns/none" },
        stdin: { prevResult: { interfaces: [{ name: "eth0" }], ips: [{ address: "172.16.5.123/24" }] } },
      },
    ]);
    expect(steps[1].runs).toMatchObject([
      {
        environment: { CNI_ARGS: "A=B", CNI_IFNAME: "eth1" },
        stdin: { prevResult: { ips: [{ address: "172.26.64.77/20", interface: 2 }] } },
      },
    ]);
  });

  const made = entryOf({ type: "bridge", ifName: "eth1", delegateNetwork: "older" });

  test("changes nothing on the host", async () => {
    const text = linesText(linesOf([made]));
    const file = written("kept/wrappers/blue/zone:eth0", text);
    const { stdout } = await explainBlue(cache("kept"), "--verb", "DEL");
    expect(stdout).toContain("The wrapper undoes bridge of eth1, the last one first.");
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("makes no namespace for a DEL that would need one for its masquerading rules", async () => {
    const masqueraded = entryOf({ ...made, bootId: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim() });
    const configuration = { ...masqueraded.configuration, ipMasq: true };
    written("lent/wrappers/blue/zone:eth0", linesText(linesOf([{ ...masqueraded, configuration }])));
    const { stdout } = await explainBlue(cache("lent"), "--verb", "DEL");
    expect(stdout).not.toContain("CNI_NETNS=/run/netns/cni-wrappers-");
  });

  test("takes the beginning of an id, but not of two", async () => {
    const changes = { containerId: "blue-and-more" };
    const cacheDir = cache("begins", changes, "zone-blue-and-more-eth0");
    const explain = (id: string) => inRoot(["explain", zone, "--container", id, "--cache-dir", cacheDir]);
    expect((await explain("blue-an")).stdout).toContain("container blue-and-more, ");
    cache("begins", { containerId: "blue-ant" }, "zone-blue-ant-eth0");
    const stderr = expect.stringContaining("several attachments");
    expect(await explain("blue-an")).toMatchObject({ exitCode: 2, stderr });
    expect((await explain("blue-ant")).exitCode).toBe(0);
    cache("begins", { containerId: "blue-an" }, "zone-blue-an-eth0");
    expect((await explain("blue-an")).stdout).toContain("container blue-an, ");
  });

  test("names a result that cannot be read, which may be the one", async () => {
    const path = written("unreadable/results/zone-blue-eth0", "x");
    const none = `${join(directory, "unreadable/results")}: there is no attachment of blue to the network zone`;
    const why = `${path}: it is not a JSON object; this attachment is left out`;
    expect(await explainBlue(join(directory, "unreadable"))).toEqual(trouble(`${none}\n${why}`));
  });

  test("takes no attachment to another network", async () => {
    const cacheDir = cache("networks");
    cache("networks", { networkName: "other" }, "other-blue-eth0");
    expect(await explainBlue(cacheDir)).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test.each([
    ["no cache", ["--container", "blue", "--cache-dir", "/nowhere"], "/nowhere/results: there is no such file"],
    [
      "no such container",
      ["--container", "red", "--cache-dir", cache("other")],
      "there is no attachment of red to the network zone",
    ],
    ["ADD", ["--container", "blue", "--verb", "ADD"], "use --container with CHECK or DEL, not ADD"],
  ])("says what is wrong: %s", async (_, args, words) => {
    const { exitCode, stdout, stderr } = await inRoot(["explain", zone, ...args]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(words);
  });
});

test.each([
  ["an unknown verb", [zone, "--verb", "UPDATE"], "the verbs are ADD, CHECK, DEL, GC, STATUS"],
  ["a wrong port", [zone, "--port", "80"], "--port 80: write it like 8080:80 or 8080:80/udp"],
  ["port 0", [zone, "--port", "8080:0"], "--port 8080:0: a port is from 1 to 65535"],
  ["no file", ["nowhere.conflist"], "nowhere.conflist: there is no such file"],
  ["no list", [written("broken.json", '{\n  "a": 1,\n}')], "broken.json:3:1: a key is expected here"],
  ["a list of another kind", [written("array.json", "[]")], "array.json:1:1: the file has no JSON object"],
])("trouble: %s", async (_, args, words) => {
  expect(await inRoot(["explain", ...args])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(words) });
});
