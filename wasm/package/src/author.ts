/**
 * plumb-author.wasm: what is about writing and showing contracts and verdicts. Each call is a function of its request,
 * described in wasm/author_exports.cpp; nothing is kept between calls.
 */
import type { Contract, ContractOptions, Schema } from "./contract.js";
import { PlumbError } from "./error.js";
import { Instance, type Kind, type SharedExports } from "./instance.js";
import { refuseOther, refuseUnknown } from "./misuse.js";
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
import {
  requestOf,
  type Fixed,
  type LintOptions,
  type LintReport,
  type LintRule,
  type RuleSite,
  type SampleOptions,
  type Samples,
} from "./authoring.js";
import { notStarted, sameVersion } from "./source.js";

interface AuthorExports extends SharedExports {
  plumb_author_about(size: number): number;
  plumb_explain(size: number): number;
  plumb_render(size: number): number;
  plumb_sample(size: number): number;
  plumb_breakable(size: number): number;
  plumb_lint(size: number): number;
  plumb_fix(size: number): number;
  plumb_lint_rules(size: number): number;
  plumb_derive(size: number): number;
  plumb_export(size: number): number;
}

/** Formats of other programs: of a quiz, of flashcards, of a mind map; `review` of any artifact of a run. */
export type ExportFormat = "gift" | "moodle-xml" | "anki" | "csv" | "opml" | "freemind" | "review";

/** A file of another program. */
export interface Exported {
  readonly text: string;
  /** With its dot. */
  readonly extension: string;
  readonly mediaType: string;
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

/** What can be derived from a contract. */
export type Target =
  | "prompt"
  | "openai-strict"
  | "openai"
  | "anthropic"
  | "gemini"
  | "gbnf"
  | "json-schema"
  | "typescript"
  | "zod"
  | "pydantic"
  | "page"
  | "html";

/** A rule that a target does not enforce. */
export interface ResidualRule {
  /** The keyword, or the id of a line of `rules`. */
  readonly keyword: string;
  /** As in findings: JSON Pointer into the contract. */
  readonly schemaLocation: string;
  readonly sentence: string;
}

/** What a target forbids though the contract allows it. */
export interface Narrowing {
  /** "absent members", "other members", "order of members", "other types", ... */
  readonly kind: string;
  readonly schemaLocation: string;
  readonly sentence: string;
}

/** A target derived from a contract. Whatever it allows and the residual accepts, the contract accepts. */
export interface Derived {
  readonly target: Target;
  /** The contract's name and hash. */
  readonly contract: string;
  readonly hash: string;
  /** The target itself. */
  readonly text: string;
  /** An estimate of what the text costs. */
  readonly tokens: { readonly likely: number; readonly safe: number };
  readonly residual: readonly ResidualRule[];
  /** The same as a contract: give it to `plumb.contract()` with the options of the contract. */
  readonly residualContract: string;
  readonly narrows: readonly Narrowing[];
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
    const mine = (JSON.parse(module.call("plumb_author_about", {})) as { version: string }).version;
    sameVersion(kind.file, mine, version);
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
  #lintRules: readonly LintRule[] | undefined;

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
    if (!["text", "short", "scorecard", "sarif", "junit", "github"].includes(format)) {
      throw noSuchFormat(format);
    }
    const head = JSON.stringify({ format, color: options.color, ascii: options.ascii });
    const all = listed(verdicts, options).map(withFile);
    return this.#call("plumb_render", `${head.slice(0, -1)},"verdicts":[${all.join(",")}]}`);
  }

  /**
   * Artifacts made from a contract, without a model: good ones, or one that breaks a rule and nothing else. Each has been
   * judged; what cannot be made is in `notMade` with the reason. The same options give the same artifacts everywhere.
   */
  sample(contract: Contract, options: SampleOptions = {}): Samples {
    refuseUnknown(options, "kind rule seed count context indent");
    const { kind: wanted, rule, seed, count, context, indent } = options;
    refuseOther("kind", wanted ?? "rich", ["minimal", "rich", "broken"]);
    if (rule !== undefined && wanted !== undefined && wanted !== "broken") {
      throw new PlumbError("invalid_argument", "`rule` goes with the kind broken");
    }
    for (const [name, value] of Object.entries({ seed, count })) {
      if (value !== undefined && (!Number.isSafeInteger(value) || value < (name === "count" ? 1 : 0))) {
        throw new PlumbError("invalid_argument", `${name} must be a whole number`);
      }
    }
    const given = context === undefined ? undefined : typeof context === "string" ? context : JSON.stringify(context);
    const place = typeof rule === "object" ? (rule.schemaLocation ?? rule.rule) : rule;
    const request = { ...contract.request, kind: wanted, rule: place, seed, count, context: given, indent };
    return JSON.parse(this.#call("plumb_sample", request)) as Samples;
  }

  /** Every rule that an artifact can break by itself: each may be the `rule` of `sample`. */
  breakableRules(contract: Contract): readonly RuleSite[] {
    return JSON.parse(this.#call("plumb_breakable", contract.request)) as RuleSite[];
  }

  /** Lints a contract: findings by place. A text that is not a contract has one finding, `no-contract`. */
  lint(contract: Contract | string | Schema, options: LintOptions = {}): LintReport {
    const { file, targets, promptTokensMax, ...rest } = options;
    const request = { ...requestOf(contract, rest), file, targets, promptTokensMax };
    return JSON.parse(this.#call("plumb_lint", request)) as LintReport;
  }

  /** The contract's text with all certain fixes made: those that change no verdict. The form of all else stays. */
  fix(contract: Contract | string | Schema, options: ContractOptions = {}): Fixed {
    return JSON.parse(this.#call("plumb_fix", requestOf(contract, options))) as Fixed;
  }

  /** The rules of lint, in the order of docs/lint.md. */
  get lintRules(): readonly LintRule[] {
    this.#lintRules ??= Object.freeze(JSON.parse(this.#call("plumb_lint_rules", {})) as LintRule[]);
    return this.#lintRules;
  }

  /**
   * What tells a model, a provider or a program beforehand what the contract wants, and what that leaves out. Throws a
   * `PlumbError` with the place when the target cannot express the contract.
   */
  derive(contract: Contract, target: Target): Derived {
    return JSON.parse(this.#call("plumb_derive", { ...contract.request, target })) as Derived;
  }

  /**
   * An artifact in the format of another program. Throws a `PlumbError` if its contract does not accept it, or if the
   * format is for another type. `review` needs the view of the run that made the artifact.
   */
  export(contract: Contract, artifact: string, format: ExportFormat, run?: object): Exported {
    return JSON.parse(this.#call("plumb_export", { ...contract.request, artifact, format, run })) as Exported;
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
