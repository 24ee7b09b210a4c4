// What the view of stories shows: one story that is open, at a phase, with a reader in it.
import { batch, computed, signal, untracked } from "@preact/signals";
import type { StoryFinding, StoryGraph, StoryReading } from "@plumbline/plumbline";

import { ask } from "../runs/engine";
import { putHere } from "../runs/here";
import { ended, entries, journalText, opened as runOpened, openedNumber, position } from "../runs/state";
import { addressPart, goToLink, linkTo } from "../view";
import type { ShipFormat, StoryOpened } from "./messages";
import { messages } from "../strings";

const fileMax = 64 << 20;

export const opened = signal<StoryOpened | null>(null);
export const graph = signal<StoryGraph | null>(null);
export const phases = signal(0); // that are shown
export const chosen = signal(""); // the row
export const reading = signal<StoryReading | null>(null);
export const before = signal<StoryReading[]>([]); // where the reader came from
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

let framed = ""; // the run that is shown, as far as it has come; "" for a file

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
    });
    framed = run;
    if (run === "") addressPart("story", "");
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
  goToLink(linkTo("story", "here", run.id));
}

export const openExample = (): void => goToLink(linkTo("story", "example"));

// The story of the run whose journal is open, at the phase that its entry belongs to.
export async function openFramed(): Promise<void> {
  const { pipeline = "" } = runOpened.value ?? {};
  const at = position.value;
  const isPhase = ({ kind, name }: { kind: string; name?: string }): boolean => kind === "note" && name === "story_phase";
  const told = entries.value.filter(isPhase).length;
  const here = entries.value.slice(0, at + 1).filter(isPhase).length;
  if (pipeline !== "story") return;
  const wished = `${openedNumber()} ${told} ${String(ended.value)}`;
  if (wished !== framed || untracked(() => opened.value === null)) {
    framed = wished;
    await untracked(() => openText(journalText(), wished));
  }
  if (framed === wished) await untracked(() => showPhases(here));
}

export async function showPhases(count: number): Promise<void> {
  const mine = wanted;
  phases.value = Math.max(0, Math.min(opened.value?.phases.length ?? 0, count));
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
