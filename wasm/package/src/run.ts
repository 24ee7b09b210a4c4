/** A run while this program works on it: what is wanted is fulfilled, what comes back is stored, then used. */
import { PlumbError, type PlumbErrorCode } from "./error.js";
import { fileOf, Journal, type JournalSource, type ReplyStatus, type StoredEntry } from "./journal.js";
import { randomBytes } from "./random.js";
import type { LogLine } from "./replay.js";
import type { RunsModule, Want } from "./runs.js";

/** An `AbortSignal`, as far as programs know of it whose types have none. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
/** The platform's `AbortSignal`. */
export type PlatformAbortSignal = typeof globalThis extends { AbortSignal: { prototype: infer Own } } ? Own : AbortSignalLike;

/** What a run wants from the world. */
export interface Effect {
  readonly run: string;
  readonly key: string;
  /** "model", "search", "read", "fetch", "command", "person" or "claim". */
  readonly kind: string;
  /** Of a model call: `phase`, `messages`, `contract`, `task` and so on. */
  readonly request: unknown;
  /** What is left of its time in milliseconds; 0: it has no deadline. */
  readonly deadlineMs: number;
  /** 1, or 2 when a host was lost while it was under way. */
  readonly attempt: number;
  /** Aborted when the reply is not wanted any more. */
  readonly signal: PlatformAbortSignal;
  /** The journal of the run, as far as it has come: entry 0 has the contracts that requests name. */
  readonly journal: Journal;
  /** Tells whoever follows the run of what comes before the reply: a piece of "text", a "finding". It is not journalled. */
  tell(kind: string, value: unknown): void;
}

/** Hears what effects tell while they are under way. */
export type Follower = (effect: Effect, kind: string, value: unknown) => void;

/** What came of an effect. Without `status` it is `ok` where there is no `error`, else `failed`. */
export interface Reply {
  readonly status?: ReplyStatus;
  /** Of a model call `{ text, usage?, ... }`; with an error what there is of it: `{ class, retryable, status }`. */
  readonly value?: unknown;
  /** One sentence. */
  readonly error?: string;
}

export interface RunOptions {
  /**
   * Does what the run wants: a model call through your server, or anything. A string is the text of a model's answer.
   * What it throws becomes a failed reply. `plumb.extract` is such a function.
   */
  fulfil(effect: Effect): Reply | string | PromiseLike<Reply | string>;
  /** Goes on with a run: its pipeline and its input are those of the journal. */
  journal?: JournalSource;
  /** Cancels the run. */
  signal?: PlatformAbortSignal;
  /** An entry is to be stored; nothing of it is used before the promise is kept. What it throws ends the run here. */
  onEntry?(entry: StoredEntry): unknown;
  /** A request that is another one than journalled ends the run; else it is noted in the journal. */
  strict?: boolean;
  /** The run's own; by default "r" and 20 random characters. */
  id?: string;
  /** Texts instead of the built-in copies, by name. */
  contracts?: Readonly<Record<string, string>>;
  prompts?: Readonly<Record<string, string>>;
  /** Milliseconds since 1970; by default `Date.now`. */
  now?(): number;
}

/** Something that a pipeline told: progress, a verdict, the outcome of a gate. */
export interface Note {
  /** The number of its entry. */
  readonly n: number;
  readonly at: number;
  readonly key: string;
  readonly kind: string;
  readonly value: unknown;
}

export interface RunResult {
  readonly state: "done" | "failed" | "cancelled";
  /** Of a run that is done, and what a cancelled one has come to. */
  readonly value?: unknown;
  /** Why it failed. */
  readonly error?: { readonly code: PlumbErrorCode; readonly message: string; readonly where: string };
}

type Happening =
  | { what: "reply"; want: Want; reply: Reply }
  | { what: "signal"; name: string; value: string; told: (taken: boolean) => void }
  | { what: "cancel"; why: string };

/** The longest that a timer waits at once. */
const timerMax = 2 ** 31 - 1;

export class Run implements AsyncIterable<Note> {
  readonly id: string;
  readonly journal = new Journal();
  /** How it ended. Rejected only where it could not go on here: `onEntry` failed, or the module trapped. */
  readonly result: Promise<RunResult>;

  readonly #module: RunsModule;
  readonly #number: number;
  readonly #options: RunOptions;
  readonly #underWay = new Map<string, AbortController>();
  readonly #notes: Note[] = [];
  readonly #followers = new Set<Follower>();
  #happened: Happening[] = [];
  #wake: (() => void) | undefined;
  #tellNotes: (() => void)[] = [];
  #over = false;
  #last: { view: unknown; log: readonly LogLine[] } | undefined;

  /** @internal */
  static begin(module: RunsModule, pipeline: string, input: unknown, options: RunOptions): Run {
    if (typeof options?.fulfil !== "function") {
      throw new PlumbError("invalid_argument", "a run needs `fulfil`, a function that does what the run wants");
    }
    const { strict, contracts, prompts } = options;
    const now = timeOf(options);
    if (options.journal === undefined) {
      const id = options.id ?? newId();
      const request = { pipeline, id, request: input, now, strict, contracts, prompts };
      return new Run(module, module.start(request), options, "");
    }
    const file = fileOf(options.journal);
    const started = module.resume(file, { now, strict });
    const run = new Run(module, started, options, file);
    const name = run.journal.entry(0).name;
    if (name !== pipeline) {
      module.free("run", started.run);
      run.#over = true;
      throw new PlumbError("invalid_argument", `the journal is of the pipeline "${name}", not of "${pipeline}"`);
    }
    return run;
  }

  private constructor(module: RunsModule, started: { run: number; id: string }, options: RunOptions, file: string) {
    this.#module = module;
    this.#number = started.run;
    this.id = started.id;
    this.#options = options;
    this.#note(this.journal.append(file));
    // What happens here begins when the caller has the run in hand.
    this.result = Promise.resolve().then(() => this.#drive());
    this.result.catch(() => undefined); // the iterator tells it too
  }

  /** Ends the run: what is under way is stopped, and the pipeline gives what it has. */
  cancel(why = "the caller cancelled it"): void {
    this.#happen({ what: "cancel", why });
  }

  /** Something that the pipeline did not ask for: a decision, a wish to stop. False when the run has ended. */
  signal(name: string, value: unknown = null): Promise<boolean> {
    const text = JSON.stringify(value) as string | undefined;
    if (typeof name !== "string" || text === undefined) {
      throw new PlumbError("invalid_argument", "a signal has a name, and a value that is JSON");
    }
    return new Promise((told) => this.#happen({ what: "signal", name, value: text, told }));
  }

  /** Calls `follower` with what effects tell from now on: the text of an answer as it arrives. Gives what ends it. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  /** What the run has come to, as its pipeline tells it. */
  get view(): unknown {
    return this.#last?.view ?? this.#module.view(this.#number);
  }

  /** The lines for people. */
  get log(): readonly LogLine[] {
    return this.#last?.log ?? (this.#module.log(this.#number, 0) as LogLine[]);
  }

  /** Notes from the first one on, as they are told. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Note, void, void> {
    for (let next = 0; ; ) {
      while (next < this.#notes.length) {
        yield this.#notes[next++]!;
      }
      if (this.#over) {
        await this.result; // throws what has stopped it
        return;
      }
      await new Promise<void>((told) => this.#tellNotes.push(told));
    }
  }

  async #drive(): Promise<RunResult> {
    const { signal } = this.#options;
    const abort = (): void => this.cancel(reasonOf(signal!));
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted === true) {
      abort();
    }
    try {
      await this.#store();
      for (;;) {
        const happened = this.#happened;
        this.#happened = [];
        for (const one of happened) {
          this.#take(one);
        }
        await this.#store();
        const state = this.#module.step(this.#number, this.#now());
        const abandoned = this.#module.abandoned(this.#number);
        await this.#store();
        for (const key of abandoned) {
          this.#underWay.get(key)?.abort();
          this.#underWay.delete(key);
        }
        if (state !== "waiting") {
          return this.#ended();
        }
        await this.#begin();
        if (this.#happened.length === 0) {
          await new Promise<void>((wake) => (this.#wake = wake));
        }
      }
    } finally {
      this.#over = true;
      signal?.removeEventListener("abort", abort);
      for (const controller of this.#underWay.values()) {
        controller.abort();
      }
      for (const one of this.#happened) {
        if (one.what === "signal") one.told(false);
      }
      this.#keepLast();
      this.#module.free("run", this.#number);
      this.#tell();
    }
  }

  #ended(): RunResult {
    const { state, value, error } = this.#module.outcome(this.#number);
    const ended = state as RunResult["state"];
    return error === undefined
      ? { state: ended, value }
      : { state: ended, error: { ...error, code: error.code as PlumbErrorCode } };
  }

  #keepLast(): void {
    try {
      this.#last = {
        view: this.#module.view(this.#number),
        log: this.#module.log(this.#number, 0) as LogLine[],
      };
    } catch {
      this.#last = { view: null, log: [] }; // it has trapped: the journal is what is left
    }
  }

  #happen(one: Happening): void {
    if (this.#over) {
      if (one.what === "signal") one.told(false);
      return;
    }
    this.#happened.push(one);
    this.#wake?.();
    this.#wake = undefined;
  }

  #take(one: Happening): void {
    const now = this.#now();
    if (one.what === "cancel") {
      this.#module.cancel(this.#number, one.why, now);
    } else if (one.what === "signal") {
      one.told(this.#module.signal(this.#number, one.name, one.value, now));
    } else {
      this.#underWay.delete(one.want.key);
      this.#module.reply(this.#number, replyText(one.want, one.reply), now);
    }
  }

  /** What is wanted is begun: the attempt is stored before the call. */
  async #begin(): Promise<void> {
    const wanted = this.#module.wanted(this.#number);
    if (wanted.length === 0) {
      return;
    }
    const begun: Want[] = [];
    for (const want of wanted) {
      const now = this.#now();
      if (want.deadlineMs > 0 && want.attempts > 0 && now >= want.sinceMs + want.deadlineMs) {
        this.#happen({ what: "reply", want, reply: late(want) }); // its time was over before it could be tried again
      } else if (this.#module.attempt(this.#number, want.key, now)) {
        begun.push(want.attempts === 0 ? { ...want, sinceMs: now } : want);
      }
    }
    await this.#store();
    for (const want of begun) {
      this.#call(want);
    }
    if (begun.length === 0 && this.#happened.length === 0) {
      this.#wakeSoon(); // none could be journalled: the next step says which bound was reached
    }
  }

  #wakeSoon(): void {
    queueMicrotask(() => {
      this.#wake?.();
      this.#wake = undefined;
    });
  }

  #call(want: Want): void {
    const controller = new AbortController();
    this.#underWay.set(want.key, controller);
    const left = want.deadlineMs === 0 ? 0 : Math.max(1, want.sinceMs + want.deadlineMs - this.#now());
    let answered = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const answer = (reply: Reply): void => {
      clearTimeout(timer);
      if (!answered) {
        answered = true;
        this.#happen({ what: "reply", want, reply });
      }
    };
    if (left > 0) {
      timer = setTimeout(
        () => {
          answer(late(want));
          controller.abort();
        },
        Math.min(left, timerMax),
      );
    }
    controller.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    const effect: Effect = {
      run: this.id,
      key: want.key,
      kind: want.kind,
      request: want.request,
      deadlineMs: left,
      attempt: want.attempts + 1,
      signal: controller.signal,
      journal: this.journal,
      tell: (kind, value) => this.#followers.forEach((follower) => answered || follower(effect, kind, value)),
    };
    // As a promise, whatever is thrown becomes a reply.
    new Promise<Reply | string>((told) => told(this.#options.fulfil(effect))).then(
      (told) => answer(typeof told === "string" ? { value: { text: told } } : told),
      (error: unknown) => answer({ error: messageOf(error), value: { class: "unreachable", retryable: true, status: 0 } }),
    );
  }

  /** What the module has appended is stored by the caller, and then told. */
  async #store(): Promise<void> {
    const stored = this.journal.append(this.#module.take(this.#number));
    const { onEntry } = this.#options;
    for (const entry of stored) {
      if (onEntry !== undefined) {
        await onEntry.call(this.#options, entry);
      }
    }
    this.#note(stored);
  }

  #note(stored: readonly StoredEntry[]): void {
    for (const { n, line } of stored) {
      if (line.includes('"kind":"note"')) {
        const { at, key, name, kind, data } = this.journal.entry(n);
        if (kind === "note") {
          this.#notes.push({ n, at, key: key ?? "", kind: name ?? "", value: data ?? null });
        }
      }
    }
    this.#tell();
  }

  #tell(): void {
    const told = this.#tellNotes;
    this.#tellNotes = [];
    for (const one of told) {
      one();
    }
  }

  #now(): number {
    return timeOf(this.#options);
  }
}

function timeOf(options: RunOptions): number {
  const now = options.now?.() ?? Date.now();
  if (!Number.isFinite(now) || now < 0) {
    throw new PlumbError("invalid_argument", "`now` gives milliseconds since 1970");
  }
  return Math.floor(now);
}

function replyText(want: Want, reply: Reply): string {
  const told = typeof reply === "object" && reply !== null ? reply : {};
  const status = told.status ?? (told.error === undefined ? "ok" : "failed");
  const statuses: readonly ReplyStatus[] = ["ok", "failed", "timed_out", "cancelled", "interrupted"];
  const fail = (error: string): string => JSON.stringify({ key: want.key, status: "failed", error });
  if (!statuses.includes(status)) {
    return fail(`fulfil gave the status "${String(status)}"; there are ${statuses.join(", ")}`);
  }
  if (status === "ok" && told.value === undefined) {
    return fail("fulfil gave no value and no error");
  }
  try {
    return JSON.stringify({ key: want.key, status, error: told.error, value: told.value });
  } catch (error) {
    return fail(`what fulfil gave is not JSON: ${messageOf(error)}`);
  }
}

function late(want: Want): Reply {
  return { status: "timed_out", error: `no reply within ${want.deadlineMs} ms` };
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message === "" ? "fulfil failed without saying why" : message;
}

function reasonOf(signal: AbortSignalLike): string {
  const reason: unknown = signal.reason;
  if (typeof reason === "string" && reason !== "") {
    return reason;
  }
  const named = reason instanceof Error && reason.name !== "AbortError" && reason.message !== "";
  return named ? (reason as Error).message : "the caller aborted it";
}

/** "r" and 20 characters of base32, from the host's randomness. */
function newId(): string {
  const letters = "abcdefghijklmnopqrstuvwxyz234567";
  let id = "r";
  for (const byte of randomBytes(20)) {
    id += letters[byte & 31];
  }
  return id;
}
