// What the page and its worker say to each other. The worker holds the package; the page never calls it directly, so
// that an artifact of many megabytes cannot make typing wait.
//
// Every request has a number; the answer carries it. The page drops answers to anything but its latest request.
import type { Explanation, Exported, ExportFormat, Finding, Fixed, MeasuredHistory, SampleOptions, Signal, Target, Verdict } from "@plumbline/plumbline";

import type { Derived, LintReport, Mends, RuleSite, Samples } from "./authoring/told";
import type { PieceUnit, Pieces } from "./tokens";

// A contract as the page names it: one of the built-in ones, or the text of one's own.
export type ContractSource = { kind: "built_in"; name: string } | { kind: "own"; text: string };

export interface BuiltIn {
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

// What a reader should know of a contract that has been accepted.
export interface ContractFacts {
  name: string;
  title: string;
  hash: string;
  contextRead: string[];
  warnings: { message: string; at: string; line: number; column: number }[];
}

// Why a contract or a context could not be read, and where. Lines and columns count from 1; 0 where there is no place.
export interface Refusal {
  message: string;
  at: string;
  line: number;
  column: number;
}

export interface Input {
  contract: ContractSource;
  context: string | null;
}

export const reportFormats = ["text", "json", "sarif", "junit", "github", "llm"] as const;
export type ReportFormat = (typeof reportFormats)[number];

// What is asked beside checks, and what is told of it; null when it cannot be had.
export interface Asks {
  report: { ask: { input: Input; artifact: string; format: ReportFormat }; told: string };
  explain: { ask: object; told: readonly Explanation[] };
  author: { ask: object; told: true };
  derive: { ask: { input: Input; target: Target }; told: Derived | { problem: string } };
  lint: { ask: { text: string }; told: LintReport };
  fix_contract: { ask: { text: string }; told: Fixed };
  breakable: { ask: { input: Input }; told: readonly RuleSite[] };
  sample: { ask: { input: Input; options: SampleOptions }; told: Samples | { problem: string } };
  edits: { ask: { input: Input; artifact: string }; told: Mends };
  pieces: { ask: { text: string; unit: PieceUnit }; told: Pieces };
  // What the history in a role's context measures; null where there is none.
  measure: { ask: { context: string }; told: MeasuredHistory | null };
  export: {
    ask: { input: Input; artifact: string; format: ExportFormat; run: object | undefined };
    told: Exported | { problem: string };
  };
}
export type Ask = { [What in keyof Asks]: { what: What } & Asks[What]["ask"] }[keyof Asks];

// Wakes a new worker: the module, or null where it is to load it by itself.
export interface Begin {
  kind: "begin";
  module: WebAssembly.Module | null;
}

export type ToWorker =
  | { kind: "check"; id: number; input: Input; artifact: string }
  | { kind: "stream_open"; id: number; input: Input }
  | { kind: "stream_push"; id: number; chunk: string }
  | { kind: "stream_end"; id: number }
  | { kind: "stream_drop"; id: number }
  | { kind: "ask"; id: number; ask: Ask };

export type FromWorker =
  | { kind: "ready"; version: string; contracts: readonly BuiltIn[] }
  | { kind: "unavailable"; message: string }
  | { kind: "verdict"; id: number; verdict: Verdict; contract: ContractFacts; elapsedMs: number }
  | { kind: "contract_refused"; id: number; refusal: Refusal }
  | { kind: "context_refused"; id: number; refusal: Refusal; contract: ContractFacts }
  | { kind: "stream_opened"; id: number; contract: ContractFacts }
  | { kind: "certain"; id: number; findings: readonly Finding[]; signals: readonly Signal[] }
  | { kind: "told"; id: number; told: unknown }
  | { kind: "broken_down"; id: number; message: string };
