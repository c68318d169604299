import { describe, expect, test } from "vitest";
import { journalFile } from "../../../shared/journal/journal.ts";
import { callWrapper, exits, messagesOf } from "../support/fake-host.ts";
import { chainedOf, entryOf, journalFiles, zoneOfBlue } from "../support/journals.ts";

const file = journalFile(zoneOfBlue);
const own = Object.values(journalFiles(entryOf()))[0] ?? "";
const result = { cniVersion: "1.0.0", interfaces: [{ name: "eth0", sandbox: "/run/netns/blue" }] };

describe.each([
  ["is of a newer format", own.replace('"format":1', '"format":2')],
  ["has a line of a newer version", `${own}{"line":"moved","id":"bridge eth0"}\n`],
  ["does not say whose it is", "no journal\n"],
  ["is of another attachment", own.replaceAll('"zone"', '"other"')],
])("a journal that %s", (_, text) => {
  test.each(["CHECK", "DEL"])("is named in the log of %s", (CNI_COMMAND) => {
    const env = { CNI_COMMAND, CNI_WRAPPERS_LOG: "/log", CNI_WRAPPERS_LOG_LEVEL: "warn" };
    const stdin = { cniVersion: "1.0.0", name: "zone", prevResult: result };
    const outcome = callWrapper({ env, stdin }, { files: { [file]: text }, answers: [exits(0, result)], links: [0] });
    expect(messagesOf(outcome)).toContainEqual(expect.stringContaining(`${file} cannot be read: `));
  });
});

test("a line that lacked only its line break counts once DEL has written another one", () => {
  const [started = ""] = Object.values(journalFiles(chainedOf("tuning"), entryOf({ ifName: "eth1" }), entryOf()));
  const undone = '{"line":"undone","id":"tuning eth0"}\n{"line":"undone","id":"bridge eth1"}';
  const { exitCode, files } = callWrapper(
    { env: { CNI_COMMAND: "DEL" } },
    { files: { [file]: `${started}${undone}` }, links: [7] },
  );
  expect(exitCode).toBe(0);
  expect(files).toEqual({});
});

test("a journal that a newer version writes during a DEL stays", () => {
  const newer = own.replace('"format":1', '"format":2');
  const givenUp = [entryOf({ isGivenUp: true }), chainedOf("portmap", { isGivenUp: true })];
  const { exitCode, files } = callWrapper(
    { calledAs: "/opt/cni/bin/tuning-wrapper", env: { CNI_COMMAND: "DEL" } },
    {
      files: journalFiles(...givenUp),
      directories: { [file.slice(0, file.lastIndexOf("/"))]: 7 },
      meanwhile: (all) => all.set(file, { text: newer, modifiedMs: 0 }),
      links: [7],
    },
  );
  expect(exitCode).toBe(0);
  expect(files[file]).toContain('"format":2');
});
