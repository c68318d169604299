import { type Answer, demandEqual, demandError, demandSuccess } from "../answer.ts";
import type { ConformanceCase } from "../case.ts";
import { demand } from "../specification.ts";
import type { Changes, Trial } from "../trial.ts";

/** Values that no network may have. */
const wrongNetworks: Readonly<Record<string, unknown>> = {
  missing: undefined,
  empty: "",
  "-net": "-net",
  "n/w": "n/w",
};

const wrongJson: Readonly<Record<string, string>> = {
  "that is no JSON": "{not json",
  "that is empty": "",
  "that is cut off": '{"cniVersion": "1.0.0", "name":',
};

/** The codes below 100 that have a meaning. */
const wellKnown = [1, 2, 3, 4, 5, 6, 7, 11, 50, 51];

const inAll = { concerns: "all", since: "0.3.0" } as const;
const withCodes = { concerns: "all", since: "1.0.0" } as const;

/** The rules about errors, the configuration and VERSION. */
export const errorCases: readonly ConformanceCase[] = [
  {
    ...inAll,
    section: "2, Errors",
    level: "MUST",
    name: "a failed call has an exit code other than 0",
    sentence: "A plugin must exit with a return code of 0 on success, and non-zero on failure.",
    check: async (trial) => demandError(await wrongCall(trial), "ADD without a network name"),
  },
  {
    ...inAll,
    section: "5, Error",
    level: "SHOULD",
    name: "an error is JSON on stdout with cniVersion, code and msg",
    sentence: "Plugins should output a JSON object with the following keys if they encounter an error:",
    check: async (trial) => demandErrorObject(await wrongCall(trial)),
  },
  {
    ...withCodes,
    section: "5, Error",
    level: "SHOULD",
    name: "an error has the cniVersion of the request",
    sentence: 'The protocol version in use - "1.1.0"',
    check: async (trial) => demandEqual((await wrongCall(trial)).json?.cniVersion, trial.version, "cniVersion"),
  },
  {
    ...withCodes,
    section: "5, Error",
    level: "MUST",
    name: "an error code below 100 is a well-known one",
    sentence: "Error codes 0-99 are reserved for well-known errors.",
    check: demandKnownCodes,
  },
  {
    ...inAll,
    section: "5, Error",
    level: "SHOULD",
    name: "an unknown cniVersion gives code 1",
    sentence: "Incompatible CNI version",
    check: async (trial) => demandError(await trial.call("ADD", { config: { cniVersion: "99.0.0" } }), "ADD", 1),
  },
  ...Object.entries(wrongJson).map(([what, stdin]) => ({
    ...withCodes,
    section: "5, Error",
    level: "MUST" as const,
    name: `a configuration ${what} gives code 6`,
    sentence:
      "Failed to decode content. For example, failed to unmarshal network config from bytes or failed to decode version info from string.",
    check: async (trial: Trial) => demandError(await trial.call("ADD", { stdin }), "ADD", 6),
  })),
  {
    ...withCodes,
    section: "5, Error",
    level: "MUST",
    name: "a configuration that cannot be read gives code 5",
    sentence: "I/O failure. For example, failed to read network config bytes from stdin.",
    // stdin is a directory.
    check: async (trial) => demandError(await trial.call("ADD", { stdinFile: "/" }), "ADD", 5),
  },
  {
    ...withCodes,
    section: "5, Error",
    level: "MUST",
    name: "a cniVersion that is a number gives code 6",
    sentence:
      "Failed to decode content. For example, failed to unmarshal network config from bytes or failed to decode version info from string.",
    check: async (trial) => demandError(await trial.call("ADD", { config: { cniVersion: 1 } }), "ADD", 6),
  },
  ...Object.entries(wrongNetworks).map(([what, name]) => ({
    ...withCodes,
    section: "1, Configuration format",
    level: "MUST" as const,
    name: `a network name is refused with code 7: ${what}`,
    sentence: "Invalid network config. If some validations on network configs do not pass, this error will be raised.",
    check: async (trial: Trial) => demandError(await trial.call("ADD", { config: { name } }), "ADD", 7),
  })),
  {
    concerns: "all",
    since: "0.4.0",
    until: "0.4.0",
    section: "Network configuration (0.4.0)",
    level: "SHOULD",
    name: "unknown keys of args are ignored",
    sentence:
      "The exception to this is the `args` field may be used to pass arbitrary data which should be ignored by plugins if not understood.",
    check: (trial) => trial.add({ config: { args: { labels: { app: "web" } } } }),
  },
  {
    ...inAll,
    section: "2, VERSION",
    level: "MUST",
    name: "VERSION needs no other variable, and lists the version in use",
    sentence: "A list of supported specification versions",
    check: async (trial) => {
      const answer = await version(trial);
      demandSuccess(answer, "VERSION");
      const listed = answer.json?.supportedVersions;
      demand(Array.isArray(listed) && listed.includes(trial.version), `supportedVersions: ${JSON.stringify(listed)}`);
    },
  },
  {
    ...inAll,
    until: "0.4.0",
    section: "Parameters (0.4.0)",
    level: "MUST",
    name: "VERSION needs no configuration",
    sentence: "Report version",
    check: async (trial) => demandSuccess(await version(trial, ""), "VERSION"),
  },
  {
    ...inAll,
    since: "1.0.0",
    section: "5, VERSION Success",
    level: "MUST",
    name: "VERSION answers with the cniVersion of the request",
    sentence: "The value of `cniVersion` specified on input",
    check: async (trial) => {
      const found = (await version(trial)).json?.cniVersion;
      demand(found === trial.version, `cniVersion ${found} instead of ${trial.version}`);
    },
  },
];

function wrongCall(trial: Trial): Promise<Answer> {
  return trial.call("ADD", { config: { name: undefined } });
}

function version(trial: Trial, stdin = JSON.stringify({ cniVersion: trial.version })): Promise<Answer> {
  const none = { CNI_CONTAINERID: undefined, CNI_NETNS: undefined, CNI_IFNAME: undefined, CNI_PATH: undefined };
  return trial.call("VERSION", { env: none, stdin });
}

function demandErrorObject({ json }: Answer): void {
  const types = ["cniVersion", "code", "msg"].map((key) => `${key} ${typeof json?.[key]}`);
  demand(types.join() === "cniVersion string,code number,msg string", `an error with ${types.join(", ")}`);
}

async function demandKnownCodes(trial: Trial): Promise<void> {
  const calls: Changes[] = [
    { stdin: "{not json" },
    { env: { CNI_NETNS: "/run/netns/none" } },
    { config: { cniVersion: "99.0.0" } },
    { config: { ipam: { type: "no-such-plugin" } } },
    { config: { ipam: 5 } },
    { config: { prevResult: 5 } },
  ];
  for (const changes of calls) {
    const { exitCode, json } = await trial.call("ADD", changes);
    const code = json?.code as number;
    demand(exitCode === 0 || wellKnown.includes(code) || code >= 100, `code ${code} for ${JSON.stringify(changes)}`);
  }
}
