import type { Rule } from "../lint/rule.ts";
import { duplicateInterface } from "./duplicate-interface.ts";
import { invalidJson } from "./invalid-json.ts";
import { unwrappedCreator } from "./unwrapped-creator.ts";

/** All rules of `lint`, in the order of docs/lint.md. */
export const rules: readonly Rule[] = [invalidJson, unwrappedCreator, duplicateInterface];
