import type { Socket } from "node:net";
import { isOwn, listDirectory, readFile } from "../../shared/host/node/files.ts";
import { capabilitiesOf, isOnHost, usersOf } from "../host/programs.ts";
import { addressOf } from "../lists/addresses.ts";
import { linkText } from "./namespaces.ts";

type End = Pick<Socket, "localAddress" | "localPort" | "remoteAddress" | "remotePort">;

/**
 * Whether a Nomad of root, or of this process's user, has the other end of a connection on this host: any user, and any
 * container with the host's network, can listen at a port that nobody uses. Call it while the other end is open. A closed one has
 * no inode, and shows root as its owner. `proc` takes the place of /proc.
 */
export function isOwnPeer({ localAddress, localPort, remoteAddress, remotePort }: End, proc = "/proc"): boolean {
  const lines = ["tcp", "tcp6"].flatMap((table) => (readFile(`${proc}/net/${table}`) ?? "").split("\n"));
  const [own, other] = [placeOf(localAddress, localPort), placeOf(remoteAddress, remotePort)];
  // Whoever answers can connect to root from the same port of another address, and close his own end meanwhile.
  // guard: root believes no other connection with the same ports
  const ends = lines.flatMap(endIn).filter(({ local, remote }) => local === other && remote === own);
  // guard: root believes no process of another user
  return ends.length > 0 && ends.every((end) => isOwn(end) && isHeldOnHost(end.inode, proc));
}

function isHeldOnHost(inode: number, proc: string): boolean {
  const own = capabilitiesOf(`${proc}/self`);
  return (listDirectory(proc) ?? []).some((id) => {
    const files = `${proc}/${id}/fd`;
    const isIt = (file: string) => linkText(`${files}/${file}`) === `socket:[${inode}]`;
    return isBelieved(`${proc}/${id}`, own) && (listDirectory(files) ?? []).some(isIt);
  });
}

/** Nomad's program, also one with a version in its name, or that an upgrade has replaced. */
const nomad = /\/nomad([-_.]?v?\d[^/]*)?( \(deleted\))?$/;

function isBelieved(path: string, capabilities: bigint): boolean {
  // guard: root believes no forwarder of its own, such as docker-proxy, which has the answer of a container
  if (!linkText(`${path}/exe`)?.match(nomad)) return false;
  // A container can hand its end to a process of the host that takes descriptors, such as a user's, or dbus-daemon.
  // guard: root believes no process of another user
  if (!usersOf(path).every((uid) => isOwn({ uid }))) return false;
  // guard: root believes no process of a container that has the host's files, and has made them its root directory
  if ((capabilities & ~capabilitiesOf(path)) !== 0n) return false;
  // Nor one of a container. It comes last, because the root directory of others can be a file system that never answers.
  return isOnHost(path);
}

// net/ipv4/tcp_ipv4.c, tcp4_seq_show: sl local remote st queues tr:tm retrnsmt uid timeout inode.
function endIn(line: string) {
  const [, local = "", remote = "", , , , , uid, , inode] = line.trim().split(/\s+/);
  const [here, there] = [local, remote].map((place) => place.replace(mapped, ""));
  return inode === undefined ? [] : [{ local: here, remote: there, uid: Number(uid), inode: Number(inode) }];
}

/** The start of an IPv4 address that a socket for IPv6 has. */
const mapped = /^0{16}FFFF0{4}/;

/** Writes an address and a port as the kernel does: the bytes of each word are in the machine's order, which is little-endian. */
function placeOf(address = "", port = 0): string {
  const { bits, value } = addressOf(address) ?? { bits: 32, value: 0n };
  const words = hex(value, bits / 4).match(/.{8}/g) ?? [];
  const swapped = words.map((word) => word.match(/../g)?.reverse().join("")).join("");
  return `${swapped}:${hex(port, 4)}`.replace(mapped, "");
}

function hex(value: bigint | number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, "0");
}
