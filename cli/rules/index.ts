import type { Rule } from "../lint/rule.ts";
import { advertisedInterface } from "./advertised-interface.ts";
import { bandwidthWithoutVeth } from "./bandwidth-without-veth.ts";
import { bridgeAddress } from "./bridge-address.ts";
import { changedInterface } from "./changed-interface.ts";
import { changedNetwork } from "./changed-network.ts";
import { deviceName } from "./device-name.ts";
import { disabledCheck } from "./disabled-check.ts";
import { dropInNotInstalled } from "./drop-in-not-installed.ts";
import { duplicateInterface } from "./duplicate-interface.ts";
import { duplicateKey } from "./duplicate-key.ts";
import { duplicateNetwork } from "./duplicate-network.ts";
import { duplicatePortmap } from "./duplicate-portmap.ts";
import { earlyFirewall } from "./early-firewall.ts";
import { gatewayOutsideSubnet } from "./gateway-outside-subnet.ts";
import { hostAddress } from "./host-address.ts";
import { hostSubnet } from "./host-subnet.ts";
import { ignoredWrapper } from "./ignored-wrapper.ts";
import { interfaceName } from "./interface-name.ts";
import { interfaceNotMade } from "./interface-not-made.ts";
import { invalidJson } from "./invalid-json.ts";
import { invalidRange } from "./invalid-range.ts";
import { ipvlanMaster } from "./ipvlan-master.ts";
import { jqInSlim } from "./jq-in-slim.ts";
import { keptLeases } from "./kept-leases.ts";
import { leaseDirectory } from "./lease-directory.ts";
import { listShape } from "./list-shape.ts";
import { misplacedKey } from "./misplaced-key.ts";
import { missingCapability } from "./missing-capability.ts";
import { missingDelegate } from "./missing-delegate.ts";
import { missingIpam } from "./missing-ipam.ts";
import { missingMaster } from "./missing-master.ts";
import { missingPlugin } from "./missing-plugin.ts";
import { mixedWrappers } from "./mixed-wrappers.ts";
import { movedRoutes } from "./moved-routes.ts";
import { networkName } from "./network-name.ts";
import { noCheckVersion } from "./no-check-version.ts";
import { noIpam } from "./no-ipam.ts";
import { noPluginDirectory } from "./no-plugin-directory.ts";
import { noPlugins } from "./no-plugins.ts";
import { notExecutable } from "./not-executable.ts";
import { oldBridge } from "./old-bridge.ts";
import { overlappingRanges } from "./overlapping-ranges.ts";
import { plainMetaInterface } from "./plain-meta-interface.ts";
import { pluginType } from "./plugin-type.ts";
import { pluginValue } from "./plugin-value.ts";
import { pluginVersion } from "./plugin-version.ts";
import { renamedNetwork } from "./renamed-network.ts";
import { runtimesOwnName } from "./runtimes-own-name.ts";
import { severalDefaultRoutes } from "./several-default-routes.ts";
import { sharedBridge } from "./shared-bridge.ts";
import { sharedDevice } from "./shared-device.ts";
import { sharedFlannel } from "./shared-flannel.ts";
import { sharedNetwork } from "./shared-network.ts";
import { takenNetwork } from "./taken-network.ts";
import { unchainedVersion } from "./unchained-version.ts";
import { unknownCapability } from "./unknown-capability.ts";
import { unknownKey } from "./unknown-key.ts";
import { unknownVersion } from "./unknown-version.ts";
import { unknownWrapperKey } from "./unknown-wrapper-key.ts";
import { unnamedDelegate } from "./unnamed-delegate.ts";
import { unreachablePort } from "./unreachable-port.ts";
import { unsuitableDevice } from "./unsuitable-device.ts";
import { unsupportedVersion } from "./unsupported-version.ts";
import { unwrappedCreator } from "./unwrapped-creator.ts";
import { uselessArgs } from "./useless-args.ts";
import { uselessJq } from "./useless-jq.ts";
import { uselessPorts } from "./useless-ports.ts";
import { wrapperShape } from "./wrapper-shape.ts";
import { wrongEnding } from "./wrong-ending.ts";
import { wrongRole } from "./wrong-role.ts";

/** All rules of `lint`, in the order of docs/lint.md. */
export const rules: readonly Rule[] = [
  invalidJson,
  duplicateKey,
  listShape,
  wrapperShape,
  pluginValue,
  unknownKey,
  networkName,
  noPlugins,
  pluginType,
  unknownVersion,
  unchainedVersion,
  pluginVersion,
  noCheckVersion,
  disabledCheck,
  unwrappedCreator,
  duplicateInterface,
  interfaceName,
  deviceName,
  runtimesOwnName,
  advertisedInterface,
  unknownWrapperKey,
  misplacedKey,
  wrongRole,
  unnamedDelegate,
  ignoredWrapper,
  interfaceNotMade,
  earlyFirewall,
  movedRoutes,
  overlappingRanges,
  invalidRange,
  gatewayOutsideSubnet,
  hostAddress,
  severalDefaultRoutes,
  leaseDirectory,
  keptLeases,
  takenNetwork,
  sharedNetwork,
  sharedBridge,
  sharedDevice,
  sharedFlannel,
  ipvlanMaster,
  missingMaster,
  unsuitableDevice,
  bridgeAddress,
  hostSubnet,
  noIpam,
  bandwidthWithoutVeth,
  plainMetaInterface,
  unreachablePort,
  duplicatePortmap,
  uselessPorts,
  uselessArgs,
  uselessJq,
  missingCapability,
  unknownCapability,
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
  renamedNetwork,
  duplicateNetwork,
  wrongEnding,
];
