import { profiles } from "../../plugins/index.ts";
import { profileOf } from "../../shared/plugin/profile.ts";
import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { ipamTypeOf } from "../lists/ipam.ts";
import type { ListedPlugin } from "../lists/list.ts";
import type { Call } from "../live/libcni.ts";
import { chained } from "../model/chained.ts";
import { creator, creators } from "../model/creators.ts";
import type { Machine } from "../model/machine.ts";
import type { Plugin } from "../model/plugin.ts";
import { ended, plainCall } from "../model/wrapper.ts";
import type { Source } from "./explain.ts";
import type { Answer } from "./rehearsal.ts";

/** Says what of a plugin the model does not know: the plugin, or its IPAM plugin. */
export function unknownOf({ delegate, configuration }: Pick<ListedPlugin, "delegate" | "configuration">) {
  if (!(delegate in modelled)) return delegate;
  const ipam = ipamTypeOf(configuration);
  return ipam === undefined || ipam === "static" || ipam === "host-local" ? undefined : ipam;
}

const modelled: Readonly<Record<string, Plugin>> = { ...creators, ...chained };

/** An address for documentation (RFC 5737): a server outside the host chooses the real one. */
const documentation = [{ address: "192.0.2.10/24", gateway: "192.0.2.1" }];

/**
 * Returns a function that answers as the plugins do on a host of the model. An unknown plugin passes with an example: an
 * interface, and an address for documentation.
 */
export function modelAnswers(machine: Machine): Source["answer"] {
  return ({ wrapper }, type, { environment, stdin }): Answer => {
    machine.maker = environment.CNI_CONTAINERID ?? "";
    const chooser = unknownIpam(stdin);
    const config = chooser === undefined ? stdin : withExample(stdin);
    const plugin = modelled[type] ?? example(type, wrapper.role, stdin);
    const call = { env: environment, config };
    const { exitCode, answer: output } = ended(plainCall(machine, { type, plugin, call }, () => false));
    const isChosen = chooser !== undefined && output?.ips !== undefined;
    return { exitCode, output, ...(isChosen && { chosenBy: chooser === "dhcp" ? "DHCP" : chooser }) };
  };
}

function unknownIpam(configuration: JsonObject): string | undefined {
  return unknownOf({ delegate: "bridge", configuration });
}

function withExample({ ipam, ...rest }: JsonObject): JsonObject {
  const { routes, type } = isJsonObject(ipam) ? ipam : {};
  const given = type === "dhcp" ? [{ dst: "0.0.0.0/0", gw: "192.0.2.1" }] : routes;
  return { ...rest, ipam: { type: "static", addresses: documentation, ...(given !== undefined && { routes: given }) } };
}

/** A plugin that makes an interface, or one that changes nothing. */
function example(type: string, written: unknown, { prevResult }: Call["stdin"]): Plugin {
  const role = profileOf(type, profiles)?.role ?? written ?? (prevResult ? "meta" : "creator");
  if (role === "creator") {
    return creator({ link: type, first: "link", freesFirst: true, ifTaken: () => undefined, checkLinks() {} });
  }
  return {
    // biome-ignore lint/correctness/useYield: it does nothing on the host
    *add(_, { config }) {
      return isJsonObject(config.prevResult) ? config.prevResult : { cniVersion: config.cniVersion };
    },
    check() {},
    *del() {},
    effects: () => [],
  };
}
