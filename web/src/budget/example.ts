// What the view begins with: a reviewer's window of 32,000 tokens, a little too full.
import type { BudgetValue } from "@plumbline/plumbline/budget";

const chunks = (tokens: number[]) => tokens.map((one, chunk_index) => ({ chunk_index, tokens: one }));

export const example: BudgetValue = {
  window: 32000,
  system: 2000,
  task_output: 3200,
  working_memory: 6000,
  output: 1000,
  elements: [
    { kind: "sop", id: "Error handling", severity: "error", parent: 500, chunks: chunks([1100, 900, 1000]) },
    { kind: "sop", id: "Naming", severity: "warning", parent: 500, chunks: chunks([1000, 1200]) },
    { kind: "sop", id: "Comments", severity: "info", parent: 500, chunks: chunks([800]) },
    { kind: "decision", id: "Errors carry their operation", tokens: 900 },
    { kind: "file_summary", id: "store/journal.go", tokens: 2600 },
    { kind: "file_summary", id: "store/blob.go", tokens: 4600 },
    { kind: "convention", id: "Table-driven tests", tokens: 900 },
    { kind: "convention", id: "One package, one idea", tokens: 700 },
  ],
  readings: [9800, 13400, 16900, { estimated: 19800, reported: 20600 }, 22900],
};
