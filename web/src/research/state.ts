// What a research run shows at the entry that is open, and what can be said to one that is under way on the server.
import { computed, signal } from "@preact/signals";

import { atNewest, ended, opened, problem, serverId, shownView } from "../runs/state";
import type { Found } from "./found";
import { send } from "./server";

export const found = computed<Found | null>(() => {
  const seen = shownView.value as Partial<Found>;
  return opened.value?.pipeline === "research" && seen.questions !== undefined ? (seen as Found) : null;
});
// A run of the server that may still be answered or stopped; "" for any other.
export const live = computed(() => (atNewest.value && !ended.value ? serverId.value : ""));
export const busy = signal(false);

async function say(name: string, value: unknown): Promise<void> {
  if (!live.value) return;
  busy.value = true;
  problem.value = "";
  try {
    await send(live.value, name, value);
  } catch (error) {
    problem.value = error instanceof Error ? error.message : String(error);
  } finally {
    busy.value = false;
  }
}

export const answer = (text: string): Promise<void> => say(found.value?.asks?.signal ?? "", text);
export const stop = (): Promise<void> => say("stop", null);
