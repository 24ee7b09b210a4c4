// What the page asks of a contract and of edits beside checks, and what it is told.
import type { Decision, Edit, Target } from "@plumbline/plumbline";

export type { Derived, Edit, LintFinding, LintReport, RuleSite, Samples } from "@plumbline/plumbline";

export const targets: readonly { name: Target; title: string }[] = [
  { name: "prompt", title: "Prompt" },
  { name: "openai-strict", title: "OpenAI, strict" },
  { name: "openai", title: "OpenAI" },
  { name: "anthropic", title: "Anthropic" },
  { name: "gemini", title: "Gemini" },
  { name: "gbnf", title: "GBNF grammar" },
  { name: "json-schema", title: "JSON Schema" },
  { name: "typescript", title: "TypeScript" },
  { name: "zod", title: "zod" },
  { name: "pydantic", title: "pydantic" },
  { name: "page", title: "Page, Markdown" },
  { name: "html", title: "Page, HTML" },
];

// Bytes of a text, and what takes their place.
export interface Change {
  from: number;
  to: number;
  text: string;
}

// The artifact as it would be with its edits made.
export interface Mended {
  text: string;
  decision: Decision;
  problems: number;
}

export interface Mends {
  edits: readonly Edit[];
  certain: Mended | null;
  // With the guesses too, where there are any.
  guess: Mended | null;
}
