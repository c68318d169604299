import { beforeEach } from "vitest";
import { NomadLab } from "./nomad-lab.ts";

// A case that fails prints what the client said about its allocations.
let stories: string[] = [];

NomadLab.onEnd = (story) => stories.push(story);

beforeEach(({ onTestFailed }) => {
  stories = [];
  onTestFailed(() => console.error(stories.join("\n\n")));
});
