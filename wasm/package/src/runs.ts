/**
 * plumb-runs.wasm: runs and their journals, and the provider `extract`. The calls are described in
 * wasm/runs_exports.cpp.
 */
import { PlumbError } from "./error.js";
import { encodeExactly, Instance, type Kind, type SharedExports } from "./instance.js";
import { fileOf, type JournalSource } from "./journal.js";
import { Replay } from "./replay.js";
import { Run, type Effect, type Reply, type RunOptions } from "./run.js";
import { notStarted, sameVersion } from "./source.js";

interface RunsExports extends SharedExports {
  plumb_runs_about(size: number): number;
  plumb_run_start(size: number): number;
  plumb_run_resume(fileSize: number, optionsSize: number): number;
  plumb_run_free(run: number): void;
  plumb_run_step(run: number, now: number): number;
  plumb_run_take(run: number): void;
  plumb_run_wanted(run: number): void;
  plumb_run_abandoned(run: number): void;
  plumb_run_attempt(run: number, size: number, now: number): number;
  plumb_run_reply(run: number, size: number, now: number): number;
  plumb_run_signal(run: number, size: number, now: number): number;
  plumb_run_cancel(run: number, size: number, now: number): void;
  plumb_run_result(run: number): void;
  plumb_run_view(run: number): void;
  plumb_run_log(run: number, from: number): void;
  plumb_journal_open(fileSize: number, optionsSize: number): number;
  plumb_journal_free(journal: number): void;
  plumb_journal_view(journal: number, count: number): void;
  plumb_journal_log(journal: number): void;
  plumb_journal_replay(journal: number): number;
  plumb_extract(size: number): number;
}

/** A pipeline that is built in. */
export interface Pipeline {
  readonly name: string;
  /** Raised when its steps change. */
  readonly version: number;
  /** One sentence. */
  readonly purpose: string;
}

/** @internal */
export type State = "waiting" | "done" | "failed" | "cancelled";
const states: readonly State[] = ["waiting", "done", "failed", "cancelled"];

const kind: Kind = {
  file: "plumb-runs.wasm",
  mark: "plumb_run_start",
  again: "Runs in it have ended; each can go on from its journal.",
};

/** @internal */
export interface Want {
  key: string;
  kind: string;
  request: unknown;
  deadlineMs: number;
  attempts: number;
  sinceMs: number;
}

/**
 * One instance of the module.
 * @internal
 */
export class RunsModule extends Instance<RunsExports> {
  /** Runs and journals that are open: as long as there are any, the instance stays. */
  held = 0;

  constructor(compiled: WebAssembly.Module, instance: WebAssembly.Instance) {
    super(kind, compiled, instance);
  }

  freshIfGrown(): RunsModule {
    const fresh = this.held > 0 ? undefined : this.freshInstance();
    return fresh === undefined ? this : new RunsModule(...fresh);
  }

  about(): { version: string; pipelines: Pipeline[] } {
    return JSON.parse(this.answer((size) => this.wasm.plumb_runs_about(size), "{}"));
  }

  start(request: object): { run: number; id: string } {
    const told = JSON.parse(this.answer((size) => this.wasm.plumb_run_start(size), JSON.stringify(request)));
    ++this.held;
    return told;
  }

  resume(file: string, options: object): { run: number; id: string } {
    const told = this.#withFile(file, options, (a, b) => this.wasm.plumb_run_resume(a, b));
    ++this.held;
    return told as { run: number; id: string };
  }

  open(file: string): { journal: number; id: string; pipeline: string; known: boolean } {
    const told = this.#withFile(file, {}, (a, b) => this.wasm.plumb_journal_open(a, b));
    ++this.held;
    return told as { journal: number; id: string; pipeline: string; known: boolean };
  }

  /** Never throws: a broken instance has nothing left to free. */
  free(what: "run" | "journal", number: number): void {
    --this.held;
    if (!this.broken) {
      try {
        if (what === "run") {
          this.wasm.plumb_run_free(number);
        } else {
          this.wasm.plumb_journal_free(number);
        }
      } catch (error) {
        this.trapped(error);
      }
    }
  }

  step(run: number, now: number): State {
    return states[this.#call(() => this.wasm.plumb_run_step(run, now))]!;
  }

  take(run: number): string {
    this.#call(() => this.wasm.plumb_run_take(run));
    return this.result();
  }

  wanted(run: number): Want[] {
    return this.#told(() => this.wasm.plumb_run_wanted(run)) as Want[];
  }

  abandoned(run: number): string[] {
    return this.#told(() => this.wasm.plumb_run_abandoned(run)) as string[];
  }

  attempt(run: number, key: string, now: number): boolean {
    return this.#given(key, (size) => this.wasm.plumb_run_attempt(run, size, now)) === 1;
  }

  /** `reply` is JSON text. */
  reply(run: number, reply: string, now: number): boolean {
    const told = this.#given(reply, (size) => this.wasm.plumb_run_reply(run, size, now));
    if (told === 2) {
      throw this.error();
    }
    return told === 1;
  }

  signal(run: number, name: string, value: string, now: number): boolean {
    const text = `{"name":${JSON.stringify(name)},"value":${value}}`;
    return this.#given(text, (size) => this.wasm.plumb_run_signal(run, size, now)) === 1;
  }

  cancel(run: number, why: string, now: number): void {
    this.#given(why, (size) => this.wasm.plumb_run_cancel(run, size, now));
  }

  outcome(run: number): { state: State; value?: unknown; error?: { code: string; message: string; where: string } } {
    return this.#told(() => this.wasm.plumb_run_result(run)) as ReturnType<RunsModule["outcome"]>;
  }

  view(run: number): unknown {
    return this.#told(() => this.wasm.plumb_run_view(run));
  }

  log(run: number, from: number): unknown {
    return this.#told(() => this.wasm.plumb_run_log(run, from));
  }

  journalView(journal: number, count: number): unknown {
    return this.#told(() => this.wasm.plumb_journal_view(journal, count));
  }

  journalLog(journal: number): unknown {
    return this.#told(() => this.wasm.plumb_journal_log(journal));
  }

  journalReplay(journal: number): unknown {
    if (this.#call(() => this.wasm.plumb_journal_replay(journal)) === 0) {
      throw this.error();
    }
    return JSON.parse(this.result());
  }

  extract(request: string): string {
    return this.answer((size) => this.wasm.plumb_extract(size), request);
  }

  #call<Told>(call: () => Told): Told {
    this.usable();
    try {
      return call();
    } catch (error) {
      throw this.trapped(error);
    }
  }

  #told(call: () => unknown): unknown {
    this.#call(call);
    return JSON.parse(this.result());
  }

  #given<Told>(text: string, call: (size: number) => Told): Told {
    const bytes = encodeExactly(text);
    return this.#call(() => {
      const at = this.buffer(bytes.length);
      this.memory().set(bytes, at);
      return call(bytes.length);
    });
  }

  #withFile(file: string, options: object, call: (fileSize: number, optionsSize: number) => number): unknown {
    const bytes = encodeExactly(file);
    const second = encodeExactly(JSON.stringify(options));
    const told = this.#call(() => {
      const at = this.buffer(bytes.length + second.length);
      const memory = this.memory();
      memory.set(bytes, at);
      memory.set(second, at + bytes.length);
      return call(bytes.length, second.length);
    });
    if (told === 0) {
      throw this.error();
    }
    return JSON.parse(this.result());
  }
}

/**
 * The third module, started.
 * @internal
 */
export class Runs {
  #module: RunsModule;
  readonly pipelines: readonly Pipeline[];

  constructor(module: RunsModule, version: string) {
    this.#module = module;
    const told = module.about();
    sameVersion(kind.file, told.version, version);
    this.pipelines = Object.freeze(told.pipelines);
  }

  get broken(): boolean {
    return this.#module.broken;
  }

  run(pipeline: string, input: unknown, options: RunOptions): Run {
    return Run.begin(this.#fresh(), pipeline, input, options);
  }

  replay(journal: JournalSource): Replay {
    return new Replay(this.#fresh(), fileOf(journal));
  }

  extract(effect: Pick<Effect, "kind" | "request">): Reply {
    if (effect.kind !== "model") {
      return { status: "failed", error: `extract answers model calls, not '${effect.kind}'` };
    }
    try {
      return { status: "ok", value: JSON.parse(this.#fresh().extract(JSON.stringify(effect.request))) };
    } catch (error) {
      if (error instanceof PlumbError && error.code !== "trap") {
        return { status: "failed", error: error.message, value: { class: "bad_request", retryable: false, status: 0 } };
      }
      throw error;
    }
  }

  #fresh(): RunsModule {
    return (this.#module = this.#module.freshIfGrown());
  }
}

/** @internal */
export async function startRuns(compiled: WebAssembly.Module, version: string): Promise<Runs> {
  try {
    return new Runs(new RunsModule(compiled, await Instance.instantiate(compiled)), version);
  } catch (error) {
    throw notStarted(error);
  }
}
