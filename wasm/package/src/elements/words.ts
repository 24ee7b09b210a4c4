/** What the elements say of verdicts. */
import type { Decision, Edit, Finding, Verdict } from "../verdict.js";

const decisions: Record<Decision, { title: string; tone: string }> = {
  accept: { title: "Accept", tone: "ok" },
  accept_with_warnings: { title: "Accept, with warnings", tone: "warning" },
  accept_unverified: { title: "Accept, unverified", tone: "warning" },
  undecided: { title: "Undecided", tone: "warning" },
  revise: { title: "Revise", tone: "error" },
  block: { title: "Block", tone: "error" },
};

export function plural(count: number, one: string): string {
  return `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
}

/** "Accept, 3 rules not judged": an artifact that is accepted has rules that only a judge can settle. */
export function decisionWords({ decision, undecided }: Verdict): { title: string; tone: string } {
  const { title, tone } = decisions[decision];
  const open = new Set(undecided.filter(({ ask }) => ask !== undefined).map(({ rule }) => rule)).size;
  const said = open > 0 && (decision === "accept" || decision === "accept_with_warnings");
  return { title: said ? `${title}, ${plural(open, "rule")} not judged` : title, tone };
}

/** "2 errors, 1 warning"; empty where there is nothing. */
export function countWords(findings: readonly Finding[]): string {
  const count = { error: 0, warning: 0, info: 0 };
  for (const { severity } of findings) {
    ++count[severity];
  }
  return [
    count.error > 0 ? plural(count.error, "error") : "",
    count.warning > 0 ? plural(count.warning, "warning") : "",
    count.info > 0 ? plural(count.info, "note") : "",
  ]
    .filter((one) => one !== "")
    .join(", ");
}

/** "Edited: 2 × trailingComma, fence". */
export function editWords(edits: readonly Edit[]): string {
  const count = new Map<string, number>();
  for (const { class: kind } of edits) {
    count.set(kind, (count.get(kind) ?? 0) + 1);
  }
  return `Edited: ${[...count].map(([kind, n]) => (n === 1 ? kind : `${n} × ${kind}`)).join(", ")}`;
}

/** What a finding says; one whose value has not ended has no message yet. */
export function findingWords({ message, item, rule }: Finding): string {
  return message ?? `${item === undefined ? "" : `${item}: `}${rule} …`;
}
