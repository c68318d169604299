/** A fault of a plugin or a host, and the test that causes it: a file in test/, and the title of a test or a case in it. */
export interface FakeFault {
  readonly fault: string;
  readonly file: string;
  readonly title: string;
}

const lookup = "executable/delegate-lookup.test.ts";
const unusable = "executable/unusable-delegates.test.ts";
const answers = "executable/answers.test.ts";
const limits = "executable/narrow-limits.test.ts";
const temporary = "executable/temporary-files.test.ts";
const journals = "e2e/journal-files.test.ts";

/** The faults that other tests cause, with fake plugins and on hosts that lack something. */
export const fakeFaults: readonly FakeFault[] = [
  {
    fault: "the plugin is missing",
    file: lookup,
    title: "%s without a delegate: code %i, and where it was looked for",
  },
  { fault: "the plugin is a directory", file: lookup, title: "a directory of the delegate's name is none" },
  { fault: "its interpreter is missing", file: unusable, title: "a script whose interpreter is missing" },
  { fault: "its interpreter is a directory", file: unusable, title: "a script whose interpreter is a directory" },
  { fault: "it is half a download", file: unusable, title: "a download that ended in the program headers" },
  {
    fault: "it may not be executed",
    file: unusable,
    title: "%s: a file without the permission is named: code 100, or 50 on STATUS",
  },
  { fault: "it ends by a signal", file: "executable/signals.test.ts", title: "%s, and a delegate that ends by %s" },
  { fault: "it prints garbage", file: answers, title: "no JSON" },
  { fault: "it prints half a JSON", file: answers, title: "half an object" },
  { fault: "it prints another version", file: answers, title: "another version" },
  { fault: "it prints more than 8 MiB", file: answers, title: "an answer of 9 MiB: the same" },
  {
    fault: "it prints without an end",
    file: answers,
    title: "a delegate that has no end to its answer is ended, and undone",
  },
  {
    fault: "it hangs",
    file: "e2e/deadline.test.ts",
    title: "ADD ends at the deadline, and nothing of it keeps running",
  },
  { fault: "it floods stderr", file: "executable/streams.test.ts", title: "%s: a delegate may write 8 MiB to stderr" },
  {
    fault: "it does not read stdin",
    file: "executable/streams.test.ts",
    title: "a delegate that does not read its stdin",
  },
  { fault: "places for temporary files are read-only", file: temporary, title: "is read-only" },
  { fault: "places for temporary files are full", file: temporary, title: "has no room" },
  { fault: "the folder of the journals is read-only", file: journals, title: "is read-only" },
  { fault: "the folder of the journals is full", file: journals, title: "is full" },
  { fault: "no /proc", file: limits, title: "/proc" },
  { fault: "no /sys", file: limits, title: "/sys" },
  { fault: "no /dev/shm", file: limits, title: "/dev/shm" },
];
