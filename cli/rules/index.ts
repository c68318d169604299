import type { Rule } from "../lint/rule.ts";
import { changedInterface } from "./changed-interface.ts";
import { changedNetwork } from "./changed-network.ts";
import { dropInNotInstalled } from "./drop-in-not-installed.ts";
import { duplicateInterface } from "./duplicate-interface.ts";
import { duplicateKey } from "./duplicate-key.ts";
import { duplicateNetwork } from "./duplicate-network.ts";
import { invalidJson } from "./invalid-json.ts";
import { jqInSlim } from "./jq-in-slim.ts";
import { listShape } from "./list-shape.ts";
import { missingDelegate } from "./missing-delegate.ts";
import { missingIpam } from "./missing-ipam.ts";
import { missingPlugin } from "./missing-plugin.ts";
import { mixedWrappers } from "./mixed-wrappers.ts";
import { noPluginDirectory } from "./no-plugin-directory.ts";
import { notExecutable } from "./not-executable.ts";
import { oldBridge } from "./old-bridge.ts";
import { pluginValue } from "./plugin-value.ts";
import { unknownKey } from "./unknown-key.ts";
import { unsupportedVersion } from "./unsupported-version.ts";
import { unwrappedCreator } from "./unwrapped-creator.ts";
import { wrapperShape } from "./wrapper-shape.ts";
import { wrongEnding } from "./wrong-ending.ts";

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
  missingPlugin,
  missingDelegate,
  missingIpam,
  notExecutable,
  unsupportedVersion,
  jqInSlim,
  mixedWrappers,
  dropInNotInstalled,
  oldBridge,
  noPluginDirectory,
  changedNetwork,
  changedInterface,
  duplicateNetwork,
  wrongEnding,
];
