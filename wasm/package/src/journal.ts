/** Journals: what a run asked for and what came back, in order. docs/journal.md describes them and their file. */
import { PlumbError } from "./error.js";

export type EntryKind =
  | "begin"
  | "attempt"
  | "reply"
  | "note"
  | "scope"
  | "version"
  | "drift"
  | "signal"
  | "cancel"
  | "end"
  | "handover";

export type ReplyStatus = "ok" | "failed" | "timed_out" | "cancelled" | "interrupted";

/** What a run came to, with the reasons as codes: docs/runs.md#outcomes. */
export interface Outcome {
  readonly came_to: "accepted" | "accepted_with_warnings" | "partial" | "undecided" | "failed" | "outage" | "cancelled";
  readonly reasons: readonly { readonly code: string; readonly data?: unknown }[];
}

/** An entry of a journal, read, with its large texts in place. */
export interface Entry {
  /** Its number, from 0 without a gap. */
  readonly n: number;
  /** When it was appended, milliseconds since 1970. */
  readonly at: number;
  readonly kind: EntryKind;
  /** Of an effect, a note or a part of the run. */
  readonly key?: string;
  /** begin: the pipeline; attempt: the kind of effect; note, version, signal: its own. */
  readonly name?: string;
  readonly hash?: string;
  /** Of a reply, and of the end. */
  readonly status?: ReplyStatus;
  /** One sentence. */
  readonly error?: string;
  readonly count?: number;
  readonly deadline_ms?: number;
  readonly signals?: string;
  /** end: what the run came to. Absent in journals of earlier versions. */
  readonly outcome?: Outcome;
  readonly data?: unknown;
}

/** An entry as it is stored, and the texts that it is the first to refer to. */
export interface StoredEntry {
  readonly n: number;
  /** One line of JSON, without line end. */
  readonly line: string;
  readonly blobs: readonly { readonly hash: string; readonly text: string }[];
}

/** What `run` and `replay` take as a journal: the text of a journal file, or lines with their texts by hash. */
export type JournalSource =
  | string
  | {
      readonly lines: readonly string[];
      readonly blobs?: ReadonlyMap<string, string> | Readonly<Record<string, string>>;
    };

const blobMark = '{"blob":';

/** The journal of a run, which grows while the run goes on. */
export class Journal {
  readonly #lines: string[] = [];
  readonly #blobs = new Map<string, string>();
  readonly #file: string[] = [];

  /** The entries as they are stored, one line of JSON each. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Texts that entries refer to by their SHA-256. */
  get blobs(): ReadonlyMap<string, string> {
    return this.#blobs;
  }

  /** The journal as one file: texts and entries, a line each. */
  get text(): string {
    return this.#file.length === 0 ? "" : `${this.#file.join("\n")}\n`;
  }

  /** Entry `n`, read, with its large texts in place. */
  entry(n: number): Entry {
    const line = this.#lines[n];
    if (line === undefined) {
      throw new PlumbError("not_found", `the journal has no entry ${n}; it has ${this.#lines.length}`);
    }
    return withTexts(JSON.parse(line), this.#blobs) as Entry;
  }

  /**
   * Lines of a journal file.
   * @internal
   */
  append(file: string): StoredEntry[] {
    const stored: StoredEntry[] = [];
    let blobs: { hash: string; text: string }[] = [];
    for (const ended of file.split("\n")) {
      const line = ended.endsWith("\r") ? ended.slice(0, -1) : ended;
      if (line === "") {
        continue;
      }
      this.#file.push(line);
      if (line.startsWith(blobMark)) {
        const { blob, text } = JSON.parse(line) as { blob: string; text: string };
        this.#blobs.set(blob, text);
        blobs.push({ hash: blob, text });
      } else {
        stored.push({ n: this.#lines.length, line, blobs });
        this.#lines.push(line);
        blobs = [];
      }
    }
    return stored;
  }
}

/**
 * The text of the journal's file.
 * @internal
 */
export function fileOf(journal: JournalSource): string {
  if (typeof journal === "string") {
    return journal;
  }
  if (typeof journal !== "object" || journal === null || !Array.isArray(journal.lines)) {
    throw new PlumbError("invalid_argument", "a journal is the text of its file, or { lines, blobs }");
  }
  if (journal instanceof Journal) {
    return journal.text;
  }
  const { blobs = {} } = journal;
  const texts = blobs instanceof Map ? [...blobs] : Object.entries(blobs as Record<string, string>);
  const lines = texts.map(([blob, text]) => JSON.stringify({ blob, text }));
  return [...lines, ...journal.lines].map((line) => `${line}\n`).join("");
}

/** `value` with the texts that stand in it by their hash. */
function withTexts(value: unknown, blobs: ReadonlyMap<string, string>): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => withTexts(item, blobs));
  }
  const { $blob: hash } = value as { $blob?: unknown };
  if (typeof hash === "string") {
    const text = blobs.get(hash);
    if (text === undefined) {
      throw new PlumbError("not_found", `the text ${hash} is not in the journal`);
    }
    return JSON.parse(text);
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withTexts(member, blobs)]));
}
