import { nodeProblem } from "../node-base.ts";
import { cargoProblem, compilerProblem, emulatorProblem, libraryProblem, patchProblem } from "../slim/toolchain.ts";
import { type Artifact, architectures } from "./artifacts.ts";
import { zigProblem } from "./zig.ts";

/** Says what this host lacks to build the artifacts, a line for each thing with its cure. Empty if nothing is missing. */
export function missingFor(artifacts: readonly Artifact[]): readonly string[] {
  const problems = artifacts.flatMap(({ flavor, architecture }) => {
    const { target, node } = architectures[architecture];
    // It contains no compiled code, so that nothing of it runs in the build.
    if (flavor === "conformance") return [];
    if (flavor === "node") return [nodeProblem(node)];
    const ofAll = [cargoProblem(), compilerProblem(), zigProblem(), patchProblem()];
    return [...ofAll, libraryProblem(target), emulatorProblem(target)];
  });
  return [...new Set(problems.filter((problem) => problem !== undefined))];
}
