/** The module, started, and how to start it; index.ts and node.ts say where its bytes come from. */
import { startAuthor, type Author } from "./author.js";
import type { BoundaryOptions, Crossing } from "./boundary.js";
import { startBudget, type Budget } from "./budget.js";
import { Contract, type ContractOptions, type Home, type Schema } from "./contract.js";
import { PlumbError } from "./error.js";
import type { FromSchema } from "./infer.js";
import { keywords } from "./keywords.js";
import { refuseUnknown } from "./misuse.js";
import type { LiteralContract, LiteralSchema } from "./literal.js";
import { Module } from "./module.js";
import type { JournalSource } from "./journal.js";
import type { Replay } from "./replay.js";
import { render, type Format, type RenderOptions, type Verdicts } from "./render.js";
import type { Clarification, MeasuredHistory } from "./roles.js";
import type { Effect, Reply, Run, RunOptions } from "./run.js";
import { startRuns, type Pipeline, type Runs } from "./runs.js";
import { standardJsonSchema, type StandardJsonSchemaLike } from "./standard.js";
import type { Story } from "./story.js";
import {
  compiled,
  notStarted,
  type Finder,
  type LoadSource,
  type ModuleFile,
  type Part,
  type Source,
  type Sources,
} from "./source.js";
import { verdictJson, type Verdict } from "./verdict.js";
import type { ViaProxyOptions } from "./via_proxy.js";

/** A built-in contract, as `plumb.contracts` lists them. */
export interface BuiltInContract {
  readonly name: string;
  readonly title: string;
  /** The contract as it is written. */
  readonly text: string;
}

/** What a contract is read from. */
export type ContractSource = string | Uint8Array | Schema | StandardJsonSchemaLike;

/** @internal */
export async function start(
  finder: Finder,
  given: LoadSource,
): Promise<Plumb> {
  const { parts, module: source, authorModule, runsModule, budgetModule, storyModule } = allOf(given);
  const wanted = partsOf(parts);
  const part = (name: keyof Later, own: Sources["authorModule"]): (() => Promise<WebAssembly.Module>) =>
    wanted?.has(name) === false ? () => Promise.reject(missing(name, wanted)) : later(finder, `plumb-${name}.wasm`, own);
  const others: Later = {
    author: part("author", authorModule),
    runs: part("runs", runsModule),
    budget: part("budget", budgetModule),
    story: part("story", storyModule),
  };
  const first = wanted === undefined ? [] : (Object.keys(others) as (keyof Later)[]).filter((name) => wanted.has(name));
  // The least that checks: the author module and that of runs do as well.
  const home = first.find((name) => name === "author" || name === "runs");
  const [module] = await Promise.all([
    source === undefined && home !== undefined
      ? others[home]()
      : compiled(finder, wanted === undefined || wanted.has("text") ? "plumb-check.wasm" : "plumb-schema.wasm", source),
    ...first.map((name) => others[name]()),
    wanted?.has("story") === true ? import("./story.js") : undefined,
  ]);
  try {
    return new Plumb(await Module.start(module), others);
  } catch (error) {
    throw notStarted(error);
  }
}

function partsOf(parts: Sources["parts"]): Set<Part> | undefined {
  if (parts === undefined) {
    return undefined;
  }
  const known: readonly Part[] = ["text", "author", "runs", "budget", "story"];
  const unknown = Array.isArray(parts) ? parts.find((one) => !known.includes(one)) : parts;
  if (unknown !== undefined) {
    throw new PlumbError("invalid_argument", `\`parts\` is a list of ${known.join(", ")}, and not ${JSON.stringify(unknown)}`);
  }
  return new Set(parts);
}

function missing(part: Part, wanted: ReadonlySet<Part>): PlumbError {
  const all = [...wanted, part].map((one) => `"${one}"`).join(", ");
  return new PlumbError("unavailable", `this was loaded without the part "${part}"; load({ parts: [${all}] }) has it`);
}

/** Compiles a module when it is first wanted. */
function later(finder: Finder, file: ModuleFile, source: Sources["authorModule"]): () => Promise<WebAssembly.Module> {
  if (typeof (source as Partial<PromiseLike<Source>> | undefined)?.then === "function") {
    Promise.resolve(source).catch(() => undefined); // whoever wants the module is told, if anybody ever does
  }
  let compiling: Promise<WebAssembly.Module> | undefined;
  return () =>
    (compiling ??= compiled(
      finder,
      file,
      typeof source === "function" ? (source as () => Source | PromiseLike<Source>)() : source,
    ).catch((error: unknown) => {
      compiling = undefined; // the next one to want it tries again
      throw error;
    }));
}

function allOf(given: LoadSource): Sources {
  // Written as options; a URL, a response, bytes and a promise are of classes of their own, or have these members.
  if (given?.constructor === Object && /^(?!then|href|.*arrayBuffer)./.test(Object.keys(given).join())) {
    refuseUnknown(given as object, "parts module authorModule runsModule budgetModule storyModule");
    return given as Sources;
  }
  return given === undefined ? {} : { module: given };
}

/** Compiles what is loaded later. */
interface Later {
  author(): Promise<WebAssembly.Module>;
  runs(): Promise<WebAssembly.Module>;
  budget(): Promise<WebAssembly.Module>;
  story(): Promise<WebAssembly.Module>;
}

/** The module, started. Get one from `load()`. */
export class Plumb {
  #module: Module;
  #about: { version: string; contracts: { name: string; text: string }[] } | undefined;
  #contracts: readonly BuiltInContract[] | undefined;
  #author: Author | undefined;
  #startingAuthor: Promise<Author> | undefined;
  #runs: Runs | undefined;
  #startingRuns: Promise<Runs> | undefined;
  #budget: Budget | undefined;
  #startingBudget: Promise<Budget> | undefined;
  #story: Story | undefined;
  #startingStory: Promise<Story> | undefined;
  readonly #later: Later;

  /** @internal */
  constructor(module: Module, later: Later) {
    this.#module = module;
    this.#later = later;
  }

  /** The version of the module: that of the package, of the command `plumb` and of the server it was built with. */
  get version(): string {
    return this.#told().version;
  }

  /** The vocabulary that contracts add to JSON Schema; give it to ajv's `addVocabulary`. */
  get keywords(): readonly string[] {
    return keywords;
  }

  /** The built-in contracts, in the order of their names. */
  get contracts(): readonly BuiltInContract[] {
    this.#contracts ??= Object.freeze(
      this.#told().contracts.map(({ name, text }) => {
        const { title } = JSON.parse(text) as { title?: unknown };
        return Object.freeze({ name, title: typeof title === "string" ? title : name, text });
      }),
    );
    return this.#contracts;
  }

  /**
   * What is about writing and showing contracts: reports for people and other tools, what rules mean. It is a module of
   * its own, found as the first one was, and loaded and started when this is first called.
   */
  author(): Promise<Author> {
    if (this.#author !== undefined && !this.#author.broken) {
      return Promise.resolve(this.#author);
    }
    return (this.#startingAuthor ??= this.#later
      .author()
      .then((compiledModule) => startAuthor(compiledModule, this.version, () => this.#module))
      .then((author) => (this.#author = author))
      .finally(() => (this.#startingAuthor = undefined)));
  }

  /**
   * Budgets: what texts cost in tokens, what fits a window and what is cut, pressure, risk, loops, and which model a task
   * goes to. A module of its own, loaded and started when this is first called.
   */
  budget(): Promise<Budget> {
    if (this.#budget !== undefined && !this.#budget.broken) {
      return Promise.resolve(this.#budget);
    }
    return (this.#startingBudget ??= this.#later
      .budget()
      .then((compiledModule) => startBudget(compiledModule, this.version))
      .then((budget) => (this.#budget = budget))
      .finally(() => (this.#startingBudget = undefined)));
  }

  /**
   * Branching stories: made of an outline, checked, replayed phase by phase, read and exported. A module of its own, loaded
   * and started when this is first called.
   */
  story(): Promise<Story> {
    if (this.#story !== undefined && !this.#story.broken) {
      return Promise.resolve(this.#story);
    }
    return (this.#startingStory ??= this.#later
      .story()
      .then(async (compiledModule) =>
        (await import("./story.js")).startStory(compiledModule, this.version, (schema) => this.contract(schema)),
      )
      .then((story) => (this.#story = story))
      .finally(() => (this.#startingStory = undefined)));
  }

  /** The pipelines that `run` knows. This and what follows is a module of its own, loaded when it is first wanted. */
  async pipelines(): Promise<readonly Pipeline[]> {
    return (await this.#wantRuns()).pipelines;
  }

  /**
   * Starts a run of a pipeline, or goes on with one from its journal. It goes on by itself; the notes that it tells are
   * had by iterating over it, its outcome is `result`, and `journal` is what it can go on from, here or anywhere else.
   */
  async run(pipeline: string, input: unknown, options: RunOptions): Promise<Run> {
    return (await this.#wantRuns()).run(pipeline, input, options);
  }

  /**
   * Passes items on to the next stage: rules first, then `judge`, and rejected items to `revise` and `judge` again, at most
   * twice. It is a run of the pipeline `boundary`, which asks your functions instead of models; docs/boundaries.md.
   */
  async boundary<Item>(items: readonly Item[], options: BoundaryOptions<Item>): Promise<Crossing<Item>> {
    return (await import("./boundary.js")).boundary(this, items, options);
  }

  /** A journal to step through, forward and back, without asking anybody. */
  async replay(journal: JournalSource): Promise<Replay> {
    return (await this.#wantRuns()).replay(journal);
  }

  /** Fulfils model calls without a model, from the text of the source alone: a function for the option `fulfil`. */
  readonly extract = async (effect: Pick<Effect, "kind" | "request">): Promise<Reply> =>
    (await this.#wantRuns()).extract(effect);

  /**
   * Fulfils model calls through a proxy, `plumb serve --proxy` at `url`, whose provider and key this program does not know: a
   * function for the option `fulfil`; docs/page.md.
   */
  viaProxy(url: string, options: ViaProxyOptions): (effect: Effect) => Promise<Reply> {
    return async (effect) => (await import("./via_proxy.js")).viaProxy(this, url, options, effect);
  }

  #wantRuns(): Promise<Runs> {
    if (this.#runs !== undefined && !this.#runs.broken) {
      return Promise.resolve(this.#runs);
    }
    return (this.#startingRuns ??= this.#later
      .runs()
      .then((compiledModule) => startRuns(compiledModule, this.version))
      .then((runs) => (this.#runs = runs))
      .finally(() => (this.#startingRuns = undefined)));
  }

  /** Bytes of memory that the module holds. An instance that has grown beyond 64 MB is replaced after a check. */
  get memoryBytes(): number {
    return this.#module.memoryBytes;
  }

  /**
   * Reads a contract: the name of a built-in one, the text of a schema (numbers and the order of keys are kept exactly as
   * written), a schema as a value, or a schema of another library that is a Standard JSON Schema (zod, valibot, arktype): its
   * input is judged. Throws a `PlumbError` with the place when it is no contract.
   *
   * What a verdict's `value` is follows from a schema that is written in the call and from the types of a schema library;
   * `contract<Quiz>("quiz")` says it.
   */
  contract<Input, _ extends 0>(schema: StandardJsonSchemaLike<Input>, options?: ContractOptions): Contract<Input>;
  contract<const S extends Schema, _ extends 0>(
    schema: S & LiteralSchema<S>,
    options?: ContractOptions,
  ): Contract<FromSchema<S>>;
  contract<T = unknown, const Given extends ContractSource = ContractSource>(
    nameOrSchema: Given & LiteralContract<Given>,
    options?: ContractOptions,
  ): Contract<T>;
  contract(
    nameOrSchema: ContractSource,
    options: ContractOptions = {},
  ): Contract {
    if (nameOrSchema instanceof Contract) {
      const { contract: text, ...own } = nameOrSchema.request;
      return new Contract(this.#home, text, { ...own, ...options });
    }
    let schema = standardJsonSchema(nameOrSchema) ?? (nameOrSchema as string | Uint8Array | Schema);
    let name = options.name;
    if (typeof nameOrSchema === "string" && !/^\s*(?:\{|true\s*$|false\s*$)/.test(nameOrSchema)) {
      const builtIn = this.#told().contracts.find((one) => one.name === nameOrSchema);
      if (builtIn === undefined) {
        const names = this.#told().contracts.map((one) => one.name);
        throw new PlumbError(
          "not_found",
          /^\s*["[\d-]/.test(nameOrSchema) || nameOrSchema.length > 100
            ? "a contract is the name of a built-in one or a JSON Schema: an object, true or false"
            : `there is no built-in contract "${nameOrSchema}"; there are ${names.join(", ")}` +
                (this.#module.readsTexts ? "" : '; with load({ parts: ["text"] }) there are more'),
        );
      }
      schema = builtIn.text;
      name ??= nameOrSchema;
    }
    return new Contract(this.#home, schema, name === undefined ? options : { ...options, name });
  }

  /** Verdicts as JSON or as feedback for a model. For reports, `author()` has a `render` of its own. */
  render(verdicts: Verdicts, format: Format, options: RenderOptions = {}): string {
    return render(this.#module, verdicts, format, options);
  }

  /**
   * The one question that Intake would put to the user instead of starting research, as its tool call; null where its
   * scorecard has nothing that the user could mend. `verdict` is one under the contract `intake`.
   */
  clarify(verdict: Verdict): Clarification | null {
    return JSON.parse(this.#module.clarify(verdictJson(verdict))) as Clarification | null;
  }

  /** What a check measures of a list of searches, {query, answer, sources}: progress, streaks, duplicates, sources. */
  measure(history: readonly unknown[]): MeasuredHistory {
    return JSON.parse(this.#module.measure(JSON.stringify(history))) as MeasuredHistory;
  }

  #told(): { version: string; contracts: { name: string; text: string }[] } {
    this.#about ??= this.#module.about();
    return this.#about;
  }

  /** What contracts know of their module: which instance is in use, and when to look whether it has grown. */
  readonly #home: Home = {
    current: (): Module => this.#module,
    afterUse: (): void => {
      this.#module = this.#module.freshIfGrown();
    },
  };
}
