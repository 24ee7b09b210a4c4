/** A journal looked at: forward, back, and made again. */
import { PlumbError } from "./error.js";
import { Journal, type Entry } from "./journal.js";
import type { Note } from "./run.js";
import type { RunsModule } from "./runs.js";

/** A line for people about what a run did. */
export interface LogLine {
  /** The number of the entry that it tells of. */
  readonly entry: number;
  readonly at: number;
  readonly text: string;
}

/** What model calls took, as their replies tell. */
export interface Tokens {
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  /** What was not generated because a call was stopped early. */
  readonly saved: number;
  /** Part of it is an estimate: a provider told none. */
  readonly estimated: boolean;
}

/** An effect that was under way. */
export interface WantedEffect {
  readonly key: string;
  readonly kind: string;
  readonly request: unknown;
  readonly attempt: number;
  /** When it was first tried. */
  readonly sinceMs: number;
  readonly deadlineMs: number;
}

/** How a run stood when an entry had been stored. */
export interface Position {
  /** The number of the entry. */
  readonly n: number;
  readonly entry: Entry;
  /** What it had come to, as its pipeline tells it; null where the module does not know the pipeline. */
  readonly view: unknown;
  readonly log: readonly LogLine[];
  readonly wanted: readonly WantedEffect[];
  readonly notes: readonly Note[];
  readonly tokens: Tokens;
}

/** What came of making a run again from its journal. */
export interface Replayed {
  /** It came to the same bytes. */
  readonly same: boolean;
  /** Entries that are the same. */
  readonly entries: number;
  /** The first that differs, as it is stored and as it is now; empty where there is none. */
  readonly stored?: string;
  readonly now?: string;
}

interface Held {
  module: RunsModule;
  number: number;
}

const forgotten: FinalizationRegistry<Held> | undefined =
  typeof FinalizationRegistry === "undefined"
    ? undefined
    : /* @__PURE__ */ new FinalizationRegistry<Held>(({ module, number }) => module.free("journal", number));

const noTokens: Tokens = /* @__PURE__ */ Object.freeze({ calls: 0, input: 0, output: 0, saved: 0, estimated: false });

/** A journal, read. Nothing is asked of anybody. */
export class Replay {
  readonly id: string;
  readonly pipeline: string;
  /** The module has the pipeline: there are `view`, `log` and `verify`. */
  readonly known: boolean;
  readonly entries: readonly Entry[];
  readonly #held: Held;
  readonly #log: readonly LogLine[];
  readonly #tokens: readonly Tokens[];
  #at = -1;
  #disposed = false;

  /** @internal */
  constructor(module: RunsModule, file: string) {
    const { journal, id, pipeline, known } = module.open(file);
    this.#held = { module, number: journal };
    forgotten?.register(this, this.#held, this);
    this.id = id;
    this.pipeline = pipeline;
    this.known = known;
    const text = new Journal();
    text.append(file);
    this.entries = Object.freeze(text.lines.map((_, n) => text.entry(n)));
    this.#log = module.journalLog(journal) as LogLine[];
    let tokens = noTokens;
    this.#tokens = this.entries.map((entry) => (tokens = withReply(tokens, entry)));
  }

  get length(): number {
    return this.entries.length;
  }

  /** The lines for people, all of them. */
  get log(): readonly LogLine[] {
    return this.#log;
  }

  /** How the run stood when entry `n` had been stored; this is then where `forward` and `back` go on. */
  at(n: number): Position {
    const entry = this.entries[n];
    if (entry === undefined) {
      throw new PlumbError("not_found", `there is no entry ${n}; the journal has 0 to ${this.length - 1}`);
    }
    const { module, number } = this.#usable();
    const notes: Note[] = [];
    const wanted = new Map<string, WantedEffect>();
    for (const { kind, key = "", name = "", at, data, n: own, count = 1, deadline_ms = 0 } of this.entries.slice(0, n + 1)) {
      if (kind === "note") {
        notes.push({ n: own, at, key, kind: name, value: data ?? null });
      } else if (kind === "attempt") {
        const first = wanted.get(key) ?? { key, kind: name, request: data, sinceMs: at, deadlineMs: deadline_ms };
        wanted.set(key, { ...first, attempt: count });
      } else if (kind === "reply") {
        wanted.delete(key);
      } else if (kind === "cancel" || kind === "end") {
        wanted.clear();
      }
    }
    this.#at = n;
    return {
      n,
      entry,
      view: module.journalView(number, n + 1),
      log: this.#log.filter((line) => line.entry <= n),
      wanted: [...wanted.values()],
      notes,
      tokens: this.#tokens[n]!,
    };
  }

  /** The next position, from the first one on; undefined at the end. */
  forward(): Position | undefined {
    return this.#at + 1 < this.length ? this.at(this.#at + 1) : undefined;
  }

  /** The position before; undefined at the beginning. */
  back(): Position | undefined {
    return this.#at > 0 ? this.at(this.#at - 1) : undefined;
  }

  /**
   * Makes the run again, with the replies that it had, and holds what it journals now against what is stored. Throws
   * where the module does not know the pipeline.
   */
  verify(): Replayed {
    const { module, number } = this.#usable();
    return module.journalReplay(number) as Replayed;
  }

  /** Frees what the journal has in the module. Not needed: what nobody refers to is freed by itself. */
  dispose(): void {
    if (!this.#disposed) {
      this.#disposed = true;
      forgotten?.unregister(this);
      this.#held.module.free("journal", this.#held.number);
    }
  }

  #usable(): Held {
    if (this.#disposed) {
      throw new PlumbError("invalid_argument", "this journal was disposed of");
    }
    return this.#held;
  }
}

function withReply(tokens: Tokens, { kind, data }: Entry): Tokens {
  const { usage, stopped } = (kind === "reply" && typeof data === "object" && data !== null ? data : {}) as {
    usage?: { input_tokens?: unknown; output_tokens?: unknown; estimated?: unknown };
    stopped?: { saved_tokens?: unknown };
  };
  if (typeof usage !== "object" || usage === null) {
    return tokens;
  }
  const count = (value: unknown): number => (typeof value === "number" && value > 0 ? value : 0);
  return {
    calls: tokens.calls + 1,
    input: tokens.input + count(usage.input_tokens),
    output: tokens.output + count(usage.output_tokens),
    saved: tokens.saved + count(stopped?.saved_tokens),
    estimated: tokens.estimated || usage.estimated === true,
  };
}

export interface Replay {
  [Symbol.dispose](): void;
}
// Where the platform knows `using`.
if (typeof Symbol.dispose === "symbol") {
  Object.defineProperty(Replay.prototype, Symbol.dispose, {
    value(this: Replay) {
      this.dispose();
    },
  });
}
