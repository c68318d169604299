import { expect, test } from "vitest";
import { environment } from "../../../build/environment.mjs";
import { makeCaller, variablesOf } from "../../reports/settings/caller.ts";
import { type Setting, settings } from "../../reports/settings/table.ts";
import { temporary } from "../../support/scratch.ts";

const plain: Setting = {};

/** What the programs get if somebody with this setting runs an npm script. */
function reached(setting: Setting, home: string): Record<string, string | undefined> {
  makeCaller(setting, home);
  return environment(variablesOf(setting, home));
}

test.each(Object.entries(settings))("%s: only what has to reach the programs does", (_, setting) => {
  const home = temporary();
  const unset = Object.fromEntries(Object.keys(setting.variables ?? {}).map((name) => [name, undefined]));
  const [found, expected] = [reached(setting, home), reached({ ...setting, variables: unset, files: {} }, home)];
  const names = Object.keys({ ...found, ...expected });
  expect(names.filter((name) => found[name] !== expected[name]).sort()).toEqual([...(setting.reaches ?? [])].sort());
});

test.each([
  [
    "a registry of npm",
    { npm_config_registry: "a", "npm_config_@own:registry": "b", "npm_config_//host/:_authToken": "c" },
  ],
  ["a registry of Go", { GOPROXY: "a", GONOSUMDB: "b", GOPRIVATE: "c" }],
  ["a registry of cargo", { CARGO_REGISTRIES_OWN_INDEX: "a", CARGO_HTTP_CAINFO: "b" }],
  ["certificates", { SSL_CERT_FILE: "a", NODE_EXTRA_CA_CERTS: import.meta.filename }],
  [
    "directories",
    {
      TMPDIR: "/var/tmp",
      XDG_CACHE_HOME: "/a",
      CARGO_HOME: "/b",
      RUSTUP_HOME: "/c",
      GOMODCACHE: "/d",
      npm_config_cache: "/e",
    },
  ],
  ["options of the tests", { UPDATE_CASES: "1", NOMAD_BIN: "a", RELEASE_BUILDER_ID: "b" }],
])("%s reach the programs", (_, variables) => {
  expect(environment({ ...process.env, ...variables })).toMatchObject(variables);
});

test("a cache where there can be no directory is not used", () => {
  const variables = { npm_config_cache: "/dev/null/none/.npm", XDG_CACHE_HOME: "/dev/null" };
  expect(Object.keys(environment({ ...process.env, ...variables }))).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(npm_config_cache|XDG_CACHE_HOME)$/)]),
  );
});

test("a registry in Go's own file reaches the programs, and nothing else of it", () => {
  const file = "GOPROXY=https://proxy.example\nGOFLAGS=-mod=vendor\nGOPATH=relative\n";
  const setting = { ...plain, files: { ".config/go/env": file } };
  expect(reached(setting, temporary())).toMatchObject({ GOPROXY: "https://proxy.example", GOFLAGS: "-buildvcs=false" });
});
