// A plan as somebody pastes it: JSON, alone or as the request of docs/workflow.md that has it.
export function readPlan(text: string): { plan: object } | { problem: string } {
  if (text.trim() === "") return { problem: "There is no plan yet." };
  try {
    const value = JSON.parse(text) as { plan?: object } | null;
    const plan = value?.plan ?? value;
    return plan !== null && typeof plan === "object" ? { plan } : { problem: "A plan is an object with a title and tasks." };
  } catch {
    return { problem: "The plan is no JSON. `plumb workflow run` takes YAML." };
  }
}
