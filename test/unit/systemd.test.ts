import { spawnSync } from "node:child_process";
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { scratch } from "../support/scratch.ts";
import { runCommand } from "./support/fake-terminal.ts";

const units = path.resolve(import.meta.dirname, "../../conf-examples/systemd");
const services = globSync("*.service", { cwd: units });
const textOf = (service: string) => readFileSync(path.join(units, service), "utf8");
const commandIn = (text: string) => /^ExecStart=(.*)$/m.exec(text)?.[1] ?? "";

const directory = scratch();

test.each(services)("%s runs a command that there is, without a question", async (service) => {
  const [executable, name = "", ...words] = commandIn(textOf(service)).split(" ");
  const options = words.filter((word) => word.startsWith("-"));
  // systemd looks in /usr/local/bin and in /usr/bin: the slim flavor in /opt/cni/bin has no commands.
  expect(executable).toBe("cni-wrappers");
  const { exitCode, stdout } = await runCommand([name, "--help"]);
  expect(exitCode).toBe(0);
  for (const option of options) expect(stdout).toContain(option);
});

test("systemd accepts the units", () => {
  cpSync(units, directory, { recursive: true });
  // The executable is not on this machine.
  for (const service of services) {
    const text = textOf(service);
    writeFileSync(path.join(directory, service), text.replace(commandIn(text), "/bin/true"));
  }
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", ...globSync(`${directory}/*`)], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
