import { readFileSync } from "node:fs";
import path from "node:path";
import { Lab } from "../support/lab.ts";
import { expect, test } from "../support/lab-test.ts";
import { bridge, macvlan, wrapped, zone } from "./support.ts";

const page = readFileSync(path.resolve(import.meta.dirname, "../../docs/commands.md"), "utf8");

test("the sample of try in docs/commands.md is real", async ({ lab }) => {
  await lab.writeFile("/opt/zone.conflist", JSON.stringify(zone(wrapped(macvlan), wrapped(bridge, "eth1"))));
  const script = 'cd /opt; exec "$0" try --veth zone.conflist';
  const { exitCode, stdout } = await lab.call("sh", ["-c", script, Lab.command]);
  expect(exitCode).toBe(0);
  expect(page).toContain(`\n$ cni-wrappers try --veth zone.conflist\n${stdout}\n\`\`\`\n`);
});
