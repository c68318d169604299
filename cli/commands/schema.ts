import type { CommandData } from "../command.ts";
import { listJsonSchema } from "../schema/json-schema.ts";
import { jsonText } from "../terminal.ts";

/** `schema`: the JSON Schema of a list, for editors. */
export const schemaCommand: CommandData = {
  name: "schema",
  summary: "print a JSON Schema for editors",
  description:
    "Prints the JSON Schema (draft-07) of a network configuration list. An editor that knows it completes and describes " +
    "the keys of the wrappers and of the reference plugins, and marks wrong values.",
  example: "schema > /etc/cni/conflist.schema.json",
  run: ({ terminal }) => {
    terminal.write(jsonText(listJsonSchema()));
    return 0;
  },
};
