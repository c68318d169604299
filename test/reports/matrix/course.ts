/** The steps of a chain in a cell: the verbs under go-cni and cnitool, an allocation's life under Nomad. */
export type StepName = "ADD" | "CHECK" | "fault seen" | "DEL" | "start" | "restart" | "stop" | "nothing left";

/** A step throws if it fails. */
export interface Step {
  readonly name: StepName;
  /** The step is skipped unless this one passed. */
  readonly needs?: StepName;
  readonly run: () => Promise<void>;
}

/** The result of a step. Without an error it passed. */
export interface StepResult {
  readonly name: StepName;
  readonly error?: string;
}

/** Runs the steps in order. */
export async function follow(steps: readonly Step[]): Promise<StepResult[]> {
  const results: StepResult[] = [];
  const hasPassed = (wanted: StepName) => results.some(({ name, error }) => name === wanted && error === undefined);
  for (const { name, needs, run } of steps) {
    if (needs && !hasPassed(needs)) continue;
    const error = await run().then(
      () => undefined,
      (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
    );
    results.push(error === undefined ? { name } : { name, error });
  }
  return results;
}
