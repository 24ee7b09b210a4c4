// Journals that this page has: of runs that were made in it (kept.ts), and those that were opened from files. The latter are
// kept for a reload of this tab as all work is (past.ts): bounded, and not where keeping is switched off.
import { signal } from "@preact/signals";

import { onClear, pastOn } from "../past";
import { linkTo, type View } from "../view";
import type { Via } from "./kept";
import { nameOf } from "./run_title";

export interface HereRun {
  id: string;
  pipeline: string;
  type: string;
  title: string;
  state: "waiting" | "done" | "failed" | "cancelled";
  at: number; // milliseconds since 1970
  less?: boolean; // it completed with less than all
  made: boolean; // by this page, not read from a file
  stamp: number; // another one when another journal has taken its place
  via?: Via | undefined; // the proxy that it asks
  lines: readonly string[];
}

const kept = import("./kept");

// The run of this page that is under way; "" for none.
export const underWay = signal("");

interface Begin {
  input?: { providers?: Record<string, string> };
  pins?: { name?: string; text?: { asked?: { part?: string; provider?: string }[] } }[];
}

// The phases of a run that a host noted, and whom it asked in them.
export const askedOf = (data: unknown): { part?: string; provider?: string }[] =>
  (data as Begin | undefined)?.pins?.find(({ name }) => name === "asked_of")?.text?.asked ?? [];

export const goesOnHere = (pipeline: string): boolean => ["artifact", "boundary", "story"].includes(pipeline);

// Whom this page asks when it goes on with a run: nobody, where nobody was asked for it so far; "" where it cannot go on.
export function asksHere(pipeline: string, data: unknown, run: HereRun | undefined): "page" | "proxy" | "" {
  if (!goesOnHere(pipeline)) return "";
  const named = [...Object.values((data as Begin | undefined)?.input?.providers ?? {}), ...askedOf(data).map(({ provider }) => provider)];
  const nobody = run?.via === undefined && (run?.made === true || (named.length > 0 && named.every((one) => one === "extract")));
  return nobody ? "page" : "proxy";
}

const key = "plumbline-runs";
const runsMax = 12;
const keptUnitsMax = 1_500_000;

const sizeOf = ({ lines }: HereRun): number => lines.reduce((sum, line) => sum + line.length + 1, 0);

function isRun(value: unknown): value is HereRun {
  const run = value as Partial<HereRun> | null;
  return typeof run?.id === "string" && typeof run.pipeline === "string" && Array.isArray(run.lines);
}

function stored(): HereRun[] {
  try {
    const told: unknown = pastOn.value ? JSON.parse(sessionStorage.getItem(key) ?? "[]") : [];
    return Array.isArray(told) ? told.filter(isRun).slice(0, runsMax).map((run) => ({ ...run, stamp: 0 })) : [];
  } catch {
    return [];
  }
}

// Newest first.
export const hereRuns = signal<readonly HereRun[]>(stored());

// The newest stay; what is left over the bound is there until the tab is closed or loaded anew.
function store(): void {
  let room = pastOn.value ? keptUnitsMax : 0;
  const kept = hereRuns.value.filter((run) => !run.made && (room -= sizeOf(run)) >= 0);
  try {
    if (kept.length === 0) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // No storage, or no room in it.
  }
}

onClear(() => {
  hereRuns.value = [];
  store();
});

export const hereRun = (id: string): HereRun | undefined => hereRuns.value.find((run) => run.id === id);

interface Entry {
  kind?: string;
  at?: number;
  name?: string;
  status?: string;
  data?: { run?: string; input?: unknown; decision?: string };
}

const parsed = (line: string | undefined): Entry => {
  try {
    return (JSON.parse(line ?? "") ?? {}) as Entry;
  } catch {
    return {};
  }
};

let stamps = 0;

const stateOf = (lines: readonly string[]): HereRun["state"] => {
  const { kind, status } = parsed(lines.at(-1));
  if (kind !== "end") return "waiting";
  return status === "ok" ? "done" : status === "cancelled" ? "cancelled" : "failed";
};

// A journal, as its lines, is among the runs from now on, in place of what was known of the same run. Null where it has no
// beginning that says whose it is.
export function putHere(lines: readonly string[], made: boolean, via?: Via): HereRun | null {
  const run = runOf(lines, made, via);
  if (!run) return null;
  hereRuns.value = [run, ...hereRuns.value.filter(({ id }) => id !== run.id)].slice(0, runsMax);
  if (!made) store();
  return run;
}

function runOf(lines: readonly string[], made: boolean, via: Via | undefined): HereRun | null {
  const whole = lines.filter((line) => line !== "");
  // Texts that it refers to may come before it; inside them no quote is bare.
  const { at = Date.now(), name, data } = parsed(whole.find((line) => line.includes('"kind":"begin"')));
  if (typeof name !== "string" || typeof data?.run !== "string") return null;
  const before = hereRun(data.run);
  return {
    id: data.run,
    pipeline: name,
    at,
    ...nameOf(name, data.input),
    made,
    stamp: made && before?.made ? before.stamp : ++stamps,
    state: stateOf(whole),
    less: parsed(whole.at(-1)).data?.decision === "revise",
    via: via ?? before?.via,
    lines: whole,
  };
}

// Those that were made here before, in this tab or in one that is gone.
export const keptHere: Promise<void> = kept.then(async ({ keptRuns }) => {
  const all = await keptRuns();
  const known = new Set(hereRuns.value.map(({ id }) => id));
  const more = all.filter(({ id }) => !known.has(id)).flatMap(({ lines, via }) => runOf(lines, true, via) ?? []);
  if (more.length > 0) hereRuns.value = [...hereRuns.value, ...more].slice(0, runsMax);
});

export function dropHere(id: string): void {
  hereRuns.value = hereRuns.value.filter((run) => run.id !== id);
  store();
  void kept.then(({ dropKept }) => dropKept(id));
}

// What a run is shown as first; as a journal, each can be looked at in the view of runs.
const shownAs: Readonly<Record<string, View>> = { research: "research", discovery: "discovery", story: "story" };

export const viewOfPipeline = (pipeline: string): View => shownAs[pipeline] ?? "runs";

export const linkToRun = (pipeline: string, id: string, here = false): string =>
  linkTo(viewOfPipeline(pipeline), ...(here ? ["here", id] : [id]));
