// What was written in this page, so that it can be had again: kept in this browser only, bounded, and not at all when
// switched off.
import { signal } from "@preact/signals";
import type { Decision } from "@plumbline/plumbline";

import type { Shared } from "./share";
import { page as t } from "./strings";

// What was found in a work.
export interface Found {
  title: string; // the contract's
  decision?: Decision | null; // null: its contract is refused; not there: it has not been checked as it is
  problems: number;
}

export interface Entry extends Shared, Found {
  id: number;
  at: number; // milliseconds since 1970
}

const key = "plumbline-history";
const offKey = "plumbline-history-off";
const entriesMax = 40;
const entryUnitsMax = 300_000;
const unitsMax = 1_500_000;
// Work that goes on is one entry, begun anew when it has gone on this long.
const sittingMsMax = 5 * 60 * 1000;

const unitsOf = (entry: Shared): number =>
  entry.artifact.length +
  (entry.contract.kind === "own" ? entry.contract.text.length : 0) +
  (entry.context?.length ?? 0);

function isEntry(value: unknown): value is Entry {
  const entry = value as Partial<Entry> | null;
  return (
    typeof entry?.id === "number" &&
    typeof entry.at === "number" &&
    typeof entry.artifact === "string" &&
    (entry.contract?.kind === "own" ? typeof entry.contract.text : typeof entry.contract?.name) === "string"
  );
}

function stored(): Entry[] {
  try {
    const told: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(told) ? told.filter(isEntry).slice(0, entriesMax) : [];
  } catch {
    return [];
  }
}

function isOff(): boolean {
  try {
    return localStorage.getItem(offKey) !== null;
  } catch {
    return true;
  }
}

export const past = signal<readonly Entry[]>(stored());
export const pastOn = signal(!isOff());
// Said when something could not be kept.
export const pastNotice = signal("");

export const pastUnits = (): number => past.value.reduce((sum, entry) => sum + unitsOf(entry), 0);

function store(entries: readonly Entry[]): void {
  // The newest stay; what is left over the bound goes.
  let room = unitsMax;
  const kept = entries.slice(0, entriesMax).filter((entry) => (room -= unitsOf(entry)) >= 0);
  for (let count = kept.length; ; count = Math.floor(count / 2)) {
    try {
      if (count === 0) localStorage.removeItem(key);
      else localStorage.setItem(key, JSON.stringify(kept.slice(0, count)));
      past.value = kept.slice(0, count);
      return;
    } catch {
      // The browser gives less room than that: half as many.
      if (count === 0) {
        past.value = [];
        return;
      }
    }
  }
}

function same(a: Shared, b: Shared): boolean {
  return (
    a.artifact === b.artifact && a.context === b.context && JSON.stringify(a.contract) === JSON.stringify(b.contract)
  );
}

// The entry that the work on the page goes into; 0 when the next one is new.
let sitting = 0;

// Another artifact is begun: what was kept stays as it is.
export function beginSitting(): void {
  sitting = 0;
}

export function keep(work: Shared, found: Found): void {
  if (!pastOn.value || (work.artifact.trim() === "" && work.contract.kind === "built_in")) return;
  if (unitsOf(work) > entryUnitsMax) {
    pastNotice.value = t.tooLargeToKeep;
    return;
  }
  pastNotice.value = "";
  // Another tab may have kept something meanwhile.
  const entries = stored();
  const newest = entries.find((entry) => same(entry, work));
  const now = Date.now();
  if (newest) {
    sitting = newest.id;
    if (found.decision !== undefined && found.decision !== newest.decision)
      store(entries.map((one) => (one === newest ? { ...newest, ...found } : one)));
    return;
  }
  const current = entries.find((entry) => entry.id === sitting && now - entry.at < sittingMsMax);
  const id = current?.id ?? Math.max(0, ...entries.map((entry) => entry.id)) + 1;
  const entry: Entry = { ...work, ...found, id, at: current?.at ?? now };
  sitting = id;
  store([entry, ...entries.filter((one) => one.id !== id)]);
}

export function forget(id: number): void {
  store(stored().filter((entry) => entry.id !== id));
}

// Called when everything is to be forgotten, for what is kept elsewhere.
const alsoClear: (() => void)[] = [];
export function onClear(act: () => void): void {
  alsoClear.push(act);
}

export function clearPast(): void {
  beginSitting();
  store([]);
  alsoClear.forEach((act) => act());
}

export function switchPast(on: boolean): void {
  try {
    if (on) localStorage.removeItem(offKey);
    else localStorage.setItem(offKey, "off");
    pastOn.value = on;
  } catch {
    pastOn.value = false;
  }
  if (!on) clearPast();
}

addEventListener("storage", (event) => {
  if (event.key === key) past.value = stored();
  if (event.key === offKey) pastOn.value = !isOff();
});
