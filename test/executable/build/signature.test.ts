import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { pack, writeChecksums } from "../../../build/release/pack.ts";
import { root, scratch } from "../../support/tree.ts";

function commandsOf(page: string, heading: string): string {
  const [, section = ""] = readFileSync(join(root, page), "utf8").split(`\n${heading}\n`);
  const text = section.split(/^##/m)[0] ?? "";
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands]) => commands).join("");
}

const verify = commandsOf("docs/operations.md", "### Verify the archive");
const archives = [...new Set(verify.match(/cni-wrappers-(tools-)?linux-amd64-v[\d.]+\.tgz/g))];
const [archive = "", toolsArchive = ""] = archives;

function run(commands: string, cwd: string) {
  return execa("sh", ["-ec", commands], { cwd, reject: false, all: true });
}

/** Makes a release with a throw-away key, as the maintainers' page says. */
async function signedRelease(): Promise<string> {
  const [directory, content] = [scratch(), join(scratch(), "content")];
  mkdirSync(content);
  writeFileSync(join(content, "cni-wrappers"), "an executable");
  for (const name of archives) {
    pack(content, join(directory, name), 1_700_000_000);
    writeChecksums(join(directory, name));
  }
  const others = ["cni-wrappers.deb", "cni-wrappers.rpm", "cni-wrappers-page.html"];
  for (const name of [...archives.map((each) => `${each}.intoto.json`), ...others]) {
    writeFileSync(join(directory, name), "{}");
  }
  const signed = await run(commandsOf("build/release/README.md", "## Sign the archives"), directory);
  expect(signed, String(signed.all)).toMatchObject({ exitCode: 0 });
  return directory;
}

test("the operator's commands accept a signed archive", async () => {
  const { exitCode, stdout } = await run(verify, await signedRelease());
  expect(exitCode).toBe(0);
  expect([archive, toolsArchive]).not.toContain("");
  for (const name of archives) {
    expect(stdout).toContain(`${name}: OK`);
    expect(stdout).toContain(`\tfile:${name}\t`);
  }
});

test.each([
  ["archive", archive],
  ["archive of the commands", toolsArchive],
])("a changed %s fails at the checksum, and with a changed checksum at the signature", async (_, changed) => {
  const directory = await signedRelease();
  const file = join(directory, changed);
  writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from("x")]));
  expect(await run(verify, directory)).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("FAILED") });
  writeChecksums(file);
  const { exitCode, all } = await run(verify, directory);
  expect(exitCode).toBe(1);
  expect(all).toContain(`${changed}: OK`);
  expect(all).toContain("Signature verification failed");
});

test("an old archive with the name of a new one is refused: its signature names the old one", async () => {
  const directory = await signedRelease();
  for (const name of archives) {
    const old = name.replace(/v[\d.]+\.tgz/, "v0.0.9.tgz");
    await run(`mv ${name} ${old} && minisign -S -s cni-wrappers.key -m ${old} && rm ${name}*`, directory);
    await run(`mv ${old} ${name} && mv ${old}.minisig ${name}.minisig`, directory);
    writeChecksums(join(directory, name));
  }
  const { exitCode, stdout } = await run(verify, directory);
  expect(stdout).toContain(`${archive}: OK`);
  expect(exitCode).toBe(1);
});

test("the signature of another key is refused", async () => {
  const directory = await signedRelease();
  await run("rm cni-wrappers.pub && minisign -G -W -f -p cni-wrappers.pub -s other.key", directory);
  const { exitCode, all } = await run(verify, directory);
  expect(exitCode).toBe(1);
  expect(all).toContain("key id");
});

test("the provenance is signed too", async () => {
  const directory = await signedRelease();
  const { exitCode } = await run(`minisign -Vm ${archive}.intoto.json -p cni-wrappers.pub`, directory);
  expect(exitCode).toBe(0);
});
