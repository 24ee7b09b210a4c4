/** What the bar shows: segments in their order, from the answer of `assemble`. */
import type { AssembleAnswer, ElementKind } from "../budgeting.js";

export interface Segment {
  readonly name: string;
  readonly title: string;
  readonly tokens: number;
  /** The member of the request that a handle at its end changes. */
  readonly member?: "system" | "task_output" | "working_memory" | "output";
}

export const kindTitles: Record<ElementKind, string> = {
  sop: "SOPs",
  decision: "Decisions",
  file_summary: "File summaries",
  convention: "Conventions",
};

export function segmentsOf(answer: AssembleAnswer): Segment[] {
  const part = (name: string): number => answer.parts.find((one) => one.name === name)?.tokens ?? 0;
  const kinds = (Object.keys(kindTitles) as ElementKind[]).map((kind) => ({
    name: kind,
    title: kindTitles[kind],
    tokens: answer.elements.filter((one) => one.kind === kind).reduce((sum, one) => sum + one.tokens, 0),
  }));
  return [
    { name: "system", title: "System prompt", tokens: part("system"), member: "system" },
    { name: "task_output", title: "Task output", tokens: part("task_output"), member: "task_output" },
    ...kinds,
    { name: "free", title: "Free for context", tokens: Math.max(0, (answer.budget ?? 0) - answer.used) },
    { name: "working_memory", title: "Working memory", tokens: part("working_memory"), member: "working_memory" },
    { name: "output", title: "Output", tokens: part("output"), member: "output" },
    { name: "margin", title: "Safety margin", tokens: part("margin") },
  ];
}
