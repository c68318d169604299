import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { outputOf } from "../publish.ts";
import type { Component } from "./component.ts";

/** Returns what the compilers add to the slim flavor: Rust's standard library, and zig's C library and compiler runtime. */
export function toolchainParts(zigBin: string): Component[] {
  return [rustLibrary(), ...zigLibraries(zigBin)];
}

function rustLibrary(): Component {
  const version = /^release: (.*)$/m.exec(outputOf("rustc", ["-vV"]))?.[1] ?? "unknown";
  const documents = join(outputOf("rustc", ["--print", "sysroot"]).trim(), "share/doc/rust");
  const text = (file: string) => readFileSync(join(documents, file), "utf8");
  const own = ["MIT", "Apache-2.0", "Unicode-3.0"].map((licence) => text(`licenses/${licence}.txt`));
  return {
    name: "rust-std",
    version,
    purl: `pkg:generic/rust-std@${version}`,
    licence: "(MIT OR Apache-2.0) AND Unicode-3.0",
    texts: [...own, ...rustTexts(text("COPYRIGHT-library.html"))],
  };
}

/** Returns the texts in the page about the copyright of Rust's library: first the page without them, then each once. */
export function rustTexts(page: string): string[] {
  const body = page.replace(/^[\s\S]*?<h2 id="in-tree-files">/, '<h2 id="in-tree-files">');
  const texts = [...body.matchAll(/<pre>([\s\S]*?)<\/pre>/g)].map(([, text = ""]) => plainText(text));
  const overview = plainText(body.replaceAll(/<details>[\s\S]*?<\/details>/g, "").replaceAll(/<[^>]+>/g, ""));
  return [overview.replaceAll(/[ \t]+/g, " ").replaceAll(/\n\s*\n/g, "\n"), ...texts];
}

function plainText(html: string): string {
  return html.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
}

function zigLibraries(zigBin: string): Component[] {
  const [directory = ""] = globSync("lib/python*/site-packages/ziglang", { cwd: dirname(zigBin) });
  const zig = join(dirname(zigBin), directory);
  const version = outputOf(join(zig, "zig"), ["version"]).trim();
  const text = (file: string) => readFileSync(join(zig, file), "utf8");
  const parts = [
    ["zig-compiler-rt", "zig", version, "MIT", "LICENSE"],
    [
      "llvm-libunwind",
      "llvm-libunwind",
      `zig-${version}`,
      "Apache-2.0 WITH LLVM-exception",
      "lib/libunwind/LICENSE.TXT",
    ],
    ["musl", "musl", `zig-${version}`, "MIT", "lib/libc/musl/COPYRIGHT"],
  ] as const;
  return parts.map(([name, project, its, licence, file]) => {
    return { name, version: its, purl: `pkg:generic/${project}@${its}`, licence, texts: [text(file)] };
  });
}
