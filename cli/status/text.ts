import { exposureCure } from "../install/place.ts";
import { releaseWords } from "../install/report.ts";
import { lookedAtLines } from "../live/every-attachment.ts";
import { plainTable } from "../plain-table.ts";
import { type Colors, styled } from "../terminal.ts";
import type { HostStatus } from "./host-status.ts";
import { type Installation, isSound } from "./installation.ts";
import { neededAddressSpace } from "./narrow-runtimes.ts";

/** The status for people: the installation, a line for each network, and a line for everything else that is there. */
export function statusText(status: HostStatus, terminal: Colors): string {
  const { installations, lists, networks, orphans, unreadable, nomadSkipsCheck, narrowRuntimes, repaired } = status;
  const hasGone = networks.some(({ gone }) => gone > 0);
  const titles = ["network", "attachments", "failing", ...(hasGone ? ["gone"] : [])];
  const rows = networks.map(({ network, attachments, failing, gone }) => [
    network,
    String(attachments),
    failing === 0 ? "0" : styled(terminal, "red", String(failing)),
    ...(hasGone ? [String(gone)] : []),
  ]);
  const lines = [
    ...(installations.length === 0 ? ["no installation in the directories of the plugins"] : []),
    ...installations.flatMap((one) => installationLines(one, terminal)),
    "",
    ...lookedAtLines(status),
    `lists: ${lists.files}`,
    ...[...lists.errors, ...lists.switchedOff].map((line) => `  ${line}`),
    "",
    ...(rows.length === 0 ? ["no attachments"] : [plainTable(titles, rows), ""]),
    ...(networks.some(({ failing }) => failing > 0) ? ["cni-wrappers preflight says why they fail"] : []),
    ...networks
      .filter(({ outside }) => outside > 0)
      .map(
        ({ network, outside }) => `${network}: attachments with an address outside of the list's subnets: ${outside}`,
      ),
    ...networks
      .filter(({ withoutJournal }) => withoutJournal > 0)
      .map(({ network, withoutJournal }) => `${network}: attachments without a journal: ${withoutJournal}`),
    `results without a namespace: ${orphans.results}${hasGone ? " (nothing runs there: cni-wrappers prune shows what is left)" : ""}`,
    `journals without a result: ${orphans.journals}`,
    ...(unreadable > 0 ? [`lists, results, journals and others that could not be looked at: ${unreadable}`] : []),
    ...(nomadSkipsCheck ? [`Nomad would skip CHECK: ${nomadSkipsCheck.reason}; ${nomadSkipsCheck.cure}`] : []),
    ...narrowRuntimes.map(
      ({ name, pid, addressSpace }) =>
        `${name} (process ${pid}) gives its plugins ${inMiB(addressSpace)} of address space, and the Node flavor needs ${inMiB(neededAddressSpace)}: install the slim flavor`,
    ),
    ...(repaired ? [`repaired ADDs in ${repaired.file}: ${repaired.passed} passed, ${repaired.failed} failed`] : []),
  ];
  return `${lines.join("\n")}\n`;
}

function inMiB(bytes: number): string {
  return `${Math.floor(bytes / 1024 ** 2)} MiB`;
}

const stateWords: Readonly<Record<Exclude<Installation["state"], "unknown">, string>> = {
  intact: "intact: the checksum and the version are those that install wrote",
  changed: "changed: the checksum or the version is not the one that install wrote",
  broken: "broken: ",
  exposed: "exposed: another user may change the executable, or gets its owner's rights",
  incomplete: "incomplete: lists name links that are missing; install makes them",
  shadowed: "shadowed: a directory before it has another version, which runtimes run",
};

function installationLines(
  { directory, release, state, problem = "", exposed, shadowedBy, madeBy, links, previous }: Installation,
  terminal: Colors,
): readonly string[] {
  const words = state === "unknown" ? `made by ${madeBy}: there is no checksum to compare with` : stateWords[state];
  const cure = exposed === undefined ? "" : `; ${exposureCure(exposed)}`;
  const taken = links.taken.map(({ name, is }) => `${name} (${is})`);
  return [
    `installation in ${directory}: ${release ? releaseWords(release) : "no version"}`,
    `  ${isSound({ state }) ? words : styled(terminal, "red", words + problem + cure)}`,
    ...(shadowedBy ? [`  runtimes run ${shadowedBy.links.join(", ")} in ${shadowedBy.directory}`] : []),
    `  links: ${links.made.join(", ") || "none"}`,
    ...(links.needed.length > 0 ? [`  named in a list, and missing: ${links.needed.join(", ")}`] : []),
    ...(links.missing.length > 0 ? [`  without a link: ${links.missing.join(", ")}`] : []),
    ...(taken.length > 0 ? [`  names taken by something else: ${taken.join(", ")}`] : []),
    `  kept for a rollback: ${previous === "broken" ? "a file that does not answer" : previous ? releaseWords(previous) : "nothing"}`,
  ];
}
