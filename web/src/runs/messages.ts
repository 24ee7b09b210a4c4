// What the view of runs and its worker say to each other.
import type { Entry, LogLine, Replayed, Tokens } from "@plumbline/plumbline";

import type { StoryCalls } from "../story/messages";

// A journal, read.
export interface Opened {
  id: string;
  pipeline: string;
  // The module has its pipeline: there are a view, a log, and it can be made again.
  known: boolean;
  entries: readonly Entry[];
  log: readonly LogLine[];
}

// The state of the run at a position.
export interface Snapshot {
  view: unknown;
  tokens: Tokens;
}

// A proxy that answers this page (docs/proxy-operate.md), and a model by the name that it has there.
export interface Proxy {
  url: string;
  model: string;
  token: string;
}

export interface RunsCalls extends StoryCalls {
  open: { ask: { text: string }; told: Opened };
  at: { ask: { n: number }; told: Snapshot };
  // Another journal beside the opened one, as the view of its pipeline.
  look_open: { ask: { text: string }; told: { id: string; pipeline: string; entries: readonly Entry[]; tokens: Tokens } };
  look_at: { ask: { n: number }; told: unknown };
  verify: { ask: Record<never, never>; told: Replayed };
  // A run in the page: with the provider that needs no model, or with a model through a proxy.
  // With a journal it goes on where that ends.
  start: { ask: { id: string; pipeline: string; request?: object; journal?: string; via?: Proxy | undefined; asked?: object[] }; told: null };
  // The lines that were told last are kept: the run may use them.
  kept: { ask: Record<never, never>; told: null };
  cancel: { ask: Record<never, never>; told: null };
}

export type RunsAsk = { [What in keyof RunsCalls]: { what: What } & RunsCalls[What]["ask"] }[keyof RunsCalls];

export type ToRuns = { kind: "runs"; id: number; ask: RunsAsk };

export type FromRuns =
  | { kind: "runs_told"; id: number; told: unknown }
  | { kind: "runs_refused"; id: number; message: string }
  // Lines of the journal file of the run in the page, as they are stored.
  | { kind: "run_stored"; run: string; lines: string[] }
  // What is told inside a call that is under way.
  | { kind: "run_told"; run: string; key: string; what: string; data: unknown }
  | { kind: "run_ended"; run: string; message: string };
