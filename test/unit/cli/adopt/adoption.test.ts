import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { adopt, undo } from "../../../../cli/adopt/adoption.ts";
import type { CachedAttachment } from "../../../../cli/live/cached-results.ts";
import { runCommand } from "../../support/fake-terminal.ts";
import { redirect } from "../../support/redirected.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "adoption-"));
  mkdirSync(join(directory, "cache/results"), { recursive: true });
  mkdirSync(join(directory, "cache/adopted"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const at = (name: string) => join(directory, name);
const undoAll = () => undo(at("cache"), () => true);

function backUp(backup: object): void {
  writeFileSync(at("cache/adopted/zone-c1-eth0"), JSON.stringify(backup));
}

test("a second adoption keeps the oldest text, and undo restores it", () => {
  const file = at("cache/results/zone-c1-eth0");
  const adoptMtu = (mtu: number) => {
    const read = { file, text: readFileSync(file, "utf8") } as CachedAttachment;
    adopt(at("cache"), read, { result: { cniVersion: "1.0.0", mtu }, journal: undefined });
  };
  writeFileSync(file, '{"result":{}}');
  adoptMtu(1);
  adoptMtu(2);
  expect(JSON.parse(readFileSync(file, "utf8")).result.mtu).toBe(2);
  expect(undoAll()).toEqual([[file, "restored"]]);
  expect(readFileSync(file, "utf8")).toBe('{"result":{}}');
});

test("a result stays as old as it was: preflight takes its time for the start of the container", () => {
  const file = at("cache/results/zone-c1-eth0");
  writeFileSync(file, "{}");
  utimesSync(file, 1000, 1000);
  adopt(at("cache"), { file, text: "{}" } as CachedAttachment, { result: { cniVersion: "1.0.0" }, journal: undefined });
  expect([readFileSync(file, "utf8"), statSync(file).mtimeMs]).toEqual([
    '{"result":{"cniVersion":"1.0.0"}}',
    1_000_000,
  ]);
  undoAll();
  expect([readFileSync(file, "utf8"), statSync(file).mtimeMs]).toEqual(["{}", 1_000_000]);
});

test("after the runtime wrote the file anew, the new text is the oldest", () => {
  const file = at("cache/results/zone-c1-eth0");
  for (const text of ['{"result":{}}', '{"result":{"dns":{}}}']) {
    writeFileSync(file, text);
    adopt(at("cache"), { file, text } as CachedAttachment, {
      result: { cniVersion: "1.0.0" },
      journal: undefined,
    });
  }
  undoAll();
  expect(readFileSync(file, "utf8")).toBe('{"result":{"dns":{}}}');
});

test("undo restores the oldest text also if the second adoption was killed", () => {
  writeFileSync(at("cache/results/zone-c1-eth0"), "first");
  backUp({ before: "before", between: ["first"], after: "second" });
  expect(undoAll()).toEqual([[at("cache/results/zone-c1-eth0"), "restored"]]);
  expect(readFileSync(at("cache/results/zone-c1-eth0"), "utf8")).toBe("before");
});

test("--undo --json is JSON", async () => {
  writeFileSync(at("cache/results/zone-c1-eth0"), "after");
  backUp({ before: "before", after: "after" });
  const { stdout } = await runCommand(["adopt", "--undo", "--json", "--cache-dir", at("cache")]);
  expect(JSON.parse(stdout)).toEqual([{ file: at("cache/results/zone-c1-eth0"), undone: "restored" }]);
});

test("--undo --container restores the results of this container only", async () => {
  for (const containerId of ["c1", "c2"]) {
    const named = { kind: "cniCacheV1", networkName: "zone", containerId, ifName: "eth0", netns: "/none" };
    writeFileSync(at(`cache/results/zone-${containerId}-eth0`), JSON.stringify(named));
    const backup = { before: "before", after: JSON.stringify(named) };
    writeFileSync(at(`cache/adopted/zone-${containerId}-eth0`), JSON.stringify(backup));
  }
  const options = ["--cache-dir", at("cache"), "--config-dir", at("cache"), "--container", "c1"];
  const { stdout } = await runCommand(["adopt", "--undo", ...options]);
  expect(stdout).toBe(`${at("cache/results/zone-c1-eth0")}: restored\n`);
});

test.each([
  ...[
    "{",
    "{}",
    "",
    '{"before":"before"}',
    '{"before":1,"after":"after"}',
    '{"before":"before","after":"after","journal":null}',
  ],
  '{"before":"before","after":"after","journal":{"file":"/var/lib/cni/wrappers/c1/zone:eth0"}}',
  '{"before":"before","after":"after","journal":{"text":""}}',
])("a backup that cannot be read is named by --undo, and stays: %j", async (text) => {
  writeFileSync(at("cache/results/zone-c1-eth0"), "after");
  backUp({ before: "before", after: "after" });
  writeFileSync(at("cache/adopted/zone-c1-eth0"), text);
  expect(await runCommand(["adopt", "--undo", "--cache-dir", at("cache"), "--config-dir", at("cache")])).toMatchObject({
    exitCode: 2,
    stdout: `${at("cache/results/zone-c1-eth0")}: its backup cannot be read, so it stays as it is\n`,
  });
  expect(readFileSync(at("cache/adopted/zone-c1-eth0"), "utf8")).toBe(text);
  expect(readFileSync(at("cache/results/zone-c1-eth0"), "utf8")).toBe("after");
});

test("undo restores what the operator named, and nothing that the list in place needs", () => {
  writeFileSync(at("cache/results/zone-c1-eth0"), "after");
  backUp({ before: "before", after: "after" });
  expect(undo(at("cache"), (file) => !file.endsWith("eth0"))).toEqual([]);
  const file = at("cache/results/zone-c1-eth0");
  expect(undo(at("cache"), () => true, new Set([file]))).toEqual([[file, "needed"]]);
  expect(readFileSync(at("cache/results/zone-c1-eth0"), "utf8")).toBe("after");
});

test.each([
  ["that DEL removed does not come back, and its backup goes", undefined, "gone", false],
  ["that another one wrote stays, and its backup, too", "another", "changed since", true],
])("a result %s", (_, text, undone, isKept) => {
  if (text !== undefined) writeFileSync(at("cache/results/zone-c1-eth0"), text);
  backUp({ before: "before", after: "after" });
  expect(undoAll()).toEqual([[at("cache/results/zone-c1-eth0"), undone]]);
  expect(existsSync(at("cache/adopted/zone-c1-eth0"))).toBe(isKept);
  expect(existsSync(at("cache/results/zone-c1-eth0"))).toBe(text !== undefined);
});

test("a backup that a killed adopt left half written is none", () => {
  writeFileSync(at("cache/adopted/.zone-c1-eth0.1.tmp"), JSON.stringify({ before: "before", after: "after" }));
  expect(undoAll()).toEqual([]);
});

test("undo removes the journal that adopt wrote", () => {
  redirect("/var/lib/cni", at("state"));
  const journal = { file: "/var/lib/cni/wrappers/c1/zone:eth0", text: "its" };
  mkdirSync(at("state/wrappers/c1"), { recursive: true });
  writeFileSync(at("state/wrappers/c1/zone:eth0"), "its");
  writeFileSync(at("cache/results/zone-c1-eth0"), "after");
  backUp({ before: "before", after: "after", journal });
  expect(undoAll()).toEqual([[at("cache/results/zone-c1-eth0"), "restored"]]);
  expect(existsSync(at("state/wrappers/c1"))).toBe(false);
});

test("undo restores the file of the backup's name", () => {
  writeFileSync(at("cache/results/zone-c1-eth0"), "after");
  backUp({ before: "before", after: "after" });
  expect(undoAll()).toEqual([[at("cache/results/zone-c1-eth0"), "restored"]]);
  expect(readFileSync(at("cache/results/zone-c1-eth0"), "utf8")).toBe("before");
  expect(existsSync(at("cache/adopted/zone-c1-eth0"))).toBe(false);
});

test("undo overwrites no file that a backup names elsewhere", () => {
  writeFileSync(at("passwd"), "after");
  backUp({ file: at("passwd"), before: "before", after: "after" });
  undoAll();
  expect(readFileSync(at("passwd"), "utf8")).toBe("after");
});

test.each(["victim", "wrappers", "wrappers/c1", "wrappers/../victim/zone:eth0", "wrappers/c1/zone:eth0/more"])(
  "undo removes only journals, not %s",
  (name) => {
    const file = name.startsWith("wrappers") ? `/var/lib/cni/${name}` : at(name);
    backUp({ before: "before", after: "after", journal: { file, text: "" } });
    writeFileSync(at("cache/results/zone-c1-eth0"), "after");
    expect(undoAll()).toEqual([[at("cache/results/zone-c1-eth0"), "unreadable"]]);
    expect(readFileSync(at("cache/results/zone-c1-eth0"), "utf8")).toBe("after");
  },
);

describe("a journal that adopt wrote", () => {
  const text = "what adopt wrote\n";
  const journal = () => at("wrappers/c1/zone:eth0");

  function adoptWithJournal(): () => void {
    writeFileSync(at("cache/results/zone-c1-eth0"), "{}");
    const parts = { result: { cniVersion: "1.0.0" }, journal: { file: journal(), text } };
    return adopt(at("cache"), { file: at("cache/results/zone-c1-eth0"), text: "{}" } as CachedAttachment, parts);
  }

  test("is only its owner's to read, and goes when adopt takes its work back", () => {
    const takeBack = adoptWithJournal();
    expect(readFileSync(journal(), "utf8")).toBe(text);
    expect([dirname(journal()), journal()].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
    takeBack();
    expect(existsSync(dirname(journal()))).toBe(false);
  });

  test("stays if a wrapper has written to it since", () => {
    const takeBack = adoptWithJournal();
    appendFileSync(journal(), "a later line\n");
    takeBack();
    expect(readFileSync(journal(), "utf8")).toBe(`${text}a later line\n`);
  });

  test("goes if the result has changed meanwhile", () => {
    const read = { file: at("cache/results/zone-c1-eth0"), text: "{}" } as CachedAttachment;
    const parts = { result: { cniVersion: "1.0.0" }, journal: { file: journal(), text } };
    writeFileSync(read.file, "changed");
    expect(() => adopt(at("cache"), read, parts)).toThrow("it changed meanwhile; run adopt again");
    expect(existsSync(dirname(journal()))).toBe(false);
  });

  test("goes by --undo also after a second adoption, which adds none", () => {
    redirect("/var/lib/cni/wrappers", at("wrappers"));
    const file = at("cache/results/zone-c1-eth0");
    writeFileSync(file, "{}");
    for (const journal of [{ file: "/var/lib/cni/wrappers/c1/zone:eth0", text }, undefined]) {
      const read = { file, text: readFileSync(file, "utf8") } as CachedAttachment;
      adopt(at("cache"), read, { result: { cniVersion: journal ? "1.0.0" : "1.1.0" }, journal });
    }
    expect(existsSync(journal())).toBe(true);
    undoAll();
    expect(existsSync(journal())).toBe(false);
  });

  test("is not written where there is another one", () => {
    mkdirSync(dirname(journal()), { recursive: true });
    writeFileSync(journal(), "theirs");
    adoptWithJournal()();
    expect(readFileSync(journal(), "utf8")).toBe("theirs");
  });
});
