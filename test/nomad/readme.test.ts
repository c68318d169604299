import { readFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import type { Lab } from "../support/lab.ts";
import { ownFolder } from "../support/own-folder.ts";
import { copyOfTree } from "../support/tree.ts";
import { isPassedCheck } from "./log.ts";
import { NomadLab } from "./nomad-lab.ts";
import { until } from "./until.ts";
import { judge } from "./verdict.ts";

const root = path.resolve(import.meta.dirname, "../..");
const page = await readFile(path.join(root, "README.md"), "utf8");
const introduction = page.slice(0, page.indexOf("\n## "));

test("the README's steps, followed to the letter", async (context) => {
  const list = newSide(block(introduction, "diff"));
  const install = section("Install");
  const log = JSON.parse(`{${block(section("Verify"), "json")}}`);
  await using nomad = await NomadLab.start({ networks: [], prepare: withoutWrappers });
  const tree = copyOfTree();
  // Install, 1. Build, and install both flavors.
  const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };
  await nomad.lab.run("sh", ["-ec", `cd ${tree}\n${block(install, "sh")}`], { env });
  expect(await nomad.lab.run("/opt/cni/bin/macvlan-wrapper")).toMatch(/^Flavor: slim$/m);
  expect(await nomad.lab.run("/usr/local/bin/cni-wrappers", ["version"])).toMatch(/^flavor +node$/m);
  // 2. Write the list. 3. Tell Nomad, and run a job.
  await nomad.lab.writeFile("/opt/cni/config/zone.conflist", list);
  await nomad.client.reload();
  // A job that is registered before the node has the network stays blocked.
  await until("the network", async () => JSON.stringify(await nomad.node()).includes('"cni/zone"'));
  await nomad.run(await nomad.parseJob(jobWith(block(install, "hcl"))));
  const before = await nomad.survey("job");
  expect(before.map(({ addresses }) => Object.keys(addresses))).toEqual([["eth0", "eth1"]]);
  // Migrate, 3. The check before a restart.
  await nomad.lab.writeFile("/opt/cni/config/zone.conflist.new", list);
  const [preflight] = /cni-wrappers preflight [^`]+/.exec(section("Migrate")) ?? [];
  const verdict = await nomad.lab.run("sh", ["-ec", `cd /opt/cni/config\n${preflight}`], { env });
  expect(verdict).toContain("1 of 1 pass");
  // Verify.
  await nomad.lab.writeFile("/opt/cni/config/zone.conflist", logged(list, log));
  await nomad.restartClient();
  const seconds = await nomad.untilLogged(1, isPassedCheck);
  expect(judge(context, before, await nomad.survey("job"), seconds)).toMatchObject({ allocations: 1, survived: 1 });
  const { stdout } = await nomad.lab.call("sh", ["-c", block(section("Verify"), "sh")]);
  expect(stdout.trim().split("\n")).toEqual(["2", "0"]);
});

/** The text below a heading of the page. */
function section(heading: string): string {
  const [, text] = new RegExp(`^## ${heading}$(.*?)(?=^## )`, "ms").exec(page) ?? [];
  if (text === undefined) throw new Error(`the README has no section ${heading}`);
  return text;
}

/** The only code block of this language in a text, without its indentation. */
function block(text: string, language: string): string {
  const found = [...text.matchAll(new RegExp(`^( *)\`\`\`${language}$(.*?)^ *\`\`\`$`, "gms"))];
  expect(found).toHaveLength(1);
  const [, indentation = "", code = ""] = found[0] ?? [];
  return code.replaceAll(new RegExp(`^${indentation}`, "gm"), "");
}

/** The new side of a diff. */
function newSide(diff: string): string {
  const lines = diff.split("\n").filter((line) => !line.startsWith("-"));
  return lines.map((line) => line.slice(1)).join("\n");
}

/** The list with a log in the block of every wrapper. */
function logged(list: string, log: object): string {
  const parsed: { plugins: { wrapper?: object }[] } = JSON.parse(list);
  const plugins = parsed.plugins.map((plugin) => ({ ...plugin, wrapper: { ...plugin.wrapper, ...log } }));
  return JSON.stringify({ ...parsed, plugins });
}

function jobWith(network: string): string {
  return `
job "job" {
  group "group" {
    ${network}
    task "task" {
      driver = "raw_exec"
      config {
        command = "/run/lab/drivers/echo"
        args = ["serve", "7777"]
      }
    }
  }
}`;
}

// A host with the reference plugins and without the wrappers.
async function withoutWrappers(lab: Lab): Promise<void> {
  await ownFolder(lab, "/usr/local/bin");
  await lab.run("sh", ["-ec", "cd /opt/cni/bin; umount cni-wrappers; rm cni-wrappers *-wrapper"]);
  await lab.ip(undefined, "link", "set", "uplink0", "name", "ens18");
}
