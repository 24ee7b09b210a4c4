// Which discovery is shown, from where, and what is done about it.
import { computed, signal } from "@preact/signals";

import { ask } from "../runs/engine";
import { hereRun } from "../runs/here";
import { followChanges } from "../runs/server";
import { lookForServer } from "../runs/state";
import { addressedNames, addressPart, view } from "../view";
import { isOver, isReviewed, readFound, type Found, type Opportunity } from "./found";
import { complete, Conflict, decide, rank, viewOf, type Decided } from "./server";
import { messages, discovery as t } from "../strings";

const nameKey = "plumb-reviewer";

export const found = signal<Found | null>(null);
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
export const mayDecide = computed(() => from.value === "server" && found.value !== null && isReviewed(found.value));

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
  const same = found.value?.run_id === what.run_id && from.value === where;
  found.value = what;
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
    leave();
    show(readFound(text), where);
    shown = where === "example" ? "example" : "";
    addressPart("discovery", shown);
  } catch (error) {
    problem.value = (error as Error).message;
  }
}

export async function openExample(): Promise<void> {
  const { example } = await import("./discovery_example");
  openText(JSON.stringify(example), "example");
}

// What is shown, as the address names it.
let shown = "";

// The journal of a discovery, as it is at its end: looked at, not decided on.
async function openJournal(id: string): Promise<void> {
  const run = hereRun(id);
  try {
    leave();
    if (!run) throw new Error(messages.journalGone(id));
    const { entries } = await ask("look_open", { text: run.lines.join("\n") });
    show(readFound(JSON.stringify(await ask("look_at", { n: entries - 1 }))), "file");
  } catch (error) {
    problem.value = (error as Error).message;
  }
}

export async function openRun(id: string, opportunity = ""): Promise<void> {
  shown = id;
  try {
    const view = await viewOf(id);
    show(view, "server");
    follow(view);
    if (opportunity) chosenId.value = opportunity;
    remember();
  } catch (error) {
    problem.value = `${id}: ${(error as Error).message}`;
  }
}

// Others may decide meanwhile, and a run goes on by itself: the server tells when.
let stopFollowing = (): void => undefined;

async function refresh(run: string): Promise<void> {
  if (busy.value) return;   // what is under way shows the view when it is done
  try {
    const now = await viewOf(run);
    if (found.value?.run_id === run && from.value === "server") found.value = now;
    if (!isOver(now)) return;
    leave();
    void lookForServer();
  } catch (error) {
    problem.value = `${run}: ${(error as Error).message}`;
  }
}

function follow(run: Found): void {
  leave();
  if (isOver(run)) return;
  stopFollowing = followChanges(
    run.run_id,
    run.entries ?? 0,
    () => void refresh(run.run_id),
    (message) => (told.value = message),
  );
}

// The view is left: what it names next is asked for anew.
export function close(): void {
  leave();
  shown = "";
}

export function leave(): void {
  stopFollowing();
  stopFollowing = () => undefined;
}

export async function openAddressed(): Promise<void> {
  const [run = "", second = ""] = addressedNames("discovery");
  if (view.value !== "discovery" || run === "") return;
  if (run === "here") {
    const wished = `here/${second} ${hereRun(second)?.stamp ?? ""}`;
    if (wished === shown) return;
    shown = wished;
    await openJournal(second);
  } else if (run !== shown) {
    if (run === "example") await openExample();
    else await openRun(run, second);
  } else if (second && second !== chosenId.value) {
    choose(second);
  }
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
    found.value = await viewOf(run);
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
