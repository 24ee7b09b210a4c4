/**
 * A boundary around functions of the caller's own. It is the pipeline `boundary`, whose effects are answered by the
 * functions instead of models: cycles, limits, laws and the journal are the pipeline's.
 */
import type { Contract, Schema } from "./contract.js";
import { PlumbError } from "./error.js";
import type { Entry, Journal, JournalSource } from "./journal.js";
import type { Plumb } from "./plumb.js";
import type { Effect, Note, PlatformAbortSignal, Reply, Run, RunOptions } from "./run.js";
import type { StandardJsonSchemaLike } from "./standard.js";

/** Why an item was sent back. */
export interface Rejection {
  /** The rule that it breaks: a rule of the contract, or a keyword. */
  readonly rule: string;
  readonly reason: string;
  readonly suggestion?: string;
  /** What the rule's `action` says to do. */
  readonly action?: string;
  /** Why the last revision of this item was not used. */
  readonly unusable?: string;
}

/** An item as the judge gets it. */
export interface JudgedItem<Item = unknown> {
  /** Unique in the crossing, and never changed: "3", and "3.1" where item 3 was split. */
  readonly id: string;
  /** What the field calls it that `itemId` names; absent where there is none. */
  readonly name?: string;
  readonly item: Item;
}

/** Tokens that a function has used. */
export interface SpentTokens {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

interface Asked {
  /** 0 for the first judgement; 1 and 2 for revisions, and judgements after them. */
  readonly cycle: number;
  /** Aborted when the answer is not wanted any more: its time is over, or the run has ended. */
  readonly signal: PlatformAbortSignal;
  /** Adds to the tokens that the run counts. */
  spent(tokens: SpentTokens): void;
}

export interface JudgeContext extends Asked {
  /** What the judge decides: the rules of the contract with `ask`. A rejection names one of them by its `id`. */
  readonly rules: readonly { readonly id: string; readonly title?: string; readonly ask: string }[];
  /** The option `context`. */
  readonly context: unknown;
}

export interface ReviseContext extends Asked {
  readonly id: string;
  readonly name?: string;
}

/** What the judge answers. An item that it does not mention is accepted. */
export interface Judgement {
  /** Ids of items, or their names where no other item of the call has the same. */
  readonly accepted?: readonly (string | number)[];
  readonly rejected: readonly {
    readonly id: string | number;
    /** The `id` of a rule of the contract. Without a rule of the contract, and without a reason, a rejection does not count. */
    readonly rule: string;
    readonly reason: string;
    readonly suggestion?: string;
  }[];
}

/** A run's options as far as a boundary has them: where entries are stored, what to go on from, who cancels. */
export interface BoundaryOptions<Item = unknown> extends Omit<RunOptions, "fulfil" | "contracts" | "prompts"> {
  /** For one item: the name of a built-in contract, a schema or its text, or a contract that was read. */
  contract: string | Schema | Contract | StandardJsonSchemaLike;
  /**
   * Judges items that break no rule which needs no judge. If it throws, answers with something else or takes too long, its
   * items pass as unverified. Without it, rules with `ask` are not judged.
   */
  judge?(items: readonly JudgedItem<Item>[], context: JudgeContext): Judgement | PromiseLike<Judgement>;
  /**
   * Gives a rejected item anew, or at most 5 items that take its place. If it throws, answers with something that is no such
   * item or takes too long, the item stays as it is, and rejected.
   */
  revise?(item: Item, rejection: Rejection, upstream: unknown, context: ReviseContext): Item | Item[] | PromiseLike<Item | Item[]>;
  /** What the items were made from: one value, or a list with one for each item. */
  upstream?: unknown;
  /** What the contract's `context:` pointers read. */
  context?: unknown;
  /** JSON Pointer to the field that names an item; by default the contract's `itemId`. */
  itemId?: string;
  /** Milliseconds for one call; by default 90,000 and 60,000. */
  limitsMs?: { readonly judge?: number; readonly revise?: number };
  /** A call of the judge has as many items as take two thirds of four fifths of so many tokens. By default 16,000 tokens of items. */
  windowTokens?: number;
  /** Rules by their `id` that judge and count but do not reject yet; `["*"]` for all. Each of `cycles` has `observed`. */
  observe?: readonly string[];
  /** An event of the run has been stored: INPUT_VALIDATION after each cycle, `boundary` at the end. */
  onNote?(note: Note): void;
}

interface CrossedItem<Item> {
  readonly id: string;
  readonly name?: string;
  /** Its place in the items that were given. */
  readonly index: number;
  readonly item: Item;
}

/** An item that passes though it was rejected to the end. */
export interface WarnedItem<Item = unknown> extends CrossedItem<Item> {
  /** Its place in `items`. */
  readonly at: number;
  readonly warning: string;
  readonly rule: string;
  readonly reason: string;
}

/** An item that does not have the structure its contract demands. It is not in `items`. */
export interface HeldBackItem<Item = unknown> extends CrossedItem<Item> {
  readonly rule: string;
  readonly reason: string;
}

/** An item that a judge should have judged, and did not. */
export interface UnverifiedItem<Item = unknown> extends CrossedItem<Item> {
  /** Its place in `items`. */
  readonly at: number;
}

export interface Crossing<Item = unknown> {
  /** The first that applies: something is held back, unverified, warned of, or nothing of it. */
  readonly decision: "revise" | "accept_unverified" | "accept_with_warnings" | "accept";
  /** For the next stage: the accepted items in the order in which they were given, then those with a warning. */
  readonly items: Item[];
  readonly warned: WarnedItem<Item>[];
  readonly heldBack: HeldBackItem<Item>[];
  readonly unverified: UnverifiedItem<Item>[];
  /** What each cycle did, as INPUT_VALIDATION reports it. */
  readonly cycles: readonly Readonly<Record<string, unknown>>[];
  readonly qualityFlags: {
    readonly items_produced: number;
    readonly validation_rejections: number;
    readonly validation_retries: number;
  };
  /** As far as the functions have told. */
  readonly tokens: number;
  readonly journal: Journal;
}

/** A result of the pipeline, as far as it is read here. */
interface Result {
  decision: Crossing["decision"];
  items: {
    id: string;
    name?: string;
    index: number;
    passed: "accepted" | "warned" | "failed";
    unverified: boolean;
    validation_warnings?: [string];
    why?: { rule: string; reason: string };
    value: unknown;
  }[];
  quality_flags: Crossing["qualityFlags"];
  tokens: number;
}

/** @internal */
export async function boundary<Item>(
  plumb: Plumb,
  items: readonly Item[],
  options: BoundaryOptions<Item>,
): Promise<Crossing<Item>> {
  refuseMistaken(items, options);
  const { contract, judge, revise, upstream, context, itemId, limitsMs, windowTokens, observe, onNote, ...own } = options;
  const read = plumb.contract(contract as Schema);
  const schema: unknown = JSON.parse(read.text);
  read.dispose();
  if (judge !== undefined && !rulesOf(schema).some(({ ask }) => ask)) {
    throw refused(
      "`judge` has nothing to decide: the contract has no rule with `ask`; add " +
        '`rules: [{ id: "clear", ask: "Can it be understood?" }]` to it, and reject by the `id`',
    );
  }
  if (own.journal !== undefined) {
    await refuseOther(plumb, own.journal, items, schema);
  }
  const request = {
    items,
    contract: schema,
    id: itemId,
    upstream,
    context,
    window_tokens: windowTokens,
    observe,
    limits_ms: limitsMs && { validate: limitsMs.judge, revise: limitsMs.revise },
    judge: judge && "client",
    revise: revise && "client",
    // Without a function it is a boundary by rules, as the command makes one without a model.
    providers: { ...(!judge && { validate: "extract" }), ...(!revise && { revise: "extract" }) },
  };
  const fulfil = (effect: Effect): Promise<Reply> => answer(plumb, options, effect);
  const run = await plumb.run("boundary", request, { ...own, fulfil });
  for await (const note of run) {
    onNote?.call(options, note);
  }
  const { state, value, error } = await run.result;
  if (state === "done") {
    return crossingOf(value as Result, run);
  }
  if (own.signal?.aborted === true) {
    throw own.signal.reason;
  }
  throw error === undefined
    ? new PlumbError("unavailable", "the boundary was cancelled")
    : new PlumbError(error.code, error.message, { where: error.where });
}

/** What the run asks in place of a prompt: core/pipelines/boundary/client_question.hpp. */
interface Question {
  readonly what: "judge" | "revise";
  readonly cycle: number;
  readonly items: readonly JudgedItem[];
  readonly rules: JudgeContext["rules"];
  readonly context?: unknown;
  readonly id: string;
  readonly name?: string;
  readonly item: unknown;
  readonly rejection: Rejection;
  readonly upstream: unknown;
}

/** The answer to a model call: that of the function in its place. */
async function answer<Item>(plumb: Plumb, options: BoundaryOptions<Item>, effect: Effect): Promise<Reply> {
  const { question } = effect.request as { question?: Question };
  if (question === undefined || options[question.what] === undefined) {
    return plumb.extract(effect);
  }
  const usage = { input_tokens: 0, output_tokens: 0 };
  const spent = (tokens: SpentTokens): void => {
    usage.input_tokens += count(tokens?.input_tokens);
    usage.output_tokens += count(tokens?.output_tokens);
  };
  const told = (): object => (usage.input_tokens + usage.output_tokens > 0 ? { usage } : {});
  try {
    const text = await (question.what === "judge" ? judged : revised)(options, question, { signal: effect.signal, spent });
    return { value: { text, finish: "stop", ...told() } };
  } catch (error) {
    return { error: `${question.what}: ${said(error)}`, value: { class: "unreachable", retryable: false, status: 0, ...told() } };
  }
}

type Give = Pick<Asked, "signal" | "spent">;

async function judged<Item>(options: BoundaryOptions<Item>, question: Question, asked: Give): Promise<string> {
  const { items, cycle, rules, context } = question;
  const answer = await options.judge!(items as JudgedItem<Item>[], { ...asked, cycle, rules, context });
  const list = answer?.rejected;
  if (!Array.isArray(list)) {
    throw new Error("its answer has no list `rejected`");
  }
  const idOf = idsOf(items);
  const accepted = Array.isArray(answer.accepted) ? answer.accepted.map(idOf) : [];
  const rejected = (list as Partial<Judgement["rejected"][number]>[]).map((one) => ({
    item_id: idOf(one?.id),
    rule: textOf(one?.rule),
    rejection_reason: textOf(one?.reason),
    suggested_improvement: textOf(one?.suggestion),
  }));
  return JSON.stringify({ accepted_items: accepted, rejected_items: rejected });
}

async function revised<Item>(options: BoundaryOptions<Item>, question: Question, asked: Give): Promise<string> {
  const { item, cycle, rejection, upstream, id, name } = question;
  const answer: unknown = await options.revise!(item as Item, rejection, upstream, { ...asked, cycle, id, ...(name && { name }) });
  if (JSON.stringify(answer) === undefined) {
    throw new Error("it gave no item");
  }
  return JSON.stringify({ items: Array.isArray(answer) && !Array.isArray(item) ? answer : [answer] });
}

/** From what a judge calls an item to its id: the id itself, or a name that one item alone has. */
function idsOf(items: readonly JudgedItem[]): (given: unknown) => string {
  const ids = new Set(items.map(({ id }) => id));
  const named = new Map<string, string>();
  for (const { id, name } of items) {
    if (name !== undefined) {
      named.set(name, named.has(name) ? "" : id);
    }
  }
  return (given) => {
    const word = typeof given === "number" ? String(given) : textOf(given);
    return ids.has(word) ? word : named.get(word) || word;
  };
}

function crossingOf<Item>({ decision, items, quality_flags: qualityFlags, tokens }: Result, run: Run): Crossing<Item> {
  const { cycles } = run.view as { cycles: Crossing["cycles"] };
  const out = { items: [] as Item[], warned: [] as WarnedItem<Item>[], heldBack: [] as HeldBackItem<Item>[], unverified: [] as UnverifiedItem<Item>[] };
  for (const { id, name, index, passed, unverified, validation_warnings: [warning] = [""], why, value } of items) {
    const one = { id, ...(name !== undefined && { name }), index, item: value as Item };
    const { rule = "", reason = "" } = why ?? {};
    if (passed === "failed") {
      out.heldBack.push({ ...one, rule, reason });
      continue;
    }
    const at = out.items.push(one.item) - 1;
    if (passed === "warned") {
      out.warned.push({ ...one, at, warning, rule, reason });
    }
    if (unverified) {
      out.unverified.push({ ...one, at });
    }
  }
  return { decision, ...out, cycles, qualityFlags, tokens, journal: run.journal };
}

function refuseMistaken(items: unknown, options: BoundaryOptions): void {
  if (!Array.isArray(items)) {
    throw refused("a boundary takes a list of items");
  }
  if (typeof options !== "object" || options === null || options.contract === undefined) {
    throw refused("a boundary needs options with a `contract` for its items: { contract, judge, revise }");
  }
  for (const name of ["judge", "revise", "onNote"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "function") {
      throw refused(`\`${name}\` is a function`);
    }
  }
}

/** A run goes on with the items and the contract of its journal: others would be passed over without a word. */
async function refuseOther(plumb: Plumb, journal: JournalSource, items: unknown, schema: unknown): Promise<void> {
  const replay = await plumb.replay(journal);
  const begun = begin(replay.entries[0]!);
  replay.dispose();
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  if (!same(begun.items, items) || !same(begun.contract, schema)) {
    const what = same(begun.items, items) ? "another contract" : "other items";
    throw refused(`the journal is of a boundary with ${what}; a run goes on with what it was started with`);
  }
}

interface Begun {
  readonly items: unknown;
  readonly contract: unknown;
}

function begin({ data }: Entry): Begun {
  const { input, pins } = data as {
    input?: { items?: unknown };
    pins?: readonly { name: string; text: unknown }[];
  };
  return { items: input?.items, contract: pins?.find(({ name }) => name === "contract")?.text ?? {} };
}

/** The rules of a contract, wherever they stand in it. */
interface Rule {
  readonly id: string;
  readonly ask?: string;
}

function rulesOf(schema: unknown, out: Rule[] = [], level = 0): Rule[] {
  if (typeof schema !== "object" || schema === null || level > 64) {
    return out;
  }
  const { rules } = schema as { rules?: unknown };
  if (Array.isArray(rules)) {
    out.push(...rules.filter((rule: Partial<Rule> | null) => typeof rule?.id === "string"));
  }
  for (const [key, member] of Object.entries(schema)) {
    if (!["rules", "const", "enum"].includes(key)) {
      rulesOf(member, out, level + 1);
    }
  }
  return out;
}

function refused(message: string): PlumbError {
  return new PlumbError("invalid_argument", message);
}

function textOf(given: unknown): string {
  return typeof given === "string" ? given : "";
}

function count(given: unknown): number {
  return typeof given === "number" && given > 0 && Number.isFinite(given) ? Math.floor(given) : 0;
}

function said(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message === "" ? "it failed without a message" : message;
}
