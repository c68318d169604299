import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeAtomically } from "../../../cli/files/atomic-write.ts";
import { Trouble } from "../../../cli/terminal.ts";
import { appendLine } from "../../../shared/host/node/files.ts";
import fc from "../support/fast-check.ts";

// Root writes only through links that nobody else can have made. Each directory here has an owner and a mode.

const owner = fc.constantFrom(0, 0, 0, 1234);
const directory = fc.record({ owner, mode: fc.constantFrom(0o755, 0o755, 0o700, 0o775, 0o757, 0o1777) });
type Directory = typeof directory extends fc.Arbitrary<infer T> ? T : never;

/** Whether a user or a group can make files there. */
const isOpen = ({ owner, mode }: Directory): boolean => owner !== 0 || [0o775, 0o757, 0o1777].includes(mode);

function make(path: string, { owner, mode }: Directory): string {
  fs.mkdirSync(path);
  fs.chmodSync(path, mode);
  fs.chownSync(path, owner, owner);
  return path;
}

function inScratch(action: (scratch: string) => void): void {
  const scratch = fs.mkdtempSync(join(tmpdir(), "cni-wrappers-owners-"));
  try {
    action(scratch);
  } finally {
    fs.rmSync(scratch, { recursive: true });
  }
}

/** How a name leads to its file or directory: it is its own, a link to it, or a link to a link in another directory. */
const way = fc.oneof(
  fc.constant("own" as const),
  fc.record({ isAbsolute: fc.boolean(), behind: fc.option(directory, { nil: undefined }) }),
);
type Way = typeof way extends fc.Arbitrary<infer T> ? T : never;

/** Makes the links of a way to the name `real` in a directory. Returns the name to ask for. */
function nameOf(way: Way, where: string): string {
  if (way === "own") return "real";
  if (way.behind) fs.symlinkSync(join(where, "real"), join(make(join(where, "other"), way.behind), "hop"));
  const target = way.behind ? "other/hop" : "real";
  fs.symlinkSync(way.isAbsolute ? join(where, target) : target, join(where, "link"));
  return "link";
}

test("a log is written through links only if they are in directories of root's alone", () => {
  const levels = fc.array(fc.record({ way, directory }), { maxLength: 3 });
  fc.assert(
    fc.property(directory, levels, way, (first, levels, last) => {
      inScratch((scratch) => {
        let where = make(join(scratch, "top"), first);
        let asked = where;
        let isRefused = false;
        let around = first;
        const follow = (way: Way) => {
          if (way !== "own") isRefused ||= isOpen(around) || (way.behind !== undefined && isOpen(way.behind));
          return nameOf(way, where);
        };
        for (const { way, directory } of levels) {
          asked = join(asked, follow(way));
          where = make(join(where, "real"), directory);
          around = directory;
        }
        asked = join(asked, follow(last));
        const problem = appendLine(asked, "a line\n");
        const log = join(where, "real");
        if (isRefused)
          expect([problem, fs.existsSync(log)]).toEqual([expect.stringMatching(/^(ELOOP|ENOTDIR)$/), false]);
        else expect([problem, fs.readFileSync(log, "utf8")]).toEqual([undefined, "a line\n"]);
      });
    }),
  );
});

test("a command's output replaces the target of a link only if nobody else can have made the link", () => {
  const levels = fc.array(directory, { minLength: 1, maxLength: 3 });
  // Only the owner of a file can replace it in a sticky directory.
  const isReplaceable = (one: Directory) => isOpen(one) && !(one.owner === 0 && one.mode === 0o1777);
  fc.assert(
    fc.property(levels, owner, (levels, owner) => {
      inScratch((scratch) => {
        const where = levels.reduce((above, level) => make(join(above, "real"), level), scratch);
        const target = join(scratch, "target");
        const link = join(where, "link");
        fs.writeFileSync(target, "old");
        fs.symlinkSync(target, link);
        fs.lchownSync(link, owner, owner);
        const write = () => writeAtomically(link, "new", { followsLinks: true });
        if (owner !== 0 || levels.some(isReplaceable)) expect(write).toThrow(Trouble);
        else write();
        expect(fs.readFileSync(target, "utf8")).toBe(owner !== 0 || levels.some(isReplaceable) ? "old" : "new");
      });
    }),
  );
});
