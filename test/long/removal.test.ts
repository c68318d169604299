import { describe, expect, test } from "vitest";
import { attached, expectPassed, expectSuccess } from "../e2e/calls.ts";
import { bridge, zone } from "../e2e/support.ts";
import { isKilledAt } from "../support/strace.ts";
import { bin, cli, failedDuring, hostWith, smallest } from "./host-with.ts";

const plainList = { ...zone({ ...bridge, bridge: "disc1" }), name: "plain" };
/** In milliseconds. */
const timeout = 900_000;

describe("500 CHECKs", () => {
  test("of a list that needs no wrapper pass while the wrappers come and go", { timeout }, async () => {
    await using lab = await hostWith(smallest);
    const container = await attached(lab, lab.goCni, plainList);
    const comeOrGo = async (count: number) => {
      const args = count % 2 === 0 ? ["install", "--from", "/opt/first"] : ["uninstall"];
      expectSuccess(await lab.call(cli, args));
    };
    expect(await failedDuring(lab, plainList, container, comeOrGo)).toEqual([]);
  });
});

/** The system calls that remove files. */
const calls = ["unlink", "rmdir", "fsync"];

test("uninstall, killed before each change: each link that is left works, and the next one completes", {
  timeout,
}, async () => {
  await using lab = await hostWith(smallest);
  const plain = await attached(lab, lab.goCni, plainList, "c2");
  const before = await lab.readdir(bin);
  const killed = [];
  for (const call of calls) {
    for (let nth = 1, isKilled = true; isKilled; nth++) {
      for (const name of ["first", "second"])
        expectSuccess(await lab.call(cli, ["install", "--from", `/opt/${name}`, "--plugins", "bridge,macvlan"]));
      isKilled = await isKilledAt(lab, call, nth, [cli, "uninstall"]);
      if (isKilled) killed.push(`${call} ${nth}`);
      for (const name of (await lab.readdir(bin)).filter((each) => each.endsWith("-wrapper")))
        expect(await lab.run(`${bin}/${name}`)).toMatch(/^CNI /);
      expectPassed(await lab.goCni.check(plainList, plain));
      expectSuccess(await lab.call(cli, ["uninstall"]));
      expect(await lab.readdir(bin), `${call} ${nth}`).toEqual(before);
    }
  }
  // Two links, the executable, what was written before, and their directory.
  expect(killed).toEqual(
    expect.arrayContaining(["unlink 1", "unlink 2", "unlink 3", "unlink 4", "rmdir 1", "fsync 1"]),
  );
});
