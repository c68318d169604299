// Usage: npm run release:table [-- --write]
//
// Compares the sizes on the pages with the archives in dist/release. --write renews the table of the archives.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readSection, writeSection } from "../docs/page-section.ts";
import { root, runBuild } from "../publish.ts";
import { readStamp } from "../stamp.ts";
import { type ArchiveSize, figuresOf, type NamedSize, sizeProblems, sizesIn, sizeTable } from "./sizes.ts";

const { values: options } = parseArgs({ options: { write: { type: "boolean", default: false } } });

/** The benchmark's names for executables of archives. It runs on one architecture, and there are figures of this one. */
const measured = { "slim, musl": "cni-wrappers-linux-amd64", "Node flavor": "cni-wrappers-tools-linux-amd64" };

async function compare(): Promise<void> {
  const sizes = sizesIn(join(root, "dist/release"), readStamp(root).version);
  if (sizes.length === 0) throw new Error("there is no archive of this version in dist/release: npm run release");
  if (options.write) console.log(writeSection("release", sizeTable(sizes)));
  const problems = sizeProblems([...sizes.flatMap(onOperationsPage), ...sizes.flatMap(inBenchmarks)]);
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`the pages name the sizes of ${sizes.length} archives`);
}

function onOperationsPage({ name, packed, unpacked }: ArchiveSize): readonly NamedSize[] {
  const page = "docs/operations.md";
  const [archive = Number.NaN, executable = Number.NaN] = figuresOf(readSection("release"), `\`${name}\``);
  return [
    { page, what: name, megabytes: archive, found: packed },
    { page, what: `the executable of ${name}`, megabytes: executable, found: unpacked },
  ];
}

function inBenchmarks({ name, unpacked }: ArchiveSize): readonly NamedSize[] {
  const peers = Object.entries(measured).filter(([, prefix]) => name.startsWith(`${prefix}-v`));
  const [, details = ""] = readSection("bench").split(/^\*\*CHECK chained\*\*.*$/m);
  return peers.map(([peer]) => {
    const megabytes = figuresOf(details, peer).at(-1) ?? Number.NaN;
    return { page: "docs/benchmarks.md", what: `${peer}, the executable of ${name},`, megabytes, found: unpacked };
  });
}

await runBuild(compare);
