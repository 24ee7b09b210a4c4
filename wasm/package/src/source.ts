/** Where the bytes of a module come from, and how they become a WebAssembly.Module; index.ts and node.ts have finders. */
import { PlumbError } from "./error.js";

/** What `fetch` gives. */
export interface ResponseLike {
  readonly ok: boolean;
  readonly status: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/**
 * Where a module comes from: its URL (in Node also a path), what `fetch` gave for it, its bytes, or a
 * `WebAssembly.Module` as edge runtimes import it.
 */
export type Source = string | { readonly href: string } | ResponseLike | ArrayBuffer | ArrayBufferView | object;

/**
 * What a page can want beside checks by JSON Schema and by what compares values and places: rules about texts, with edits; the
 * author module; runs; budgets; stories.
 */
export type Part = "text" | "author" | "runs" | "budget" | "story";

/** The modules, each found beside the package's own files where it is left out. */
export interface Sources {
  /**
   * What is wanted: it is fetched by `load()`, and nothing is fetched later. `author` and `runs` have what `text` has. Left
   * out: `text` by `load()`, and the others each when it is first wanted.
   */
  parts?: readonly Part[];
  /** plumb-check.wasm, which `load()` starts; any other that checks may take its place. */
  module?: Source | PromiseLike<Source>;
  /** plumb-author.wasm, which `author()` starts; a function is called when that is first wanted. */
  authorModule?: Source | PromiseLike<Source> | (() => Source | PromiseLike<Source>);
  /** plumb-runs.wasm, which runs and journals start; likewise. */
  runsModule?: Source | PromiseLike<Source> | (() => Source | PromiseLike<Source>);
  /** plumb-budget.wasm, which `budget()` starts; likewise. */
  budgetModule?: Source | PromiseLike<Source> | (() => Source | PromiseLike<Source>);
  /** plumb-story.wasm, which `story()` starts; likewise. */
  storyModule?: Source | PromiseLike<Source> | (() => Source | PromiseLike<Source>);
}

/** What `load` takes. */
export type LoadSource = Source | PromiseLike<Source> | Sources | undefined;

/** @internal */
export type ModuleFile =
  | "plumb-schema.wasm"
  | "plumb-check.wasm"
  | "plumb-author.wasm"
  | "plumb-runs.wasm"
  | "plumb-budget.wasm"
  | "plumb-story.wasm";

/**
 * Where an environment finds a module.
 * @internal
 */
export interface Finder {
  /** Beside this file. */
  readDefault(file: ModuleFile): Promise<Uint8Array | ResponseLike | WebAssembly.Module>;
  /** At a URL or a path. */
  readFrom(source: string, file: ModuleFile): Promise<Uint8Array | ResponseLike>;
}

const compiledOnce: { [file in ModuleFile]?: Promise<WebAssembly.Module> } = {};

/**
 * Without `source` the module beside the package's files: compiled once a process or page, with another
 * attempt after a failure.
 * @internal
 */
export async function compiled(
  finder: Finder,
  file: ModuleFile,
  source: Source | PromiseLike<Source> | undefined,
): Promise<WebAssembly.Module> {
  if (source !== undefined) {
    return compile(finder, file, await source);
  }
  let compiling = compiledOnce[file];
  if (compiling === undefined) {
    compiling = compiledOnce[file] = finder.readDefault(file).then((found) => compile(finder, file, found));
    compiling.catch(() => {
      delete compiledOnce[file];
    });
  }
  return compiling;
}

async function compile(finder: Finder, file: ModuleFile, source: Source, from = ""): Promise<WebAssembly.Module> {
  if (isModule(source)) {
    return source as WebAssembly.Module;
  }
  let found = source;
  let at = from;
  try {
    if (typeof source === "string" || "href" in source) {
      at = typeof source === "string" ? source : (source as { href: string }).href;
      return await compile(finder, file, await finder.readFrom(at, file), at);
    }
    if (!(source instanceof ArrayBuffer || ArrayBuffer.isView(source)) && "arrayBuffer" in source) {
      const response = source as ResponseLike & Partial<Response>;
      at = response.url || at;
      if (!response.ok) {
        throw new PlumbError("unavailable", `${fileAt(file, at)} cannot be had: HTTP status ${response.status}. ${remedy(file)}`, {
          where: at,
        });
      }
      const type = response.headers?.get("content-type") ?? "";
      if (typeof WebAssembly.compileStreaming === "function" && type.startsWith("application/wasm")) {
        const copy = (response as Response).clone(); // for what it begins with, where that is no module
        try {
          const module = await WebAssembly.compileStreaming(response as Response);
          copy.body?.cancel().catch(() => undefined);
          return module;
        } catch (error) {
          found = await copy.arrayBuffer();
          throw error;
        }
      }
      found = await response.arrayBuffer();
    }
    if (found instanceof ArrayBuffer || ArrayBuffer.isView(found)) {
      return await WebAssembly.compile(found as BufferSource);
    }
  } catch (error) {
    if (error instanceof PlumbError) {
      throw error;
    }
    if (/CSP|Content.Security/i.test(told(error))) {
      throw new PlumbError("unavailable", "the page's Content-Security-Policy lacks 'wasm-unsafe-eval' in script-src", {}, error);
    }
    const begins = found instanceof ArrayBuffer || ArrayBuffer.isView(found) ? firstBytes(found) : "";
    const what = begins === "" ? "" : `; it begins with ${begins}`;
    throw new PlumbError(
      "unavailable",
      `${fileAt(file, at)} is no module that can be compiled (${told(error)})${what}. ${remedy(file)}`,
      { where: at },
      error,
    );
  }
  throw new PlumbError(
    "invalid_argument",
    `load() takes the URL, the response, the bytes or the WebAssembly.Module of ${file}`,
  );
}

/**
 * Also one of another realm, as edge runtimes give it.
 * @internal
 */
export function isModule(source: unknown): boolean {
  return source instanceof WebAssembly.Module || Object.prototype.toString.call(source) === "[object WebAssembly.Module]";
}

/**
 * What a finder throws where there is nothing.
 * @internal
 */
export function notFound(file: ModuleFile, source: string, error: unknown): PlumbError {
  return new PlumbError("unavailable", `${fileAt(file, source)} cannot be read: ${told(error)}. ${remedy(file)}`, { where: source }, error);
}

/**
 * Throws where a module is not of the version of the first one.
 * @internal
 */
export function sameVersion(file: string, mine: string, version: string): void {
  if (mine !== version) {
    throw new Error(`${file} is of version ${mine}, and plumb-check.wasm of version ${version}`);
  }
}

/**
 * What `start` throws where a compiled module cannot be made to run.
 * @internal
 */
export function notStarted(error: unknown): PlumbError {
  return new PlumbError("unavailable", `The Plumbline module could not be started: ${told(error)}`, {}, error);
}

function remedy(file: ModuleFile): string {
  const part = file.slice("plumb-".length, -".wasm".length);
  const how =
    part === "check" ? "address" : `{ ${part === "schema" ? "parts: [], module" : `${part}Module`}: address }`;
  return `Serve node_modules/@plumbline/plumbline/dist/${file} and say where: load(${how}); docs/bundlers.md has a recipe for each bundler`;
}

function fileAt(file: ModuleFile, at: string): string {
  return at === "" ? file : `${file} at ${at}`;
}

/** A page that tells "not found" is known by its beginning. */
function firstBytes(source: ArrayBuffer | ArrayBufferView): string {
  const bytes = ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, Math.min(source.byteLength, 16))
    : new Uint8Array(source, 0, Math.min(source.byteLength, 16));
  const shown = String.fromCharCode(...bytes);
  return /^[\t\n\r -~]*$/.test(shown)
    ? JSON.stringify(shown)
    : [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
}

function told(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
