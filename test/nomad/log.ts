import type { LogLine } from "./agent.ts";

/** The client looked at an allocation's network and found it sound. */
export function isPassedCheck(line: LogLine): boolean {
  return line["@message"] === "network namespace exists and passed check: skipping setup";
}

/** CHECK failed; the client goes on to make the network anew. */
export function isFailedCheck(line: LogLine): boolean {
  return line["@message"] === "network configuration check failed";
}

/** An ADD failed; the client tries it three times. */
export function isFailedAdd(line: LogLine): boolean {
  return line["@message"] === "failed to configure network";
}

/** The client gave an allocation up because of its network. */
export function isFailedPrerun(line: LogLine): boolean {
  return line["@message"] === "prerun failed";
}

/** The client has done all that it does behind a stopped allocation. Lines with a name are about one hook of them. */
export function isTornDown(line: LogLine): boolean {
  return line["@message"] === "finished post-run hooks" && line.name === undefined;
}

/** The client left an allocation's network as it was, made it anew, or gave the allocation up. */
export function isDealtWith(line: LogLine): boolean {
  return isPassedCheck(line) || isFailedPrerun(line) || line["@message"] === "received result from CNI";
}

/** Whether a line is about one of these allocations, and at a level that an operator is woken by. */
export function isComplaint(line: LogLine, allocations: readonly string[]): boolean {
  const isLoud = line["@level"] === "warn" || line["@level"] === "error";
  return isLoud && allocations.some((id) => JSON.stringify(line).includes(id));
}

/** The errors that lines carry. */
export function errorsOf(lines: readonly LogLine[]): string[] {
  return lines.map(({ error }) => error ?? "");
}

/** A line as people read it. */
export function wordsOf(line: LogLine): string {
  const { "@timestamp": time, "@level": level, "@message": message, alloc_id = line.alloc, msg, error } = line;
  return [time.slice(11, 23), level, alloc_id?.slice(0, 8), message, msg, error].filter(Boolean).join(" ");
}
