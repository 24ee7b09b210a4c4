/**
 * plumb-story.wasm: branching stories as functions of their requests, described in core/story/operations.hpp; nothing is
 * kept between calls.
 */
import type { Contract } from "./contract.js";
import { PlumbError } from "./error.js";
import { Instance, type Kind, type SharedExports } from "./instance.js";
import { notStarted, sameVersion } from "./source.js";

interface StoryExports extends SharedExports {
  plumb_story_about(size: number): number;
  plumb_story(size: number): number;
}

const kind: Kind = {
  file: "plumb-story.wasm",
  mark: "plumb_story",
  again: "Call story() for a new one.",
};

class StoryModule extends Instance<StoryExports> {
  constructor(compiled: WebAssembly.Module, instance: WebAssembly.Instance) {
    super(kind, compiled, instance);
  }

  about(): { version: string; operations: StoryOperation[] } {
    return JSON.parse(this.answer((size) => this.wasm.plumb_story_about(size), "{}")) as never;
  }

  call(operation: string, request: unknown): string {
    return this.answer((size) => this.wasm.plumb_story(size), JSON.stringify({ operation, request }));
  }

  /** This instance, or a fresh one when it has grown. */
  freshIfGrown(): StoryModule {
    const fresh = this.freshInstance();
    return fresh === undefined ? this : new StoryModule(...fresh);
  }
}

/** @internal */
export async function startStory(
  compiled: WebAssembly.Module,
  version: string,
  contract: (schema: string) => Contract,
): Promise<Story> {
  try {
    const module = new StoryModule(compiled, await Instance.instantiate(compiled));
    const mine = module.about();
    sameVersion(kind.file, mine.version, version);
    return new Story(module, mine.operations, contract);
  } catch (error) {
    throw notStarted(error);
  }
}

const noCoverage: StoryCoverage = { passages: 0, passages_reached: 0, endings: 0, endings_reached: 0, unread: [] };

/** What `answer` can be asked. */
export interface StoryOperation {
  readonly name: string;
  readonly summary: string;
}

/** Something wrong with a story, or worth knowing of it. */
export interface StoryFinding {
  readonly rule: string;
  readonly severity: "error" | "warning" | "info";
  /** `/nodes/ID`, or the place in an outline. */
  readonly at: string;
  /** The node's id, `passage::end`; "" where it is about the whole. */
  readonly node: string;
  readonly stage: string;
  readonly message: string;
  /** In the text that was given; 0 where that is not known. */
  readonly line: number;
  readonly column: number;
  readonly from: number;
  readonly to: number;
}

export interface StoryPlay {
  /** False: a bound was reached, and nothing is said of the rest. */
  readonly complete: boolean;
  readonly why_not: string;
  readonly states: number;
  readonly steps: number;
  readonly endings: number;
  readonly endings_reached: number;
  /** The shortest way into each place from which no ending can be reached. */
  readonly traps: readonly {
    readonly way: readonly { readonly passage: string; readonly label: string }[];
    readonly held: readonly string[];
  }[];
}

export interface StoryVerdict {
  readonly decision: string;
  readonly valid: boolean;
  readonly findings: readonly StoryFinding[];
  readonly undecided: readonly { readonly rule: string; readonly at: string; readonly reason: string }[];
  readonly play: StoryPlay;
}

/** A phase, as a run's journal has it in its notes `story_phase`. */
export interface StoryNote {
  readonly stage: string;
  readonly phase: string;
  readonly status: "completed" | "skipped" | "failed";
  readonly detail: string;
  readonly warnings: readonly string[];
  readonly left_out: Readonly<Record<string, number>>;
  readonly mutations: readonly {
    readonly operation: string;
    readonly target: string;
    readonly edge?: string;
    readonly to?: string;
    readonly delta?: Readonly<Record<string, unknown>>;
    readonly before?: Readonly<Record<string, unknown>>;
    readonly rationale: string;
  }[];
  readonly hash: string;
}

/** story.json. */
export type StoryBook = Readonly<Record<string, unknown>>;

export interface StoryMade extends StoryVerdict {
  readonly notes: readonly StoryNote[];
  readonly story?: StoryBook;
}

/** What was read of a story: passages and endings that can be reached by it, and the first 200 places that were not read. */
export interface StoryCoverage {
  readonly passages: number;
  readonly passages_reached: number;
  readonly endings: number;
  readonly endings_reached: number;
  readonly unread: readonly { readonly node: string; readonly message: string; readonly line: number; readonly column: number }[];
}

export interface StoryChecked extends StoryVerdict {
  /** "SugarCube", "Harlowe", "story.json", "outline", ... */
  readonly format: string;
  /** Of what is no outline. */
  readonly title: string;
  readonly passages: number;
  /** Places that were not read. Where there are any, the story is never accepted. */
  readonly unread: number;
  readonly coverage: StoryCoverage;
}

export interface StoryRow {
  readonly id: string;
  readonly kind: "start" | "ending" | "residue" | "variant" | "beside" | "passage" | "beat";
  readonly level: number;
  /** Numbers of the arcs that go through it. */
  readonly arcs: readonly number[];
  readonly summary: string;
  readonly label?: string;
  readonly draft?: boolean;
  readonly for?: string;
  readonly grants?: readonly string[];
  readonly choices?: readonly {
    readonly to: string;
    readonly label: string;
    readonly requires: readonly string[];
    readonly routing: boolean;
    readonly back: boolean;
  }[];
}

/** The graph after some phases, as lanes: an arc each, and a row for each passage, or beat before there are passages. */
export interface StoryGraph {
  readonly hash: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly lanes: {
    readonly title: string;
    readonly of: "passages" | "beats" | "";
    readonly arcs: readonly { readonly id: string; readonly spine: boolean; readonly policy: string; readonly paths: readonly string[] }[];
    readonly rows: readonly StoryRow[];
    readonly cut: number;
  };
}

export interface StoryReading {
  readonly passage: string;
  readonly text: string;
  readonly ending: boolean;
  readonly draft: boolean;
  readonly held: readonly string[];
  readonly ways: readonly { readonly way: number; readonly route: number; readonly label: string; readonly to: string }[];
}

/** Stories. Get it from `plumb.story()`. What is wrong with a story is a finding; what is no story throws. */
export class Story {
  #module: StoryModule;
  #contract: Contract | undefined;
  readonly #read: (schema: string) => Contract;
  readonly operations: readonly StoryOperation[];

  /** @internal */
  constructor(module: StoryModule, operations: StoryOperation[], contract: (schema: string) => Contract) {
    this.#module = module;
    this.#read = contract;
    this.operations = Object.freeze(operations);
  }

  /** A story of an outline: the notes of its phases, findings, play, and story.json where GROW came to its end. */
  make(outline: string | object): StoryMade {
    const text = typeof outline === "string" ? outline : JSON.stringify(outline);
    this.form(text);
    const broken = this.#broken(text);
    return broken === undefined ? this.#ask("make", { outline: text }) : { ...broken, notes: [] };
  }

  /** What a text is. Throws for what is a story in a form that is not read, with what to do. */
  form(text: string): "Twee" | "story.json" | "HTML" | "outline" {
    return this.#ask<{ form: "Twee" | "story.json" | "HTML" | "outline" }>("form", { text }).form;
  }

  /** Findings and play of Twee 3, story.json, HTML of ours, or an outline as JSON. */
  check(text: string): StoryChecked {
    const broken = this.form(text) === "outline" ? this.#broken(text) : undefined;
    return broken === undefined ? this.#ask("check", { text }) : { ...broken, format: "outline", title: "", passages: 0, unread: 0, coverage: noCoverage };
  }

  /** The graph after so many of the notes; otherwise after all. */
  fold(notes: readonly StoryNote[], phases: number = notes.length): StoryGraph {
    return this.#ask("fold", { notes, phases });
  }

  /** What the notes of a run's journal come to. */
  judge(outline: string | object, notes: readonly StoryNote[]): StoryVerdict & { readonly story?: StoryBook } {
    const text = typeof outline === "string" ? outline : JSON.stringify(outline);
    return this.#broken(text) ?? this.#ask("judge", { outline: text, notes });
  }

  /** A story.json as a file. */
  ship(story: StoryBook, format: "twee" | "html" | "json" | "gamebook", options: { drafts?: boolean } = {}): { file: string; text: string } {
    return this.#ask("ship", { story, format, drafts: options.drafts ?? false });
  }

  /** Where a reader stands who begins, or who was at `at` and takes a way that is open there. */
  read(
    story: StoryBook,
    at?: { readonly passage: string; readonly held: readonly string[] },
    take?: { readonly way: number; readonly route: number },
  ): StoryReading {
    return this.#ask("read", { story, passage: at?.passage, held: at?.held, take: take && [take.way, take.route] });
  }

  /** An operation by its name. */
  answer(operation: string, request: object): unknown {
    if (!this.operations.some((one) => one.name === operation)) {
      const names = this.operations.map((one) => one.name).join(", ");
      throw new PlumbError("not_found", `there is no operation "${operation}"; there are ${names}`);
    }
    const answer = this.#module.call(operation, request);
    this.#module = this.#module.freshIfGrown();
    return JSON.parse(answer) as unknown;
  }

  /**
   * It has trapped and is not used again: `plumb.story()` gives another one.
   * @internal
   */
  get broken(): boolean {
    return this.#module.broken;
  }

  /** What is wrong with an outline under its contract, which plumb-check.wasm judges; undefined where it holds. */
  #broken(outline: string): StoryVerdict | undefined {
    this.#contract ??= this.#read((this.answer("contract", {}) as { outline: string }).outline);
    const verdict = this.#contract.check(outline);
    if (verdict.valid && verdict.decision !== "undecided") {
      return undefined;
    }
    const findings = verdict.findings.map(({ rule, severity, at, schemaLocation, message, span }) => ({
      rule,
      severity: severity as StoryFinding["severity"],
      at,
      node: "",
      stage: schemaLocation,
      message: message ?? "",
      line: span.line,
      column: span.column,
      from: span.from,
      to: span.to,
    }));
    const play = { complete: false, why_not: "the outline is none", states: 0, steps: 0, endings: 0, endings_reached: 0, traps: [] };
    return { decision: verdict.decision, valid: verdict.valid, findings, undecided: [], play };
  }

  #ask<Answer>(operation: string, request: object): Answer {
    return this.answer(operation, request) as Answer;
  }
}
