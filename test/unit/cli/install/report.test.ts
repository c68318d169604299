import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Installed } from "../../../../cli/install/install.ts";
import { elsewhereText, installedText, noPluginsText, removedText, usesText } from "../../../../cli/install/report.ts";
import { temporary } from "../../../support/scratch.ts";

const commit = "0123456789abcdef";
const release = { version: "2.0.0", commit, flavor: "slim" } as const;
const earlier = { version: "1.0.0", commit: "v1.0.0-0123456789", flavor: "node" } as const;
const done: Installed = {
  ...{ is: "installed", executable: "/opt/cni/bin/cni-wrappers", release, sha256: "", replaced: undefined },
  ...{ links: ["a-wrapper", "b-wrapper"], newLinks: ["a-wrapper", "b-wrapper"] },
};
const slower =
  "As a wrapper, the Node flavor takes thirty times as long as the slim flavor. Unless a list has wrapper.jq, install that one: cni-wrappers install --from FILE\n";

const slim = "2.0.0 (slim flavor, commit 01234567)";
const node = "1.0.0 (Node flavor, commit v1.0.0-0123456789)";
const back = "To go back: cni-wrappers install --rollback";

test.each<[string, Partial<Installed>, string]>([
  ["a first installation", {}, `${slim} installed\nnew links: a-wrapper, b-wrapper\n`],
  [
    "an upgrade",
    { is: "replaced", replaced: earlier, newLinks: [] },
    `${slim} installed\nIt replaces ${node}. ${back}\n2 links, none of them is new\n`,
  ],
  [
    "an upgrade elsewhere",
    { is: "replaced", replaced: release, executable: "/srv/bin/cni-wrappers", newLinks: ["b-wrapper"] },
    `${slim} installed\nIt replaces ${slim}. ${back} --dir /srv/bin\nnew links: b-wrapper\n`,
  ],
  [
    "the same bytes",
    { is: "already installed", release: earlier, newLinks: [] },
    `${node} already installed\n2 links, none of them is new\n${slower}`,
  ],
  [
    "a rollback",
    { is: "rolled back", release: earlier, replaced: release, links: [], newLinks: [] },
    `${node} rolled back\nIt replaces ${slim}. ${back}\n`,
  ],
])("install tells of %s", (_, changes, words) => {
  const installed = { ...done, ...changes };
  expect(installedText(installed)).toBe(`${installed.executable}: ${words}`);
});

const use = (name: string, plugins?: string) => ({ network: "zone", containerId: name, name, plugins });

test.each([
  [
    [],
    1,
    "executable",
    ["A result or a journal that cannot be read may be of a running container that needs the wrappers."],
  ],
  [[use("c1")], 0, "executable", ["1 running container needs the wrappers:", "  zone c1"]],
  [[use("c1"), use("c2")], 0, "list", ["2 running containers need the wrappers:", "  zone c1", "  zone c2"]],
] as const)(
  "who needs the wrappers, and what happens without: %j, %j unreadable, without the %s",
  (uses, unreadable, what, lines) => {
    const happens = {
      executable: [
        "Without them every CHECK and DEL of these containers fails: the next restart of the runtime kills them, and their",
        "addresses stay leased. Stop them first. --force removes the wrappers all the same.",
      ],
      list: [
        "With the plain list every CHECK of these containers with several interfaces fails: the next restart of the runtime",
        "kills them, and the addresses of their renamed networks stay leased. Stop them first. --force writes the plain list",
        "all the same.",
      ],
    };
    expect(usesText(uses, unreadable, what).split("\n")).toEqual([...lines, ...happens[what], ""]);
  },
);

test.each([
  ["elsewhere", ["/srv/z", "/opt/cni/bin", "/srv/z"], "/opt/cni/bin, /srv/z"],
  ["here, too", ["/opt/cni/bin", "/srv/bin"], undefined],
  ["nobody knows where", ["/opt/cni/bin", undefined], undefined],
  ["nowhere, as there is no container", [], undefined],
])("containers whose plugins are %s", (_, directories, others) => {
  const uses = directories.map((plugins) => use("c1", plugins));
  const words = `All of them were attached with the plugins of ${others}. If the runtime's cni_path does not have /srv/bin, they do not need\nthe wrappers there.\n`;
  expect(elsewhereText(uses, "/srv/bin")).toBe(others === undefined ? "" : words);
});

test("containers whose plugins are here, behind a link", () => {
  const directory = temporary();
  mkdirSync(join(directory, "bin"));
  symlinkSync("bin", join(directory, "link"));
  const [bin, link] = ["bin", "link"].map((name) => join(directory, name)) as [string, string];
  expect([elsewhereText([use("c1", link)], bin), elsewhereText([use("c1", bin)], link)]).toEqual(["", ""]);
});

test("what is said of a directory without plugins, and of what was removed", () => {
  expect(noPluginsText("/srv")).toBe(
    "/srv: no plugin is in it that a wrapper could run. Name the directory of the plugins with --dir, or both directories in the runtime's cni_path\n",
  );
  expect(removedText([], "/srv")).toBe("/srv: nothing is installed there\n");
  expect(removedText(["/srv/a-wrapper", "/srv/cni-wrappers"], "/srv")).toBe("/srv: removed a-wrapper, cni-wrappers\n");
});
