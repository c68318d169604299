import { table } from "../../build/docs/table.ts";
import type { Mutant } from "../reports/mutation/mutants.ts";
import { say } from "../support/progress.ts";
import type { Done, Pool } from "./pool.ts";
import type { Order } from "./worker.ts";

/** Puts each small fault into the code, and prints the property that fails, and after how many inputs. */
export async function tellFaults(pool: Pool, mutants: readonly Mutant[], orders: readonly Order[]): Promise<void> {
  const rows: string[][] = [];
  for (const { id, file, lines, original, replacement } of mutants) {
    const done = await pool.search(
      orders.map((order) => ({ ...order, fault: id })),
      () => {},
    );
    const first = firstFailure(done);
    const fault = `${short(original)} -> ${short(replacement)}`;
    rows.push([`${file}:${lines[0]}`, fault, `${first?.search.failure?.inputs ?? "-"}`, first?.order.name ?? "none"]);
    say(`${rows.length} of ${mutants.length} faults`);
  }
  console.log(table(["line", "fault", "inputs", "property that fails"], rows));
  const found = rows.filter(([, , inputs]) => inputs !== "-").length;
  console.log(`\n${found} of ${mutants.length} faults found`);
}

function firstFailure(done: readonly Done[]): Done | undefined {
  const inputs = ({ search }: Done) => search.failure?.inputs ?? Number.POSITIVE_INFINITY;
  return done.filter(({ search }) => search.failure).sort((one, other) => inputs(one) - inputs(other))[0];
}

function short(code: string): string {
  const line = code.replace(/\s+/g, " ");
  return line.length > 50 ? `${line.slice(0, 49)}…` : line;
}
