import type { Socket } from "node:net";
import { isOwn, readFile } from "../../shared/host/node/files.ts";

/**
 * Whether a process of root, or of this process's user, has the other end of a connection on this host: any user can listen
 * at a port that nobody uses. Call it while the other end is open. A closed one has no inode, and shows root as its owner.
 * `tables` takes the place of /proc/net.
 */
export function isOwnPeer(
  { localPort, remotePort }: Pick<Socket, "localPort" | "remotePort">,
  tables = "/proc/net",
): boolean {
  const lines = ["tcp", "tcp6"].flatMap((table) => (readFile(`${tables}/${table}`) ?? "").split("\n"));
  const ends = lines.flatMap(endIn).filter((end) => end.localPort === remotePort && end.remotePort === localPort);
  // Other addresses can have the same ports. Only all of them tell.
  // guard: root believes no process of another user
  return ends.length > 0 && ends.every((end) => isOwn(end) && end.inode !== 0);
}

// net/ipv4/tcp_ipv4.c, tcp4_seq_show: sl local remote st queues tr:tm retrnsmt uid timeout inode.
function endIn(line: string) {
  const [, local, remote, , , , , uid, , inode] = line.trim().split(/\s+/);
  return inode === undefined
    ? []
    : [{ localPort: portIn(local), remotePort: portIn(remote), uid: Number(uid), inode: Number(inode) }];
}

function portIn(address = ""): number {
  return Number.parseInt(address.split(":").at(-1) ?? "", 16);
}
