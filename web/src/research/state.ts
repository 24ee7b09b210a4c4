// What the view of research shows, and where it is from: a run of the server as it goes on, or a journal that is stepped
// through.
import { batch, computed, signal } from "@preact/signals";

import { ask as askWorker } from "../runs/engine";
import { hereRun, putHere } from "../runs/here";
import { follow as followRun, journalOf } from "../runs/server";
import { listProblem, lookForServer } from "../runs/state";
import { addressPart, addressedNames, goToLink, linkTo, view } from "../view";
import type { Found } from "./found";
import { begin, send, viewOf } from "./server";
import { messages, research as t } from "../strings";

const refreshMs = 120;
const stepMs = 450;
const fileMax = 64 << 20;

export const found = signal<Found | null>(null);
export const live = signal(""); // the run of the server that is followed
export const entries = signal(0); // of the journal that is stepped through; 0: none
export const position = signal(0);
export const playing = signal(false);
export const problem = signal("");
export const busy = signal(false);
export const indexing = signal<{ done: number; all: number } | null>(null); // a search waits for the index
// What is shown, as the address names it: a run of the server, "here/ID" of this page's, "example".
export const shown = signal("");
export const over = computed(() => ["completed", "failed", "cancelled"].includes(found.value?.status ?? ""));

let stopFollowing = (): void => undefined;
let player: ReturnType<typeof setInterval> | undefined;
let wanted = 0;

const told = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function leave(): void {
  stopFollowing();
  stopFollowing = () => undefined;
  pause();
  wanted += 1;
  batch(() => {
    live.value = "";
    indexing.value = null;
    entries.value = 0;
    problem.value = "";
  });
}

async function refresh(id: string): Promise<void> {
  try {
    const seen = await viewOf(id);
    if (live.value === id) found.value = seen;
  } catch (error) {
    if (live.value === id) problem.value = `${id}: ${told(error)}`;
  }
}

export async function openRun(id: string): Promise<void> {
  leave();
  live.value = id;
  shown.value = id;
  addressPart("research", encodeURIComponent(id));
  await refresh(id);
  if (live.value !== id || over.value) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void refresh(id);
    }, refreshMs);
  };
  const stop = followRun(id, 0, {
    stored: () => {
      indexing.value = null;
      soon();
    },
    told: (json) => {
      const { what, data } = JSON.parse(json) as { what: string; data: { done: number; all: number } };
      if (what === "index") indexing.value = data;
    },
    ended: soon,
    lost: (message) => (problem.value = message),
    dropped: soon,
  });
  stopFollowing = () => {
    clearTimeout(timer);
    stop();
  };
}

export async function startRun(request: object): Promise<void> {
  busy.value = true;
  try {
    const id = await begin(request);
    goToLink(linkTo("research", id));
    await openRun(id);
    void lookForServer();
  } catch (error) {
    problem.value = told(error);
  } finally {
    busy.value = false;
  }
}

export async function answer(text: string): Promise<void> {
  const asks = found.value?.asks;
  if (!asks || !live.value) return;
  busy.value = true;
  try {
    await send(live.value, asks.signal, text);
    await refresh(live.value);
  } catch (error) {
    problem.value = told(error);
  } finally {
    busy.value = false;
  }
}

export async function stop(): Promise<void> {
  if (!live.value) return;
  try {
    await send(live.value, "stop", null);
  } catch (error) {
    problem.value = told(error);
  }
}

// Opens a journal, and shows how the run ended; it can be stepped through from there.
export async function openJournal(text: string): Promise<void> {
  leave();
  const mine = wanted;
  busy.value = true;
  try {
    const opened = await askWorker("look_open", { text });
    if (mine !== wanted) return;
    if (opened.pipeline !== "research") throw new Error(t.otherPipeline(opened.pipeline));
    entries.value = opened.entries;
    await stepTo(opened.entries - 1);
  } catch (error) {
    if (mine === wanted) problem.value = told(error);
  } finally {
    busy.value = false;
  }
}

export async function stepTo(n: number): Promise<void> {
  const at = Math.max(0, Math.min(entries.value - 1, n));
  position.value = at;
  const mine = wanted;
  try {
    const seen = (await askWorker("look_at", { n: at })) as Found;
    if (mine === wanted && position.value === at) found.value = seen;
  } catch (error) {
    if (mine === wanted) problem.value = told(error);
  }
}

export function pause(): void {
  clearInterval(player);
  playing.value = false;
}

export function play(): void {
  if (entries.value === 0) return;
  pause();
  playing.value = true;
  if (position.value >= entries.value - 1) void stepTo(0);
  player = setInterval(() => {
    if (position.value >= entries.value - 1) pause();
    else void stepTo(position.value + 1);
  }, stepMs);
}

// A file is among the runs from now on, and named by the address.
export async function openFile(file: File): Promise<void> {
  if (file.size > fileMax) {
    problem.value = messages.fileTooLarge(file.name);
    return;
  }
  const text = await file.text();
  listProblem.value = "";
  const run = putHere(text.split("\n"), false);
  if (run?.pipeline === "research") {
    shown.value = `here/${run.id} ${run.stamp}`;
    goToLink(linkTo("research", "here", run.id));
  }
  await openJournal(text);
}

export async function replayRun(): Promise<void> {
  try {
    await openJournal(await journalOf(live.value));
  } catch (error) {
    problem.value = told(error);
  }
}

// A recorded run in which every gate fires.
export async function openExample(): Promise<void> {
  const { default: text } = await import("../../../tests/cases/runs/research_gates.ndjson?raw");
  shown.value = "example";
  addressPart("research", "example");
  await openJournal(text);
}

export async function openAddressed(): Promise<void> {
  const [id = "", own = ""] = addressedNames("research");
  if (view.value !== "research" || id === "") return;
  const run = id === "here" ? hereRun(own) : undefined;
  const wished = id === "here" ? `here/${own} ${run?.stamp ?? ""}` : id;
  if (wished === shown.value) return;
  shown.value = wished;
  if (id === "example") await openExample();
  else if (id !== "here") await openRun(id);
  else if (run) await openJournal(run.lines.join("\n"));
  else problem.value = messages.journalGone(own);
}
