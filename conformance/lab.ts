import process from "node:process";
import { isSea } from "node:sea";
import { type Holder, hold } from "../build/holder.ts";
import { variables } from "./calls.ts";
import { innerPid, PrivateHost } from "./host.ts";

/** The option with which the executable runs itself in the namespaces. */
export const serveOption = "--serve-lab";

/** A private host with the plugins of a folder, made by this executable and by programs that every Linux has. */
export class Lab extends PrivateHost {
  private constructor(holder: Holder, pid: string) {
    super(holder, pid, "/run/lab/bin");
  }

  /** Makes the namespaces. Fails with one line if this user or this machine cannot. */
  static async start(plugins: string): Promise<Lab> {
    const namespaces = ["--net", "--mount", "--pid", "--fork", "--mount-proc", "--propagation", "private"];
    const self = isSea() ? [process.execPath] : [process.execPath, process.argv[1] ?? ""];
    // The shell stays their init, and adopts processes whose parents ended.
    const init = ["sh", "-c", '"$@"; exit', "sh", ...self, serveOption, plugins];
    const holder = await hold("unshare", [...namespaces, "--kill-child", ...init], { env: variables });
    return new Lab(holder, await innerPid(holder));
  }
}
