// What is shown of a research run: the view of its pipeline (docs/research.md).
import { research as t } from "../strings";

export interface Source {
  title: string;
  url: string;
  file: string;
  line: number;
}

export interface Gate {
  role: string;
  rule: string;
  title: string;
  at: string;
  message: string;
  provided: string;
  action: string;
  outcome: string;
  attempt: number;
}

export interface Intake {
  kind: "intake_decision" | "intake_answer" | "lookup";
  type?: string;
  message?: string;
  options?: string[];
  objective?: string;
  success_criteria?: string[];
  reasoning?: string;
  answer?: string;
  question?: string;
  query?: string;
  summary?: string;
}

export interface Cycle {
  cycle: number;
  query: string;
  status: string;
  error?: string;
  answer: string;
  sources: Source[];
  evidence_delta: string;
  novelty: string;
  grounding: string;
  decision: string;
  reasoning: string;
  rewritten?: boolean;
  disagrees?: boolean;
  own_labels?: Record<string, string>; // as the researcher says them
}

export interface Search {
  query: string;
  status: string;
  again: boolean;
  sources: number;
  error?: string;
}

export interface Asked {
  number: number;
  round: number;
  text: string;
  goal: string;
  state: "running" | "done";
  cycles: Cycle[];
  searches: Search[];
  gates: Gate[];
  ms?: number;
  done?: {
    answered: boolean;
    confidence: string;
    missing: string;
    ended: string;
    claims: { claim: string; verified: boolean }[];
    metrics: Record<string, number>;
  };
}

export interface Round {
  round: number;
  decision: string;
  rationale: string;
  questions: { question: number; text: string; why: string }[];
  rewritten: boolean; // of runs of before
  dropped?: string[]; // questions that broke a gate to the end
}

export interface Citation extends Source {
  n: number;
  heading: string;
  quote: string;
  passage: string;
}

export interface Result {
  objective?: string;
  ended: string;
  success_criteria?: { criterion: string; met: boolean; state?: "met" | "unmet" | "undecided" | "judge_only"; why: string }[];
  error?: string;
  retry_after_ms?: number;
  nearest?: Citation[]; // where no source states what was asked
  claims?: { claim: string; grounding: string; citations: number[] }[];
  citations?: Citation[];
  metrics?: Record<string, number>;
}

export interface Found {
  job_id: string;
  status: string;
  progress: number;
  question: string;
  asks?: { question: string; kind: string; options?: string[]; reason?: string; signal: string };
  intake: Intake[];
  rounds: Round[];
  questions: Asked[];
  gates: Gate[];
  result?: Result;
  error?: string;
  tokens_used: number;
  calls: number;
  searches: number;
}

export const words = (text: string): string => text.replaceAll("_", " ");

export const placeOf = ({ file, url, line }: Source): string => `${file || url}${line > 0 ? `:${line}` : ""}`;

export const secondsOf = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);

// "1 round, 2 questions, 5 searches, 0 % asked again, 7 facts from 3 sources, 1.2 s"
export function metricsText(metrics: Record<string, number>): string {
  const of = (name: string): number => metrics[name] ?? 0;
  return [
    t.nRounds(of("rounds")),
    t.nQuestions(of("questions")),
    t.nSearches(of("searches")),
    t.askedAgain(of("duplicate_query_percent")),
    t.factsFrom(of("facts"), of("sources")),
    secondsOf(of("ms")),
  ].join(", ");
}

// Where a quote is in its passage, whatever white space is between its words; -1 where it is not.
export function quoteIn(passage: string, quote: string): [number, number] {
  const parts = quote.trim().split(/\s+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const match = parts[0] ? new RegExp(parts.join("\\s+")).exec(passage) : null;
  return match ? [match.index, match.index + match[0].length] : [-1, -1];
}
