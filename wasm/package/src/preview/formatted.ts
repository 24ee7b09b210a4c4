/**
 * JSON as it is read best: each member on a line of its own, and where each value is then. It works on the text of JSON
 * that is sound, token by token, so that numbers and strings stay as they were written.
 */
export interface Formatted {
  readonly text: string;
  /** JSON Pointer -> the half-open range of its value in `text`. */
  readonly places: ReadonlyMap<string, readonly [from: number, to: number]>;
}

interface Level {
  readonly pointer: string;
  readonly from: number;
  /** Of a list: the place of the item that comes; of an object nothing. */
  index: number | undefined;
  key: string;
  empty: boolean;
}

/** Beyond this a text is shown as it is. */
const unitsMax = 1 << 21;
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

export function formatted(json: string): Formatted | undefined {
  if (json.length > unitsMax) {
    return undefined;
  }
  let text = "";
  const places = new Map<string, readonly [number, number]>();
  const levels: Level[] = [];
  let atKey = false;
  const line = (): string => `\n${"  ".repeat(levels.length)}`;
  const pointer = (): string => {
    const level = levels.at(-1);
    if (level === undefined) {
      return "";
    }
    const word = level.index === undefined ? level.key.replace(/~/g, "~0").replace(/\//g, "~1") : String(level.index);
    return `${level.pointer}/${word}`;
  };
  for (const [token] of json.matchAll(tokens)) {
    const level = levels.at(-1);
    if (token === "}" || token === "]") {
      levels.pop();
      text += level!.empty ? token : line() + token;
      places.set(level!.pointer, [level!.from, text.length]);
      atKey = false;
    } else if (token === ",") {
      text += token;
      if (level!.index === undefined) {
        atKey = true;
      } else {
        ++level!.index;
      }
    } else if (token === ":") {
      text += ": ";
    } else {
      if (level !== undefined && (atKey || level.index !== undefined)) {
        text += line();
        level.empty = false;
      }
      if (atKey) {
        level!.key = JSON.parse(token) as string;
        text += token;
        atKey = false;
      } else if (token === "{" || token === "[") {
        levels.push({ pointer: pointer(), from: text.length, index: token === "[" ? 0 : undefined, key: "", empty: true });
        text += token;
        atKey = token === "{";
      } else {
        places.set(pointer(), [text.length, text.length + token.length]);
        text += token;
      }
    }
  }
  return { text, places };
}
