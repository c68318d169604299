import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly steps: readonly { readonly uses?: string; readonly run?: string; readonly env?: object }[];
}

interface Workflow {
  readonly permissions?: object;
  readonly concurrency?: object;
  readonly defaults?: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

const root = path.resolve(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const files = globSync(".github/workflows/*.yml", { cwd: root }).sort();
const workflow = (name: string): Workflow => parse(read(`.github/workflows/${name}.yml`));
const jobsOf = (file: string): Job[] => Object.values((parse(read(file)) as Workflow).jobs);
const commandsOf = (file: string): string[] =>
  jobsOf(file).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));

/** What each workflow of a public repository runs of ours. */
const called = {
  "ci.yml": [".ci/run", "test:alerts", "test:fresh", "test:long", "test:settings"],
  "codeql.yml": [],
  "page.yml": ["page"],
  "release.yml": ["packages", "release", "release:notes", "release:table", "release:verify"],
  "scorecard.yml": [],
};

test("there are the workflows of a public repository", () => {
  expect(files.map((file) => path.basename(file))).toEqual(Object.keys(called));
});

describe.each(Object.entries(called))("%s", (name, wanted) => {
  const file = `.github/workflows/${name}`;

  test("pins each action to a commit, and names its version", () => {
    const uses = [...read(file).matchAll(/\buses: *(.*)$/gm)].map(([, action]) => action);
    expect(uses.length).toBeGreaterThan(0);
    expect(uses.filter((action) => !/^[\w.-]+(\/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action ?? ""))).toEqual(
      [],
    );
  });

  test("gives no right to all jobs, and each job names its own", () => {
    const { permissions, jobs, concurrency } = parse(read(file)) as Workflow;
    expect(permissions).toEqual({});
    expect(Object.values(jobs).map((job) => job.permissions?.contents)).not.toContain(undefined);
    expect(concurrency).toBeDefined();
  });

  test("runs npm scripts and files that exist", () => {
    const { scripts } = JSON.parse(read("package.json"));
    const commands = commandsOf(file).join("\n");
    const found = commands.matchAll(/npm run (?:--silent )?([\w:-]+)|(?<![\w/.])(\.ci\/\S+)/g);
    const names = [...found].map(([, script, command = ""]) => script ?? command);
    expect([...new Set(names)].sort()).toEqual(wanted);
    const isThere = (name: string) => Object.hasOwn(scripts, name) || existsSync(path.join(root, name));
    expect(wanted.filter((name) => !isThere(name))).toEqual([]);
  });

  test("fails if a command before a pipe fails", () => {
    const shell = commandsOf(file).length > 0 ? { run: { shell: "bash" } } : undefined;
    expect(parse(read(file)).defaults).toEqual(shell);
  });
});

test("npm test runs on Ubuntu, and on Debian with the oldest Node and Go that CONTRIBUTING.md names", () => {
  const { jobs } = workflow("ci");
  for (const name of ["ubuntu", "debian"]) expect(jobs[name]?.steps.at(-1)?.run).toMatch(/(^| )\.ci\/run$/);
  const [, node, go] = /Node >= (\d+), Go >= ([\d.]+)/.exec(read("CONTRIBUTING.md")) ?? [];
  expect(jobs.debian?.steps).toMatchObject({
    1: { with: { "node-version": Number(node) } },
    2: { with: { "go-version": go } },
  });
});

test("the page is published by a job that runs no code of a dependency", () => {
  const { build, publish } = workflow("page").jobs as { build: Job; publish: Job };
  expect(build.permissions).toEqual({ contents: "read" });
  expect(publish.permissions).toEqual({ contents: "read", pages: "write", "id-token": "write" });
  expect(publish.steps.map(({ run }) => run)).toEqual([undefined]);
});

describe("a release", () => {
  const { build, publish } = workflow("release").jobs as { build: Job; publish: Job };
  const scripts = (job: Job) => job.steps.map(({ run = "" }) => run).join("\n");

  test("is checked, built, packed and compared before it is published", () => {
    const names = [...scripts(build).matchAll(/npm run --silent ([\w:]+)/g)].map(([, name]) => name);
    expect(names).toEqual(["release:notes", "release", "release:table", "packages", "release:verify"]);
    expect(scripts(build)).toContain("sha256sum --check");
  });

  test("only the job that runs no code of a dependency can write, and has the key", () => {
    expect(build.permissions).toEqual({ contents: "read" });
    expect(publish).toMatchObject({ needs: "build", environment: "release", if: "github.ref_type == 'tag'" });
    expect(scripts(publish)).not.toMatch(/npm|node/);
    expect(JSON.stringify(build)).not.toContain("secrets.");
  });

  test("is signed with the command of the maintainers' page", () => {
    const command = /^minisign -S .*$/m.exec(read("build/release/README.md"))?.[0];
    expect(command).toBeDefined();
    expect(scripts(publish)).toContain(`\n${command}\n`);
    expect(scripts(publish)).toContain("minisign -Vm");
  });

  test("has the Rust of ci.yml", () => {
    const versions = files.flatMap((file) =>
      [...read(file).matchAll(/RUST_VERSION: (.*)$/gm)].map(([, version]) => version),
    );
    const [, image] = /image: rust:([\d.]+)-/.exec(read(".github/workflows/ci.yml")) ?? [];
    expect(new Set([...versions, image])).toEqual(new Set([versions[0]]));
  });
});
