// What a fork may change of a run: the parts that have finished, the texts that it is pinned to, and its input. Read from
// the journal's lines.
import { computed, effect, signal } from "@preact/signals";

import { goToLink, linkTo } from "../view";
import { forkRun, type ForkWish } from "./server";
import { entries, journalText, opened, origin, position, server } from "./state";

export interface Pin {
  name: string;
  text: string; // as it is shown and edited
  plain: boolean; // a prompt; otherwise JSON
}

const partsMax = 500;

export const forking = signal(false);
export const forkBusy = signal(false);
export const forkProblem = signal("");
// Of the fork that the open run is, as it was begun here: parts that it does not enter any more.
export const leftBehind = signal<{ run: string; parts: readonly string[] } | null>(null);

// The server that has the open run can fork it, whether it has ended or goes on.
export const canFork = computed(() => origin.value?.from === "server" && server.value !== null && entries.value.length > 0);

// Parts that had finished at the end of what is read, in their order; those that a fork left behind are not its own.
export const finishedParts = computed(() =>
  entries.value
    .filter(({ kind, key }) => kind === "scope" && key)
    .map(({ key }) => key ?? "")
    .slice(0, partsMax),
);

type Stored = Record<string, unknown>;

function texts(lines: readonly Stored[]): (value: unknown) => unknown {
  const known = new Map(lines.flatMap(({ blob, text }) => (typeof blob === "string" ? [[blob, text as string]] : [])));
  return (value) => {
    const name = value !== null && typeof value === "object" ? (value as Stored).$blob : undefined;
    const text = typeof name === "string" ? known.get(name) : undefined;
    return text === undefined ? value : (JSON.parse(text) as unknown);
  };
}

// What the run was begun with: its input as JSON, and what it is pinned to.
export function begunWith(journal: string): { input: string; pins: Pin[] } {
  const lines = journal.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Stored]));
  const whole = texts(lines);
  const begin = lines.find(({ kind }) => kind === "begin");
  const { input, pins } = (begin ? whole(begin.data) : {}) as { input?: unknown; pins?: unknown[] };
  return {
    input: JSON.stringify(whole(input) ?? null, null, 2),
    pins: (pins ?? []).map((one) => {
      const { name, text } = whole(one) as { name: string; text: unknown };
      const value = whole(text);
      return typeof value === "string"
        ? { name, text: value, plain: true }
        : { name, text: JSON.stringify(value, null, 2), plain: false };
    }),
  };
}

export const begun = computed(() => (forking.value && opened.value ? begunWith(journalText()) : { input: "null", pins: [] }));

// The form is for the run that it was opened for.
const openedId = computed(() => opened.value?.id ?? "");
effect(() => {
  if (openedId.value !== undefined) forking.value = false;
});

// What is chosen in the form: a part, "" for all that is settled, or what precedes the entry that is looked at.
export interface Chosen {
  from: string;
  input: string | null;
  pins: Record<string, string>;
}
export const atPosition = "\n"; // no part's name

export function wishOf({ from, input, pins }: Chosen): ForkWish {
  const wish: ForkWish = {};
  if (from === atPosition) wish.at = Math.max(1, position.value);
  else if (from !== "") wish.redo = [from];
  if (input !== null) wish.input = JSON.parse(input) as unknown;
  const changed = begun.value.pins.filter(({ name, text }) => pins[name] !== undefined && pins[name] !== text);
  if (changed.length > 0) {
    wish.pins = Object.fromEntries(
      changed.map(({ name, plain }) => [name, plain ? pins[name] : (JSON.parse(pins[name] ?? "") as unknown)]),
    );
  }
  return wish;
}

export async function fork(chosen: Chosen): Promise<void> {
  const now = origin.value;
  if (now?.from !== "server") return;
  forkBusy.value = true;
  forkProblem.value = "";
  try {
    const made = await forkRun(now.name, wishOf(chosen));
    forking.value = false;
    leftBehind.value = { run: made.id, parts: made.left };
    goToLink(linkTo("runs", made.id));
  } catch (error) {
    forkProblem.value = error instanceof Error ? error.message : String(error);
  } finally {
    forkBusy.value = false;
  }
}

