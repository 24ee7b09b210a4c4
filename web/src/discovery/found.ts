// What a run of discovery shows of itself (docs/discovery.md, "The view"). Whatever is not there yet is absent or null.
import { discovery as t } from "../strings";

type Maybe<T> = T | null | undefined;

export interface Pointer {
  source_type?: string;
  source_id?: string;
  retrieved_at?: string;
  confidence?: string;
}

export interface Finding {
  id?: string;
  pattern_name?: string;
  description?: string;
  severity_assessment?: string;
  affected_users_estimate?: string;
  confidence?: string;
  evidence?: Pointer[];
}

// The place of a piece of evidence, and what it says.
export interface Evidence {
  source?: string;
  path?: string;
  line?: number;
  text?: string;
}

export type Artifact = Record<string, unknown>;

export interface Decision {
  decision: string;
  reasoning?: string;
  by?: string;
  at?: string;
  adjusted_priority?: number;
  send_back_to_stage?: string;
}

export interface Turn {
  stage?: string;
  round?: number;
  agent?: string;
  text?: string;
}

export interface Opportunity {
  left_out?: string; // why it did not go on
  opportunity_id: string;
  revised_from?: string; // the opportunity that it was split from, or framed anew from
  rank?: Maybe<number>;
  rationale?: string;
  flags?: string[];
  dependencies?: unknown[];
  stage?: string;
  unverified?: string[];
  warnings?: string[];
  brief?: Maybe<Artifact>;
  solution?: Maybe<Artifact>;
  spec?: Maybe<Artifact>;
  infeasible?: Maybe<Artifact>;
  decision?: Maybe<Decision>;
  conversation?: Turn[];
}

export interface Cycle {
  cycle: number;
  accepted: number;
  rejected: number;
  rejected_item_ids?: string[];
  rejections?: Artifact[];
}

export interface Boundary {
  boundary: string;
  agent: string;
  producer: string;
  attempt?: number;
  produced: number;
  accepted: number;
  warned: number;
  failed?: number;
  unverified?: number;
  validation_rejections: number;
  validation_retries: number;
  cycles?: Cycle[];
}

export interface Stage {
  stage: string;
  attempt?: number;
  status: string;
  started_at?: string;
  finished_at?: string;
  sent_back_from?: string;
  send_back_reason?: string;
  quality_flags?: Record<string, number>;
  warnings?: string[];
}

// Who was asked and did not do its work.
export interface Failure {
  stage?: string;
  agent?: string;
  why?: string;
  opportunities?: string[]; // none: it was about no one of them
}

export interface Explorer {
  agent_name: string;
  available?: number;
  reviewed?: number;
  skipped?: number;
  skipped_why?: { why: string; count: number; where?: string }[];
}

export interface Found {
  run_id: string;
  entries?: number; // of the journal that this was read from
  status: string;
  current_stage?: string;
  progress?: number;
  tokens_used?: number;
  config?: Maybe<{ target_domain?: string }>;
  stages?: Stage[];
  coverage?: Maybe<{ findings_count?: number; model?: string; explorers?: Explorer[] }>;
  findings?: Finding[];
  evidence?: Record<string, Evidence>;
  boundaries?: Boundary[];
  failures?: Failure[];
  opportunities?: Opportunity[];
  left_out?: { stage?: string; id?: string; why?: string }[];
  signals?: { accepted?: boolean; kind?: string; opportunity_id?: string; by?: string; why?: string }[];
  result?: unknown;
  error?: string;
}

export const stages = [
  "exploration",
  "opportunity_framing",
  "solution_validation",
  "feasibility_risk",
  "prioritization",
  "human_review",
] as const;

export const words = (name: string | undefined): string => (name ?? "").replaceAll("_", " ");

// A text of an artifact, whatever form a model gave it.
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join("\n");
  return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
}

export const listOf = <T>(value: unknown): T[] => (Array.isArray(value) ? (value as T[]) : []);

// What it is about, without what is quoted for it: "12 of 40 conversations speak of "export"", not the quotes behind.
export function titleOf(one: Opportunity): string {
  const whole = textOf(one.brief?.["problem_statement"]) || textOf(one.brief?.["affected_area"]) || one.opportunity_id;
  const quotes = whole.indexOf(': "');
  return quotes > 0 ? whole.slice(0, quotes) : whole;
}

export const isOver = (found: Found): boolean => !["pending", "running"].includes(found.status);

export const isReviewed = (found: Found): boolean =>
  found.status === "running" && found.current_stage === "human_review";

// Nobody knows what a file holds that somebody opens: an object with opportunities or stages is a view, alone or as the
// member `view` of what `plumb runs show --json` prints.
export function readFound(text: string): Found {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(t.notJson);
  }
  const whole = value as { view?: unknown } | null;
  const view = (whole && typeof whole === "object" && whole.view ? whole.view : whole) as Found | null;
  if (!view || typeof view !== "object" || !(Array.isArray(view.opportunities) || Array.isArray(view.stages)))
    throw new Error(t.notDiscovery);
  return { ...view, run_id: view.run_id ?? "", status: view.status ?? "" };
}
