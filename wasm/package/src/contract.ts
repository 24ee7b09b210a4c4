/// <reference lib="esnext.disposable" preserve="true" />
import { PlumbError } from "./error.js";
import { encodeExactly, isHighSurrogate } from "./instance.js";
import type { Written } from "./json_schema.js";
import { refuseFunctions, refuseMistaken, refuseOther, refusePiece, refuseUnknown } from "./misuse.js";
import { none, type Module } from "./module.js";
import { standardOf, type StandardProps } from "./standard.js";
import { render, type Format, type RenderOptions, type Verdicts } from "./render.js";
import { GrowingValue, type PlaceState, type StreamedValue, type ValueChange } from "./value.js";
import {
  type EditClass,
  type EditLevel,
  type Finding,
  type Judged,
  keepText,
  keepValue,
  makeVerdict,
  type Maker,
  type Outcome,
  Pieces,
  type Signal,
} from "./verdict.js";

/** A JSON Schema as a value. */
export type Schema = boolean | { readonly [keyword: string]: unknown };

const dialects = ["2020-12", "2019-09", "draft-07", "draft-06", "draft-04", "v1"] as const;
export type Dialect = (typeof dialects)[number];

export interface ContractOptions {
  /** URI -> schema, for `$ref` to other documents; nothing is ever fetched. */
  documents?: Readonly<Record<string, string | Schema>>;
  /** Of a document without `$schema`; default "2020-12". With "v1", which is not published yet, a `$schema` may name it too. */
  dialect?: Dialect;
  /** `format` breaks; without it, `format` is an annotation as the specification says. */
  assertFormats?: boolean;
  /** The name in verdicts; default: `$id` without "plumb:", else "contract". */
  name?: string;
  /** The base URI of a document without an absolute `$id`. */
  uri?: string;
}

/** Bounds. Reaching one is a finding `limit` and the decision `undecided`, never "valid". */
export interface Limits {
  /** Levels of nesting; default 1024. */
  depthMax?: number;
  /** Size of the artifact; default 1 GB. */
  bytesMax?: number;
  /** Findings in full, more are counted; default 1000. */
  findingsMax?: number;
  /** Findings kept for a branch whose outcome is not known yet; default 64. */
  heldMax?: number;
  /** Subschemas at work at one place; default 10000. */
  evaluationsMax?: number;
  /** Exponent of a number; default 10000. */
  exponentMax?: number;
}

export interface CheckOptions {
  /** What is given beside the artifact: JSON text (a string or bytes of UTF-8), or a value. */
  context?: unknown;
  limits?: Limits;
  /**
   * Edits what a model wraps around JSON or writes in a form that is none, and tells each edit in the verdict; default
   * "none". An object gives a level to single classes, and with `default` to all others ("certain", if it is left out).
   */
  edits?: EditLevel | (Partial<Record<EditClass, EditLevel>> & { default?: EditLevel });
}

/**
 * JSON text as a string or as bytes of UTF-8; anything else is a value, judged as `JSON.stringify` writes it. What is of type
 * `unknown` may be a promise or nothing at all: say what it is, `value as Artifact`, and it is looked at when it is judged.
 */
export type Artifact = string | number | boolean | null | object;

/** Nothing where `A` may be an artifact; else a type that no value has, which says what to give instead. */
export type NotMistaken<A> = A extends string | number | boolean | null
  ? unknown
  : A extends PromiseLike<unknown>
    ? "a promise: await it first"
    : A extends (...given: never) => unknown
      ? "a function: call it first"
      : A extends { readonly "~standard": object } | { safeParse(given: unknown): unknown }
        ? "a schema of another library: it belongs into plumb.contract()"
        : A extends { json(): unknown; text(): unknown }
          ? "a response or a request: give `await response.text()`"
          : A extends { arrayBuffer(): unknown; text(): unknown }
            ? "a blob: give `await blob.text()`"
            : A extends AsyncIterable<unknown> | { getReader(): unknown }
              ? "a stream: push its pieces to contract.stream()"
              : A extends ReadonlyMap<unknown, unknown>
                ? "a Map: give Object.fromEntries(map)"
                : A extends ReadonlySet<unknown>
                  ? "a Set: give [...set]"
                  : unknown;

/** What a reader should know though the contract is accepted. */
export interface ContractWarning {
  message: string;
  /** JSON Pointer into the contract. */
  at: string;
  line: number;
  column: number;
}

/**
 * The module that contracts of one `Plumb` use; a grown instance is replaced behind it.
 * @internal
 */
export interface Home {
  current(): Module;
  afterUse(): void;
}

interface Info {
  name: string;
  title: string;
  hash: string;
  warnings: ContractWarning[];
  context: string[];
  without_keywords: boolean;
}

/** A check in the module, for one artifact after the other. */
interface Check extends Maker {
  readonly module: Module;
  readonly number: number;
  /** The options it was made for. */
  readonly key: string;
}

/** What one contract has in one instance. Kept apart from the contract, so that it can be freed after it. */
interface Held {
  module: Module;
  contract: number;
  /** Checks that nobody uses at the moment. */
  idle: Check[];
}

const idleMax = 8;
/** Of a value that nobody looks at so much waits in the module, and a piece. */
const waitingMost = 64 * 1024;

const forgotten: FinalizationRegistry<() => void> | undefined =
  typeof FinalizationRegistry === "undefined"
    ? undefined
    : /* @__PURE__ */ new FinalizationRegistry<() => void>((free) => free());

/** A contract, read. Any number of checks may use it. */
export class Contract<T = unknown> {
  readonly #home: Home;
  readonly #bytes: Uint8Array;
  readonly #options: Omit<Written, "text"> & { readonly name: string | undefined; readonly assertFormats: boolean | undefined };
  #standard: StandardProps<T> | undefined;
  readonly #info: Info;
  readonly #held: Held;
  #disposed = false;

  /** @internal */
  constructor(home: Home, schema: string | Uint8Array | Schema, options: ContractOptions) {
    this.#home = home;
    this.#bytes = schema instanceof Uint8Array ? schema.slice() : encodeExactly(textOf(schema, "a contract", true));
    const documents: Record<string, string> = {};
    for (const [uri, document] of Object.entries(options.documents ?? {})) {
      documents[uri] = textOf(document, `the document ${uri}`, true);
    }
    refuseUnknown(options, "documents dialect assertFormats name uri");
    const { name, uri, dialect, assertFormats } = options;
    refuseOther("dialect", dialect ?? "v1", dialects);
    this.#options = { name, uri, dialect, assertFormats, documents };
    const module = home.current();
    const { number, info } = module.readContract(this.#bytes, this.#options);
    const held: Held = { module, contract: number, idle: [] };
    this.#held = held;
    this.#info = info as Info;
    forgotten?.register(this, () => free(held), this);
  }

  /** The name in verdicts. */
  get name(): string {
    return this.#info.name;
  }
  get title(): string {
    return this.#info.title;
  }
  /** `sha256:` and 64 digits, over the text as written and the documents it refers to. */
  get hash(): string {
    return this.#info.hash;
  }
  get warnings(): readonly ContractWarning[] {
    return this.#info.warnings;
  }
  /** The context pointers that the contract reads: what to give as `context`. */
  get context(): readonly string[] {
    return this.#info.context;
  }
  /** True if none of its members is a keyword: everything keeps such a contract. */
  get withoutKeywords(): boolean {
    return this.#info.without_keywords;
  }
  /** The contract as it was read. */
  get text(): string {
    return new TextDecoder().decode(this.#bytes);
  }

  /**
   * The contract as a request of the author module holds it.
   * @internal
   */
  get request(): { readonly contract: string } {
    return { contract: this.text, ...this.#options };
  }

  /**
   * Standard Schema and Standard JSON Schema, version 1: give the contract itself to what takes a schema of any library. With
   * `standard(options)` it is another such schema, whose `validate` has context, limits or edits.
   */
  get "~standard"(): StandardProps<T> {
    return (this.#standard ??= standardOf(this, this.#written, undefined));
  }

  standard(options: CheckOptions): { readonly "~standard": StandardProps<T> } {
    return { "~standard": standardOf(this, this.#written, options) };
  }

  get #written(): Written {
    return { text: this.text, ...this.#options };
  }

  /** The verdict on one artifact. */
  check<A extends Artifact>(artifact: A & NotMistaken<A>, options?: CheckOptions): Judged<T>;
  check(artifact: unknown, options?: CheckOptions): Judged<T> {
    const check = this.#take(options);
    const { module, number } = check;
    let outcome: Outcome;
    let text: string | undefined;
    let bytes: Uint8Array | undefined;
    if (typeof artifact === "string") {
      outcome = module.checkText(number, artifact);
    } else if (artifact instanceof Uint8Array || isBuffer(artifact) || ArrayBuffer.isView(artifact)) {
      bytes = artifact instanceof Uint8Array ? artifact : bytesOf(artifact);
      outcome = module.checkBytes(number, bytes);
    } else {
      try {
        text = stringified(artifact, "an artifact");
      } catch (error) {
        this.#giveBack(check);
        throw error;
      }
      outcome = module.checkText(number, text, stringifiesWell);
    }
    const verdict = makeVerdict(check, outcome, text);
    this.#giveBack(check);
    const given = bytes ?? text ?? (artifact as string);
    keepText(verdict, given);
    keepValue(verdict, given);
    return verdict as Judged<T>;
  }

  /** Judges an artifact while it is still being written. */
  stream(options?: CheckOptions): Stream<T> {
    const check = this.#take(options);
    return new Stream(check, () => this.#giveBack(check));
  }

  /** Verdicts as JSON or as feedback for a model. For reports, `plumb.author()` has a `render` of its own. */
  render(verdicts: Verdicts, format: Format, options: RenderOptions = {}): string {
    return render(this.#home.current(), verdicts, format, options);
  }

  /** Frees what the contract has in the module. Not needed: a contract that nobody refers to is freed by itself. */
  dispose(): void {
    if (!this.#disposed) {
      this.#disposed = true;
      forgotten?.unregister(this);
      free(this.#held);
    }
  }

  #take(options: CheckOptions | undefined): Check {
    if (this.#disposed) {
      throw new PlumbError("invalid_argument", "this contract was disposed of");
    }
    const held = this.#held;
    const module = this.#home.current();
    if (held.module !== module) {
      free(held);
      held.contract = module.readContract(this.#bytes, this.#options).number;
      held.module = module;
    }
    let context = "";
    let key = "";
    if (options !== undefined) {
      refuseUnknown(options, "context limits edits");
      context = contextOf(options.context);
      key = `${keyOf(options.limits)}\0${keyOf(options.edits)}\0${context}`;
    }
    for (let i = held.idle.length - 1; i >= 0; --i) {
      const one = held.idle[i]!;
      if (one.key === key) {
        held.idle.splice(i, 1);
        return one;
      }
    }
    const number = module.newCheck(held.contract, context, {
      ...bounded(options?.limits),
      edits: options?.edits,
      seed: seed(),
    });
    return { module, number, key, contract: this.#info.name, hash: this.#info.hash, kept: undefined };
  }

  #giveBack(check: Check): void {
    const held = this.#held;
    if (held.module === check.module && !this.#disposed) {
      held.idle.push(check);
      if (held.idle.length > idleMax) {
        check.module.free(0, [held.idle.shift()!.number]);
      }
    } else {
      check.module.free(0, [check.number]);
    }
    this.#home.afterUse();
  }
}

function free(held: Held): void {
  held.module.free(
    held.contract,
    held.idle.map((one) => one.number),
  );
  held.contract = 0;
  held.idle = [];
}

/**
 * An artifact that is still being written. Push what comes, split anywhere; how it is split changes nothing. A finding
 * is never taken back.
 */
export class Stream<T = unknown> {
  readonly #module: Module;
  readonly #number: number;
  readonly #maker: Maker;
  readonly #release: () => void;
  readonly #pieces = new Pieces();
  #value: GrowingValue<T> | undefined;
  /** What is done after a piece was pushed, once the value was asked for. */
  #pushed: ((size: number) => void) | undefined;
  #half = "";
  #signals: readonly Signal[] = none;
  #last: readonly Finding[] = none;
  #ended = false;

  /** @internal */
  constructor(check: Maker & { module: Module; number: number }, release: () => void) {
    const { module, number } = check;
    this.#module = module;
    this.#number = number;
    this.#maker = check;
    this.#release = release;
    forgotten?.register(this, () => module.free(0, [number]), this);
  }

  /**
   * Judges the next piece. Returns the findings that have become certain with it, mostly none; those whose value is still
   * open are `partial` and come again, completed, under the same `id`.
   */
  push(chunk: string | Uint8Array | ArrayBuffer | ArrayBufferView): readonly Finding[] {
    this.#open();
    let findings: readonly unknown[];
    if (typeof chunk === "string") {
      let text = chunk;
      if (this.#half !== "" && text !== "") {
        text = this.#half + text;
        this.#half = "";
      }
      // The first half of a pair waits for the second.
      if (text !== "" && isHighSurrogate(text.charCodeAt(text.length - 1))) {
        this.#half = text.slice(-1);
        text = text.slice(0, -1);
      }
      this.#pieces.push(text);
      findings = this.#module.pushText(this.#number, text, this.#pushed);
    } else {
      if (!isBuffer(chunk) && !ArrayBuffer.isView(chunk)) {
        refusePiece(chunk);
      }
      const bytes = chunk instanceof Uint8Array ? chunk : bytesOf(chunk);
      const early = bytes.length === 0 ? none : this.#pushHalf();
      this.#pieces.push(bytes);
      findings = this.#module.pushBytes(this.#number, bytes, this.#pushed);
      if (early.length > 0) {
        findings = [...early, ...findings];
      }
    }
    if (this.#module.signalCount !== this.#signals.length) {
      this.#signals = this.#module.signals(this.#number) as Signal[];
    }
    return findings as readonly Finding[];
  }

  /** Raised beside the verdict when the stream becomes degenerate: whoever pays for it may want to stop it. */
  get signals(): readonly Signal[] {
    return this.#signals;
  }

  /** After `end()`: the findings that became certain with the end. */
  get last(): readonly Finding[] {
    return this.#last;
  }

  /** The verdict, the same that `check` gives for the whole text. */
  end(): Judged<T> {
    this.#open();
    const early = this.#pushHalf();
    const { outcome, certain } = this.#module.end(this.#number);
    if (this.#value !== undefined) {
      this.#module.grow(this.#number, this.#value);
      this.#module.reset(this.#number);
    }
    this.#last = [...early, ...certain] as Finding[];
    const verdict = makeVerdict(this.#maker, outcome, undefined);
    keepValue(verdict, this.#pieces);
    this.#close();
    return verdict as Judged<T>;
  }

  /**
   * The value so far: of the text that is judged, with the stream's edits. What it has shown once stays: lists and objects
   * only become longer, strings go on, and what is complete does not change. It may be asked for at any time, from the first
   * time on also after `end()`; each time costs what is new.
   *
   * Of a key that occurs twice, which is an error, the first member is shown. (Of a valid text the value in the end is what
   * `JSON.parse` gives.)
   */
  value(): StreamedValue<T> {
    return this.#grown().soFar;
  }

  /** What has changed in the value since the last call, at most once a place, in the order of the text; at first all of it. */
  changes(): readonly ValueChange[] {
    return this.#grown().changes();
  }

  /** Whether what is at a JSON Pointer in the value so far is complete; undefined where nothing is yet. */
  stateAt(pointer: string): PlaceState | undefined {
    return this.#grown().stateAt(pointer);
  }

  /** Gives up: frees what the stream holds, without a verdict. Nothing to do after `end()`. */
  dispose(): void {
    if (!this.#ended) {
      this.#module.reset(this.#number);
      this.#close();
    }
  }

  #close(): void {
    this.#ended = true;
    forgotten?.unregister(this);
    this.#release();
  }

  #open(): void {
    if (this.#ended) {
      throw new PlumbError("invalid_argument", "this stream has ended; get a new one from contract.stream()");
    }
  }

  // A half that no other one followed stays alone.
  #pushHalf(): readonly unknown[] {
    const half = this.#half;
    if (half === "") {
      return none;
    }
    this.#half = "";
    this.#pieces.push(half);
    return this.#module.pushText(this.#number, half, this.#pushed);
  }

  /** All that was pushed; the first time whoever asks makes it begin. */
  #grown(): GrowingValue<T> {
    if (this.#value === undefined) {
      if (this.#ended) {
        throw new PlumbError("invalid_argument", "ask a stream for its value before it ends; the verdict has the whole one");
      }
      const earlier = this.#pieces.parts();
      if (earlier === undefined) {
        throw new PlumbError("limit", "ask for the value before 64 MB have been pushed; what was is not kept");
      }
      const value = new GrowingValue<T>();
      earlier.forEach((part) => this.#module.grow(this.#number, value, part));
      this.#value = value;
      let waiting = 0;
      this.#pushed = (size) => {
        waiting += size;
        if (waiting >= waitingMost) {
          waiting = 0;
          this.#module.grow(this.#number, value);
        }
      };
    }
    if (!this.#ended) {
      this.#module.grow(this.#number, this.#value);
    }
    return this.#value;
  }
}

export interface Contract<T = unknown> {
  [Symbol.dispose](): void;
}
export interface Stream<T = unknown> {
  [Symbol.dispose](): void;
}
// Where the platform knows `using`.
if (typeof Symbol.dispose === "symbol") {
  for (const { prototype } of [Contract, Stream]) {
    Object.defineProperty(prototype, Symbol.dispose, {
      value(this: { dispose(): void }) {
        this.dispose();
      },
    });
  }
}

/** Also one of another window. */
function isBuffer(value: unknown): value is ArrayBuffer {
  return value instanceof ArrayBuffer || Object.prototype.toString.call(value) === "[object ArrayBuffer]";
}

function bytesOf(data: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

function contextOf(context: unknown): string {
  if (context === undefined) {
    return "";
  }
  const text = context instanceof Uint8Array ? new TextDecoder().decode(context) : textOf(context, "the context");
  if (text === "") {
    throw new PlumbError("invalid_argument", "the context is empty; it must be a JSON document");
  }
  return text;
}

/** A string is text already. */
function textOf(value: unknown, what: string, schema = false): string {
  return typeof value === "string" ? value : stringified(value, what, schema);
}

/** JSON.stringify writes a lone surrogate as an escape; only text of JSON.rawJSON goes in as it is, where there is that. */
const stringifiesWell = !("rawJSON" in JSON);

function stringified(value: unknown, what: string, schema = false): string {
  refuseMistaken(value, what, schema);
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PlumbError("invalid_argument", `${what} cannot be written as JSON: ${why}`, {}, error);
  }
  if (text === undefined) {
    throw new PlumbError("invalid_argument", `${what} of type ${typeof value} cannot be written as JSON`);
  }
  refuseFunctions(value, what, schema);
  return text;
}

function keyOf(option: object | string | undefined): string {
  return option === undefined ? "" : JSON.stringify(option);
}

/** Limits as the module reads them: whole numbers that fit. */
function bounded(limits: Limits | undefined): Limits {
  const checked: Record<string, number> = {};
  refuseUnknown((limits ??= {}), "depthMax bytesMax findingsMax heldMax evaluationsMax exponentMax");
  for (const [name, value] of Object.entries(limits)) {
    if (value === undefined) {
      continue;
    }
    const max = name === "bytesMax" ? Number.MAX_SAFE_INTEGER : 0xffffffff;
    if (!Number.isInteger(value) || value < 0 || value > max) {
      throw new PlumbError("invalid_argument", `limits.${name} must be a whole number from 0 to ${max}`);
    }
    checked[name] = value;
  }
  return checked;
}

/** Against crafted keys; no output depends on it. */
function seed(): number {
  return Math.floor(Math.random() * 0x100000000);
}
