/** The module, started, and how to start it; index.ts and node.ts say where its bytes come from. */
import { startAuthor, type Author } from "./author.js";
import { Contract, type ContractOptions, type Home, type Schema } from "./contract.js";
import { PlumbError } from "./error.js";
import { keywords } from "./keywords.js";
import { Module } from "./module.js";
import { render, type Format, type RenderOptions, type Verdicts } from "./render.js";
import { compiled, notStarted, type Finder, type Source, type Sources } from "./source.js";

/** A built-in contract, as `plumb.contracts` lists them. */
export interface BuiltInContract {
  readonly name: string;
  readonly title: string;
  /** The contract as it is written. */
  readonly text: string;
}

/** @internal */
export async function start(
  finder: Finder,
  given: Source | PromiseLike<Source> | Sources | undefined,
): Promise<Plumb> {
  const { module: source, authorModule } = bothOf(given);
  if (typeof (authorModule as Partial<PromiseLike<Source>> | undefined)?.then === "function") {
    Promise.resolve(authorModule).catch(() => undefined); // author() tells, if it is ever called
  }
  const module = await compiled(finder, "plumb-check.wasm", source);
  let author: WebAssembly.Module | undefined;
  const compileAuthor = async (): Promise<WebAssembly.Module> =>
    (author ??= await compiled(
      finder,
      "plumb-author.wasm",
      typeof authorModule === "function" ? (authorModule as () => Source | PromiseLike<Source>)() : authorModule,
    ));
  try {
    return new Plumb(await Module.start(module), compileAuthor);
  } catch (error) {
    throw notStarted(error);
  }
}

function bothOf(given: Source | PromiseLike<Source> | Sources | undefined): Sources {
  if (typeof given === "object" && given !== null && !(given instanceof WebAssembly.Module) && !("then" in given)) {
    if ("module" in given || "authorModule" in given) {
      return given;
    }
  }
  return given === undefined ? {} : { module: given };
}

/** The module, started. Get one from `load()`. */
export class Plumb {
  #module: Module;
  #about: { version: string; contracts: { name: string; text: string }[] } | undefined;
  #contracts: readonly BuiltInContract[] | undefined;
  #author: Author | undefined;
  #startingAuthor: Promise<Author> | undefined;
  readonly #compileAuthor: () => Promise<WebAssembly.Module>;

  /** @internal */
  constructor(module: Module, compileAuthor: () => Promise<WebAssembly.Module>) {
    this.#module = module;
    this.#compileAuthor = compileAuthor;
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
    return (this.#startingAuthor ??= this.#compileAuthor()
      .then((compiledModule) => startAuthor(compiledModule, this.version, () => this.#module))
      .then((author) => (this.#author = author))
      .finally(() => (this.#startingAuthor = undefined)));
  }

  /** Bytes of memory that the module holds. An instance that has grown beyond 64 MB is replaced after a check. */
  get memoryBytes(): number {
    return this.#module.memoryBytes;
  }

  /**
   * Reads a contract: the name of a built-in one, the text of a schema (numbers and the order of keys are kept exactly as
   * written), or a schema as a value. Throws a `PlumbError` with the place when it is no contract.
   */
  contract(nameOrSchema: string | Uint8Array | Schema, options: ContractOptions = {}): Contract {
    let schema: string | Uint8Array | Schema = nameOrSchema;
    let name = options.name;
    if (typeof nameOrSchema === "string" && !/^\s*(?:\{|true\s*$|false\s*$)/.test(nameOrSchema)) {
      const builtIn = this.#told().contracts.find((one) => one.name === nameOrSchema);
      if (builtIn === undefined) {
        const names = this.#told().contracts.map((one) => one.name);
        throw new PlumbError(
          "not_found",
          /^\s*["[\d-]/.test(nameOrSchema) || nameOrSchema.length > 100
            ? "a contract is the name of a built-in one or a JSON Schema: an object, true or false"
            : `there is no built-in contract "${nameOrSchema}"; there are ${names.join(", ")}`,
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
