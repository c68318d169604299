import { globSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { alternating, errorName, signalName } from "../../../shared/host/slim/machine.ts";

const root = join(import.meta.dirname, "../../..");

/** The names of variables, and of the keys of a configuration and a result: the specification's and ours. */
const fields = [
  ...["CNI_", "cniVersion", "prevResult", "interfaces", "sandbox", '"ips"', "routes", '"dns"', "ipam", "runtimeConfig"],
  ...["valid-attachments", "ifName", 'wrapper"', "bridge", "macvlan", "NOMAD", "containerID"],
];

describe("the Rust host knows nothing of CNI", () => {
  const sources = globSync("build/slim/src/**/*.rs", { cwd: root });

  test("there are sources", () => {
    expect(sources.length).toBeGreaterThan(2);
  });

  test.each(sources)("%s names no field of CNI", (source) => {
    const text = readFileSync(join(root, source), "utf8");
    expect(fields.filter((field) => text.includes(field))).toEqual([]);
  });
});

describe("the system's numbers have the names that Node uses", () => {
  test.each(Object.entries(constants.signals).filter(([name]) => !["SIGIOT", "SIGPOLL", "SIGUNUSED"].includes(name)))(
    "%s",
    (name, number) => {
      expect(signalName(number)).toBe(name);
    },
  );

  const errors = "EPERM ENOENT EIO E2BIG ENOEXEC EACCES EISDIR ENOSPC EROFS EPIPE ETXTBSY ELOOP ECONNRESET EDQUOT";

  test.each(errors.split(" "))("%s", (name) => {
    expect(errorName(Object.entries(constants.errno).find(([known]) => known === name)?.[1] ?? 0)).toBe(name);
  });

  test("an error without a name stays a number, and Node tells no real-time signal from another", () => {
    expect([errorName(9999), signalName(64)]).toEqual(["error 9999", "a real-time signal"]);
  });
});

test("the machine gets names and values of variables in turn; a lone surrogate is replaced, as Node does", () => {
  expect(alternating({ CNI_IFNAME: "a\ud800b", CNI_ARGS: undefined })).toEqual([
    "CNI_IFNAME",
    "a\ufffdb",
    "CNI_ARGS",
    "",
  ]);
});
