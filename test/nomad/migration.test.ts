import { expect, test } from "vitest";
import { bridge, macvlan, twoInterfaces, wrapped, zone } from "../e2e/support.ts";
import { leftovers } from "../support/leftovers.ts";
import type { NetworkList } from "../support/runtime.ts";
import { runCommand } from "../unit/support/fake-terminal.ts";
import { clientConfig } from "./agent-config.ts";
import { jobOf } from "./jobs.ts";
import { isDealtWith, isPassedCheck } from "./log.ts";
import { plainTwo } from "./networks.ts";
import { NomadLab } from "./nomad-lab.ts";
import { installScripts, scriptPath } from "./scripts.ts";
import { judge, soundRun } from "./verdict.ts";

interface Before {
  readonly title: string;
  readonly count: number;
  readonly list: NetworkList;
  readonly script?: "workaround" | "merge-only";
  /** Writes the wrapped list. By default it is written by hand. */
  readonly wrap?: (nomad: NomadLab) => Promise<void>;
}

const installed = "/opt/cni/config/zone.conflist";

/** Wraps a copy of the list and moves it into place, as an operator does. */
async function wrapByCommand({ lab }: NomadLab): Promise<void> {
  const copy = `${installed}.new`;
  await lab.run("cp", [installed, copy]);
  const state = ["--state", lab.path("/var/lib/cni")];
  const { exitCode, stderr } = await runCommand(["wrap", "--write", "--from-script", ...state, lab.path(copy)]);
  expect(exitCode, stderr).toBe(0);
  await lab.run("mv", [copy, installed]);
}

async function writeByHand({ lab }: NomadLab): Promise<void> {
  await lab.writeFile(installed, JSON.stringify(twoInterfaces()));
}

const ways: readonly Before[] = [
  { title: "the bash and jq script", count: 10, list: plainTwo, script: "workaround" },
  { title: "the script, wrapped by the command,", count: 3, list: plainTwo, script: "workaround", wrap: wrapByCommand },
  { title: "disableCheck", count: 3, list: { ...plainTwo, disableCheck: true }, script: "merge-only" },
  { title: "a half-wrapped list", count: 3, list: zone(macvlan, wrapped(bridge, "eth1")) },
];

test.for(ways)(
  "allocations of $title survive if the whole list is wrapped, and leave nothing",
  async (way, context) => {
    const { count, list, script, wrap = writeByHand } = way;
    await using nomad = await NomadLab.start({
      networks: [list],
      ...(script && { cniPath: scriptPath, prepare: installScripts(script) }),
    });
    const before = await soundRun(nomad, jobOf({ network: "cni/zone", count }), count);
    await nomad.restartClient(async () => {
      await wrap(nomad);
      // Nomad finds no plugin at all if a directory of cni_path has none: the scripts' directory leaves cni_path as well.
      await nomad.lab.run("rm", ["-rf", "/opt/cni/bin/script"]);
      await nomad.client.configure(clientConfig());
    });
    const seconds = await nomad.untilLogged(count, isDealtWith);
    const verdict = judge(context, before, await nomad.survey("job"), seconds);
    expect(verdict).toMatchObject({ allocations: count, survived: count });
    // A second restart must not depend on what the first one did.
    await nomad.restartClient();
    await nomad.untilLogged(count, isPassedCheck);
    expect(judge(context, before, await nomad.survey("job"), seconds)).toMatchObject({ survived: count });
    await nomad.stop("job");
    await expect.poll(() => leftovers(nomad.lab, ["disc0"])).toEqual([]);
    expect(await nomad.taskCount()).toBe(0);
  },
);

test("rollback: with wrapper.network set to the list's name, the script takes the allocations over", async (context) => {
  const second = { ...wrapped(bridge), wrapper: { ifName: "eth1", network: "zone" } };
  const listed = zone(wrapped(macvlan), second);
  await using nomad = await NomadLab.start({ networks: [listed] });
  const before = await soundRun(nomad, jobOf({ network: "cni/zone", count: 3 }), 3);
  await nomad.restartClient(async () => {
    await installScripts("workaround")(nomad.lab);
    await nomad.lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(plainTwo));
    await nomad.client.configure(clientConfig(scriptPath));
  });
  const seconds = await nomad.untilLogged(3, isDealtWith);
  expect(judge(context, before, await nomad.survey("job"), seconds)).toMatchObject({ allocations: 3, survived: 3 });
  await nomad.stop("job");
  // The script does not know the wrappers' records.
  const isRecord = (name: string) => name.startsWith("record ");
  await expect.poll(async () => (await leftovers(nomad.lab, ["disc0"])).filter((name) => !isRecord(name))).toEqual([]);
});
