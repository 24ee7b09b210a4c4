// The state of the view of runs, and what can be done with it.
import { batch, computed, effect, signal } from "@preact/signals";
import type { Finding, Replayed } from "@plumbline/plumbline";

import { addressedNames, goToLink, linkTo, view, type View } from "../view";
import { ask, listen } from "./engine";
import { callsUpTo, stepsUpTo, versionsUpTo } from "./facts";
import { asksHere, askedOf, hereRun, hereRuns, keptHere, linkToRun, putHere, underWay } from "./here";
import type { Opened, Proxy, Snapshot } from "./messages";
import { stateAt } from "./run_state";
import {
  act,
  beginRun,
  cancelRun,
  follow,
  goOnHere,
  journalOf,
  serverFacts,
  serverRuns,
  type ServerFacts,
  type ServerRun,
} from "./server";
import { messages, journal as t } from "../strings";

export type From = "file" | "server" | "page";
export type Part = "artifact" | "log" | "calls" | "entry" | "compare";

// Where the open journal comes from, and whether more of it may come.
export const origin = signal<{ from: From; name: string; live: boolean } | null>(null);
export const opened = signal<Opened | null>(null);
export const position = signal(0);
// The position is the last one, and stays it while more comes.
export const following = signal(true);
export const snapshot = signal<(Snapshot & { n: number }) | null>(null);
export const problem = signal("");
export const notice = signal("");
export const busy = signal("");
export const replayed = signal<Replayed | { problem: string } | null>(null);
export const playing = signal(false);
export const part = signal<Part>("artifact");
// What a call under way has said so far, as its host tells it.
export const heard = signal<{ key: string; size: number; text: string; findings: Finding[] } | null>(null);
// What a search waits for: the index of the documents, as its host tells it.
export const indexing = signal<{ done: number; all: number } | null>(null);
export const server = signal<ServerRun[] | null>(null);
// The cursor of older ones.
export const moreRuns = signal("");
// Why there are none, once the server was asked: "none" where there is no server.
export const noServer = signal("");
// What a new run may use there.
export const about = signal<ServerFacts | null>(null);
// What went wrong with the list, or with a file opened from it.
export const listProblem = signal("");

export const last = computed(() => (opened.value?.entries.length ?? 0) - 1);
export const entries = computed(() => opened.value?.entries ?? []);
export const entry = computed(() => entries.value[position.value] ?? null);
export const log = computed(() => (opened.value?.log ?? []).filter((line) => line.entry <= position.value));
export const calls = computed(() => callsUpTo(entries.value, position.value));
export const versions = computed(() => versionsUpTo(entries.value, position.value));
export const steps = computed(() => stepsUpTo(entries.value, position.value));
export const ended = computed(() => entries.value[entries.value.length - 1]?.kind === "end");
// The run that the open one is a fork of, as its first entry has it.
export const forkedFrom = computed(() => {
  const begin = entries.value[0]?.data as { fork?: { run?: string } } | undefined;
  return begin?.fork?.run ?? "";
});
export const shownView = computed(() => (snapshot.value?.view ?? {}) as Record<string, unknown>);
// The newest entry is shown, and its view is there.
export const atNewest = computed(() => position.value === last.value && snapshot.value?.n === last.value);
// The run stopped before its end, and this page can go on with it: what it asks then.
export const stopsHere = computed((): "page" | "proxy" | "" => {
  const now = origin.value;
  const run = opened.value;
  if (!now || now.from === "server" || now.live || ended.value || !run?.known) return "";
  return asksHere(run.pipeline, run.entries[0]?.data, hereRuns.value.find(({ id }) => id === now.name));
});
export const stateShown = computed(() => {
  const state = stateAt(entry.value, shownView.value);
  const stopped = position.value === last.value && (stopsHere.value !== "" || waitsFor.value !== "");
  return state === "running" && stopped ? "waits" : state;
});
// The run of the server that is open; "" for one of this page.
export const serverId = computed(() => (origin.value?.from === "server" ? origin.value.name : ""));

// Why the open run of the server waits and does not go on there.
export const waitsFor = computed(() => {
  const now = origin.value;
  const listed = now?.from === "server" ? server.value?.find((run) => run.id === now.name) : undefined;
  return listed?.state === "waiting" ? (listed.problem ?? "") : "";
});

const growAgainMs = 120;
const playMs = 350;
const followAgainMs = 1000;
const fileMax = 64 * 1024 * 1024;
const heardMax = 2000;

let lines: string[] = [];
let stopFollowing: () => void = () => undefined;
let reading = false;
let grown = false;
let generation = 0; // of the open journal: what comes of an earlier one is dropped

// Another number for each journal that is opened.
export const openedNumber = (): number => generation;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

// --- Positions ----------------------------------------------------------------------------------------------------

export function goTo(n: number): void {
  if (last.value < 0) return;
  const to = Math.min(Math.max(n, 0), last.value);
  batch(() => {
    position.value = to;
    following.value = to === last.value;
  });
  void readPosition();
}

export const stepBy = (by: number): void => goTo(position.value + by);

// To the next or previous line of the log.
export function stepLine(by: 1 | -1): void {
  const all = opened.value?.log ?? [];
  const next =
    by > 0
      ? all.find((line) => line.entry > position.value)
      : [...all].reverse().find((line) => line.entry < position.value);
  goTo(next?.entry ?? (by > 0 ? last.value : 0));
}

let wantedPosition = -1;
let readingPosition = false;

// The newest wish only: a slider asks faster than anybody can look.
async function readPosition(): Promise<void> {
  wantedPosition = position.value;
  if (readingPosition) return;
  readingPosition = true;
  const mine = generation;
  try {
    while (wantedPosition >= 0 && mine === generation) {
      const n = wantedPosition;
      wantedPosition = -1;
      const told = await ask("at", { n });
      if (mine === generation) snapshot.value = { ...told, n };
    }
  } catch (error) {
    if (mine === generation) problem.value = messageOf(error);
  } finally {
    readingPosition = false;
    if (mine !== generation && opened.value) void readPosition();
  }
}

let playTimer: ReturnType<typeof setInterval> | undefined;

export function playOrPause(): void {
  if (playing.value) {
    playing.value = false;
    return;
  }
  if (position.value === last.value) goTo(0);
  playing.value = true;
}

effect(() => {
  clearInterval(playTimer);
  if (!playing.value) return;
  playTimer = setInterval(() => {
    stepLine(1);
    if (position.value === last.value) playing.value = false;
  }, playMs);
});

// --- Journals -----------------------------------------------------------------------------------------------------

function begin(from: From, name: string, live: boolean): number {
  stopFollowing();
  stopFollowing = () => undefined;
  lines = [];
  batch(() => {
    origin.value = { from, name, live };
    opened.value = null;
    snapshot.value = null;
    replayed.value = null;
    heard.value = null;
    indexing.value = null;
    playing.value = false;
    problem.value = "";
    notice.value = "";
    position.value = 0;
    following.value = true;
  });
  return ++generation;
}

// Reads what there is of the journal. While a run goes on that happens again and again, never twice at once.
async function read(mine: number): Promise<void> {
  if (reading) {
    grown = true;
    return;
  }
  reading = true;
  try {
    do {
      grown = false;
      const told = await ask("open", { text: lines.join("\n") });
      if (mine !== generation) return;
      batch(() => {
        opened.value = told;
        if (following.value) position.value = told.entries.length - 1;
      });
      void readPosition();
      if (grown) await new Promise((done) => setTimeout(done, growAgainMs));
    } while (grown && mine === generation);
  } catch (error) {
    if (mine === generation) problem.value = messageOf(error);
  } finally {
    reading = false;
    if (mine !== generation && lines.length > 0) void read(generation);
  }
}

function stored(mine: number, more: readonly string[]): void {
  if (mine !== generation) return;
  lines.push(...more);
  void read(mine);
}

async function openText(from: From, name: string, text: string): Promise<void> {
  const mine = begin(from, name, false);
  lines = text.split("\n");
  busy.value = t.readingJournal;
  await read(mine);
  if (mine === generation) busy.value = "";
  // A file is read from its beginning; what it came to is in the log all the same.
  if (mine === generation && opened.value) goTo(last.value);
}

// A journal from a file: it is among the runs from now on, and shown as what it is.
export async function openFile(file: File): Promise<void> {
  listProblem.value = "";
  if (file.size > fileMax) {
    listProblem.value = t.journalTooLarge(file.name, file.size, fileMax);
    return;
  }
  const text = await file.text();
  try {
    const run = putHere(text.split("\n"), false);
    // What has no beginning is refused in the words of the core.
    if (!run) await ask("look_open", { text });
    else goToLink(linkToRun(run.pipeline, run.id, true));
  } catch (error) {
    listProblem.value = messageOf(error);
  }
}

let openStamp = -1; // of the run of this page that is open

// One of the runs that this page has.
async function openHere(id: string): Promise<void> {
  const run = hereRun(id);
  openStamp = run?.stamp ?? -1;
  if (!run) {
    begin("file", id, false);
    problem.value = messages.journalGone(id);
    return;
  }
  const live = run.made && run.state === "waiting" && pageRun.id === id;
  if (!live) return openText(run.made ? "page" : "file", id, run.lines.join("\n"));
  pageRun.generation = begin("page", id, true);
  lines = [...run.lines];
  await read(pageRun.generation);
}

// What the address names, where that is not what is shown already.
export function openAddressed(): void {
  const [name = "", id = ""] = addressedNames(view.value);
  if (name === "" || name === "new") return;
  const now = origin.value;
  if (name === "example") {
    void openExample(view.value);
  } else if (name === "here") {
    const same = now !== null && now.from !== "server" && now.name === id;
    if (!same || (hereRun(id)?.stamp ?? -1) !== openStamp) void keptHere.then(() => openHere(id));
  } else if (now?.from !== "server" || now.name !== name) {
    void openFromServer(name);
  }
}

// Recorded runs to look at. (A discovery's example is no journal.)
const examples: Partial<Record<View, () => Promise<{ default: string }>>> = {
  research: () => import("../../../tests/cases/runs/research_gates.ndjson?raw"),
  story: () => import("../../../tests/cases/runs/story_lighthouse.ndjson?raw"),
};

async function openExample(of: View): Promise<void> {
  const name = `${of}/example`;
  const load = examples[of];
  if (!load || origin.value?.name === name) return;
  const { default: text } = await load();
  if (view.value === of && addressedNames(of)[0] === "example") await openText("file", name, text);
}

export async function openFromServer(id: string): Promise<void> {
  const mine = begin("server", id, false);
  busy.value = t.askingServer;
  try {
    const text = await journalOf(id);
    if (mine !== generation) return;
    lines = text.split("\n").filter((line) => line !== "");
    await read(mine);
    if (mine === generation && !ended.value) followServer(mine, id);
    void lookForServer();
  } catch (error) {
    if (mine === generation) problem.value = `${id}: ${messageOf(error)}`;
  } finally {
    if (mine === generation) busy.value = "";
  }
}

// From the end of what has been read on.
function followServer(mine: number, id: string): void {
  const from = lines.filter((line) => !line.startsWith('{"blob":')).length;
  origin.value = { from: "server", name: id, live: true };
  stopFollowing = follow(id, from, {
    stored: (more) => {
      heard.value = null;
      indexing.value = null;
      notice.value = "";
      stored(mine, more);
    },
    told: (json) => {
      const { key, what, data } = JSON.parse(json) as { key: string; what: string; data: unknown };
      hear(mine, key, what, data);
    },
    ended: () => {
      if (mine !== generation) return;
      origin.value = { from: "server", name: id, live: false };
      notice.value = "";
      void lookForServer();
    },
    lost: (message) => {
      if (mine === generation) notice.value = message;
    },
    dropped: () => {
      if (mine === generation) setTimeout(() => mine === generation && followServer(mine, id), followAgainMs);
    },
  });
}

// {"key", "what", "data"}: what happens inside a call: its text in pieces, and what has become certain in it.
function hear(mine: number, key: string, what: string, value: unknown): void {
  if (mine !== generation) return;
  if (what === "index") {
    indexing.value = value as { done: number; all: number };
    return;
  }
  const data = value as { text?: string } & Finding;
  const before = heard.value?.key === key ? heard.value : { key, size: 0, text: "", findings: [] };
  if (what === "text" && data.text !== undefined) {
    const text = (before.text + data.text).slice(-heardMax);
    heard.value = { ...before, size: before.size + data.text.length, text };
  } else if (what === "finding") {
    const others = before.findings.filter(({ id }) => id !== data.id);
    heard.value = { ...before, findings: [...others, data] };
  }
}

export async function verify(): Promise<void> {
  const mine = generation;
  busy.value = t.verifying;
  try {
    const told = await ask("verify", {});
    if (mine === generation) replayed.value = told;
  } catch (error) {
    if (mine === generation) replayed.value = { problem: messageOf(error) };
  } finally {
    busy.value = "";
  }
}

export function journalText(): string {
  return lines.filter((line) => line !== "").map((line) => `${line}\n`).join("");
}

// --- Starting and ending ------------------------------------------------------------------------------------------

export interface Job {
  artifact_type: string;
  content: string;
  options?: Record<string, number>;
}

// "r" and 20 characters of base32, as every host makes them.
function newId(): string {
  const letters = "abcdefghijklmnopqrstuvwxyz234567";
  return `r${[...crypto.getRandomValues(new Uint8Array(20))].map((byte) => letters[byte & 31]).join("")}`;
}

let pageRun: { id: string; generation: number; via?: Proxy | undefined } = { id: "", generation: 0 };

let pageLines: string[] = []; // that came before the run's first entry

const keeping = import("./kept");
const withoutToken = (via?: Proxy) => via && { url: via.url, model: via.model };
const letGo = (id: string): void => void keeping.then((kept) => kept.letGo(id));

listen((told) => {
  if (told.run !== pageRun.id) return;
  const shown = pageRun.generation === generation;
  if (told.kind === "run_stored") {
    // It goes on, also while another one is looked at.
    const before = hereRun(told.run)?.lines ?? pageLines;
    const via = withoutToken(pageRun.via);
    const run = putHere([...before, ...told.lines], true, via);
    pageLines = run ? [] : [...pageLines, ...told.lines];
    if (shown && run) openStamp = run.stamp;
    void keeping.then(({ keepLines }) => keepLines(told.run, before.length, told.lines, via)).then((kept) => {
      if (!kept && shown) notice.value = t.runNotKept;
      void ask("kept", {});
    });
    if (shown) heard.value = null;
    if (shown) stored(generation, told.lines);
  } else if (told.kind === "run_told") {
    if (shown) hear(generation, told.key, told.what, told.data);
  } else {
    letGo(told.run);
    underWay.value = "";
    pageRun = { id: "", generation: 0 };
    if (!shown) return;
    if (origin.value) origin.value = { ...origin.value, live: false };
    problem.value = told.message;
  }
});

export async function startHere(kind: string, pipeline: string, request: object, via?: Proxy): Promise<void> {
  const id = newId();
  pageRun = { id, generation: begin("page", id, true), via };
  underWay.value = id;
  openStamp = -1;
  goToLink(linkToRun(pipeline, id, true));
  try {
    await (await keeping).takeHold(id);
    await ask("start", { id, pipeline, request, via });
  } catch (error) {
    letGo(id);
    underWay.value = "";
    if (pageRun.generation === generation) {
      origin.value = null;
      startProblem.value = messageOf(error);
      goToLink(linkTo("runs", "new", kind));
    }
  }
}

// Goes on with the open journal in this page, from its last entry.
export async function continueHere(via?: Proxy): Promise<void> {
  const id = origin.value?.name ?? "";
  const run = hereRun(id);
  if (!run) return;
  const { keepLines, takeHold } = await keeping;
  if (!(await takeHold(id))) {
    problem.value = t.inOtherTab;
    return;
  }
  pageRun = { id, generation: begin("page", id, true), via };
  underWay.value = id;
  lines = [...run.lines];
  const mine = pageRun.generation;
  try {
    await read(mine);
    // One from a file is one of this page's from now on: what it was made of is kept too.
    if (!run.made) await keepLines(id, 0, lines, withoutToken(via));
    openStamp = putHere(lines, true)?.stamp ?? -1;
    // Another one than a host had noted is asked from now on: the journal tells of it.
    const asked = via ? askedOf(entries.value[0]?.data).map(({ part }) => ({ part, provider: "openai", model: via.model, wire: "openai", at: via.url })) : [];
    await ask("start", { id, pipeline: run.pipeline, journal: journalText(), via, asked });
  } catch (error) {
    letGo(id);
    underWay.value = "";
    if (mine === generation) {
      if (origin.value) origin.value = { ...origin.value, live: false };
      problem.value = messageOf(error);
    }
  }
}

// What went wrong with the run that was to be begun.
export const startProblem = signal("");

// Begins a run of a pipeline on the server, and shows it.
export async function startThere(pipeline: string, path: string, body: object): Promise<void> {
  busy.value = t.startingRun;
  startProblem.value = "";
  try {
    const id = await beginRun(path, body);
    followServer(begin("server", id, true), id);
    goToLink(linkToRun(pipeline, id));
    void lookForServer();
  } catch (error) {
    startProblem.value = messageOf(error);
  } finally {
    busy.value = "";
  }
}

// Tells the open run of the server something that it asks for.
export async function tellRun(path: string, body: object): Promise<void> {
  problem.value = "";
  try {
    await act(path, body);
  } catch (error) {
    problem.value = messageOf(error);
  }
}

export async function goOnWithServer(): Promise<void> {
  const now = origin.value;
  if (now?.from !== "server") return;
  try {
    await goOnHere(now.name);
    await lookForServer();
  } catch (error) {
    problem.value = messageOf(error);
  }
}

export async function cancel(): Promise<void> {
  const now = origin.value;
  if (!now?.live) return;
  try {
    if (now.from === "page") await ask("cancel", {});
    else await cancelRun(now.name);
  } catch (error) {
    problem.value = messageOf(error);
  }
}

export async function lookForServer(): Promise<void> {
  const told = await serverRuns();
  batch(() => {
    const there = told !== null && typeof told !== "string";
    server.value = there ? told.runs : null;
    moreRuns.value = there ? told.next : "";
    noServer.value = told === null ? "none" : typeof told === "string" ? told : "";
  });
  void lookCloser();
}

// What the list itself does not say.
const lookCloser = async (): Promise<void> => (await import("./listed")).lookCloser(server);

export async function olderRuns(): Promise<void> {
  const told = await serverRuns(moreRuns.value);
  if (told === null || typeof told === "string") {
    listProblem.value = told ?? t.noOlderRuns;
    return;
  }
  const known = new Set(server.value?.map(({ id }) => id));
  server.value = [...(server.value ?? []), ...told.runs.filter(({ id }) => !known.has(id))];
  void lookCloser();
  moreRuns.value = told.next;
}

export async function lookAbout(): Promise<void> {
  const told = await serverFacts();
  about.value = told !== null && typeof told !== "string" ? told : null;
}
