/**
 * plumb-author.wasm: what is about writing and showing contracts and verdicts. Each call is a function of its request,
 * described in wasm/author_exports.cpp; nothing is kept between calls.
 */
import { Instance, type Kind, type SharedExports } from "./instance.js";
import type { Module } from "./module.js";
import {
  isPlain,
  listed,
  noSuchFormat,
  render,
  withFile,
  type RenderOptions,
  type ReportFormat,
  type Verdicts,
} from "./render.js";
import { notStarted } from "./source.js";

interface AuthorExports extends SharedExports {
  plumb_about(size: number): number;
  plumb_explain(size: number): number;
  plumb_render(size: number): number;
}

/** What a rule means, as `explain` tells it. */
export interface Explanation {
  /** As a finding names it. */
  readonly rule: string;
  /** "JSON Schema, strings". */
  readonly kind: string;
  readonly meaning: string;
  /** The byte at which it is certain; not there for what never breaks. */
  readonly decides?: string;
  /** What to do about a finding. */
  readonly fix?: string;
  /** An example: a contract, and an artifact that breaks it, or fits where `breaks` is false. */
  readonly contract?: string;
  readonly artifact?: string;
  readonly breaks?: boolean;
}

export interface ReportOptions extends RenderOptions {
  /** `text`: ANSI colours. */
  color?: boolean;
  /** `text`: no symbols outside ASCII. */
  ascii?: boolean;
}

const kind: Kind = {
  file: "plumb-author.wasm",
  mark: "plumb_explain",
  again: "Call author() for a new one.",
};

class AuthorModule extends Instance<AuthorExports> {
  constructor(compiled: WebAssembly.Module, instance: WebAssembly.Instance) {
    super(kind, compiled, instance);
  }

  /** `request` is a JSON object, or its text. */
  call(name: Exclude<keyof AuthorExports, keyof SharedExports>, request: object | string): string {
    return this.answer(
      (size) => this.wasm[name](size),
      typeof request === "string" ? request : JSON.stringify(request),
    );
  }

  /** This instance, or a fresh one when it has grown. */
  freshIfGrown(): AuthorModule {
    const fresh = this.freshInstance();
    return fresh === undefined ? this : new AuthorModule(...fresh);
  }
}

/** @internal */
export async function startAuthor(
  compiled: WebAssembly.Module,
  version: string,
  check: () => Module,
): Promise<Author> {
  try {
    const module = new AuthorModule(compiled, await Instance.instantiate(compiled));
    const mine = (JSON.parse(module.call("plumb_about", {})) as { version: string }).version;
    if (mine !== version) {
      throw new Error(`${kind.file} is of version ${mine}, and plumb-check.wasm of version ${version}`);
    }
    return new Author(module, check);
  } catch (error) {
    throw notStarted(error);
  }
}

/** The second module, started. Get it from `plumb.author()`. */
export class Author {
  #module: AuthorModule;
  readonly #check: () => Module;
  #explanations: readonly Explanation[] | undefined;

  /** @internal */
  constructor(module: AuthorModule, check: () => Module) {
    this.#module = module;
    this.#check = check;
  }

  /** What every rule means that a finding can name, in the order of the reference. */
  get explanations(): readonly Explanation[] {
    this.#explanations ??= Object.freeze(JSON.parse(this.#call("plumb_explain", {})) as Explanation[]);
    return this.#explanations;
  }

  /** What a rule means, when it decides and how to fix what breaks it; undefined for a contract's own rules. */
  explain(rule: string): Explanation | undefined {
    return this.explanations.find((one) => one.rule === rule);
  }

  /** Verdicts as text, JSON, SARIF, JUnit, GitHub annotations or feedback for a model. */
  render(verdicts: Verdicts, format: ReportFormat, options: ReportOptions = {}): string {
    if (isPlain(format)) {
      return render(this.#check(), verdicts, format, options);
    }
    if (!["text", "sarif", "junit", "github"].includes(format)) {
      throw noSuchFormat(format);
    }
    const head = JSON.stringify({ format, color: options.color, ascii: options.ascii });
    const all = listed(verdicts, options).map(withFile);
    return this.#call("plumb_render", `${head.slice(0, -1)},"verdicts":[${all.join(",")}]}`);
  }

  /**
   * It has trapped and is not used again: `plumb.author()` gives another one.
   * @internal
   */
  get broken(): boolean {
    return this.#module.broken;
  }

  #call(name: Parameters<AuthorModule["call"]>[0], request: object | string): string {
    const answer = this.#module.call(name, request);
    this.#module = this.#module.freshIfGrown();
    return answer;
  }
}
