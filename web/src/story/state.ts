// What the view of stories shows: one story that is open, at a phase, with a reader in it.
import { batch, computed, signal } from "@preact/signals";
import type { StoryFinding, StoryGraph, StoryReading } from "plumbline";

import { ask } from "../runs/engine";
import { journalOf, serverRuns, type ServerRun } from "../runs/server";
import { addressPart, addressedNames, view } from "../view";
import type { ShipFormat, StoryOpened } from "./messages";

const fileMax = 64 << 20;

export const opened = signal<StoryOpened | null>(null);
export const graph = signal<StoryGraph | null>(null);
export const phases = signal(0); // that are shown
export const chosen = signal(""); // the row
export const reading = signal<StoryReading | null>(null);
export const before = signal<StoryReading[]>([]); // where the reader came from
export const live = signal(""); // the run of the server
export const runs = signal<ServerRun[] | null>(null);
export const problem = signal("");
let wanted = 0;

const told = (error: unknown): string => (error instanceof Error ? error.message : String(error));

// Findings by the row that they are about.
export const findingsAt = computed(() => {
  const all = new Map<string, StoryFinding[]>();
  for (const one of opened.value?.findings ?? []) {
    const id = one.node.replace(/^(?:passage|beat)::/, "");
    all.set(id, [...(all.get(id) ?? []), one]);
  }
  return all;
});

export async function openText(text: string, run = ""): Promise<void> {
  const mine = ++wanted;
  problem.value = "";
  try {
    const seen = await ask("story_open", { text });
    const count = seen.phases.length;
    const folded = count > 0 ? await ask("story_fold", { phases: count }) : null;
    const first = seen.readable ? await ask("story_read", {}) : null;
    if (mine !== wanted) return;
    batch(() => {
      opened.value = seen;
      phases.value = count;
      graph.value = folded;
      reading.value = first;
      before.value = [];
      chosen.value = "";
      live.value = run;
    });
    addressPart("story", encodeURIComponent(run));
  } catch (error) {
    if (mine === wanted) problem.value = told(error);
  }
}

export async function openFile(file: File): Promise<void> {
  if (file.size > fileMax) problem.value = `${file.name} has more than 64 MB.`;
  else await openText(await file.text());
}

export async function openRun(id: string): Promise<void> {
  try {
    await openText(await journalOf(id), id);
  } catch (error) {
    problem.value = told(error);
  }
}

// The recorded run of docs/examples/lighthouse.yaml.
export async function openExample(): Promise<void> {
  const { default: text } = await import("../../../tests/cases/runs/story_lighthouse.ndjson?raw");
  await openText(text);
}

export async function openAddressed(): Promise<void> {
  const [id = ""] = addressedNames("story");
  if (view.value === "story" && id && id !== live.value) await openRun(id);
}

export async function lookForRuns(): Promise<void> {
  const answer = await serverRuns();
  if (Array.isArray(answer)) runs.value = answer.filter(({ pipeline }) => pipeline === "story");
}

export async function showPhases(count: number): Promise<void> {
  const mine = wanted;
  phases.value = Math.max(1, Math.min(opened.value?.phases.length ?? 0, count));
  const asked = phases.value;
  try {
    const folded = await ask("story_fold", { phases: asked });
    if (mine === wanted && phases.value === asked) graph.value = folded;
  } catch (error) {
    problem.value = told(error);
  }
}

export async function take(way: number, route: number): Promise<void> {
  const at = reading.value;
  if (!at) return;
  try {
    const next = await ask("story_read", { at: { passage: at.passage, held: at.held }, take: { way, route } });
    batch(() => {
      before.value = [...before.value, at];
      reading.value = next;
    });
  } catch (error) {
    problem.value = told(error);
  }
}

export function back(): void {
  const last = before.value.at(-1);
  if (!last) return;
  batch(() => {
    reading.value = last;
    before.value = before.value.slice(0, -1);
  });
}

export async function again(): Promise<void> {
  reading.value = await ask("story_read", {});
  before.value = [];
}

export async function download(format: ShipFormat): Promise<void> {
  try {
    const { file, text } = await ask("story_ship", { format });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
    link.download = file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  } catch (error) {
    problem.value = told(error);
  }
}
