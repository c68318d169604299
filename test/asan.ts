// Runs the executables' tests with a slim flavor in which the address sanitizer watches Rust and QuickJS: `npm run test:asan`,
// five minutes. First it must see two planted overflows, one in each language. The executable differs from the released one: it
// is dynamic, it has no heap image, and all blocks come from the C library, which knows where they end.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cache, executable, firstError, links, root } from "../build/publish.ts";

/** What cannot pass in this executable, by the beginning of its name, and why. */
const otherwise: Readonly<Record<string, string>> = {
  "the slim flavor reads no variable of Node's": "it is dynamic: the linker reads LD_*, and the sanitizer its own",
  "it is static, and at most": "it is dynamic",
  "ADD and CHECK pass without /proc": "the sanitizer reads /proc/self/maps",
  "without the system calls": "the sanitizer uses others",
  "debug, and ADD with values that are nested": "frames are larger, so fewer levels fit",
  "debug, and CHECK with values that are nested": "frames are larger, so fewer levels fit",
  "10 MB of address space": "the sanitizer takes terabytes of it",
  "8 MiB reach the delegate": "they take longer than the test may",
};

/** An overflow in C, and one in Rust, that an environment variable turns on. */
const plantedInC = `#include <stdlib.h>
static void __attribute__((constructor)) plant(void) {
  if (getenv("PLANTED_IN_C")) { volatile char *block = malloc(8); block[8] = 1; }
}
`;
const plantedInRust = `
    if std::env::var_os("PLANTED_IN_RUST").is_some() {
        let block = std::hint::black_box(vec![0u8; 8]);
        unsafe { std::ptr::read_volatile(block.as_ptr().add(8)) };
    }`;

// Not in /tmp: the sanitizer makes the directory of its reports at each start, and tests look for new files there.
mkdirSync(join(cache, "asan"), { recursive: true });
const directory = mkdtempSync(join(cache, "asan", "run-"));
const findings = join(directory, "findings");
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));

/** Compiles a copy of the crate to `directory/<name>/bin`. Returns that path. */
function compile(name: string, planted: boolean): string {
  const [crate, target] = [join(directory, name), join(cache, "asan", name)];
  cpSync(join(root, "build/slim"), crate, { recursive: true, filter: (file) => !file.includes("/.engine-") });
  replace(join(crate, "src/heap.rs"), "const SIZE: usize = 512 * 1024;", "const SIZE: usize = 0;");
  const options = `detect_leaks=0:log_path=${findings}/of`;
  const main = "/// Lets the core answer a call.";
  const defaults = `#[unsafe(no_mangle)]
extern "C" fn __asan_default_options() -> *const c_char { c"${options}".as_ptr() }
`;
  replace(join(crate, "src/main.rs"), main, `${defaults}${main}`);
  if (planted) replace(join(crate, "src/main.rs"), "    process::prepare_streams();", plantedInRust, "after");
  writeFileSync(join(crate, "planted.h"), plantedInC);
  const run = spawnSync("cargo", ["build", "--release", "--locked", "--quiet"], {
    cwd: crate,
    encoding: "utf8",
    env: {
      ...process.env,
      // The stable compiler has the sanitizer, but does not offer it.
      RUSTC_BOOTSTRAP: "1",
      CARGO_ENCODED_RUSTFLAGS: "-Zsanitizer=address",
      CFLAGS: `-fsanitize=address -g1${planted ? ` -include ${join(crate, "planted.h")}` : ""}`,
      CARGO_PROFILE_RELEASE_LTO: "off",
      CARGO_PROFILE_RELEASE_STRIP: "none",
      CARGO_TARGET_DIR: target,
      CNI_WRAPPERS_BUNDLES: join(root, "dist/slim/bundles"),
      ASAN_OPTIONS: "detect_leaks=0",
    },
  });
  if (run.status !== 0) throw new Error(`cargo failed: ${firstError(run)}`);
  const bin = join(crate, "bin");
  mkdirSync(bin);
  cpSync(join(target, "release", executable), join(bin, executable));
  for (const link of links) symlinkSync(executable, join(bin, link));
  return bin;
}

function replace(file: string, old: string, by: string, how: "instead" | "after" = "instead"): void {
  const text = readFileSync(file, "utf8");
  if (text.split(old).length !== 2) throw new Error(`${file} does not have this once: ${old}`);
  writeFileSync(
    file,
    text.replace(old, () => (how === "after" ? `${old}${by}` : by)),
  );
}

/** Returns the reports of the sanitizer since the last time. */
function reports(): string[] {
  mkdirSync(findings, { recursive: true });
  const files = readdirSync(findings).map((name) => join(findings, name));
  const texts = files.map((file) => readFileSync(file, "utf8"));
  for (const file of files) rmSync(file);
  // A warning about a stack that the sanitizer does not know is no finding.
  return texts.filter((text) => text.includes("ERROR: "));
}

function expectPlantedSeen(): void {
  const bin = compile("planted", true);
  for (const name of ["PLANTED_IN_C", "PLANTED_IN_RUST"]) {
    const env = { PATH: process.env.PATH, CNI_COMMAND: "VERSION" };
    if (spawnSync(join(bin, links[0] ?? ""), { env, input: "" }).status !== 0) throw new Error("VERSION fails");
    if (reports().length > 0) throw new Error("the sanitizer reports something where nothing is planted");
    spawnSync(join(bin, links[0] ?? ""), { env: { ...env, [name]: "1" }, input: "" });
    const [seen] = reports();
    if (!seen?.includes("heap-buffer-overflow")) throw new Error(`${name}: the sanitizer does not see it`);
    console.log(`${name}: seen`);
  }
}

/** Runs the tests. Returns how many passed, and the names of those that failed. */
function runTests(bin: string): { passed: number; failed: string[] } {
  const output = join(directory, "tests.json");
  // These tests build for this host.
  const args = ["--exclude", "**/slim/{build,inside}.test.ts", "--reporter=default", "--reporter=json"];
  spawnSync("vitest", ["run", "--project", "executable-slim", ...args, `--outputFile.json=${output}`], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, CNI_WRAPPERS_BIN: bin },
  });
  const { testResults } = JSON.parse(readFileSync(output, "utf8")) as {
    testResults: { assertionResults: { fullName: string; status: string }[] }[];
  };
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const named = (wanted: string) => all.filter(({ status }) => status === wanted).map(({ fullName }) => fullName);
  return { passed: named("passed").length, failed: named("failed") };
}

/** So many pass without what is named above. */
const fewest = 690;

function watch(): void {
  expectPlantedSeen();
  const { passed, failed } = runTests(compile("watched", false));
  const found = reports();
  for (const text of found) console.log(text);
  const unexpected = failed.filter((name) => !Object.keys(otherwise).some((known) => name.includes(known)));
  for (const name of unexpected) console.log(`failed: ${name}`);
  console.log("Not possible in this executable:");
  for (const [name, why] of Object.entries(otherwise)) console.log(`  ${name}: ${why}`);
  console.log(`total: ${passed} tests passed, ${unexpected.length} failed, ${found.length} findings`);
  if (found.length > 0 || unexpected.length > 0 || passed < fewest) process.exitCode = 1;
}

try {
  watch();
} catch (error) {
  console.error(`test:asan: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
