/**
 * Globs over paths: `*` any characters but `/`, `?` one character but `/`, `[abc]`, `[a-z]`, `[!a]` one of a class,
 * `{a,b}` either, `**` as a whole segment any number of directories, `\` takes the next character as it is. A name that
 * begins with `.` is matched only by a segment that begins with `.`.
 */
import { Usage } from "./options.js";

const alternativesMax = 256;

export class Glob {
  private constructor(
    readonly pattern: string,
    private readonly alternatives: readonly (readonly string[])[],
  ) {}

  static isPattern(text: string): boolean {
    return /[*?[{]/.test(text);
  }

  static read(pattern: string): Glob {
    const bad = (why: string): Usage => new Usage(`the glob '${pattern.slice(0, 100)}' ${why}`);
    if (pattern === "" || pattern.length > 4096) {
      throw bad(pattern === "" ? "is empty" : "is longer than 4096 bytes");
    }
    const alternatives: string[][] = [];
    for (const text of expanded(pattern, bad)) {
      const segments = split(text);
      for (const segment of segments) {
        if (segment !== "**" && segment.includes("**")) {
          throw bad("has '**' beside other characters; it must be alone between slashes: 'dir/**/*.json'");
        }
      }
      alternatives.push(segments.filter((segment, i) => segment !== "**" || segments[i - 1] !== "**"));
    }
    return new Glob(pattern, alternatives);
  }

  matches(path: string): boolean {
    const segments = split(path);
    return this.alternatives.some((pattern) => pathMatches(pattern, segments));
  }

  /** The directories before the first segment with a sign: where a search begins. */
  roots(): string[] {
    const roots = this.alternatives.map((segments) => {
      const sign = segments.findIndex((segment, i) => i + 1 === segments.length || /[*?[{\\]/.test(segment));
      return segments
        .slice(0, Math.max(sign, 0))
        .map((segment) => `${segment}/`)
        .join("");
    });
    return [...new Set(roots)];
  }
}

function split(path: string): string[] {
  return path
    .split("/")
    .filter((segment, i) => (i === 0 && segment === "" && path !== "") || (segment !== "" && segment !== "."));
}

/** Braces to alternatives. */
function expanded(pattern: string, bad: (why: string) => Usage): string[] {
  const open = [pattern];
  const done: string[] = [];
  while (open.length > 0) {
    if (open.length + done.length > alternativesMax) {
      throw bad("has more than 256 alternatives");
    }
    const text = open.pop()!;
    let depth = 0;
    let begin = -1;
    let end = -1;
    const commas: number[] = [];
    for (let i = 0; i < text.length && end < 0; ++i) {
      if (text[i] === "\\") {
        ++i;
      } else if (text[i] === "{") {
        if (depth++ === 0) {
          begin = i;
        }
      } else if (text[i] === "}" && depth > 0) {
        if (--depth === 0) {
          end = i;
        }
      } else if (text[i] === "," && depth === 1) {
        commas.push(i);
      }
    }
    if (depth > 0) {
      throw bad("has a '{' without '}'");
    }
    if (end < 0) {
      done.push(text);
      continue;
    }
    let from = begin + 1;
    const parts = [...commas, end].map((comma) => {
      const part = text.slice(0, begin) + text.slice(from, comma) + text.slice(end + 1);
      from = comma + 1;
      return part;
    });
    open.push(...parts.reverse());
  }
  return done;
}

/** Walks both sides with one point of return: the last star that was passed. */
function walk(
  size: number,
  length: number,
  isStar: (i: number) => boolean,
  step: (i: number, j: number) => number,
  starTakes: (j: number) => boolean,
): boolean {
  let i = 0;
  let j = 0;
  let star = -1;
  let starAt = 0;
  while (j < length) {
    if (i < size && isStar(i)) {
      star = i++;
      starAt = j;
      continue;
    }
    const next = i < size ? step(i, j) : 0;
    if (next > 0) {
      i += next;
      ++j;
      continue;
    }
    if (star < 0 || !starTakes(starAt)) {
      return false;
    }
    i = star + 1;
    j = ++starAt;
  }
  while (i < size && isStar(i)) {
    ++i;
  }
  return i === size;
}

/** `**` is any number of segments, but not of hidden directories. */
function pathMatches(pattern: readonly string[], path: readonly string[]): boolean {
  return walk(
    pattern.length,
    path.length,
    (i) => pattern[i] === "**",
    (i, j) => (segmentMatches(pattern[i]!, path[j]!) ? 1 : 0),
    (j) => !path[j]!.startsWith("."),
  );
}

function segmentMatches(pattern: string, name: string): boolean {
  if (name.startsWith(".") && !pattern.startsWith(".")) {
    return false;
  }
  const signs = signsOf(pattern);
  const characters = [...name];
  return walk(
    signs.length,
    characters.length,
    (i) => signs[i] === "*",
    (i, j) => {
      const sign = signs[i]!;
      return typeof sign === "function" && sign(characters[j]!) ? 1 : 0;
    },
    () => true,
  );
}

/** A segment's pattern as tests of one character each, and stars. */
function signsOf(pattern: string): ("*" | ((character: string) => boolean))[] {
  const signs: ("*" | ((character: string) => boolean))[] = [];
  const p = [...pattern];
  for (let i = 0; i < p.length; ++i) {
    const character = p[i]!;
    if (character === "*") {
      signs.push("*");
    } else if (character === "?") {
      signs.push(() => true);
    } else if (character === "[") {
      let end = i + 1;
      const negated = p[end] === "!" || p[end] === "^";
      end += negated ? 1 : 0;
      const first = end;
      while (end < p.length && (p[end] !== "]" || end === first)) {
        end += p[end] === "\\" ? 2 : 1;
      }
      if (end >= p.length) {
        signs.push((one) => one === "[");
        continue;
      }
      const ranges: [string, string][] = [];
      for (let k = first; k < end; ++k) {
        const low = p[k] === "\\" && k + 1 < end ? p[++k]! : p[k]!;
        if (p[k + 1] === "-" && k + 2 < end) {
          k += p[k + 2] === "\\" && k + 3 < end ? 3 : 2;
          ranges.push([low, p[k]!]);
        } else {
          ranges.push([low, low]);
        }
      }
      signs.push((one) => ranges.some(([low, high]) => compare(low, one) <= 0 && compare(one, high) <= 0) !== negated);
      i = end;
    } else {
      const literal = character === "\\" && i + 1 < p.length ? p[++i]! : character;
      signs.push((one) => one === literal);
    }
  }
  return signs;
}

function compare(a: string, b: string): number {
  return a.codePointAt(0)! - b.codePointAt(0)!;
}
