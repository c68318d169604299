import { Lab } from "../support/lab.ts";
import { expect, test } from "../support/lab-test.ts";
import { expectPassed } from "./calls.ts";
import { hostLocal } from "./support.ts";

const list = {
  cniVersion: "1.0.0",
  name: "zone",
  plugins: [{ type: "bridge", bridge: "front0", ipam: hostLocal("172.16.10.0/24") }],
};

// Answers as Nomad's agent does, with directories of the user.
const agent = `
const id = "0cb1e2c4-2a1e-4f0c-9a52-6f8c9f0b0001";
const directories = { CNIPath: "/run/lab/user/bin", CNIConfigDir: "/run/lab/user" };
const answers = {
  "/v1/agent/self": { config: { Client: directories }, stats: { client: { node_id: id } } },
  ["/v1/node/" + id]: { Attributes: { "unique.hostname": require("os").hostname() } },
};
const serve = (request, response) => response.end(JSON.stringify(answers[request.url]));
require("http").createServer(serve).listen(4646, "127.0.0.1", () => require("fs").writeFileSync("/run/lab/user/ready", ""));
`;

/** Lets a user's program answer at the address of Nomad's agent. He has a program with the name of a plugin. */
async function answerAs(lab: Lab, { uid, root, program }: Record<"uid" | "root" | "program", string>): Promise<void> {
  await lab.run("mkdir", ["-p", "-m", "777", "/run/lab/user/bin"]);
  await lab.run("chmod", ["777", "/run/lab/user"]);
  await lab.writeFile("/run/lab/user/bin/bridge", "#!/bin/sh\nid -u >>/run/lab/user/ran\n");
  await lab.run("chmod", ["755", "/run/lab/user/bin/bridge"]);
  await lab.run("sh", ["-ec", `>${program}; mount --bind /run/lab/node ${program}`]);
  // A container with the host's network has another root directory.
  const directories = `for name in usr bin lib lib64 proc run; do mkdir -p /srv/root/$name; mount --rbind /$name /srv/root/$name; done`;
  await lab.run("sh", ["-ec", `mount -t tmpfs tmpfs /srv; ${directories}`]);
  const user = [`--userspec=${uid}:${uid}`, "--groups="];
  lab.start("chroot", [...user, root, program, "-e", agent], "/run/lab/log");
  await expect.poll(() => lab.readdir("/run/lab/user"), { timeout: 30_000 }).toContain("ready");
}

test.for([
  ["a user of the host names no plugin that root runs", { uid: "65534" }, []],
  ["root of a container names none either", { root: "/srv/root" }, []],
  ["root's forwarder of a container's port names none", { program: "/run/lab/docker-proxy" }, []],
  ["root names them", {}, ["0"]],
] as const)("at the address of Nomad's agent, %s", async ([_, who, ran], { lab, container }) => {
  await lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(list));
  expectPassed({ ...(await lab.goCni.add(list, container)), stdout: "" });
  await answerAs(lab, { uid: "0", root: "/", program: "/run/lab/nomad", ...who });
  for (const command of ["status", "preflight", "adopt"]) await lab.call(Lab.command, [command]);
  await lab.deleteNamespace(container);
  await lab.call(Lab.command, ["prune", "--write"]);
  const users = (await lab.readdir("/run/lab/user")).includes("ran") ? await lab.readFile("/run/lab/user/ran") : "";
  expect([...new Set(users.split("\n").filter(Boolean))]).toEqual(ran);
});
