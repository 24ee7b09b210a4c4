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

/** The modules, each found beside the package's own files where it is left out. */
export interface Sources {
  /** plumb-check.wasm, which `load()` starts. */
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

/** @internal */
export type ModuleFile =
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
  readDefault(file: ModuleFile): Promise<Uint8Array | ResponseLike>;
  /** At a URL or a path. */
  readFrom(source: string): Promise<Uint8Array | ResponseLike>;
}

const compiledOnce: { [file in ModuleFile]?: Promise<WebAssembly.Module> } = {};

/**
 * Without `source` the module that stands beside the package's files: compiled once a process or page, with another
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

async function compile(finder: Finder, file: ModuleFile, source: Source): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) {
    return source;
  }
  try {
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
      return await WebAssembly.compile(source as BufferSource);
    }
    if (typeof source === "string" || "href" in source) {
      const address = typeof source === "string" ? source : (source as { href: string }).href;
      return await compile(finder, file, await finder.readFrom(address));
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
    `load() takes the URL, the response, the bytes or the WebAssembly.Module of ${file}`,
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

/**
 * What `start` throws where a compiled module cannot be made to run.
 * @internal
 */
export function notStarted(error: unknown): PlumbError {
  return new PlumbError("unavailable", `The Plumbline module could not be started: ${told(error)}`, {}, error);
}

function told(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
