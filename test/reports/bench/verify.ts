import { deepStrictEqual } from "node:assert";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { CallRecord } from "../../support/lab.ts";
import type { Case } from "./cases.ts";
import { type Peer, peersOf, runOnce, type Stage, working } from "./peers.ts";

/** The script is right to act differently here. These keys are not compared. */
const leftOut: readonly { readonly cases: readonly string[]; readonly key: keyof CallRequest; readonly why: string }[] =
  [
    {
      cases: ["CHECK chained", "ADD chained", "DEL chained"],
      key: "name",
      why: "the wrapper gives a renamed interface a network of its own",
    },
    {
      cases: ["ADD chained", "DEL chained"],
      key: "prevResult",
      why: "the script narrows only on CHECK, and passes prevResult unchanged",
    },
  ];

interface CallRequest {
  readonly name?: unknown;
  readonly prevResult?: { readonly interfaces?: readonly { readonly sandbox?: string }[] };
}

/** Runs a case once with every peer that does the wrapper's work. Throws if one of them acts differently. */
export function verify(stage: Stage, one: Case): void {
  // No peer does any work here.
  if (one.verb === "") return;
  const [first, ...others] = peersOf(stage, one, "recorded").filter(({ kind }) => working.includes(kind));
  if (!first) throw new Error("no peer to compare");
  const expected = deedOf(stage, one, first);
  for (const peer of others) {
    const deed = deedOf(stage, one, peer);
    try {
      deepStrictEqual(deed, expected);
    } catch (cause) {
      throw new Error(`${one.title}: ${peer.name} does not do the work of ${first.name}: ${(cause as Error).message}`);
    }
  }
}

/** The actions of a peer: the delegate's input and the runtime's output. */
function deedOf(stage: Stage, one: Case, peer: Peer) {
  const records = path.join(stage.directory, "records");
  const stdout = runOnce(peer);
  const files = readdirSync(records).map((name) => path.join(records, name));
  const [record, ...more] = files.map((file): CallRecord => JSON.parse(readFileSync(file, "utf8")));
  for (const file of files) rmSync(file);
  if (!record || more.length > 0) throw new Error(`${one.title}: ${peer.name} ran the delegate ${files.length} times`);
  // A wrapper marks the environment of its delegate. The script does not, and an older build neither.
  const { CNI_WRAPPERS_NESTED: _, ...env } = record.env;
  return { env, request: compared(one, record.stdin), answer: stdout && JSON.parse(stdout) };
}

function compared({ title }: Case, request: CallRequest): CallRequest {
  const keys = leftOut.filter(({ cases }) => cases.includes(title)).map(({ key }) => key as string);
  const kept: CallRequest = Object.fromEntries(Object.entries(request).filter(([key]) => !keys.includes(key)));
  const { interfaces } = kept.prevResult ?? {};
  if (!interfaces) return kept;
  // The wrapper leaves out the MAC of a bridge if the kernel does not say that somebody has set it.
  const withoutMacs = interfaces.map((one) => (one.sandbox ? one : { ...one, mac: undefined }));
  return { ...kept, prevResult: { ...kept.prevResult, interfaces: withoutMacs } };
}
