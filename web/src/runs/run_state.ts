// The state of a run, in the words that lists and the head of an open run share.
import type { Entry } from "@plumbline/plumbline";

import { states } from "../strings";

export type RunState = "running" | "waits" | "completed" | "failed" | "cancelled";

export const stateWords: Readonly<Record<RunState, string>> = {
  running: states.running,
  waits: states.waits,
  completed: states.completed,
  failed: states.failed,
  cancelled: states.cancelled,
};

const ofEnd = (status: string | undefined): RunState =>
  status === "ok" ? "completed" : status === "cancelled" || status === "stopped" ? "cancelled" : "failed";

// What a view calls its status while a person is asked.
const asking = new Set(["waiting", "asking"]);

// At one entry of a journal, with the view of the run there.
export function stateAt(entry: Entry | null, view: Readonly<Record<string, unknown>>): RunState {
  if (entry?.kind === "end") return ofEnd(entry.status);
  const asked = asking.has(String(view.status)) || view.current_stage === "human_review" || Boolean(view.asks);
  return asked ? "waits" : "running";
}

// Of a run in a list: "waiting" there is every run without an end.
export const stateOfListed = (state: "waiting" | "done" | "failed" | "cancelled", held: boolean): RunState =>
  state === "waiting" ? (held ? "waits" : "running") : state === "done" ? "completed" : state;

// A completed run that kept less than all: items of a boundary that failed, a part of what was asked for.
export function isLess(view: Readonly<Record<string, unknown>>): boolean {
  const boundary = view.boundary as { failed?: number; warned?: number } | undefined;
  const less = (boundary?.failed ?? 0) > 0 || (boundary?.warned ?? 0) > 0;
  return less || view.status === "completed_partial" || view.decision === "accept_unverified" || view.decision === "revise";
}
