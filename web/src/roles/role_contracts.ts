// Built-in contracts of the roles of a research loop (docs/roles.md), with the example that each is shown with first.
export const roleContracts: ReadonlyMap<string, string> = new Map([
  ["intake", "role-intake"],
  ["brain-evaluate", "role-planner"],
  ["researcher-evaluate", "role-researcher"],
  ["search", "role-search"],
]);
