// Which discovery is shown, from where, and what is done about it.
import { computed, signal, untracked } from "@preact/signals";

import { atNewest, entries, lookForServer, opened, serverId, shownView } from "../runs/state";
import { addressedNames, addressPart, view } from "../view";
import { isOver, isReviewed, readFound, type Found, type Opportunity } from "./found";
import { complete, Conflict, decide, rank, viewOf, type Decided } from "./server";
import { discovery as t } from "../strings";

const nameKey = "plumb-reviewer";

// As the server or a file has it.
const newest = signal<Found | null>(null);
// At an entry of an open journal.
const ofJournal = computed(() => {
  const seen = shownView.value as Partial<Found>;
  if (newest.value === null || newest.value.run_id !== opened.value?.id || from.value === "example") return null;
  return (from.value === "file" || !atNewest.value) && seen.stages !== undefined ? (seen as Found) : null;
});
export const found = computed(() => ofJournal.value ?? newest.value);
// Where it came from: a run on the server can be decided on, a file or the example only be looked at.
export const from = signal<"server" | "file" | "example" | null>(null);
export const chosenId = signal("");
export const problem = signal("");
export const told = signal("");
export const busy = signal(false);
// Somebody has decided already; the same decision again would take the place of theirs.
export const conflict = signal<{ message: string; what: Decided; id: string } | null>(null);
// The order while it is being changed, by id; null: as it is.
export const order = signal<string[] | null>(null);

const kept = ((): string => {
  try {
    return localStorage.getItem(nameKey) ?? "";
  } catch {
    return "";
  }
})();
export const reviewer = signal(kept);
export function nameReviewer(name: string): void {
  reviewer.value = name;
  try {
    localStorage.setItem(nameKey, name);
  } catch {
    // Not kept: it is asked for again.
  }
}

export const opportunities = computed<Opportunity[]>(() => {
  const all = found.value?.opportunities ?? [];
  if (!order.value) return all;
  const place = new Map(order.value.map((id, i) => [id, i]));
  return [...all].sort((a, b) => (place.get(a.opportunity_id) ?? 1e9) - (place.get(b.opportunity_id) ?? 1e9));
});
export const chosen = computed<Opportunity | null>(
  () => opportunities.value.find((one) => one.opportunity_id === chosenId.value) ?? opportunities.value[0] ?? null,
);
export const mayDecide = computed(() => from.value === "server" && ofJournal.value === null && found.value !== null && isReviewed(found.value));

export function choose(id: string): void {
  chosenId.value = id;
  conflict.value = null;
  remember();
}

function remember(): void {
  if (from.value !== "server" || !found.value) return;
  const part = encodeURIComponent(found.value.run_id) + (chosenId.value ? `/${encodeURIComponent(chosenId.value)}` : "");
  addressPart("discovery", part);
}

function show(what: Found, where: "server" | "file" | "example"): void {
  const same = newest.value?.run_id === what.run_id && from.value === where;
  newest.value = what;
  from.value = where;
  problem.value = "";
  if (!same) {
    order.value = null;
    conflict.value = null;
    told.value = "";
    chosenId.value = what.opportunities?.[0]?.opportunity_id ?? "";
  }
}

export function openText(text: string, where: "file" | "example"): void {
  try {
    show(readFound(text), where);
    addressPart("discovery", where === "example" ? "example" : "");
  } catch (error) {
    problem.value = (error as Error).message;
  }
}

export async function openExample(): Promise<void> {
  const { example } = await import("./discovery_example");
  openText(JSON.stringify(example), "example");
}

export async function openRun(id: string, opportunity = ""): Promise<void> {
  try {
    show(await viewOf(id), "server");
    if (opportunity) chosenId.value = opportunity;
    remember();
  } catch (error) {
    problem.value = `${id}: ${(error as Error).message}`;
  }
}

// Others may decide meanwhile, and a run goes on by itself: its journal tells when.
async function refresh(run: string): Promise<void> {
  if (busy.value) return; // what is under way shows the view when it is done
  try {
    const now = await viewOf(run);
    if (newest.value?.run_id === run && from.value === "server") newest.value = now;
    if (isOver(now)) void lookForServer();
  } catch (error) {
    problem.value = `${run}: ${(error as Error).message}`;
  }
}

// Shows the run whose journal is open: what the server says of its run now, and any earlier entry as the journal has it.
export function openFramed(): void {
  const id = serverId.value;
  const grown = entries.value.length;
  if (opened.value?.pipeline !== "discovery" || grown === 0) return;
  const [, opportunity = ""] = untracked(() => addressedNames("discovery"));
  if (id === "") untracked(() => show({ run_id: opened.value?.id ?? "", status: "" }, "file"));
  else untracked(() => void (newest.value?.run_id === id && from.value === "server" ? refresh(id) : openRun(id, opportunity)));
}

// What the address names, where that is no journal.
export async function openAddressed(): Promise<void> {
  const [run = "", second = ""] = addressedNames("discovery");
  if (view.value !== "discovery" || run === "") return;
  if (run === "example" && from.value !== "example") await openExample();
  else if (second && run !== "here" && second !== chosenId.value) choose(second);
}

// Does it, shows what has become of it, and says so.
async function act(what: () => Promise<unknown>, said: string): Promise<boolean> {
  const run = found.value?.run_id;
  if (!run || busy.value) return false;
  busy.value = true;
  problem.value = "";
  told.value = "";
  try {
    await what();
    newest.value = await viewOf(run);
    told.value = said;
    return true;
  } catch (error) {
    if (error instanceof Conflict) throw error;
    problem.value = (error as Error).message;
    return false;
  } finally {
    busy.value = false;
  }
}

export async function takeDecision(one: Opportunity, what: Decided): Promise<boolean> {
  conflict.value = null;
  try {
    return await act(() => decide(found.value?.run_id ?? "", one.opportunity_id, what), t.decided(one.opportunity_id));
  } catch (error) {
    conflict.value = { message: (error as Error).message, what, id: one.opportunity_id };
    void openRun(found.value?.run_id ?? "", one.opportunity_id);
    return false;
  }
}

export function move(id: string, by: -1 | 1): void {
  const ids = opportunities.value.filter((one) => one.rank != null).map((one) => one.opportunity_id);
  const at = ids.indexOf(id);
  const to = at + by;
  if (at < 0 || to < 0 || to >= ids.length) return;
  [ids[at], ids[to]] = [ids[to] as string, ids[at] as string];
  order.value = ids;
  told.value = t.movedTo(id, to + 1, ids.length);
}

export async function keepOrder(): Promise<void> {
  const wanted = order.value;
  if (!wanted) return;
  try {
    if (await act(() => rank(found.value?.run_id ?? "", wanted, reviewer.value.trim()), t.orderSaved))
      order.value = null;
  } catch (error) {
    problem.value = (error as Error).message;
  }
}

export async function finish(): Promise<void> {
  try {
    await act(() => complete(found.value?.run_id ?? "", reviewer.value.trim()), t.reviewComplete);
  } catch (error) {
    problem.value = (error as Error).message;
  }
}
