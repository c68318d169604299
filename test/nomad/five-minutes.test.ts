import { cp, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import type { Lab } from "../tools/lab.ts";
import { isPassedCheck } from "./log.ts";
import { NomadLab } from "./nomad-lab.ts";
import { judge } from "./verdict.ts";

const root = path.resolve(import.meta.dirname, "../..");
const page = await readFile(path.join(root, "README.md"), "utf8");
const [, section = ""] = /^## Five minutes for a Nomad operator$(.*?)^## /ms.exec(page) ?? [];

test("the README's five minutes, followed to the letter", async (context) => {
  const [commands, list, network] = [block("sh"), block("json"), block("hcl")];
  await using nomad = await NomadLab.start({ networks: [], prepare: withoutWrappers });
  await using tree = await copyOfTree();
  // 1. Build and install.
  await nomad.lab.run("sh", ["-ec", `cd ${tree.directory}\n${commands}`], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
  });
  expect(await nomad.lab.readdir("/opt/cni/bin")).toEqual(
    expect.arrayContaining(["bridge-wrapper", "macvlan-wrapper"]),
  );
  // 2. The list.
  await nomad.lab.writeFile("/opt/cni/config/zone.conflist", list);
  // 3. Restart the client, and run a job.
  await nomad.restartClient();
  await nomad.run(await nomad.parseJob(jobWith(network)));
  const before = await nomad.survey("job");
  expect(before.map(({ addresses }) => Object.keys(addresses))).toEqual([["eth0", "eth1"]]);
  // 4. Restart the client again.
  await nomad.restartClient();
  const seconds = await nomad.untilLogged(1, isPassedCheck);
  expect(judge(context, before, await nomad.survey("job"), seconds)).toMatchObject({ allocations: 1, survived: 1 });
  const prose = section.replaceAll(/^ *```.*?^ *```$/gms, "");
  const quoted = [...prose.matchAll(/`([^`]+)`/g)].map(([, words = ""]) => words.replaceAll(/\s+/g, " "));
  expect(quoted).toContain((await nomad.logLines()).find(isPassedCheck)?.["@message"]);
});

/** The only code block of this language in the section, without its indentation. */
function block(language: string): string {
  const found = [...section.matchAll(new RegExp(`^( *)\`\`\`${language}$(.*?)^ *\`\`\`$`, "gms"))];
  expect(found).toHaveLength(1);
  const [, indentation = "", text = ""] = found[0] ?? [];
  return text.replaceAll(new RegExp(`^${indentation}`, "gm"), "");
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

// The host of somebody who has the reference plugins, and has not heard of the wrappers yet.
async function withoutWrappers(lab: Lab): Promise<void> {
  await lab.run("sh", ["-ec", "cd /opt/cni/bin; umount cni-wrappers; rm cni-wrappers *-wrapper"]);
  await lab.ip(undefined, "link", "set", "uplink0", "name", "ens18");
}

/** The build writes into the tree, which other tests are using: it gets one of its own. */
async function copyOfTree(): Promise<AsyncDisposable & { readonly directory: string }> {
  const directory = await mkdtemp(path.join(tmpdir(), "cni-wrappers-tree-"));
  const left = ["node_modules", "dist", ".git"].map((name) => path.join(root, name));
  await cp(root, directory, { recursive: true, filter: (source) => !left.includes(source) });
  await symlink(path.join(root, "node_modules"), path.join(directory, "node_modules"));
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) };
}
