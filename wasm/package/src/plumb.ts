/** The module, started, and how to start it; index.ts and node.ts say where its bytes come from. */
import { Contract, type ContractOptions, type Home, type Schema } from "./contract.js";
import { PlumbError } from "./error.js";
import { keywords } from "./keywords.js";
import { Module } from "./module.js";
import { render, type FileVerdict, type Format, type RenderOptions } from "./render.js";
import type { Verdict } from "./verdict.js";

/** What `fetch` gives. */
export interface ResponseLike {
  readonly ok: boolean;
  readonly status: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/**
 * Where the module comes from: its URL (in Node also a path), what `fetch` gave for it, its bytes, or a
 * `WebAssembly.Module` as edge runtimes import it.
 */
export type Source = string | { readonly href: string } | ResponseLike | ArrayBuffer | ArrayBufferView | object;

/** A built-in contract, as `plumb.contracts` lists them. */
export interface BuiltInContract {
  readonly name: string;
  readonly title: string;
  /** The contract as it is written. */
  readonly text: string;
}

/**
 * Where an environment finds the module.
 * @internal
 */
export interface Finder {
  /** Beside this file. */
  readDefault(): Promise<Uint8Array | ResponseLike>;
  /** At a URL or a path. */
  readFrom(source: string): Promise<Uint8Array | ResponseLike>;
}

/** @internal */
export async function start(finder: Finder, source: Source | PromiseLike<Source> | undefined): Promise<Plumb> {
  const compiled = source === undefined ? await compiledDefault(finder) : await compile(finder, await source);
  let module: Module;
  try {
    module = await Module.start(compiled);
  } catch (error) {
    throw new PlumbError("unavailable", `The Plumbline module could not be started: ${told(error)}`, {}, error);
  }
  return new Plumb(module);
}

let compiledOnce: Promise<WebAssembly.Module> | undefined;

/** Compiled once a process or page; another attempt after a failure. */
function compiledDefault(finder: Finder): Promise<WebAssembly.Module> {
  if (compiledOnce !== undefined) {
    return compiledOnce;
  }
  const compiling = finder.readDefault().then((source) => compile(finder, source));
  compiling.catch(() => {
    compiledOnce = undefined;
  });
  return (compiledOnce = compiling);
}

async function compile(finder: Finder, source: Source): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) {
    return source;
  }
  try {
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
      return await WebAssembly.compile(source as BufferSource);
    }
    if (typeof source === "string" || "href" in source) {
      const address = typeof source === "string" ? source : (source as { href: string }).href;
      return await compile(finder, await finder.readFrom(address));
    }
    if ("arrayBuffer" in source) {
      return await compileResponse(source as ResponseLike);
    }
  } catch (error) {
    throw error instanceof PlumbError
      ? error
      : new PlumbError("unavailable", `The Plumbline module could not be compiled: ${told(error)}`, {}, error);
  }
  throw new PlumbError(
    "invalid_argument",
    "load() takes the URL, the response, the bytes or the WebAssembly.Module of plumb-check.wasm",
  );
}

async function compileResponse(response: ResponseLike): Promise<WebAssembly.Module> {
  if (!response.ok) {
    throw new PlumbError("unavailable", `The Plumbline module could not be fetched: HTTP status ${response.status}`);
  }
  const type = (response as Partial<Response>).headers?.get("content-type") ?? "";
  return typeof WebAssembly.compileStreaming === "function" && type.startsWith("application/wasm")
    ? WebAssembly.compileStreaming(response as Response)
    : WebAssembly.compile(await response.arrayBuffer());
}

function told(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a rule means, as `plumb.explain` tells it. */
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

/** The module, started. Get one from `load()`. */
export class Plumb {
  #module: Module;
  #about: { version: string; contracts: { name: string; text: string }[] } | undefined;
  #contracts: readonly BuiltInContract[] | undefined;
  #explanations: readonly Explanation[] | undefined;

  /** @internal */
  constructor(module: Module) {
    this.#module = module;
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

  /** What every rule means that a finding can name, in the order of the reference. */
  get explanations(): readonly Explanation[] {
    this.#explanations ??= Object.freeze(this.#module.explanations() as Explanation[]);
    return this.#explanations;
  }

  /** What a rule means, when it decides and how to fix what breaks it; undefined for a contract's own rules. */
  explain(rule: string): Explanation | undefined {
    return this.explanations.find((one) => one.rule === rule);
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

  /** Verdicts as text, JSON, SARIF, JUnit, GitHub annotations or feedback for a model. */
  render(
    verdicts: Verdict | FileVerdict | readonly FileVerdict[],
    format: Format,
    options: RenderOptions = {},
  ): string {
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
