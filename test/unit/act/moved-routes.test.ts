import { describe, expect, test } from "vitest";
import { callWrapper, exits, type Machine, printed } from "../support/fake-host.ts";
import { bothResult, bridgeResult } from "../support/results.ts";

type Ip = NonNullable<Machine["ip"]>;

const sbr = "/opt/cni/bin/sbr-wrapper";
const stdin = { cniVersion: "1.0.0", name: "zone", wrapper: { ifName: "eth1" }, prevResult: bothResult };
const recordFile = "/var/lib/cni/wrappers/zone:blue:eth0::routes";

const defaultRoute = { dst: "0.0.0.0/0", gateway: "172.26.64.1", dev: "eth1", table: "100" };
const subnet = { dst: "172.26.64.0/20", dev: "eth1", table: "100" };
const ofIpv6 = { dst: "fd00::/64", dev: "eth1", table: "101" };
const rule = { src: "172.26.64.2", table: "100" };
const links = [{ ifname: "eth1", addr_info: [{ local: "172.26.64.2", prefixlen: 20 }] }];
const record = {
  ...{ network: "zone", containerId: "blue", runtimeIfName: "eth0", namespace: "4:4026531840" },
  ...{ routes: [defaultRoute, subnet, ofIpv6], rules: [rule] },
};

/** An ip(8) that answers in one namespace, with these routes and rules for each family. */
function ipWith(routes: object[], rules: object[], routesOf6: object[]): Ip {
  return (netns, family, commands) => {
    if (netns !== "/run/netns/blue" || commands !== "route show table all\nrule show\naddress show\n") return undefined;
    const lists = { 4: [routes, rules, links], 6: [routesOf6, [], []] }[family];
    return lists.map((list) => `${JSON.stringify(list)}\n`).join("");
  };
}

const asRecorded = ipWith([defaultRoute, subnet], [rule], [ofIpv6]);

function add(machine: Machine) {
  const env = { CNI_WRAPPERS_LOG: "/log", CNI_WRAPPERS_LOG_LEVEL: "warn" };
  const outcome = callWrapper({ calledAs: sbr, stdin, env }, { answers: [exits(0, bridgeResult)], ...machine });
  return { ...outcome, warnings: outcome.log.map(({ line }) => JSON.parse(line)) };
}

describe("ADD of a plugin that moves routes", () => {
  test("records where they are now, for both families", () => {
    const { exitCode, files, warnings } = add({ ip: asRecorded });
    expect({ exitCode, warnings }).toEqual({ exitCode: 0, warnings: [] });
    expect(JSON.parse(files[recordFile] ?? "")).toEqual(record);
    expect(files[recordFile]).toMatch(/\}\n$/);
  });

  test.each<[string, Ip]>([
    ["there is no ip(8)", () => undefined],
    ["it answers for IPv4 only", (...given) => (given[1] === 4 ? asRecorded(...given) : undefined)],
    ["it answers for IPv6 only", (...given) => (given[1] === 6 ? asRecorded(...given) : undefined)],
  ])("passes with a warning if %s", (_, ip) => {
    const { exitCode, files, warnings } = add({ ip });
    expect(exitCode).toBe(0);
    expect(files).not.toHaveProperty([recordFile]);
    const message = "CHECK will not find the moved routes: they cannot be read, is iproute2 (ip) installed?";
    expect(warnings).toMatchObject([{ level: "warn", message }]);
  });

  test("passes with a warning if the namespace cannot be named", () => {
    const { exitCode, files, warnings } = add({ ip: asRecorded, noNamespace: true });
    expect(exitCode).toBe(0);
    expect(files).toEqual({});
    expect(warnings).toMatchObject([{ message: expect.stringMatching(/^CHECK will not find the moved routes: /) }]);
  });

  test("passes with a warning if the record cannot be written", () => {
    const { exitCode, warnings } = add({ ip: asRecorded, writeProblem: "EROFS" });
    expect(exitCode).toBe(0);
    expect(warnings).toContainEqual(
      expect.objectContaining({ level: "warn", message: "CHECK will not find the moved routes: EROFS" }),
    );
  });

  test("leaves no record if its answer is invalid, because its DEL is run", () => {
    const answers = [exits(0, { ...bridgeResult, cniVersion: "9.0.0" }), exits(0)];
    const { exitCode, files, runs } = add({ answers, ip: asRecorded, files: { [recordFile]: "{}" } });
    expect({ exitCode, verbs: runs.map(({ env }) => env.CNI_COMMAND) }).toEqual({ exitCode: 1, verbs: ["ADD", "DEL"] });
    expect(files).not.toHaveProperty([recordFile]);
  });
});

describe("CHECK after routes were moved", () => {
  function check(calledAs: string, more: Machine = {}, configuration: object = stdin) {
    const files = { [recordFile]: `${JSON.stringify(record)}\n` };
    return callWrapper({ calledAs, stdin: configuration, env: { CNI_COMMAND: "CHECK" } }, { files, ...more });
  }

  test("the creator is not asked for moved routes, and gets the rest unchanged", () => {
    const more = { ...stdin, mtu: 1400 };
    const [run] = check("/opt/cni/bin/bridge-wrapper", {}, more).runs;
    expect(run?.stdin).toMatchObject({ mtu: 1400, type: "bridge", prevResult: { ips: [] } });
    expect(run?.stdin).toHaveProperty("prevResult.interfaces", bridgeResult.interfaces);
    expect(run?.stdin).toHaveProperty("prevResult.routes", bridgeResult.routes);
  });

  test("a record of another namespace is ignored", () => {
    const files = { [recordFile]: JSON.stringify({ ...record, namespace: "4:1" }) };
    const [run] = check("/opt/cni/bin/bridge-wrapper", { files }).runs;
    expect(run?.stdin).toHaveProperty("prevResult.ips", bridgeResult.ips);
    expect(check(sbr, { files, ip: () => undefined })).toMatchObject({ exitCode: 0, runs: [{ how: "exec" }] });
  });

  test("the mover's CHECK runs with everything that was moved if nothing is missing", () => {
    const outcome = check(sbr, { ip: asRecorded });
    expect(outcome).toMatchObject({ exitCode: 0, runs: [{ path: "/opt/cni/bin/sbr" }] });
    expect(outcome.runs[0]?.stdin).toHaveProperty("prevResult.ips", bridgeResult.ips);
  });

  test("the mover's CHECK compares routes without a prevResult, too", () => {
    const { prevResult: _, ...alone } = stdin;
    expect(check(sbr, { ip: asRecorded }, alone)).toMatchObject({ exitCode: 0, runs: [{ how: "exec" }] });
    const outcome = check(sbr, { ip: ipWith([subnet], [rule], [ofIpv6]) }, alone);
    expect(printed(outcome)).toMatchObject({ code: 105, details: expect.stringContaining("route 0.0.0.0/0") });
  });

  test.each([
    ["a route", ipWith([subnet], [rule], [ofIpv6]), "route 0.0.0.0/0 via 172.26.64.1 table 100"],
    ["a route of IPv6", ipWith([defaultRoute, subnet], [rule], []), "route fd00::/64 table 101"],
    ["a rule", ipWith([defaultRoute, subnet], [], [ofIpv6]), "rule from 172.26.64.2 lookup 100"],
  ])("the mover's CHECK fails if %s is missing", (_, ip, missing) => {
    const outcome = check(sbr, { ip });
    expect(outcome).toMatchObject({ exitCode: 1, runs: [] });
    expect(printed(outcome)).toMatchObject({ code: 105, details: expect.stringContaining(`missing: ${missing}.`) });
  });

  test.each([4, 6])("the mover's CHECK fails if ip(8) answers for IPv%i only", (answered) => {
    const ip: Ip = (...given) => (given[1] === answered ? asRecorded(...given) : undefined);
    expect(printed(check(sbr, { ip }))).toMatchObject({ code: 106 });
  });
});
