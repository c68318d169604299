import { expect, test } from "vitest";
import { twoInterfaces } from "../e2e/support.ts";
import { jobOf } from "./jobs.ts";
import { NomadLab } from "./nomad-lab.ts";

const list = twoInterfaces();

test("preflight names an allocation as the local agent does, and from CNI_ARGS if no agent answers", async () => {
  await using nomad = await NomadLab.start({ networks: [list] });
  await nomad.run(jobOf({ network: `cni/${list.name}` }));
  const [allocation] = await nomad.allocations("job");
  const id = allocation?.ID.slice(0, 8);
  expect(await workloadIn(nomad, "http://127.0.0.1:5646")).toEqual({
    runtime: "Nomad",
    name: `job/group (task) ${id}`,
    tasks: ["task"],
  });
  expect(await workloadIn(nomad, "http://127.0.0.1:1")).toEqual({ runtime: "Nomad", name: `job/group ${id}` });
});

async function workloadIn({ lab }: NomadLab, NOMAD_ADDR: string): Promise<unknown> {
  const { stdout } = await lab.call("/opt/cni/bin/cni-wrappers", ["preflight", "--json"], { env: { NOMAD_ADDR } });
  const { attachments }: { attachments: { workload: unknown }[] } = JSON.parse(stdout);
  expect(attachments).toHaveLength(1);
  return attachments[0]?.workload;
}
