// The rule of a contract that makes its artifacts a tree: `acyclic`, or `distinct` with `from` and `children`.

export type Fold = "trim" | "lowercase" | string;

export interface TreeRule {
  // Tokens of the pointers; "*" is every member or item.
  from: string[];
  children: string[];
  by: string[];
  fold: Fold[];
}

const levelsMax = 12;

type Json = { [member: string]: unknown };

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function tokensOf(pointer: unknown): string[] | null {
  if (pointer === undefined || pointer === "") return [];
  if (typeof pointer !== "string" || !pointer.startsWith("/")) return null;
  return pointer
    .slice(1)
    .split("/")
    .map((token) => (token === "*" ? token : token.replace(/~1/g, "/").replace(/~0/g, "~")));
}

function ruleIn(schema: Json, base: string[]): TreeRule | null {
  for (const keyword of ["acyclic", "distinct"]) {
    const rule = schema[keyword];
    if (!isObject(rule) || rule.children === undefined) continue;
    const from = tokensOf(rule.from);
    const children = tokensOf(rule.children);
    const by = tokensOf(rule.by);
    const fold = Array.isArray(rule.fold) ? rule.fold.filter((one): one is string => typeof one === "string") : [];
    if (from && children && children.length > 0 && by) return { from: [...base, ...from], children, by, fold };
  }
  return null;
}

function search(schema: unknown, base: string[], level: number): TreeRule | null {
  if (!isObject(schema) || level > levelsMax) return null;
  const here = ruleIn(schema, base);
  if (here) return here;
  if (isObject(schema.properties)) {
    for (const [name, member] of Object.entries(schema.properties)) {
      const found = search(member, [...base, name], level + 1);
      if (found) return found;
    }
  }
  for (const one of Array.isArray(schema.allOf) ? schema.allOf : []) {
    const found = search(one, base, level + 1);
    if (found) return found;
  }
  return null;
}

// The first such rule on the way through `properties` and `allOf`; null where there is none.
export function treeRuleOf(contract: string): TreeRule | null {
  try {
    return search(JSON.parse(contract), [], 0);
  } catch {
    return null;
  }
}

// Labels that the rule takes for the same.
export function folded(label: string, fold: readonly Fold[]): string {
  let text = label;
  if (fold.includes("trim")) text = text.trim();
  if (fold.includes("lowercase")) text = text.toLowerCase();
  return text;
}
