import { plainTable } from "../preflight/plain-table.ts";
import { styled, type Terminal } from "../terminal.ts";
import type { HostStatus } from "./host-status.ts";

/** The status for people: a line for each network, and a line for everything else that is there. */
export function statusText(status: HostStatus, terminal: Pick<Terminal, "hasColors">): string {
  const { networks, orphans, unreadable, nomadSkipsCheck, repaired } = status;
  const rows = networks.map(({ network, attachments, failing }) => [
    network,
    String(attachments),
    failing === 0 ? "0" : styled(terminal, "red", String(failing)),
  ]);
  const lines = [
    ...(rows.length === 0 ? ["no attachments"] : [plainTable(["network", "attachments", "failing"], rows), ""]),
    `results without a namespace: ${orphans.results}`,
    `records without a result: ${orphans.records}`,
    ...(unreadable > 0 ? [`results that cannot be read: ${unreadable}`] : []),
    ...(nomadSkipsCheck ? ["Nomad would skip CHECK: its bridge plugin is too old"] : []),
    ...(repaired ? [`repaired ADDs in ${repaired.file}: ${repaired.passed} passed, ${repaired.failed} failed`] : []),
  ];
  return `${lines.join("\n")}\n`;
}
