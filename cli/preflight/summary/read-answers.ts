import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../../shared/protocol/json.ts";
import type { Terminal } from "../../terminal.ts";
import { Trouble, withPath } from "../../trouble.ts";

/** What preflight said on one host, for a table of many hosts. */
export interface HostAnswer {
  readonly host: string;
  readonly attachments: number;
  readonly passes: number;
  readonly fails: number;
  /** The failing attachments that adopt can complete. */
  readonly adoptable: number;
  /** The results that preflight could not read. */
  readonly leftOut: number;
  readonly nomadSkipsCheck: string | undefined;
  /** The containers that Nomad has perhaps not saved. */
  readonly unsaved: number;
  readonly failures: readonly Failure[];
}

/** One attachment whose CHECK would fail. */
export interface Failure {
  readonly network: string;
  readonly reason: string;
  readonly isAdoptable: boolean;
}

/**
 * Reads what `preflight --json` printed. A file has the answer of one host or those of many, one after the other: a line that
 * begins with `{` begins an answer. Throws Trouble if an answer is no such JSON.
 */
export function readAnswers(
  paths: readonly string[],
  { directory, readInput }: Pick<Terminal, "directory" | "readInput">,
): readonly HostAnswer[] {
  return paths.flatMap((path) => {
    const text = path === "-" ? readInput() : withPath(path, () => readFileSync(resolve(directory, path), "utf8"));
    const answers = text.split(/^(?=\{)/m).filter((part) => part.trim() !== "");
    if (answers.length === 0) throw new Trouble(`${path}: it has no answer of preflight --json`);
    return answers.map((answer, index) => answerIn(answer, path, index + 1));
  });
}

function answerIn(text: string, path: string, number: number): HostAnswer {
  const { host, attachments, leftOut, nomadSkipsCheck, unsaved } = parseJsonObject(text) ?? {};
  if (typeof host !== "string" || !Array.isArray(attachments) || !attachments.every(isForecast))
    throw new Trouble(`${path}: answer ${number} is not what preflight --json prints`);
  const failing = attachments.filter(({ verdict }) => verdict.is === "fails");
  return {
    host,
    attachments: attachments.length,
    passes: attachments.filter(({ verdict }) => verdict.is === "passes").length,
    fails: failing.length,
    adoptable: failing.filter(({ adoptable }) => adoptable === true).length,
    leftOut: lengthOf(leftOut),
    nomadSkipsCheck: typeof nomadSkipsCheck === "string" ? nomadSkipsCheck : undefined,
    unsaved: lengthOf(unsaved),
    failures: failing.map(({ network, verdict: { plugin, error }, adoptable }) => ({
      network,
      reason: typeof plugin === "string" ? `${plugin}: ${error}` : String(error),
      isAdoptable: adoptable === true,
    })),
  };
}

interface ForecastJson extends JsonObject {
  readonly network: string;
  readonly verdict: JsonObject;
}

function isForecast(value: unknown): value is ForecastJson {
  return isJsonObject(value) && typeof value.network === "string" && isJsonObject(value.verdict);
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
