import type { HostStatus } from "../../../cli/status/host-status.ts";

/** The status of a host on which there is nothing, and nothing is wrong. */
export const emptyStatus: HostStatus = {
  installations: [],
  lists: { files: 0, errors: [] },
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
