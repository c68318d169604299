import { demandError } from "../answer.ts";
import type { ConformanceCase } from "../case.ts";

const required: Readonly<Record<string, readonly string[]>> = {
  ADD: ["CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME"],
  DEL: ["CNI_CONTAINERID", "CNI_IFNAME"],
  CHECK: ["CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME"],
};

/** Values that no container ID may have. */
const wrongIds = ["-c1", "c/1", "c 1", "../c1"];

/** Values that no Linux interface may have: section 2 wants an error if a plugin cannot use the name. */
const wrongNames = [".", "..", "a-name-of-16-chr", "eth/0", "eth:0", "eth 0"];

/** What the specification says about invalid variables, and about the form of two of them. */
const invalid =
  "Invalid necessary environment variables, like CNI_COMMAND, CNI_CONTAINERID, etc. The error message must contain the names of invalid variables.";
const forms = {
  CNI_CONTAINERID:
    "Must start with an alphanumeric character, optionally followed by any combination of one or more alphanumeric characters, underscore (), dot (.) or hyphen (-).",
  CNI_IFNAME:
    "Name of the interface to create inside the container; if the plugin is unable to use this interface name it must return an error.",
} as const;

const withCodes = { concerns: "all", since: "1.0.0" } as const;

/** The rules about the environment. */
export const parameterCases: readonly ConformanceCase[] = [
  {
    ...withCodes,
    section: "5, Error",
    level: "MUST",
    name: "an unknown CNI_COMMAND gives code 4 and names it",
    sentence: invalid,
    check: async (trial) => demandError(await trial.call("NONSENSE"), "NONSENSE", 4, "CNI_COMMAND"),
  },
  {
    ...withCodes,
    section: "5, Error",
    level: "MUST",
    name: "an empty CNI_COMMAND gives code 4",
    sentence: invalid,
    check: async (trial) => demandError(await trial.call(""), "an empty CNI_COMMAND", 4),
  },
  ...Object.entries(required).flatMap(([verb, names]) =>
    names.map((name) => environmentCase(verb, name, undefined, `${verb} without ${name} gives code 4 and names it`)),
  ),
  environmentCase("ADD", "CNI_CONTAINERID", "", "ADD with an empty CNI_CONTAINERID gives code 4 and names it"),
  environmentCase("ADD", "CNI_IFNAME", "", "ADD with an empty CNI_IFNAME gives code 4 and names it"),
  ...wrongIds.map((id) => invalidCase("CNI_CONTAINERID", id)),
  ...wrongNames.map((name) => invalidCase("CNI_IFNAME", name)),
  ...[
    ["CNI_CONTAINERID", "c/1"],
    ["CNI_IFNAME", "eth/0"],
  ].map(
    ([name = "", value = ""]): ConformanceCase => ({
      ...withCodes,
      section: "5, Error",
      level: "MUST",
      name: `the error for an invalid ${name} names it`,
      sentence: invalid,
      check: async (trial) => demandError(await trial.call("ADD", { env: { [name]: value } }), name, 4, name),
    }),
  ),
];

/** A missing variable. The code counts since 1.0.0, the refusal before. In 0.3.x, the container's ID is optional. */
function environmentCase(verb: string, variable: string, value: string | undefined, name: string): ConformanceCase {
  const isNew = verb === "CHECK" || variable === "CNI_CONTAINERID";
  return {
    concerns: "all",
    since: isNew ? "0.4.0" : "0.3.0",
    section: "5, Error",
    level: "MUST",
    name,
    sentence: invalid,
    check: async (trial) => demandError(await trial.call(verb, { env: { [variable]: value } }), name, 4, variable),
  };
}

/** A value with a wrong form. The form of the container's ID is a rule since 1.0.0. */
function invalidCase(variable: "CNI_CONTAINERID" | "CNI_IFNAME", value: string): ConformanceCase {
  return {
    concerns: "all",
    since: variable === "CNI_CONTAINERID" ? "1.0.0" : "0.3.0",
    section: "2, Parameters",
    level: "MUST",
    name: `the ${variable} "${value}" gives code 4`,
    sentence: forms[variable],
    check: async (trial) => demandError(await trial.call("ADD", { env: { [variable]: value } }), "ADD", 4),
  };
}
