// What the view of stories shows: one story that is open, at a phase, with a reader in it.
import { batch, computed, signal } from "@preact/signals";
import type { StoryFinding, StoryGraph, StoryReading } from "@plumbline/plumbline";

import { ask } from "../runs/engine";
import { hereRun, putHere } from "../runs/here";
import { journalOf } from "../runs/server";
import { addressPart, addressedNames, goToLink, linkTo, view } from "../view";
import type { ShipFormat, StoryOpened } from "./messages";
import { messages } from "../strings";

const fileMax = 64 << 20;

export const opened = signal<StoryOpened | null>(null);
export const graph = signal<StoryGraph | null>(null);
export const phases = signal(0); // that are shown
export const chosen = signal(""); // the row
export const reading = signal<StoryReading | null>(null);
export const before = signal<StoryReading[]>([]); // where the reader came from
export const live = signal(""); // the run of the server
// What is shown, as the address names it: a run of the server, "here/ID" of this page's, "example"; else a file.
export const shown = signal("");
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

export async function openText(text: string, run = "", named = run): Promise<void> {
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
    if (named === "") addressPart("story", "");
    shown.value = named;
  } catch (error) {
    if (mine === wanted) problem.value = told(error);
  }
}

// A journal is among the runs from now on, and named by the address; any other story is only shown.
export async function openFile(file: File): Promise<void> {
  if (file.size > fileMax) {
    problem.value = messages.fileTooLarge(file.name);
    return;
  }
  const text = await file.text();
  const run = text.includes('"kind":"begin"') ? putHere(text.split("\n"), false) : null;
  if (run?.pipeline !== "story") {
    await openText(text);
    return;
  }
  shown.value = `here/${run.id} ${run.stamp}`;
  goToLink(linkTo("story", "here", run.id));
  await openText(text, "", shown.value);
}

async function openRun(id: string): Promise<void> {
  try {
    await openText(await journalOf(id), id);
  } catch (error) {
    problem.value = `${id}: ${told(error)}`;
  }
}

// The recorded run of docs/examples/lighthouse.yaml.
export async function openExample(): Promise<void> {
  const { default: text } = await import("../../../tests/cases/runs/story_lighthouse.ndjson?raw");
  addressPart("story", "example");
  await openText(text, "", "example");
}

export async function openAddressed(): Promise<void> {
  const [id = "", own = ""] = addressedNames("story");
  if (view.value !== "story" || id === "") return;
  const run = id === "here" ? hereRun(own) : undefined;
  const wished = id === "here" ? `here/${own} ${run?.stamp ?? ""}` : id;
  if (wished === shown.value) return;
  shown.value = wished;
  if (id === "example") await openExample();
  else if (id !== "here") await openRun(id);
  else if (run) await openText(run.lines.join("\n"), "", wished);
  else problem.value = messages.journalGone(own);
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
