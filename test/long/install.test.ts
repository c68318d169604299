import { describe, expect, test } from "vitest";
import { attached, expectPassed, expectSuccess } from "../e2e/calls.ts";
import { twoInterfaces } from "../e2e/support.ts";
import type { Lab } from "../support/lab.ts";
import { isKilledAt } from "../support/strace.ts";
import { bin, cli, failedDuring, flavors, hostWith, smallest } from "./host-with.ts";

const list = twoInterfaces();
/** The commands start a hundred times. In milliseconds. */
const timeout = 400_000;
const hidden = `${bin}/.cni-wrappers`;

const install = (lab: Lab, ...args: string[]) => lab.call(cli, ["install", ...args]);
const checksum = async (lab: Lab, file: string) => (await lab.run("sha256sum", [file])).split(" ")[0];

describe.each(flavors)("install, %s flavor", (_flavor, executable, replacements) => {
  test("4 CHECKs at once pass while it is replaced", { timeout }, async () => {
    await using lab = await hostWith(executable);
    expectSuccess(await install(lab, "--from", "/opt/first"));
    const container = await attached(lab, lab.goCni, list);
    const replace = async (count: number) => {
      const how = count % 2 === 0 ? ["--from", "/opt/second"] : ["--rollback"];
      expectSuccess(await install(lab, ...how));
    };
    expect(await failedDuring(lab, list, container, replace, { checks: 5, changes: replacements })).toEqual([]);
  });
});

/** The system calls that change files, without the writing of a file that is not in use. */
const calls = ["mkdir", "fchmod", "chmod", "fsync", "link", "rename", "symlink", "unlink"];

describe("install, killed before each change", () => {
  test.each(["install", "rollback"])("%s: the old one or the new one works", { timeout }, async (command) => {
    await using lab = await hostWith(smallest);
    expectSuccess(await install(lab, "--from", "/opt/first"));
    expectSuccess(await install(lab, "--from", "/opt/second"));
    const [first, second] = [await checksum(lab, "/opt/first"), await checksum(lab, "/opt/second")];
    const otherThan = (one: string | undefined) => (one === first ? "/opt/second" : "/opt/first");
    const container = await attached(lab, lab.goCni, list);
    const killed = [];
    for (const call of calls) {
      for (let nth = 1, isKilled = true; isKilled; nth++) {
        const before = await checksum(lab, `${bin}/cni-wrappers`);
        await lab.run("rm", [`${bin}/portmap-wrapper`]);
        const how = command === "install" ? ["--from", otherThan(before)] : ["--rollback"];
        isKilled = await isKilledAt(lab, call, nth, [cli, "install", ...how]);
        if (isKilled) killed.push(`${call} ${nth}`);
        const now = await checksum(lab, `${bin}/cni-wrappers`);
        expect([first, second]).toContain(now);
        expectPassed(await lab.goCni.check(list, container));
        // Nomad runs every executable of the directory.
        expect((await lab.readdir(bin)).filter((name) => name.startsWith("."))).toEqual([".cni-wrappers"]);
        // The next command completes the work, and removes what is left.
        expectSuccess(await install(lab, "--from", otherThan(now)));
        expect(await lab.readdir(hidden)).toEqual(["checksums", "previous"]);
        expect(await checksum(lab, `${hidden}/previous`)).toBe(now);
        expect(await lab.run("readlink", [`${bin}/portmap-wrapper`])).toBe("cni-wrappers");
      }
    }
    expect(killed).toEqual(expect.arrayContaining(["link 1", "rename 1", "rename 2", "fsync 1", "fsync 2"]));
  });
});
