import type { Rule } from "../lint/rule.ts";
import { duplicateInterface } from "./duplicate-interface.ts";
import { duplicateKey } from "./duplicate-key.ts";
import { invalidJson } from "./invalid-json.ts";
import { listShape } from "./list-shape.ts";
import { pluginValue } from "./plugin-value.ts";
import { unknownKey } from "./unknown-key.ts";
import { unwrappedCreator } from "./unwrapped-creator.ts";
import { wrapperShape } from "./wrapper-shape.ts";

/** All rules of `lint`, in the order of docs/lint.md. */
export const rules: readonly Rule[] = [
  invalidJson,
  duplicateKey,
  listShape,
  wrapperShape,
  pluginValue,
  unknownKey,
  unwrappedCreator,
  duplicateInterface,
];
