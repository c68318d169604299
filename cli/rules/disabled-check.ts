import type { ListRule } from "../lint/rule.ts";
import { isDisabled } from "../lists/list.ts";

export const disabledCheck: ListRule = {
  severity: "warning",
  title: "disableCheck is set, so a broken network goes unnoticed.",
  page: `With \`disableCheck\`, every CHECK of the list passes without looking. A container whose interface, address or route is
gone keeps running without a network, and Nomad does not replace its allocation. People set it because the CHECK of
several plain interface plugins fails. With wrapped plugins it passes, so delete the key.`,
  findInList({ value, plugins }) {
    if (!isDisabled(value.disableCheck)) return [];
    // A plugin that lint does not know may have no CHECK.
    if (plugins.some(({ profile, type }) => !profile && type !== "loopback")) return [];
    const message = "with disableCheck, the runtime does not notice a lost interface, address or route";
    return { at: ["disableCheck"], message, hint: "Delete the key, and wrap all interface plugins" };
  },
};
