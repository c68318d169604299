// Sends the same generated requests through the executables of both flavors, or of two builds. It fails at the first request with
// different answers: stdout, stderr, exit code, log, the delegate's input, and the files on the host. At the end it
// counts verbs, versions, places in the chain and errors. A count of zero is a failure too.

import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
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

type Counts = Record<"verb" | "version" | "position" | "error", Record<string, number>>;

/**
 * Errors that do not occur here. No request causes the wrapper's internal error. Errors about moved routes and about routers
 * need a namespace: the end-to-end tests cause these, with both flavors.
 */
const elsewhere = ["internal", "noRouterAddress", "routingMissing", "routingUnreadable"];
const errors = Object.entries(catalogue).flatMap(([key, { msg }]) => (elsewhere.includes(key) ? [] : [{ key, msg }]));

function noCounts(): Counts {
  const none = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 0]));
  return {
    verb: none(verbs),
    version: none(versions),
    position: none(positions),
    error: none(errors.map(({ key }) => key)),
  };
}

/** How many requests are made at once. All of them would need gigabytes. They do not depend on the number of parts. */
const slice = 125;

/** The requests of one part, with their numbers. */
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
  const counts = noCounts();
  const add = (what: keyof Counts, name: string) => {
    counts[what][name] = (counts[what][name] ?? 0) + 1;
  };
  for (const [index, request] of requestsOf(part)) {
    const answers = [answerOf(place, bins[0], request), answerOf(place, bins[1], request)] as const;
    const [one, other] = [JSON.stringify(answers[0], null, 1), JSON.stringify(answers[1], null, 1)];
    if (one !== other) fail(`the two answer request ${index} of seed ${seed} differently`, request, one, other);
    for (const what of ["verb", "version", "position"] as const) add(what, request.kind[what]);
    const error = errorOf(answers[0].stdout);
    if (error !== undefined) add("error", error);
  }
  process.stdout.write(JSON.stringify(counts));
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

function startPart(part: number): Promise<Counts> {
  const self = [
    process.execPath,
    import.meta.filename,
    "--count",
    `${count}`,
    "--seed",
    `${seed}`,
    "--bins",
    bins.join(),
    "--part",
    `${part}`,
  ];
  const child = spawn("unshare", ["--mount", "sh", "-c", privately, "sh", ...self], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { promise, resolve, reject } = Promise.withResolvers<Counts>();
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("error", reject);
  child.on("close", (code) => {
    if (code === 0) resolve(JSON.parse(Buffer.concat(chunks).toString()));
    else reject(new Error(`part ${part} ended with ${code}`));
  });
  return promise;
}

function sum(all: readonly Counts[]): Counts {
  const total = noCounts();
  for (const counts of all) {
    for (const [what, names] of Object.entries(counts) as [keyof Counts, Record<string, number>][]) {
      for (const [name, number] of Object.entries(names)) total[what][name] = (total[what][name] ?? 0) + number;
    }
  }
  return total;
}

function report(total: Counts): void {
  console.log(`${count} requests of seed ${seed}: both answer the same`);
  for (const [what, names] of Object.entries(total)) {
    console.log(
      `${what}: ${Object.entries(names)
        .map((entry) => entry.join(" "))
        .join(", ")}`,
    );
  }
  const missing = Object.entries(total).flatMap(([what, names]) =>
    Object.keys(names)
      .filter((name) => names[name] === 0)
      .map((name) => `${what} ${name}`),
  );
  if (missing.length > 0) {
    console.error(`never occurred: ${missing.join(", ")}`);
    process.exitCode = 1;
  }
}

if (options.part !== undefined) {
  runPart(Number(options.part));
} else {
  try {
    report(sum(await Promise.all(Array.from({ length: parts }, (_, part) => startPart(part)))));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
