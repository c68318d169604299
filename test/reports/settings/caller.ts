import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { execa } from "execa";
import { fixed } from "../../../build/environment.mjs";
import type { Setting } from "./table.ts";

/** Starts a command in a directory. */
export type Start = (directory: string, ...command: string[]) => Promise<{ exitCode?: number; all: string }>;

/** Makes the home directory of somebody who has this setting. Returns how they start a command. */
export function makeCaller(setting: Setting, home: string): Start {
  mkdirSync(home, { recursive: true });
  for (const [name, content] of Object.entries(setting.files ?? {})) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), content, { mode: 0o755 });
  }
  const env = variablesOf(setting, home);
  const shell = ["-c", `${setting.shell ?? ":"}\nexec "$@"`, "sh"];
  return (cwd, ...command) =>
    execa("sh", [...shell, ...command], { cwd, env, extendEnv: false, stdin: "ignore", all: true, reject: false });
}

/** The environment of somebody who has this setting, and the caches of this machine. */
export function variablesOf({ variables = {}, rebuilds }: Setting, home: string): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => !(name in fixed));
  const path = (process.env.PATH ?? "").split(delimiter).filter((place) => !place.includes("node_modules"));
  const expanded = Object.entries(variables).map(([name, value]) => [name, value?.replaceAll("$HOME", home)]);
  const all: Record<string, string | undefined> = {
    ...Object.fromEntries(own),
    ...{ PATH: path.join(delimiter), HOME: home, XDG_CACHE_HOME: join(rebuilds ? home : homedir(), ".cache") },
    ...caches(),
    ...Object.fromEntries(expanded),
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function caches(): Record<string, string> {
  const { CARGO_HOME, RUSTUP_HOME, GOPATH, GOMODCACHE, GOCACHE, npm_config_cache: npm } = process.env;
  const inHome = (name: string) => join(homedir(), name);
  return {
    CARGO_HOME: CARGO_HOME ?? inHome(".cargo"),
    RUSTUP_HOME: RUSTUP_HOME ?? inHome(".rustup"),
    GOMODCACHE: GOMODCACHE ?? join(GOPATH ?? inHome("go"), "pkg/mod"),
    GOCACHE: GOCACHE ?? inHome(".cache/go-build"),
    npm_config_cache: npm ?? inHome(".npm"),
  };
}
