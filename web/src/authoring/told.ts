// What the author module tells of a contract. A package that does not have one of these abilities leaves it out, and the
// page then does not offer it.
import type { Contract, Decision, Severity, Span } from "plumbline";

export const targets = [
  { name: "prompt", title: "Prompt", language: "text" },
  { name: "openai-strict", title: "OpenAI, strict", language: "json" },
  { name: "openai", title: "OpenAI", language: "json" },
  { name: "anthropic", title: "Anthropic", language: "json" },
  { name: "gbnf", title: "GBNF grammar", language: "text" },
  { name: "typescript", title: "TypeScript", language: "text" },
  { name: "page", title: "Page, Markdown", language: "text" },
  { name: "html", title: "Page, HTML", language: "text" },
] as const;
export type TargetName = (typeof targets)[number]["name"];

export interface DerivedLine {
  keyword?: string;
  kind?: string;
  schemaLocation: string;
  sentence: string;
}

export interface Derived {
  text: string;
  tokens: { likely: number; safe: number };
  residual: readonly DerivedLine[];
  narrows: readonly DerivedLine[];
}

// Bytes of a text, and what takes their place.
export interface Change {
  from: number;
  to: number;
  text: string;
}

export interface LintFinding {
  rule: string;
  severity: Severity;
  at: string;
  message: string;
  why?: string;
  span: Span;
  fix?: { title: string; edits: Change[]; certain: boolean };
}

export interface LintReport {
  findings: LintFinding[];
  more?: number;
}

export interface RuleSite {
  rule: string;
  schemaLocation?: string;
  property?: string;
}

export interface Samples {
  made: { artifact: string; context?: string; rule?: string; at?: string; also?: string[] }[];
  notMade: { rule: string; reason?: string }[];
}

export interface Edit {
  class: string;
  certain: boolean;
  applied: boolean;
  at: string;
  span: Span;
  changes: Change[];
}

// The artifact as it would be with its edits made.
export interface Mended {
  text: string;
  decision: Decision;
  problems: number;
}

export interface Mends {
  edits: Edit[];
  certain: Mended | null;
  // With the guesses too, where there are any.
  guess: Mended | null;
}

export interface Abilities {
  derive: boolean;
  lint: boolean;
  sample: boolean;
  edits: boolean;
}

// The author module, as far as it has these.
export interface AuthorAbilities {
  derive?(contract: Contract, target: TargetName): Derived;
  lint?(text: string): LintReport;
  fix?(text: string): { text: string; done: string[] };
  sample?(contract: Contract, options: object): Samples;
  breakableRules?(contract: Contract): readonly RuleSite[];
}
