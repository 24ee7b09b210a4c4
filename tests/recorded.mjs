// Recorded runs of tests/cases/runs, for tests of the package and of the page.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const recordedPath = (name) => join(dirname(fileURLToPath(import.meta.url)), "cases/runs", `${name}.ndjson`);

// A recorded story: its outline as JSON, and the notes of its phases, with their texts in place.
export function recordedStory(name) {
  const lines = readFileSync(recordedPath(name), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
  const blobs = new Map(lines.filter((line) => line.blob).map((line) => [line.blob, line.text]));
  const whole = (value) =>
    value?.$blob ? JSON.parse(blobs.get(value.$blob))
    : Array.isArray(value) ? value.map(whole)
    : value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, whole(one)]))
    : value;
  const entries = lines.filter((line) => line.kind);
  return {
    outline: whole(entries[0].data).input.outline,
    notes: entries.filter((line) => line.kind === "note" && line.name === "story_phase").map((line) => whole(line.data)),
  };
}
