/** The same package in edge runtimes as Next.js builds for them: bytes are not compiled there, `?module` is. */
import type { LiteralSource } from "./literal.js";
import { start, type Plumb } from "./plumb.js";
import { notFound, type Finder, type LoadSource } from "./source.js";

export * from "./exports.js";

const finder: Finder = {
  async readDefault(file) {
    switch (file) {
      case "plumb-schema.wasm":
        return (await import("./plumb-schema.wasm?module")).default as WebAssembly.Module;
      case "plumb-check.wasm":
        return (await import("./plumb-check.wasm?module")).default as WebAssembly.Module;
      case "plumb-author.wasm":
        return (await import("./plumb-author.wasm?module")).default as WebAssembly.Module;
      case "plumb-runs.wasm":
        return (await import("./plumb-runs.wasm?module")).default as WebAssembly.Module;
      case "plumb-budget.wasm":
        return (await import("./plumb-budget.wasm?module")).default as WebAssembly.Module;
      case "plumb-story.wasm":
        return (await import("./plumb-story.wasm?module")).default as WebAssembly.Module;
    }
  },
  async readFrom(source, file) {
    try {
      return await fetch(source);
    } catch (error) {
      throw notFound(file, source, error);
    }
  },
};

/** As everywhere: `load()` starts the module that is part of the program; with `{ module, authorModule, ... }` others. */
export function load(): Promise<Plumb>;
export function load<const Given extends LoadSource>(source: Given & LiteralSource<Given>): Promise<Plumb>;
export function load(source?: LoadSource): Promise<Plumb> {
  return start(finder, source);
}
