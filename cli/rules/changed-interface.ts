import type { AttachmentRecord } from "../../shared/record/record.ts";
import type { ListRule } from "../lint/rule.ts";
import type { List } from "../lists/list.ts";
import { valueAt } from "../lists/list-file.ts";

/** CHECK looks for the interface of the list, and old containers have another one. */
export const changedInterface: ListRule = {
  of: "list",
  code: "changed-interface",
  severity: "error",
  title: "The name of an interface has changed, and containers have it under the old name (`--state`).",
  page: `CHECK uses the new list, so it fails for containers that were attached with the old \`ifName\`. When a Nomad client
restarts, it destroys their network. DEL still works, because it follows the record. Stop the containers of the list
before you change \`ifName\`.`,
  find(list, { state }) {
    const lost = (state?.records ?? []).filter((record) => record.network === list.name && !isMade(record, list));
    const names = new Map(lost.map((record) => [`${record.delegate} ${record.ifName}`, record]));
    return [...names.values()].map((record) => {
      const same = list.plugins.find(({ delegate, isWrapped }) => isWrapped && delegate === record.delegate);
      const place = same?.wrapper.ifName === undefined ? ["name"] : [...same.path, "wrapper", "ifName"];
      return {
        place: valueAt(list.file, place),
        message: `containers have ${record.ifName} of ${record.delegate}, and no plugin of the list makes it now`,
        hint: `Keep the name ${record.ifName}, or stop these containers first`,
      };
    });
  },
};

function isMade({ delegate, ifName, runtimeIfName }: AttachmentRecord, { plugins }: List): boolean {
  return plugins.some((plugin) => {
    return plugin.isWrapped && plugin.delegate === delegate && (plugin.wrapper.ifName ?? runtimeIfName) === ifName;
  });
}
