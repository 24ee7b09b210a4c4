// A plan as somebody pastes it: JSON, alone or as the request of docs/workflow.md that has it.
import { runs as t } from "../strings";

export function readPlan(text: string): { plan: object } | { problem: string } {
  if (text.trim() === "") return { problem: t.noPlan };
  try {
    const value = JSON.parse(text) as { plan?: object } | null;
    const plan = value?.plan ?? value;
    return plan !== null && typeof plan === "object" ? { plan } : { problem: t.planShape };
  } catch {
    return { problem: t.planNotJson };
  }
}
