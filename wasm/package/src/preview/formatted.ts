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
const escaped = (key: string): string => key.replace(/~/g, "~0").replace(/\//g, "~1");

/** With `asWritten` the text stays as it is, and only the places are looked for. */
export function formatted(json: string, asWritten = false): Formatted | undefined {
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
    return level === undefined ? "" : `${level.pointer}/${level.index ?? escaped(level.key)}`;
  };
  for (const { 0: token, index } of json.matchAll(tokens)) {
    const level = levels.at(-1);
    const begin = (): number => (asWritten ? index : text.length);
    if (token === "}" || token === "]") {
      levels.pop();
      text += level!.empty ? token : line() + token;
      places.set(level!.pointer, [level!.from, asWritten ? index + 1 : text.length]);
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
        levels.push({ pointer: pointer(), from: begin(), index: token === "[" ? 0 : undefined, key: "", empty: true });
        text += token;
        atKey = token === "{";
      } else {
        places.set(pointer(), [begin(), begin() + token.length]);
        text += token;
      }
    }
  }
  return { text: asWritten ? json : text, places };
}

/**
 * A value that is still arriving, in the same form. What is growing has no end yet, so that each text goes on from the one
 * before it.
 */
export function writtenSoFar(value: unknown, growing: string | undefined): Formatted {
  const parts: string[] = [];
  const places = new Map<string, readonly [number, number]>();
  let length = 0;
  const put = (text: string): void => {
    parts.push(text);
    length += text.length;
  };
  const write = (one: unknown, at: string, depth: number): void => {
    const from = length;
    const grows = growing !== undefined && (growing === at || growing.startsWith(`${at}/`));
    if (typeof one === "object" && one !== null) {
      const list = Array.isArray(one);
      put(list ? "[" : "{");
      const members = Object.entries(one);
      members.forEach(([key, member], i) => {
        put(`${i === 0 ? "" : ","}\n${"  ".repeat(depth + 1)}${list ? "" : `${JSON.stringify(key)}: `}`);
        write(member, `${at}/${escaped(key)}`, depth + 1);
      });
      if (!grows) {
        put(`${members.length === 0 ? "" : `\n${"  ".repeat(depth)}`}${list ? "]" : "}"}`);
      }
    } else if (typeof one === "string") {
      const whole = JSON.stringify(one);
      put(grows ? whole.slice(0, -1) : whole);
    } else {
      put(String(one));
    }
    places.set(at, [from, length]);
  };
  write(value, "", 0);
  return { text: parts.join(""), places };
}
