/**
 * The part of YAML that plumb.yaml needs: maps and lists in blocks or in brackets, plain, single and double quoted texts,
 * comments. Anything else (anchors, tags, block texts, several documents, tabs as indentation) is refused with its place.
 * Every scalar is a text, as the native command reads it.
 */
export interface YamlNode {
  /** null: nothing was written. */
  value: string | YamlNode[] | { key: YamlNode; value: YamlNode }[] | null;
  kind: "text" | "list" | "map" | "nothing";
  /** From 1. */
  line: number;
  column: number;
}

export class YamlError extends Error {
  constructor(
    message: string,
    readonly line: number,
    readonly column: number,
  ) {
    super(message);
  }
}

interface Line {
  text: string;
  indent: number;
  number: number;
}

const depthMax = 64;

export function readYaml(text: string): YamlNode {
  const lines: Line[] = [];
  text.split(/\r\n|\n|\r/).forEach((raw, i) => {
    const bare = raw.replace(/^\uFEFF/, "");
    const trimmed = withoutComment(bare);
    if (trimmed === "") {
      return;
    }
    const indent = bare.length - bare.trimStart().length;
    if (bare.slice(0, indent).includes("\t")) {
      throw new YamlError("a tab as indentation; use spaces", i + 1, 1);
    }
    lines.push({ text: trimmed.slice(indent), indent, number: i + 1 });
  });
  if (lines[0]?.text === "---") {
    lines.shift();
  }
  const reader = new Reader(lines);
  const node = reader.block(-1, 0);
  reader.end();
  return node;
}

/** The line without a comment and white space at its end. A # in quotes or inside a word is none. */
function withoutComment(line: string): string {
  let quote = "";
  for (let i = 0; i < line.length; ++i) {
    const character = line[i]!;
    if (quote !== "") {
      if (character === "\\" && quote === '"') {
        ++i;
      } else if (character === quote) {
        quote = "";
      }
    } else if ((character === '"' || character === "'") && (i === 0 || /[\s[{,:-]/.test(line[i - 1]!))) {
      quote = character;
    } else if (character === "#" && (i === 0 || /\s/.test(line[i - 1]!))) {
      return line.slice(0, i).trimEnd();
    }
  }
  return line.trimEnd();
}

class Reader {
  #at = 0;

  constructor(private readonly lines: Line[]) {}

  end(): void {
    const line = this.lines[this.#at];
    if (line !== undefined) {
      throw new YamlError("is indented in a way that belongs to nothing above", line.number, line.indent + 1);
    }
  }

  /** What is further in than `outer`; nothing when there is no such line. */
  block(outer: number, depth: number): YamlNode {
    const line = this.lines[this.#at];
    if (line === undefined || line.indent <= outer) {
      const last = this.lines[Math.max(this.#at - 1, 0)];
      return { value: null, kind: "nothing", line: last?.number ?? 1, column: 1 };
    }
    if (depth > depthMax) {
      throw new YamlError("is nested more than 64 levels deep", line.number, line.indent + 1);
    }
    if (isItem(line.text)) {
      return this.list(line.indent, depth);
    }
    return keyEnd(line) === undefined ? this.flowLines() : this.map(line.indent, depth);
  }

  private list(indent: number, depth: number): YamlNode {
    const first = this.lines[this.#at]!;
    const items: YamlNode[] = [];
    for (let line = this.lines[this.#at]; line?.indent === indent && isItem(line.text); line = this.lines[this.#at]) {
      const rest = line.text.slice(1).trimStart();
      if (rest === "") {
        ++this.#at;
        items.push(this.block(indent, depth + 1));
        continue;
      }
      // What follows the dash is a block of its own, indented by its column.
      const inner = indent + (line.text.length - rest.length);
      this.lines[this.#at] = { text: rest, indent: inner, number: line.number };
      items.push(this.block(indent, depth + 1));
    }
    return { value: items, kind: "list", line: first.number, column: indent + 1 };
  }

  private map(indent: number, depth: number): YamlNode {
    const first = this.lines[this.#at]!;
    const members: { key: YamlNode; value: YamlNode }[] = [];
    for (let line = this.lines[this.#at]; line?.indent === indent && !isItem(line.text); line = this.lines[this.#at]) {
      const end = keyEnd(line);
      if (end === undefined) {
        throw new YamlError("expected a key with ':' here", line.number, indent + 1);
      }
      const key = new Flow(line.text.slice(0, end), line.number, indent + 1).only();
      const rest = line.text.slice(end + 1);
      const bare = rest.trimStart();
      let value: YamlNode;
      if (bare === "") {
        ++this.#at;
        const next = this.lines[this.#at];
        // A list may be as far out as its key.
        value = this.block(next?.indent === indent && isItem(next.text) ? indent - 1 : indent, depth + 1);
      } else {
        const column = line.indent + end + 1 + (rest.length - bare.length);
        this.lines[this.#at] = { text: bare, indent: column, number: line.number };
        value = this.flowLines(indent);
      }
      members.push({ key, value });
    }
    return { value: members, kind: "map", line: first.number, column: indent + 1 };
  }

  /** A text or brackets; brackets may go on over lines further in than `outer`. */
  private flowLines(outer = -1): YamlNode {
    const first = this.lines[this.#at++]!;
    let text = first.text;
    while (/^[[{]/.test(text) && openBrackets(text) > 0) {
      const next = this.lines[this.#at];
      if (next === undefined || next.indent <= outer) {
        throw new YamlError("a bracket is not closed", first.number, first.indent + 1);
      }
      text += ` ${next.text}`;
      ++this.#at;
    }
    return new Flow(text, first.number, first.indent + 1).only();
  }
}

function isItem(text: string): boolean {
  return text === "-" || text.startsWith("- ");
}

/** Where the colon after a key is; undefined when the line has none. */
function keyEnd(line: Line): number | undefined {
  const { text } = line;
  const quoted = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/.exec(text);
  const from = quoted === null ? 0 : quoted[0].length;
  if (quoted === null && /^[[{]/.test(text)) {
    return undefined;
  }
  for (let i = from; i < text.length; ++i) {
    if (text[i] === ":" && (i + 1 === text.length || text[i + 1] === " ")) {
      return i;
    }
    if (quoted !== null && text[i] !== " ") {
      return undefined;
    }
  }
  return undefined;
}

function openBrackets(text: string): number {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/g, "");
  return (bare.match(/[[{]/g)?.length ?? 0) - (bare.match(/[\]}]/g)?.length ?? 0);
}

const escapes: Record<string, string> = {
  n: "\n",
  t: "\t",
  r: "\r",
  '"': '"',
  "\\": "\\",
  "/": "/",
  "0": "\0",
  " ": " ",
};

/** Texts and brackets on one line. */
class Flow {
  #at = 0;

  constructor(
    private readonly text: string,
    private readonly line: number,
    private readonly column: number,
  ) {}

  only(): YamlNode {
    const node = this.node(0, /^$/);
    this.blank();
    if (this.#at < this.text.length) {
      throw this.error("there is something after the end of the value");
    }
    return node;
  }

  private node(depth: number, end: RegExp): YamlNode {
    this.blank();
    const place = { line: this.line, column: this.column + this.#at };
    const first = this.text[this.#at];
    if (depth > depthMax) {
      throw this.error("is nested more than 64 levels deep");
    }
    if (first === "[") {
      return { ...place, kind: "list", value: this.bracket("]", () => this.node(depth + 1, /[,\]]/)) };
    }
    if (first === "{") {
      const member = (): { key: YamlNode; value: YamlNode } => {
        const key = this.node(depth + 1, /[,:}]/);
        this.blank();
        if (this.text[this.#at] !== ":") {
          throw this.error("expected a ':' here");
        }
        ++this.#at;
        return { key, value: this.node(depth + 1, /[,}]/) };
      };
      return { ...place, kind: "map", value: this.bracket("}", member) };
    }
    if (first === '"') {
      return { ...place, kind: "text", value: this.doubleQuoted() };
    }
    if (first === "'") {
      const quoted = /^'((?:[^']|'')*)'/.exec(this.text.slice(this.#at));
      if (quoted === null) {
        throw this.error("a quote is not closed");
      }
      this.#at += quoted[0].length;
      return { ...place, kind: "text", value: quoted[1]!.replaceAll("''", "'") };
    }
    if (first !== undefined && /[&*!|>%@`]/.test(first)) {
      throw this.error(`'${first}' begins something of YAML that is not read here; put texts with it in quotes`);
    }
    let size = 0;
    const rest = this.text.slice(this.#at);
    while (
      size < rest.length &&
      !(end.test(rest[size]!) && (rest[size] !== ":" || /^:(?:\s|$)/.test(rest.slice(size))))
    ) {
      ++size;
    }
    const plain = rest.slice(0, size).trimEnd();
    if (depth > 0 && /[[\]{}]/.test(plain)) {
      throw this.error("a text with brackets inside of brackets; put it in quotes");
    }
    this.#at += size;
    const nothing = plain === "" || plain === "~" || plain === "null";
    return { ...place, kind: nothing ? "nothing" : "text", value: nothing ? null : plain };
  }

  private bracket<T>(close: string, item: () => T): T[] {
    ++this.#at;
    const items: T[] = [];
    for (;;) {
      this.blank();
      if (this.text[this.#at] === close) {
        ++this.#at;
        return items;
      }
      items.push(item());
      this.blank();
      if (this.text[this.#at] === ",") {
        ++this.#at;
      } else if (this.text[this.#at] !== close) {
        throw this.error(`expected a ',' or '${close}' here`);
      }
    }
  }

  private doubleQuoted(): string {
    let out = "";
    for (++this.#at; this.#at < this.text.length; ++this.#at) {
      const character = this.text[this.#at]!;
      if (character === '"') {
        ++this.#at;
        return out;
      }
      if (character !== "\\") {
        out += character;
        continue;
      }
      const next = this.text[++this.#at] ?? "";
      const code = /^(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})/.exec(this.text.slice(this.#at));
      if (code !== null) {
        out += String.fromCodePoint(Math.min(parseInt(code[0].slice(1), 16), 0x10ffff));
        this.#at += code[0].length - 1;
      } else if (escapes[next] !== undefined) {
        out += escapes[next];
      } else {
        throw this.error(`there is no escape '\\${next}'`);
      }
    }
    throw this.error("a quote is not closed");
  }

  private blank(): void {
    while (this.text[this.#at] === " " || this.text[this.#at] === "\t") {
      ++this.#at;
    }
  }

  private error(message: string): YamlError {
    return new YamlError(message, this.line, this.column + this.#at);
  }
}
