import { Command } from "commander";
import type { CommandMaker } from "../command.ts";
import { lintFiles } from "../lint/lint.ts";
import { textReport } from "../lint/text-report.ts";
import { readListFiles } from "../lists/find-files.ts";

/** `lint`: finds mistakes in network configuration lists. */
export const lintCommand: CommandMaker = (terminal, finish) =>
  new Command("lint")
    .summary("find mistakes in network configuration lists")
    .description("Finds mistakes in network configuration lists.")
    .argument("<path...>", "a file, or a directory with files that end with .conf, .conflist or .json")
    .addHelpText("after", "\nExample:\n  cni-wrappers lint /opt/cni/config")
    .action((paths: string[]) => {
      const findings = lintFiles(readListFiles(paths, terminal.directory));
      terminal.write(textReport(findings, terminal));
      finish(findings.length > 0 ? 1 : 0);
    });
