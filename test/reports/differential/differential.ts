// Sends the same generated requests through the executables of both flavors, or of two builds. It fails at the first request with
// different answers: stdout, stderr, exit code, log, the delegate's input, and the files on the host. At the end it
// counts verbs, versions, places in the chain and errors. A count of zero is a failure too.

import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { execa } from "execa";
import { catalogue } from "../../../shared/protocol/errors.ts";
import { given, text } from "../../support/given.ts";
import { say } from "../../support/progress.ts";
import { answerOf, makePlace } from "./place.ts";
import { makeRequests, positions, type Request, verbs, versions } from "./requests.ts";

/** `bins` are the folders of two builds to compare. `part` is for the child processes: the number of this part. */
const options = given({ count: 500, seed: 20250101, bins: "dist/bin,dist/slim/bin", part: text });
const { count, seed } = options;
const parts = Math.max(2, availableParallelism());
const root = join(import.meta.dirname, "../../..");
const bins = options.bins.split(",").map((bin) => resolve(root, bin)) as [string, string];

/**
 * Errors that do not occur here. No request causes the wrapper's internal error. Errors about moved routes and about routers
 * need a namespace: the end-to-end tests cause these, with both flavors.
 */
const elsewhere = ["internal", "noRouterAddress", "routingMissing", "routingUnreadable"];
const errors = Object.entries(catalogue).flatMap(([key, { msg }]) => (elsewhere.includes(key) ? [] : [{ key, msg }]));
/** What is counted. Each must occur. */
const names = { verb: verbs, version: versions, position: positions, error: errors.map(({ key }) => key) };

/** How often each of it occurred, such as `verb ADD`. */
type Counts = Record<string, number>;

/** How many requests are made at once. All of them would need gigabytes. They do not depend on the number of parts. */
const slice = 125;

function* requestsOf(part: number): Generator<readonly [number, Request]> {
  for (let start = part * slice; start < count; start += parts * slice) {
    const requests = makeRequests(Math.min(slice, count - start), seed + start);
    for (const [index, request] of requests.entries()) yield [start + index, request];
    if (part === 0) say(`${start + requests.length} of ${count} requests`);
  }
}

/** Runs every request of one part. Exits at the first difference. */
function runPart(part: number): void {
  const place = makePlace();
  const seen: string[] = [];
  for (const [index, request] of requestsOf(part)) {
    const answers = [answerOf(place, bins[0], request), answerOf(place, bins[1], request)] as const;
    const [one, other] = [JSON.stringify(answers[0], null, 1), JSON.stringify(answers[1], null, 1)];
    if (one !== other) fail(`the two answer request ${index} of seed ${seed} differently`, request, one, other);
    seen.push(...Object.entries(request.kind).map((entry) => entry.join(" ")), `error ${errorOf(answers[0].stdout)}`);
  }
  process.stdout.write(JSON.stringify(countBy(seen.map((name) => [name, 1]))));
}

function fail(title: string, request: Request, one: string, other: string): never {
  const stdin =
    typeof request.stdin === "string" ? request.stdin : Buffer.from(request.stdin).toString().slice(0, 4000);
  console.error(
    `${title}:\n${JSON.stringify({ ...request, stdin }, null, 1)}\n${bins[0]}: ${one}\n${bins[1]}: ${other}`,
  );
  process.exit(1);
}

/** The catalogue's error on stdout, if there is one. The longest matching beginning of a message decides. */
function errorOf(stdout: string): string | undefined {
  const found = /"msg": "((?:[^"\\]|\\.)*)"/.exec(stdout)?.[1];
  const begins = errors.map(({ key, msg }) => ({ key, words: msg.split("%s") }));
  return begins
    .filter(({ words: [head = "", tail = ""] }) => found?.startsWith(head) && found.endsWith(tail))
    .sort(({ words: [one = ""] }, { words: [other = ""] }) => other.length - one.length)[0]?.key;
}

// ADD writes to /var/lib. Each part has its own, and the host's does not change.
const privately = 'mount -t tmpfs none /var/lib && exec "$@"';

async function startPart(part: number): Promise<Counts> {
  const self = [process.execPath, import.meta.filename, ...process.argv.slice(2), "--part", `${part}`];
  const command = ["--mount", "sh", "-c", privately, "sh", ...self];
  const { stdout } = await execa("unshare", command, { stdin: "ignore", stderr: "inherit" });
  return JSON.parse(stdout);
}

function countBy(all: readonly (readonly [string, number])[]): Counts {
  const groups = [...Map.groupBy(all, ([name]) => name)];
  return Object.fromEntries(groups.map(([name, own]) => [name, own.reduce((sum, [, times]) => sum + times, 0)]));
}

function report(total: Counts): void {
  console.log(`${count} requests of seed ${seed}: both answer the same`);
  const all = Object.entries(names).flatMap(([what, own]) => own.map((name) => `${what} ${name}`));
  for (const [what, own] of Object.entries(names))
    console.log(`${what}: ${own.map((name) => `${name} ${total[`${what} ${name}`] ?? 0}`).join(", ")}`);
  const missing = all.filter((name) => !total[name]);
  if (missing.length > 0) {
    console.error(`never occurred: ${missing.join(", ")}`);
    process.exitCode = 1;
  }
}

if (options.part !== undefined) runPart(Number(options.part));
else {
  const all = await Promise.all(Array.from({ length: parts }, (_, part) => startPart(part)));
  report(countBy(all.flatMap(Object.entries<number>)));
}
