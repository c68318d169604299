import { expect } from "vitest";
import type { Container, Lab, Outcome } from "../support/lab.ts";
import type { AttachOptions, NetworkList, Runtime } from "../support/runtime.ts";

/** Expects that a call succeeded. Returns its output. */
export function expectSuccess(outcome: Outcome): string {
  expect(outcome).toMatchObject({ exitCode: 0, stderr: "" });
  return outcome.stdout;
}

/** Expects that a call succeeded and wrote nothing to stderr, except for sbr's log. */
export function expectPassed(outcome: Outcome): void {
  const { exitCode, stderr } = withoutLog(outcome);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
}

/** An outcome without sbr's log on stderr. Its lines begin with the time. */
function withoutLog({ stderr, ...outcome }: Outcome): Outcome {
  return { ...outcome, stderr: stderr.replace(/^\d{4}(\/\d\d){2} .*(\n|$)/gm, "") };
}

/** Expects that a call failed with exactly this message, apart from sbr's log. */
export function expectFailure(outcome: Outcome, message: string | RegExp): void {
  const { exitCode, stderr } = withoutLog(outcome);
  expect(exitCode).toBe(1);
  if (typeof message === "string") expect(stderr).toBe(message);
  else expect(stderr).toMatch(message);
}

/** Adds a container and attaches it. */
export async function attached(
  lab: Lab,
  runtime: Runtime,
  list: NetworkList,
  name = "c1",
  options: AttachOptions = {},
): Promise<Container> {
  const container = await lab.addContainer(name);
  expectPassed(await runtime.add(list, container, options));
  return container;
}

/** Expects that no lease, result, record, packet rule or interface is left on the host, except for links that stay, such as bridges. */
export async function expectNothingLeft(lab: Lab, staying: readonly string[] = []): Promise<void> {
  expect(await lab.kernel.leases()).toEqual([]);
  expect(await lab.kernel.cachedResults()).toEqual([]);
  expect(await lab.kernel.journals()).toEqual([]);
  expect(await lab.kernel.packetRules()).toEqual([]);
  // The kernel removes the interfaces of a deleted namespace later.
  await expect.poll(() => lab.kernel.linkNames()).toEqual(["lo", "uplink1", "uplink0", ...staying]);
}

/** Expects that DEL passes, and that nothing is left then, also in the namespace if there is one, except for links that stay. */
export async function expectUndone(
  lab: Lab,
  list: NetworkList,
  container: Container,
  staying: readonly string[] = [],
  runtime: Runtime = lab.goCni,
): Promise<void> {
  expectPassed(await runtime.del(list, container));
  const hasNamespace = (await lab.call("test", ["-e", container.netns])).exitCode === 0;
  if (hasNamespace) expect(await lab.kernel.linkNames(container)).toEqual(["lo"]);
  await expectNothingLeft(lab, staying);
}

/** Expects a sound attachment: CHECK passes, too. */
export async function expectSound(...undone: Parameters<typeof expectUndone>): Promise<void> {
  const [lab, list, container, , runtime = lab.goCni] = undone;
  expectPassed(await runtime.check(list, container));
  await expectUndone(...undone);
}

/** Takes an interface's addresses away for a while. DEL finds a masquerading chain only by the address. */
export async function withoutAddresses(
  lab: Lab,
  container: Container,
  ifName: string,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const addresses = await lab.kernel.addresses(container, ifName);
  expect(addresses).not.toEqual([]);
  await lab.ip(container, "address", "flush", "dev", ifName);
  await meanwhile();
  for (const address of addresses) await lab.ip(container, "address", "add", address, "dev", ifName);
}
