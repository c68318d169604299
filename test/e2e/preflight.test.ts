import { type Container, Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import type { NetworkList } from "../support/runtime.ts";
import { expectSuccess } from "./calls.ts";
import { bridge, front, hostLocal, macvlan, wrapped, zone } from "./support.ts";

/** One attachment in a state of its own, and what the restart must do to it. */
interface Case {
  readonly state: string;
  /** The list at ADD, and the list at the restart if it differs. */
  readonly list: NetworkList;
  readonly now?: NetworkList;
  /** What happens between ADD and the restart. */
  readonly change?: (lab: Lab, container: Container) => Promise<unknown>;
}

const good = zone(wrapped(macvlan), wrapped(bridge, "eth1"));
const isolated = { ...bridge, bridge: "flat0", isGateway: false };

const cases: readonly Case[] = [
  { state: "wrapped", list: good },
  { state: "an address lost", list: good, change: (lab, c) => lab.ip(c, "address", "flush", "dev", "eth1") },
  { state: "a link lost", list: good, change: (lab, c) => lab.ip(c, "link", "delete", "eth1") },
  { state: "half wrapped", list: zone(macvlan, wrapped(bridge, "eth1")) },
  { state: "now half wrapped", list: good, now: zone(macvlan, wrapped(bridge, "eth1")) },
  { state: "ifName changed", list: good, now: zone(wrapped(macvlan), wrapped(bridge, "eth2")) },
  {
    state: "subnet changed",
    list: good,
    now: zone(wrapped(macvlan), wrapped({ ...bridge, ipam: hostLocal("172.27.0.0/20") }, "eth1")),
  },
  { state: "a plugin is missing", list: good, now: zone(wrapped(macvlan), { type: "nix" }) },
  {
    state: "a key added that no CHECK reads",
    list: good,
    now: { ...good, plugins: [...good.plugins, { type: "tuning" }] },
  },
  { state: "one plain bridge", list: zone(front) },
  { state: "one plain bridge on layer 2", list: zone(isolated) },
  { state: "disableCheck", list: zone(macvlan), now: { ...zone(macvlan), disableCheck: true } },
  { state: "no version with CHECK", list: zone(front), now: zone("0.3.1", front) },
  { state: "another version", list: good, now: { ...good, cniVersion: "0.4.0" } },
  {
    state: "the lease lost",
    list: good,
    change: (lab, { name }) => lab.run("sh", ["-c", `rm /var/lib/cni/networks/n${name}-eth1/172.26.*`]),
  },
];

/** The states that a restart survives, as the reference plugins decide. */
const passing = [
  "wrapped",
  "subnet changed",
  "a key added that no CHECK reads",
  "one plain bridge",
  "one plain bridge on layer 2",
  "disableCheck",
  "another version",
];

describe("preflight", () => {
  test("forecasts each state as go-cni's CHECK then answers, and changes nothing", async ({ lab }) => {
    const attachments = [];
    for (const [index, { list, now = list, change }] of cases.entries()) {
      const name = `nc${index}`;
      const container = await lab.addContainer(`c${index}`);
      expectSuccess({ ...(await lab.goCni.add({ ...list, name }, container)), stderr: "" });
      attachments.push({ container, list: { ...now, name }, change });
    }
    // The changes come after all ADDs: another container's port changes a bridge, too.
    for (const { container, change } of attachments) await change?.(lab, container);
    for (const { list } of attachments)
      await lab.writeFile(`/opt/cni/config/${list.name}.conflist`, JSON.stringify(list));
    const files = () => lab.run("sh", ["-c", "find /var/lib/cni -type f | sort | xargs sha256sum"]);
    const before = await files();
    const { stdout, exitCode } = await lab.call(Lab.command, ["preflight", "--json", "--cni-path", Lab.pluginPath]);
    expect(exitCode).toBe(1);
    expect(await files()).toBe(before);
    const forecasts: { network: string; verdict: { is: string; error?: string } }[] = JSON.parse(stdout).attachments;
    const seen = [];
    for (const [index, { container, list }] of attachments.entries()) {
      const real = await lab.goCni.check(list, container);
      const forecast = forecasts.find(({ network }) => network === list.name)?.verdict;
      seen.push({
        state: cases[index]?.state,
        real: real.exitCode === 0 ? "" : real.stderr,
        forecast: forecast?.is === "fails" ? forecast.error : "",
      });
    }
    expect(seen.map(({ state, forecast }) => ({ state, error: forecast }))).toEqual(
      seen.map(({ state, real }) => ({ state, error: real })),
    );
    expect(seen.filter(({ real }) => real === "").map(({ state }) => state)).toEqual(passing);
  });
});
