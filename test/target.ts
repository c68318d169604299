// Runs the executables' tests with the slim flavor for another target: `npm run test:target -- <target>`, after `npm run
// build:slim -- --target <target>`. Executables for another architecture run in qemu.
import { existsSync, mkdtempSync, rmdirSync } from "node:fs";
import { machine, tmpdir } from "node:os";
import path from "node:path";
import { execa } from "execa";
import { findProgram } from "./support/program.ts";

/** The architectures, and their number in an ELF header (e_machine), in the format of binfmt_misc. */
const machines: Readonly<Record<string, string>> = { x86_64: "\\x3e", aarch64: "\\xb7" };

/**
 * Mounts binfmt_misc at a directory, registers an emulator in it, and then becomes the command. Since Linux 6.7 a user
 * namespace has its own binfmt_misc, so the host does not change. Older kernels refuse the mount. P keeps argv 0, F opens
 * the emulator now.
 */
const emulated = `
mount -t binfmt_misc none "$1" && printf %s "$2" > "$1/register" || exit 125
shift 2; exec "$@"`;

async function testTarget([target = "", ...more]: readonly string[]): Promise<number> {
  const bin = path.resolve(import.meta.dirname, "../dist/slim", target, "bin");
  if (target === "" || !existsSync(bin)) {
    throw new Error(`no executables for ${target || "a target"}: npm run build:slim -- --target <target>`);
  }
  // These tests build for this host, whatever the target is.
  const exclude = ["--exclude", "**/slim/{build,inside}.test.ts"];
  const tests = ["vitest", "run", "--project", "executable-slim", ...exclude, ...more];
  const [architecture = ""] = target.split("-");
  if (architecture === machine()) return await run(tests, { CNI_WRAPPERS_BIN: bin });
  const directory = mkdtempSync(path.join(tmpdir(), "cni-wrappers-formats-"));
  try {
    const reporters = ["--reporter=default", "--reporter=./test/support/skipped-reporter.ts"];
    const command = [...(await emulator(architecture, directory)), ...tests, ...reporters];
    const exitCode = await run(command, { CNI_WRAPPERS_BIN: bin, CNI_WRAPPERS_EMULATED: "1" });
    if (exitCode === 125)
      throw new Error("cannot register the emulator for these tests alone: Linux 6.7 or newer is needed");
    return exitCode;
  } finally {
    rmdirSync(directory);
  }
}

async function run([command = "", ...args]: readonly string[], env: Record<string, string>): Promise<number> {
  const options = { stdio: "inherit", preferLocal: true, reject: false, env } as const;
  const { exitCode, failed } = await execa(command, args, options);
  return exitCode ?? Number(failed);
}

async function emulator(architecture: string, directory: string): Promise<string[]> {
  const number = machines[architecture];
  if (number === undefined)
    throw new Error(`unknown architecture ${architecture}: use ${Object.keys(machines).join(" or ")}`);
  const name = `qemu-${architecture}-static`;
  const file = await findProgram(name);
  if (file === undefined) throw new Error(`${name} is missing in PATH: apt-get install qemu-user-static`);
  const magic = `\\x7fELF\\x02\\x01\\x01${"\\x00".repeat(9)}\\x02\\x00${number}\\x00`;
  const mask = `${"\\xff".repeat(7)}\\x00${"\\xff".repeat(8)}\\xfe${"\\xff".repeat(3)}`;
  return ["unshare", "-Urm", "sh", "-c", emulated, "sh", directory, `:emulated:M::${magic}:${mask}:${file}:PF`];
}

try {
  process.exitCode = await testTarget(process.argv.slice(2));
} catch (error) {
  console.error(`test:target: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
