import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isOwnPeer } from "../../../../cli/live/peer.ts";
import { temporary } from "../../../support/scratch.ts";
import { intercept } from "../../support/file-functions.ts";
import { imitateNomad } from "../../support/redirected.ts";

/** Connects to a server of this process. Both ends are open. */
async function connected(host: string): Promise<{ readonly client: Socket; readonly peer: Socket; close(): void }> {
  const server = createServer();
  server.listen(0, host);
  await once(server, "listening");
  const accepted = once(server, "connection");
  const client = connect((server.address() as AddressInfo).port, host);
  await once(client, "connect");
  const [peer] = await accepted;
  const close = () => {
    client.destroy();
    server.close();
  };
  return { client, peer, close };
}

test.each(["127.0.0.1", "::1"])(
  "the other end at %s is this process's while it is open, and nobody's then",
  async (host) => {
    imitateNomad();
    const { client, peer, close } = await connected(host);
    expect(isOwnPeer(client)).toBe(true);
    peer.destroy();
    await once(peer, "close");
    // The client has not closed its end yet, so the kernel still lists the other one.
    expect(isOwnPeer(client)).toBe(false);
    close();
  },
);

// Lines of the kernel: the ports 4646 (1226) and 40000 (9C40), with another owner or address.
const line = (addresses: string, uid: number, inode: number) =>
  `   0: ${addresses} 01 00000000:00000000 00:00000000 00000000 ${uid}        0 ${inode} 1 0000000000000000 20 4 30 10 -1`;
const theirs = "0100007F:1226 0100007F:9C40";
const theirsInIpv6 = "0000000000000000FFFF00000100007F:1226 0000000000000000FFFF00000100007F:9C40";
const atAnotherAddress = "0200007F:1226 0100007F:9C40";
const [here, elsewhere] = ["0100007F:9C40 0100007F:1226", "0100007F:1227 0100007F:9C40"];

const [all, docker] = ["000001ffffffffff", "00000000a80425fb"];
const nomad = "/usr/bin/nomad";

test.each<[string, string[], boolean, Process?]>([
  ["root's", [line(theirs, 0, 7)], true],
  ["of an agent that was upgraded", [line(theirs, 0, 7)], true, { exe: "/usr/local/bin/nomad (deleted)" }],
  ["of an agent with a version", [line(theirs, 0, 7)], true, { exe: "/opt/nomad_1.9.5_linux_amd64" }],
  ["of an agent with another version", [line(theirs, 0, 7)], true, { exe: "/opt/nomad-v1.11.3+ent" }],
  ["of root's forwarder of a container's port", [line(theirs, 0, 7)], false, { exe: "/usr/bin/docker-proxy" }],
  ["of another forwarder", [line(theirs, 0, 7)], false, { exe: "/usr/local/bin/nomad-port-forward" }],
  ["of a forwarder in Nomad's directory", [line(theirs, 0, 7)], false, { exe: "/opt/nomad/bin/socat" }],
  ["of root in a container with the host's network", [line(theirs, 0, 7)], false, { root: "/tmp" }],
  ["of such a root, who has handed it to a process of a user", [line(theirs, 0, 7)], false, { uids: "65534 0 0 0" }],
  ["of root, whose process is not seen", [line(theirs, 0, 9)], false],
  ["another user's", [line(theirs, 65534, 7)], false],
  ["of such a root, with the host's files and fewer rights", [line(theirs, 0, 7)], false, { capabilities: docker }],
  [
    "another user's, and one of root's has the same ports",
    [line(atAnotherAddress, 0, 8), line(theirs, 65534, 7)],
    false,
  ],
  [
    "another user's, who has closed it, and one of root's has the same ports",
    [line(atAnotherAddress, 0, 8), line("0100007F:1226 0200007F:9C40", 0, 8)],
    false,
  ],
  ["root's in one line, and another user's in the next", [line(theirs, 0, 7), line(theirs, 65534, 7)], false],
  ["root's, with a socket for IPv6", [line(theirsInIpv6, 0, 7)], true],
  ["closed", [line(theirs, 0, 0)], false],
  ["on another host", [line(here, 0, 7), line(elsewhere, 0, 7)], false],
])("the other end is %s", (_, lines, isOwn, process) => {
  expect(isOwnPeer(end, procWith(lines, process))).toBe(isOwn);
});

// A user's can be a file system of his that never answers.
test.each([{ uids: "1000 1000 1000 1000" }, { capabilities: docker }])(
  "the root directory of a process with %s is not looked at",
  (process) => {
    const directory = procWith([line(theirs, 0, 7)], process);
    const looked: string[] = [];
    intercept("lstatSync", (actual) => (path: string) => {
      looked.push(path);
      return actual(path);
    });
    expect([isOwnPeer(end, directory), looked]).toEqual([false, []]);
  },
);

const end = { localAddress: "127.0.0.1", localPort: 40000, remoteAddress: "127.0.0.1", remotePort: 4646 };

interface Process {
  readonly root?: string;
  readonly uids?: string;
  readonly capabilities?: string;
  readonly exe?: string;
}

/** Makes a /proc with these connections and a process that has two sockets. */
function procWith(lines: string[], { root = "/", uids = "0 0 0 0", capabilities = all, exe = nomad }: Process = {}) {
  const directory = temporary();
  for (const name of ["net", "self", "12/fd"]) mkdirSync(join(directory, name), { recursive: true });
  symlinkSync(root, join(directory, "12/root"));
  symlinkSync(exe, join(directory, "12/exe"));
  const users = uids.replaceAll(" ", "\t");
  writeFileSync(join(directory, "12/status"), `Name:\tnomad\nUid:\t${users}\nCapEff:\t${capabilities}\n`);
  writeFileSync(join(directory, "self/status"), `CapEff:\t${all}\n`);
  for (const inode of [7, 8]) symlinkSync(`socket:[${inode}]`, join(directory, `12/fd/${inode}`));
  writeFileSync(join(directory, "net/tcp"), `  sl  local_address rem_address\n${lines.join("\n")}\n`);
  return directory;
}
