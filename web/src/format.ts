// JSON on lines of its own, by its tokens: a number keeps its digits, a string its escapes, a member its place.
import { page as t } from "./strings";

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const unitsMax = 8_000_000;

export function formatted(text: string): { text: string } | { problem: string } {
  if (text.length > unitsMax) return { problem: t.formatTooLarge };
  try {
    JSON.parse(text);
  } catch {
    return { problem: t.formatNoJson };
  }
  const parts: string[] = [];
  let depth = 0;
  let before = "";
  const line = (): void => void parts.push("\n", "  ".repeat(depth));
  for (const [token] of text.matchAll(tokens)) {
    const closes = token === "}" || token === "]";
    if (closes) --depth;
    if (before === "," || ((before === "{" || before === "[") && !closes)) line();
    else if (closes && before !== "{" && before !== "[") line();
    parts.push(token === ":" ? ": " : token);
    if (token === "{" || token === "[") ++depth;
    before = token;
  }
  return { text: `${parts.join("")}\n` };
}
