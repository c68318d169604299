import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { recordFile } from "../../shared/record/record.ts";
import { Machine } from "./support/machine.ts";

const record = recordFile({ network: "zone", containerId: "blue", runtimeIfName: "eth0", ifName: "eth0" });
const folder = dirname(record);

/** Runs an ADD on a host where /var/lib has only the files of a script. Returns the sorted files in it afterwards. */
async function filesAfterAdd(prepare: string, options = "rw"): Promise<string[]> {
  const machine = new Machine();
  machine.answer("ADD", "{}");
  const script = `
    mount -t tmpfs -o ${options} none /var/lib
    ${prepare}
    "$@"
    code=$?
    cd ${folder} && find . -mindepth 1 -printf '%y %m %s %P\\n' | sort >"$SCRATCH/found"
    exit $code`;
  const through = ["unshare", "--mount", "--net", "sh", "-c", script, "sh"];
  const ended = await machine.call({ env: { CNI_NETNS: "/proc/self/ns/net" }, through });
  expect(ended).toMatchObject({ exitCode: 0, stdout: "{}" });
  return machine.read("found")?.toString().split("\n").slice(0, -1) ?? [];
}

const isRecord = expect.stringMatching(new RegExp(`^f 600 [1-9]\\d+ ${record.slice(folder.length + 1)}$`));

test("ADD leaves a record, and nothing else", async () => {
  expect(await filesAfterAdd("")).toEqual([isRecord]);
});

test("a file that another process is writing is left alone", async () => {
  const other = record.replace(/[^/]+$/, ".$&");
  expect(await filesAfterAdd(`mkdir -p ${folder}; echo theirs >${other}`)).toEqual([
    isRecord,
    expect.stringMatching(new RegExp(`^f 644 7 ${other.slice(folder.length + 1)}$`)),
  ]);
});

describe("a record that cannot be written leaves nothing behind", () => {
  test("because there is a directory in its place", async () => {
    const [left, ...more] = await filesAfterAdd(`mkdir -p ${record}`);
    expect(left).toMatch(/^d /);
    expect(more).toEqual([]);
  });

  test("because the disk is full", async () => {
    const filler = `mkdir -p ${folder}; head -c 4096 /dev/zero >/var/lib/filler`;
    expect(await filesAfterAdd(filler, "size=4k")).toEqual([]);
  });
});
