import type { HostStatus } from "../../../cli/status/host-status.ts";

/** The status of a host on which there is nothing, and nothing is wrong. */
export const emptyStatus: HostStatus = {
  time: "2026-11-24T12:00:00.000Z",
  installations: [],
  lists: { files: 0, invalid: [], errors: [], switchedOff: [] },
  directories: { lists: [], plugins: [], results: "", from: { lists: "usual", plugins: "usual" } },
  journalProblem: null,
  agent: { problem: null, differs: [], notLoaded: [] },
  networks: [],
  orphans: { results: 0, journals: 0 },
  unreadable: 0,
  nomadSkipsCheck: null,
  narrowRuntimes: [],
  repaired: undefined,
};
