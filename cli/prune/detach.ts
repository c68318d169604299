import process from "node:process";
import { profiles } from "../../plugins/index.ts";
import { logOf, type Session } from "../../shared/call/session.ts";
import { undoJournal } from "../../shared/delegate/undo.ts";
import type { Host } from "../../shared/host/host.ts";
import { nodeHost } from "../../shared/host/node/node-host.ts";
import { profileOf } from "../../shared/plugin/profile.ts";
import type { CniResult } from "../../shared/protocol/result.ts";
import { Memory } from "../host/memory.ts";
import type { List } from "../lists/list.ts";
import { attachmentOf } from "../live/cached-results.ts";
import { callOf, callOrder, inVersion } from "../live/libcni.ts";
import type { PluginOutcome, PluginRun } from "../live/run-plugin.ts";
import { type Known, plainAddress } from "./known.ts";

/** A plugin whose DEL failed. */
export interface FailedDel {
  readonly known: Known;
  readonly plugin: string;
  readonly error: string;
  /** Whether `prune` knows everything that the plugin makes. */
  readonly isKnown: boolean;
}

interface How {
  readonly cniPath: readonly string[];
  /** Whether another container has an address now. firewall's DEL would remove its rules. */
  readonly isInUse: (address: string) => boolean;
  /** A DEL takes long, and the container can come back in between. */
  readonly isGone: () => boolean;
  readonly ask: (run: PluginRun) => Promise<PluginOutcome>;
}

/**
 * Runs DEL for an attachment whose namespace is gone, as the runtime would: the list at the time of ADD, the last plugin
 * first. libcni stops at the first failure. Nobody repeats this DEL, so here every plugin gets its turn.
 */
export async function detach(known: Known, { cniPath, isInUse, isGone, ask }: How): Promise<readonly FailedDel[]> {
  const failed: FailedDel[] = [];
  const { result, list } = known;
  if (!result || !list) return failed;
  const attachment = { ...attachmentOf(result, cniPath.join(":")), netns: "" };
  for (const index of callOrder(list, "DEL")) {
    // guard: the plugins of a container that came back get no DEL
    if (!isGone()) break;
    const { type = "", delegate = "" } = list.plugins[index] ?? {};
    const prevResult = prevResultFor(list, result.result, isInUse);
    const run = { type, ...callOf(list, index, "DEL", attachment, prevResult) };
    const outcome = await ask(run);
    if (!outcome.passed)
      failed.push({ known, plugin: run.type, error: outcome.error, isKnown: isKnownPlugin(delegate) });
  }
  return failed;
}

/** Undoes what an attachment's journal still has, by the wrappers' own code. */
export function undoRemembered(known: Known, cniPath: readonly string[]): readonly FailedDel[] {
  const variables = { CNI_PATH: cniPath.join(":") };
  const own = nodeHost();
  const host: Host = {
    ...own,
    env: { ...process.env, ...variables },
    spawn: (path, changes, streams) => own.spawn(path, { ...variables, ...changes }, streams),
  };
  const session: Session = { host, profiles, log: logOf({}, {}), cniVersion: undefined, fields: {} };
  return known.remembered.flatMap(({ journal }) => {
    // guard: a journal that cannot be read is not undone
    if (!journal || journal.problem !== undefined) return [];
    const facts = new Memory();
    // The list's plugins have undone their entries already.
    const now = facts.journal(journal.key);
    return undoJournal({ session, facts, journal: now, netns: "" }).map(({ entry, why }) => {
      return { known, plugin: entry.type, error: why, isKnown: isKnownPlugin(entry.type) };
    });
  });
}

/** Whether `prune` knows everything that a plugin makes. */
function isKnownPlugin(type: string): boolean {
  return profileOf(type, profiles) !== undefined || type === "loopback";
}

function prevResultFor(
  { cniVersion = "0.1.0" }: List,
  result: CniResult | undefined,
  isInUse: (address: string) => boolean,
): CniResult | undefined {
  if (!result) return undefined;
  // guard: the rules of an address that another container has
  const ips = result.ips?.filter(({ address }) => !isInUse(plainAddress(address)));
  return inVersion({ ...result, ...(ips && { ips }) }, cniVersion);
}
