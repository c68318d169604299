import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { askNomadHost } from "../../../../cli/live/nomad-host.ts";
import { makeHostFolders } from "../../support/fake-host-folders.ts";
import { runCommand } from "../../support/fake-terminal.ts";

let directory = "";
let server: Server;
let NOMAD_ADDR = "";
let answers: Record<string, unknown> = {};
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "nomad-host-"));
  for (const name of ["lists", "results"]) mkdirSync(join(directory, name));
  makeHostFolders(directory, { cniPath: { plugins: { ptp: {}, bridge: {} } } });
  for (const name of ["zone", "shop"]) {
    const list = { cniVersion: "1.0.0", name, plugins: [{ type: "ptp" }] };
    writeFileSync(join(directory, `lists/${name}.conflist`), JSON.stringify(list));
  }
  answers = answersOf(hostname());
  server = createServer(({ url = "" }, response) => {
    response.writeHead(answers[url] ? 200 : 403).end(JSON.stringify(answers[url]));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  NOMAD_ADDR = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

/**
 * The answers as Nomad 1.9.5 to 2.0.5 has them: command/agent/agent_endpoint.go (agentSelf) and config.go (ClientConfig: the
 * merged configuration, with the defaults), client/fingerprint/cni.go and nomad/structs (NodeResources.Merge: NodeNetworks, which
 * are merged by device, have the last network only), client/fingerprint/host.go.
 */
function answersOf(host: string): Record<string, unknown> {
  const id = "0cb1e2c4-2a1e-4f0c-9a52-6f8c9f0b0001";
  const Client = { CNIPath: `${directory}/plugins`, CNIConfigDir: `${directory}/lists` };
  const Networks = [{ Mode: "host", Device: "eth0" }, { Mode: "bridge" }, { Mode: "cni/zone" }];
  return {
    "/v1/agent/self": { config: { Client }, stats: { client: { node_id: id } } },
    [`/v1/node/${id}`]: {
      Attributes: { "unique.hostname": host },
      NodeResources: { Networks, NodeNetworks: [{ Mode: "cni/zone" }] },
    },
  };
}

test("the agent's directories and networks", async () => {
  expect(await askNomadHost({ NOMAD_ADDR })).toEqual({
    configDirectory: `${directory}/lists`,
    cniPath: `${directory}/plugins`,
    networks: ["zone"],
  });
});

test("the agent of another host does not count", async () => {
  answers = answersOf("another");
  expect(await askNomadHost({ NOMAD_ADDR })).toBe("the agent is that of another host, another");
});

describe.each(["preflight", "status"])("%s", (command) => {
  const run = (...options: string[]) =>
    runCommand([command, "--cache-dir", directory, ...options], { directory, env: { NOMAD_ADDR } });
  const results = () => `results in ${directory}`;

  test("looks where the agent looks, says so, and names a forgotten reload", async () => {
    const { exitCode, stdout } = await run();
    expect(exitCode).toBe(1);
    const line = `looked at: lists in ${directory}/lists (Nomad's), plugins in ${directory}/plugins (Nomad's), ${results()}`;
    expect(stdout).toContain(`${line}\nthe Nomad client has not loaded the network shop: reload it with SIGHUP\n`);
    const { directories, agent } = JSON.parse((await run("--json")).stdout);
    expect(directories.from).toEqual({ lists: "agent", plugins: "agent" });
    expect(agent).toEqual({ problem: null, differs: [], notLoaded: ["shop"] });
  });

  test("says where the options differ from the agent", async () => {
    const { stdout } = await run("--cni-path", "/elsewhere", "--config-dir", directory);
    expect(stdout).toContain(
      `looked at: lists in ${directory}, plugins in /elsewhere, ${results()}\nbut the Nomad agent has cni_config_dir ${directory}/lists\nbut the Nomad agent has cni_path ${directory}/plugins\n`,
    );
  });

  test("without an answer it looks in the usual directories, and says so", async () => {
    answers = {};
    const { stdout } = await run("--config-dir", directory, "--json");
    const { directories, agent } = JSON.parse(stdout);
    expect(directories).toMatchObject({
      plugins: ["/opt/cni/bin", "/usr/libexec/cni"],
      from: { lists: "option", plugins: "usual" },
    });
    expect(agent.problem).toBe("the agent answered with status 403");
  });
});
