import { join } from "node:path";
import { expect, test } from "vitest";
import { ip } from "../../../../shared/host/node/ip.ts";
import { scratch } from "../../../support/scratch.ts";
import { setVariable, writeProgram } from "../../support/programs.ts";

const directory = scratch();

test("an answer of ip(8) may have 8 MiB: a host can have thousands of routes", () => {
  writeProgram(join(directory, "ip"), 'head -c "$1" /dev/zero | tr "\\0" x');
  setVariable("PATH", `${directory}:${process.env.PATH}`);
  const size = 8 * 1024 * 1024;
  expect(ip([`${size}`], "")?.length).toBe(size);
});
