/** What the author module takes and gives for lint and samples. */
import { Contract, type ContractOptions, type Schema } from "./contract.js";
import { PlumbError } from "./error.js";
import type { Severity, Span } from "./verdict.js";

interface AnySample {
  /** The seed. Different seeds give different artifacts; default 1. */
  seed?: number;
  /** The number of different artifacts (per rule); default 1. */
  count?: number;
  /** What the contract's `context:` pointers read, as JSON text or as a value; without it one is made. */
  context?: unknown;
  /** Artifacts on several lines. */
  indent?: boolean;
}

export type SampleOptions = AnySample &
  (
    | {
        /** `minimal`: what is required; `rich` (the default): all members; `broken`: one rule is broken. */
        kind?: "minimal" | "rich";
        rule?: never;
      }
    | {
        kind?: "broken";
        /**
         * A keyword, wherever it appears, a rule's id, or a `schemaLocation`; or one of `breakableRules`, which is that place alone.
         * Without it each rule is broken.
         */
        rule?: string | RuleSite;
      }
  );

export interface Sample {
  readonly kind: "minimal" | "rich" | "broken";
  /** That gives this one by itself. */
  readonly seed: number;
  /** JSON text. */
  readonly artifact: string;
  /** JSON text; only where the contract reads a context. */
  readonly context?: string;
  /** Broken: the rule, as the finding names it, and its places in the contract and in the artifact. */
  readonly rule?: string;
  readonly schemaLocation?: string;
  readonly property?: string;
  readonly at?: string;
  /** "RULE at POINTER" of what else breaks, where it cannot break alone. */
  readonly also?: readonly string[];
}

/** A rule that an artifact can break. */
export interface RuleSite {
  readonly rule: string;
  readonly schemaLocation?: string;
  /** The missing member, for `required`. */
  readonly property?: string;
}

export interface Samples {
  readonly made: readonly Sample[];
  readonly notMade: readonly (RuleSite & { readonly reason: string })[];
}

export interface LintOptions extends ContractOptions {
  /** Shown in the report. */
  file?: string;
  /** Derived targets that will be used ("openai-strict"): what they do not enforce is told. */
  targets?: readonly string[];
  /** A prompt that costs more tokens is told; default 1500, 0: never. */
  promptTokensMax?: number;
}

/** A change of the contract's text: a half-open range of its bytes as UTF-8, and what takes its place. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export interface LintFinding {
  readonly rule: string;
  readonly severity: Severity;
  /** JSON Pointer into the contract. */
  readonly at: string;
  readonly message: string;
  /** Why it matters. */
  readonly why?: string;
  readonly span: Span;
  /** `certain`: it changes no verdict. */
  readonly fix?: { readonly title: string; readonly certain: boolean; readonly edits: readonly TextEdit[] };
}

export interface LintReport {
  readonly file?: string;
  readonly contract: string;
  readonly hash: string;
  readonly findings: readonly LintFinding[];
  /** Findings beyond those listed. */
  readonly more?: number;
  /** What the contract says is meant as it is. */
  readonly allowed: readonly { readonly rule: string; readonly at: string; readonly reason: string }[];
}

export interface Fixed {
  readonly text: string;
  /** The fixes that were made. */
  readonly done: readonly string[];
}

export interface LintRule {
  readonly rule: string;
  readonly severity: Severity;
  readonly title: string;
  readonly why: string;
  /** A contract that has it, and one that has not. */
  readonly bad: string;
  readonly good: string;
}

/**
 * A contract that is read, or a text that may be none, as a request holds it.
 * @internal
 */
export function requestOf(contract: Contract | string | Schema, options: ContractOptions): object {
  if (contract instanceof Contract) {
    return contract.request;
  }
  const { name, uri, dialect, assertFormats, documents } = options;
  const texts: Record<string, string> = {};
  for (const [key, document] of Object.entries(documents ?? {})) {
    texts[key] = typeof document === "string" ? document : JSON.stringify(document);
  }
  const text = typeof contract === "string" ? contract : JSON.stringify(contract);
  if (text === undefined) {
    throw new PlumbError("invalid_argument", "a contract is a text or a JSON Schema: an object, true or false");
  }
  return { contract: text, name, uri, dialect, assertFormats, documents: texts };
}
