// What the page asks of a contract and of edits beside checks, and what it is told.
import type { Decision, Edit, Target } from "@plumbline/plumbline";
import { checking as t } from "../strings";

export type { Derived, Edit, LintFinding, LintReport, RuleSite, Samples } from "@plumbline/plumbline";

export const targets: readonly { name: Target; title: string }[] = [
  { name: "prompt", title: t.targetPrompt },
  { name: "openai-strict", title: t.targetOpenAiStrict },
  { name: "openai", title: t.targetOpenAi },
  { name: "anthropic", title: t.targetAnthropic },
  { name: "gemini", title: t.targetGemini },
  { name: "gbnf", title: t.targetGbnf },
  { name: "json-schema", title: t.targetJsonSchema },
  { name: "typescript", title: t.targetTypeScript },
  { name: "zod", title: "zod" },
  { name: "pydantic", title: "pydantic" },
  { name: "page", title: t.targetMarkdown },
  { name: "html", title: t.targetHtml },
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
