import type { Socket } from "node:net";
import { isOwn, listDirectory, readFile } from "../../shared/host/node/files.ts";
import { isOnHost } from "../host/programs.ts";
import { linkText } from "./namespaces.ts";

/**
 * Whether a process of root, or of this process's user, has the other end of a connection on this host: any user, and any
 * container with the host's network, can listen at a port that nobody uses. Call it while the other end is open. A closed one has
 * no inode, and shows root as its owner. `proc` takes the place of /proc.
 */
export function isOwnPeer(
  { localPort, remotePort }: Pick<Socket, "localPort" | "remotePort">,
  proc = "/proc",
): boolean {
  const lines = ["tcp", "tcp6"].flatMap((table) => (readFile(`${proc}/net/${table}`) ?? "").split("\n"));
  const ends = lines.flatMap(endIn).filter((end) => end.localPort === remotePort && end.remotePort === localPort);
  // Other addresses can have the same ports. Only all of them tell.
  // guard: root believes no process of another user
  return ends.length > 0 && ends.every((end) => isOwn(end) && isHeldOnHost(end.inode, proc));
}

/** Who held the end before: the agent answers again, and to look at every open file of a host can take a second. */
let lastHolder = "self";

function isHeldOnHost(inode: number, proc: string): boolean {
  const holder = [lastHolder, ...listDirectory(proc)].find((id) => {
    const files = `${proc}/${id}/fd`;
    const isIt = (file: string) => linkText(`${files}/${file}`) === `socket:[${inode}]`;
    // guard: root believes no process of a container
    return isOnHost(`${proc}/${id}`) && listDirectory(files).some(isIt);
  });
  lastHolder = holder ?? lastHolder;
  return holder !== undefined;
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
