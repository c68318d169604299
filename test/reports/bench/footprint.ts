import { writeFileSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import type { Case } from "./cases.ts";
import { planned } from "./measure.ts";
import { inPrivateMounts, peersOf, type Stage } from "./peers.ts";

/** The memory and system calls of a peer until it executes the plugin, and its size on disk. */
export interface Footprint {
  readonly peer: string;
  /** The peak memory of the process that needed most. */
  readonly peakMB: number;
  readonly systemCalls: number;
  readonly sizeMB: number;
}

/** Traces one call of every peer. */
export async function footprintsOf(stage: Stage, one: Case): Promise<Footprint[]> {
  const peers = peersOf(stage, one, "timed");
  const file = path.join(stage.directory, "footprint.json");
  const commands = peers.map((peer) => ({ ...planned(peer), delegate: stage.delegate }));
  writeFileSync(file, JSON.stringify({ commands }));
  const [command, args] = inPrivateMounts([stage.programs.footprint, file], peers[0]?.records);
  const { stdout } = await execa(command, args, { stderr: "inherit" });
  const found: { peakKiB: number; systemCalls: number }[] = stdout.split("\n").map((line) => JSON.parse(line));
  return peers.map(({ name }, index) => ({
    peer: name,
    peakMB: ((found[index]?.peakKiB ?? Number.NaN) * 1024) / 1e6,
    systemCalls: found[index]?.systemCalls ?? Number.NaN,
    sizeMB: (stage.peers.find((peer) => peer.name === name)?.size ?? Number.NaN) / 1e6,
  }));
}
