/** What the role contracts add: the question that Intake would ask, and what is measured of a history of searches. */

/** A tool call of Intake that asks the user. */
export interface Clarification {
  tool: "textInput" | "multiChoiceSelect";
  arguments: { message: string; options?: { label: string }[]; reason: string };
}

export type EvidenceDelta = "progress" | "no_change" | "dead_end";
export type Novelty = "new" | "near_duplicate" | "duplicate";
export type Grounding = "cited" | "weakly_cited" | "uncited";

/** What one search brought, compared with those before it. */
export interface MeasuredCycle {
  evidence_delta: EvidenceDelta;
  novelty: Novelty;
  grounding: Grounding;
  facts_new: number;
  sources_new: number;
}

/** What a contract reads at `context:/measured`. */
export interface MeasuredHistory {
  searches: number;
  duplicate_queries: number;
  /** Searches at the end that brought no progress. */
  no_change_streak: number;
  facts: number;
  sources: number;
  domains: number;
  /** The last of the cycles; empty without a search. */
  last: MeasuredCycle[];
  cycles: MeasuredCycle[];
}
