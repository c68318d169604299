import type { LogLine } from "./agent.ts";

/** The client checked an allocation's network, and CHECK passed. */
export function isPassedCheck(line: LogLine): boolean {
  return line["@message"] === "network namespace exists and passed check: skipping setup";
}

/** CHECK failed. The client then makes the network again. Nomad 1.9.5 cannot unmount the namespace, and gives up. */
export function isFailedCheck(line: LogLine): boolean {
  const isGivenUp =
    isFailedPrerun(line) && line.error?.includes("network namespace already exists but was misconfigured");
  return line["@message"] === "network configuration check failed" || isGivenUp === true;
}

/** An ADD failed. The client tries it three times. */
export function isFailedAdd(line: LogLine): boolean {
  return line["@message"] === "failed to configure network";
}

/** The client gave up an allocation because of its network. */
export function isFailedPrerun(line: LogLine): boolean {
  return line["@message"] === "prerun failed";
}

/** The client has finished its work for a stopped allocation. Lines with a hook's name are about that hook only. */
export function isTornDown(line: LogLine): boolean {
  return line["@message"] === "finished post-run hooks" && line.name === undefined;
}

/** The client kept an allocation's network, made it again, or gave up the allocation. */
export function isDealtWith(line: LogLine): boolean {
  return isPassedCheck(line) || isFailedPrerun(line) || line["@message"] === "received result from CNI";
}

/** Whether a line is about one of these allocations, and has a level that alarms an operator. */
export function isComplaint(line: LogLine, allocations: readonly string[]): boolean {
  const isLoud = line["@level"] === "warn" || line["@level"] === "error";
  return isLoud && allocations.some((id) => JSON.stringify(line).includes(id));
}

/** The errors in these lines. */
export function errorsOf(lines: readonly LogLine[]): string[] {
  return lines.map(({ error }) => error ?? "");
}

/** A line as people read it. */
export function wordsOf(line: LogLine): string {
  const { "@timestamp": time, "@level": level, "@message": message, alloc_id = line.alloc, msg, error } = line;
  return [time.slice(11, 23), level, alloc_id?.slice(0, 8), message, msg, error].filter(Boolean).join(" ");
}
