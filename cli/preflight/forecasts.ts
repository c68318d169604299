import { evidenceOn } from "../adopt/evidence.ts";
import { proposalAfter } from "../adopt/proposal.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import type { Attachments } from "../live/wanted.ts";
import { type WorkloadNames, workloadNames } from "../live/workload.ts";
import type { Terminal } from "../terminal.ts";
import { withBar } from "./at-once.ts";
import { type CheckOptions, checkOnHost, networkOf } from "./check.ts";
import type { Forecast } from "./forecast.ts";
import { changedKeys } from "./list-changes.ts";

/** Checks the attachments that a command is about, several at a time, with a bar on a terminal. */
export async function forecastsOn(
  { wanted, all }: Attachments,
  check: CheckOptions,
  terminal: Pick<Terminal, "env" | "writeError" | "progress">,
): Promise<readonly Forecast[]> {
  // The agent answers while the plugins run.
  const names = workloadNames(wanted, terminal.env, terminal.writeError);
  return withBar(wanted, terminal, (one) => forecastOn(one, all, check, names));
}

async function forecastOn(
  attachment: CachedAttachment,
  all: readonly CachedAttachment[],
  check: CheckOptions,
  names: Promise<WorkloadNames>,
): Promise<Forecast> {
  const network = networkOf(attachment, check);
  const changed = network && attachment.list ? changedKeys(attachment.list, network.value) : [];
  const verdict = await checkOnHost(attachment, check);
  const proposal = await proposalAfter(verdict, attachment, evidenceOn(attachment, all, check));
  const workload = (await names)(attachment);
  return { attachment, workload, verdict, changed, isAdoptable: proposal.is === "adoptable" };
}
