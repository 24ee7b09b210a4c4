import { PlumbError } from "./error.js";

export type Severity = "error" | "warning" | "info";

/** `decision` of a verdict: the first that applies, from `block` down to `accept`. */
export type Decision = "accept" | "accept_with_warnings" | "accept_unverified" | "undecided" | "revise" | "block";

/** Where a value is in the text. Ranges are half open; lines and columns count from 1. */
export interface Span {
  /** Bytes of UTF-8. */
  from: number;
  to: number;
  line: number;
  /** In UTF-16 units, as editors count. */
  column: number;
  /** The same range in UTF-16 units: `text.slice(utf16From, utf16To)`. */
  utf16From: number;
  utf16To: number;
  lineTo: number;
  columnTo: number;
}

/**
 * One thing that is wrong with an artifact, and where. As a stream tells it, `message` and `provided` may be missing for the
 * time being; in a verdict they are there: `CompleteFinding`.
 */
export interface Finding {
  /** From 1, in the order in which findings became certain. */
  id: number;
  /** A keyword (`minItems`), a rule's id (`answerable`), or `syntax`, `duplicateKey`, `limit`. */
  rule: string;
  severity: Severity;
  class?: "inner" | "reference" | "count" | "meaning";
  /** JSON Pointer of the value. */
  at: string;
  /** The nearest item label: `Question 1`. */
  item?: string;
  /** One sentence for people. Not there while `partial`. */
  message?: string;
  /** What was there, bounded. Not there while `partial`. */
  provided?: string;
  requirement?: string;
  /** The member's name, for `required`, additional and unevaluated properties. */
  property?: string;
  /** What to do instead, where the rule says it. */
  action?: string;
  /** JSON Pointer into the contract, or URI#pointer into another document. */
  schemaLocation: string;
  wantsContext?: string;
  /** Values that would be allowed, near misses first, at most 20. */
  allowed?: unknown[];
  /** The number of bytes after which the finding was certain. */
  decidedAt: number;
  span: Span;
  /** Certain, but its value has not ended: it comes again, completed, under the same `id`. */
  partial?: boolean;
  blocks?: boolean;
  /** The id of the finding that hides this one (`stopAt`): left out of texts and counts. */
  shadowedBy?: number;
  /** `anyOf`, `oneOf`: why the closest branch did not hold. */
  causes?: Finding[];
}

/** A finding of a verdict: its value has ended, and it says what is wrong. */
export interface CompleteFinding extends Finding {
  message: string;
  provided: string;
  partial?: never;
  causes?: CompleteFinding[];
}

/** A rule that stays undecided, and why. */
export interface Undecided {
  rule: string;
  at: string;
  schemaLocation?: string;
  /** The question for a judge. */
  ask?: string;
  /** The context that was not given: `context:/queries/*`. */
  wantsContext?: string;
  reason?: string;
}

/** One line of a scorecard. */
export interface ScorecardLine {
  id: string;
  title?: string;
  at?: string;
  outcome: "holds" | "broken" | "undecided";
  /** Left to a judge. */
  asks?: boolean;
  blocks?: boolean;
  action?: string;
  /** Broken: what its check found. Undecided by its check: why. */
  reason?: string;
  /** The bytes it was decided by; of a line that a check decided. */
  span?: { from: number; to: number };
}

/** The stream has become degenerate: white space, digits or one item without end. Beside the verdict, never in it. */
export interface Signal {
  kind: string;
  detail?: string;
  atByte: number;
}

/** The classes of edits, in the order of docs/edits.md. */
export type EditClass =
  | "fence"
  | "prose"
  | "thinking"
  | "severalValues"
  | "envelope"
  | "comment"
  | "trailingComma"
  | "extraComma"
  | "missingComma"
  | "missingColon"
  | "wrongBracket"
  | "missingEnd"
  | "singleQuotes"
  | "typographicQuotes"
  | "innerQuote"
  | "joinedStrings"
  | "controlInString"
  | "badEscape"
  | "escapedQuotes"
  | "unquotedKey"
  | "pythonLiteral"
  | "missingZero"
  | "oddSpace"
  | "ellipsis"
  | "listOfOne"
  | "numberInString"
  | "booleanInString"
  | "enumSpelling"
  | "doubleEncoded"
  | "nullMember"
  | "suspectEscape";

/** Which edits are made: none, those that allow no other reading, guesses too. */
export type EditLevel = "none" | "certain" | "guess";

/** A change of what a model wrote that makes it JSON, or gives it the form that the contract asks for. */
export interface Edit {
  class: EditClass;
  /** No other reading of the bytes is plausible. */
  certain: boolean;
  /** It was made; else it is an offer. */
  applied: boolean;
  /** JSON Pointer of the value concerned. */
  at: string;
  span: Span;
  /** Bytes of the original and what is there instead, in the order of the text. */
  changes: { from: number; to: number; text: string }[];
  /** JSON Patch, where the value itself changes. */
  patch?: { op: string; path: string; from?: string; value?: unknown }[];
}

/**
 * All findings of one artifact under one contract, and the decision that follows. Plain data: it can be stringified,
 * cloned and posted to a worker. Its lists are read from the module's answer when they are first looked at.
 */
export interface Verdict<T = unknown> {
  /** The contract's name. */
  readonly contract: string;
  readonly hash: string;
  /** No finding of severity `error`. */
  readonly valid: boolean;
  readonly decision: Decision;
  /** In the order of a plain walk of the contract. */
  readonly findings: CompleteFinding[];
  /** Rule -> number of findings beyond those listed. */
  readonly more?: Record<string, number>;
  /** With the option `edits`: what was edited, or could be, in the order of the text; at most 1000. */
  readonly edits: Edit[];
  /** Edits beyond those listed. */
  readonly moreEdits?: number;
  readonly undecided: Undecided[];
  readonly scorecard: ScorecardLine[];
  readonly labels: Record<string, string>;
  readonly signals?: Signal[];
  /**
   * The text that was judged, where it is not the one that was given: of `check(value)`, to which all places then refer,
   * and where an edit was made. Not there where a text could not be edited to the end.
   */
  readonly text?: string;
  /**
   * What was judged, as a value: only of a verdict that is `valid`. It is read from the text when it is first looked at, and
   * is no part of what is stringified or posted.
   */
  readonly value?: T;
}

/** A verdict as a check gives it: `if (verdict.valid)` tells that there is a value. */
export type Judged<T = unknown> = Verdict<T> &
  ({ readonly valid: true; readonly value: T } | { readonly valid: false; readonly value?: never });

/** In the order of core/contract/verdict.hpp. */
const decisions: readonly Decision[] = [
  "accept",
  "accept_with_warnings",
  "accept_unverified",
  "undecided",
  "revise",
  "block",
];

/** @internal */
export interface Outcome {
  valid: boolean;
  decision: number;
  /** The verdict as the module wrote it; undefined when it is `same`, or when `valid` and `decision` say all. */
  json: string | undefined;
  /** The verdict has members that most have not: `more`, `signals`. */
  unusual: boolean;
  /** The verdict has no findings and is to be kept: the next is perhaps the `same`. */
  kept: boolean;
  /** The verdict is the one that was kept last for this check. */
  same: boolean;
  /** What was judged, where an edit was made. */
  text: string | undefined;
}

/**
 * What verdicts of a check are made from: artifacts that are fine have the same verdict one after the other, also where it
 * lists rules that are left to a judge.
 * @internal
 */
export interface Maker {
  readonly contract: string;
  readonly hash: string;
  /** `json`: where JSON.stringify would write the verdict in another way than the module did. */
  kept: { verdict: Verdict; json: string | undefined } | undefined;
}

/** A verdict as long as this is parsed when it is looked at: many findings that perhaps nobody reads. */
const lazyFrom = 32 * 1024;

/**
 * The module's own JSON of a verdict, for rendering: a number that JavaScript cannot hold (1e400) would be another one
 * after JSON.parse and JSON.stringify.
 */
const texts = /* @__PURE__ */ new WeakMap<Verdict, string>();

/** What was judged, for feedback that shows the values; of verdicts that have findings, as others need none. */
const judged = /* @__PURE__ */ new WeakMap<Verdict, string>();
const judgedMax = 1 << 20;

/**
 * Keeps the text with the verdict. Bytes are copied, as whoever gave them may use them again.
 * @internal
 */
export function keepText(verdict: Verdict, given: string | Uint8Array): void {
  if (!verdict.valid && given.length <= judgedMax) {
    judged.set(verdict, typeof given === "string" ? given : new TextDecoder("utf-8", { ignoreBOM: true }).decode(given));
  }
}

/**
 * What a valid verdict's value is read from: the text, its bytes, or its pieces. It is in a private field that is put on
 * the verdict, which is the cheapest place that nobody sees (a WeakMap costs a third of a small check).
 */
class ValueSource extends (function (this: unknown, verdict: object) {
  return verdict;
} as unknown as new (verdict: object) => object) {
  #source: string | Uint8Array | Pieces;

  constructor(verdict: Verdict, source: string | Uint8Array | Pieces) {
    super(verdict);
    this.#source = source;
  }

  static text(verdict: object): string {
    const source = (verdict as ValueSource).#source;
    return typeof source === "string"
      ? source
      : source instanceof Uint8Array
        ? new TextDecoder().decode(source)
        : source.text();
  }
}

const readValue = {
  configurable: true,
  enumerable: false,
  get(this: object): unknown {
    const value: unknown = JSON.parse(ValueSource.text(this));
    Object.defineProperty(this, "value", { value, enumerable: false, configurable: true });
    return value;
  },
};

/**
 * Lets the verdict read its value from there, if it is valid. Bytes are copied, as whoever gave them may use them again.
 * @internal
 */
export function keepValue(verdict: Verdict, given: string | Uint8Array | Pieces): void {
  if (verdict.valid) {
    new ValueSource(verdict, verdict.text ?? (given instanceof Uint8Array ? given.slice() : given));
    Object.defineProperty(verdict, "value", readValue);
  }
}

/** A stream keeps so many UTF-16 units or bytes for the value of its verdict. */
const piecesMax = 64 << 20;
const piecesTogether = 1024;
const blockLeast = 1024;
const blockMost = 256 * 1024;
/** Below this, copying bytes one by one is cheaper than a call of set. */
const shortBytes = 48;

/**
 * The pieces of a stream, exactly as they were pushed. Bytes are copied, as whoever gave them may use them again.
 * @internal
 */
export class Pieces {
  /** Nothing, where there were too many. */
  #blocks: (string | Uint8Array)[] = [];
  /** Those that are in no block yet: strings, or bytes up to `#used`. */
  #strings: string[] = [];
  #bytes: Uint8Array | undefined;
  #used = 0;
  #size = 0;

  push(piece: string | Uint8Array): void {
    this.#size += piece.length;
    if (this.#size > piecesMax) {
      this.#blocks = this.#strings = [];
      this.#bytes = undefined;
      return;
    }
    if (typeof piece === "string") {
      this.#endBytes();
      if (this.#strings.push(piece) === piecesTogether) {
        this.#endStrings();
      }
    } else {
      this.#endStrings();
      this.#pushBytes(piece);
    }
  }

  /** All of it; undefined where it was too much to keep. */
  parts(): readonly (string | Uint8Array)[] | undefined {
    if (this.#size > piecesMax) {
      return undefined;
    }
    this.#endStrings();
    this.#endBytes();
    return this.#blocks;
  }

  text(): string {
    const parts = this.parts();
    if (parts === undefined) {
      throw new PlumbError(
        "limit",
        `a stream of more than ${piecesMax >> 20} MB is judged and not kept, so its verdict has no value; keep the text yourself`,
      );
    }
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return parts.map((part) => (typeof part === "string" ? part : decoder.decode(part, { stream: true }))).join("");
  }

  #pushBytes(piece: Uint8Array): void {
    for (let from = 0; from < piece.length;) {
      let block = this.#bytes;
      if (block === undefined || this.#used === block.length) {
        this.#endBytes();
        const size = block === undefined ? blockLeast : Math.min(2 * block.length, blockMost);
        this.#bytes = block = new Uint8Array(Math.max(size, piece.length - from));
      }
      const count = Math.min(piece.length - from, block.length - this.#used);
      if (count < shortBytes) {
        for (let i = 0; i < count; ++i) {
          block[this.#used + i] = piece[from + i]!;
        }
      } else {
        block.set(count === piece.length ? piece : piece.subarray(from, from + count), this.#used);
      }
      this.#used += count;
      from += count;
    }
  }

  #endStrings(): void {
    if (this.#strings.length > 0) {
      this.#blocks.push(this.#strings.join(""));
      this.#strings = [];
    }
  }

  #endBytes(): void {
    if (this.#used > 0) {
      this.#blocks.push(this.#bytes!.subarray(0, this.#used));
      this.#bytes = undefined;
      this.#used = 0;
    }
  }
}

/** @internal */
export function keptText(verdict: Verdict): string | undefined {
  return judged.get(verdict);
}

/** @internal */
export function verdictJson(verdict: Verdict): string {
  const json = texts.get(verdict);
  if (json !== undefined) {
    return json;
  }
  const { text, ...written } = verdict; // the text that was judged is no part of what is written
  return jsonText(written);
}

/**
 * JSON as the module writes it: the digits of \u001F are capitals.
 * @internal
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(/\\(?:u[0-9a-f]{4}|.)/g, (escape) =>
    escape.length === 6 ? `\\u${escape.slice(2).toUpperCase()}` : escape,
  );
}

/** @internal */
export function makeVerdict(maker: Maker, outcome: Outcome, given: string | undefined): Verdict {
  const { contract, hash } = maker;
  const { json } = outcome;
  const text = outcome.text ?? given;
  let verdict: Verdict;
  if (outcome.same) {
    verdict = copyOfKept(maker);
  } else if (json === undefined) {
    verdict = {
      contract,
      hash,
      valid: outcome.valid,
      decision: decisions[outcome.decision]!,
      findings: [],
      edits: [],
      undecided: [],
      scorecard: [],
      labels: {},
    };
  } else {
    verdict =
      json.length < lazyFrom || outcome.unusual || outcome.text !== undefined
        ? (JSON.parse(json) as Verdict)
        : lazyVerdict(contract, hash, outcome.valid, decisions[outcome.decision]!, json);
    texts.set(verdict, json);
    if (outcome.kept) {
      const own = JSON.parse(json) as Verdict;
      maker.kept = { verdict: own, json: jsonText(own) === json ? undefined : json };
    }
  }
  return text === undefined ? verdict : Object.defineProperty(verdict, "text", { value: text, enumerable: true });
}

/** A verdict of its own: what its reader does with it stays with it. */
function copyOfKept({ kept }: Maker): Verdict {
  const { verdict, json } = kept!;
  const copy: Verdict = {
    contract: verdict.contract,
    hash: verdict.hash,
    valid: verdict.valid,
    decision: verdict.decision,
    findings: [],
    edits: [],
    undecided: verdict.undecided.map((one) => ({ ...one })),
    scorecard: verdict.scorecard.map((one) => ({ ...one })),
    labels: { ...verdict.labels },
  };
  if (json !== undefined) {
    texts.set(copy, json);
  }
  return copy;
}

/**
 * Own accessors, so that the verdict is plain data to JSON.stringify, structuredClone and a comparison, while
 * `if (verdict.valid)` does not pay for a thousand findings.
 */
function lazyVerdict(contract: string, hash: string, valid: boolean, decision: Decision, json: string): Verdict {
  let parsed: Verdict | undefined;
  const read = (): Verdict => (parsed ??= JSON.parse(json) as Verdict);
  return {
    contract,
    hash,
    valid,
    decision,
    get findings() {
      return read().findings;
    },
    get edits() {
      return read().edits;
    },
    get undecided() {
      return read().undecided;
    },
    get scorecard() {
      return read().scorecard;
    },
    get labels() {
      return read().labels;
    },
  };
}
