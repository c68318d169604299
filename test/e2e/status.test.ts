import { Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { expectSuccess } from "./calls.ts";
import { bridge, macvlan, wrapped, zone } from "./support.ts";

const list = zone(wrapped(macvlan), wrapped(bridge, "eth1"));

describe("status", () => {
  test("counts what passes, what fails, and what belongs to no container", async ({ lab }) => {
    const containers = await Promise.all(["c1", "c2", "c3"].map((name) => lab.addContainer(name)));
    for (const container of containers) expectSuccess(await lab.cnitool.add(list, container));
    const [, second, third] = containers;
    if (!second || !third) throw new Error("three containers were added");
    await lab.ip(second, "address", "flush", "dev", "eth1");
    await lab.deleteNamespace(third);
    await lab.run("mkdir", ["-p", "/var/lib/node_exporter"]);
    await lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(list));
    // A record of 0.2.0.
    await lab.writeFile("/var/lib/cni/wrappers/zone:c4:eth0:eth0", "{}");

    const output = "/var/lib/node_exporter/cni_wrappers.prom";
    const run = await lab.call(Lab.command, ["status", "--prometheus", "--output", output]);
    expect(run).toEqual({ exitCode: 1, stdout: "", stderr: "" });
    const values = (await lab.readFile(output)).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    expect(values[0]).toMatch(/^cni_wrappers_status_timestamp_seconds \d{10}(\.\d+)?$/);
    expect(values[1]).toMatch(
      /^cni_wrappers_installation_info\{directory="\/opt\/cni\/bin",version="[\d.]+",commit="\w+(-dirty)?",flavor="node"\} 1$/,
    );
    expect(values.slice(2)).toEqual([
      'cni_wrappers_installation_intact{directory="/opt/cni/bin"} 1',
      'cni_wrappers_installation_links_missing{directory="/opt/cni/bin"} 0',
      "cni_wrappers_lists_invalid 0",
      "cni_wrappers_list_errors 0",
      "cni_wrappers_networks_not_loaded 0",
      'cni_wrappers_attachments{network="zone"} 3',
      'cni_wrappers_attachments_failing{network="zone"} 1',
      'cni_wrappers_attachments_outside{network="zone"} 0',
      'cni_wrappers_attachments_without_journal{network="zone"} 0',
      'cni_wrappers_orphans{kind="result"} 1',
      'cni_wrappers_orphans{kind="journal"} 1',
      "cni_wrappers_results_unreadable 0",
      "cni_wrappers_nomad_skips_check 0",
      "cni_wrappers_journals_writable 1",
      "cni_wrappers_narrow_runtimes 0",
    ]);
    expect(await lab.run("stat", ["-c", "%a", output])).toBe("644");
    // The third container's namespace is gone: no journal could recover it.
    await lab.run("rm", ["-r", "/var/lib/cni/wrappers"]);
    const { stdout } = await lab.call(Lab.command, ["status", "--prometheus"]);
    expect(stdout).toContain('\ncni_wrappers_attachments_without_journal{network="zone"} 2\n');
  });

  test("names the journals that cannot be read, or that a newer version has written", async ({ lab }) => {
    await lab.run("mkdir", ["-p", "/opt/cni/config"]);
    const key = '"network":"zone","containerId":"c1","runtimeIfName":"eth0"';
    await lab.writeFile("/var/lib/cni/wrappers/c1/zone:eth0", `{"line":"began","format":2,${key}}\n`);
    await lab.writeFile("/var/lib/cni/wrappers/c2/zone:eth0", "no journal\n");
    const { exitCode, stdout, stderr } = await lab.call(Lab.command, ["status"]);
    expect(stderr.split("\n")).toEqual([
      "/var/lib/cni/wrappers/c1/zone:eth0: a newer version has written it; its DEL acts as without a journal",
      "/var/lib/cni/wrappers/c2/zone:eth0: it does not say whose it is; its DEL acts as without a journal",
    ]);
    expect(stdout).toContain("lists, results, journals and others that could not be looked at: 2");
    expect(exitCode).toBe(2);
  });
});
