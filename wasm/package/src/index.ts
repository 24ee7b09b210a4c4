/**
 * Plumbline: tells whether what a language model produced is good enough to pass on.
 *
 *     const plumb = await load();
 *     const quiz = plumb.contract("quiz");
 *     const verdict = quiz.check(text);
 *     if (!verdict.valid) console.log((await plumb.author()).render(verdict, "text"));
 */
import { PlumbError } from "./error.js";
import { start, type Plumb } from "./plumb.js";
import type { Finder, Source, Sources } from "./source.js";

export * from "./exports.js";

/** Browsers, workers and edge runtimes. */
const finder: Finder = {
  readDefault(file) {
    // Written so, bundlers see that the files belong to the bundle.
    const url =
      file === "plumb-check.wasm"
        ? new URL("./plumb-check.wasm", import.meta.url)
        : file === "plumb-author.wasm"
          ? new URL("./plumb-author.wasm", import.meta.url)
          : file === "plumb-runs.wasm"
            ? new URL("./plumb-runs.wasm", import.meta.url)
            : file === "plumb-budget.wasm"
              ? new URL("./plumb-budget.wasm", import.meta.url)
              : new URL("./plumb-story.wasm", import.meta.url);
    return finder.readFrom(url.href);
  },
  async readFrom(source) {
    try {
      return await fetch(source);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new PlumbError(
        "unavailable",
        `The Plumbline module could not be fetched: ${why}`,
        { where: source },
        error,
      );
    }
  },
};

/**
 * Starts the module. Without `source` it is fetched from beside this file; with `{ module, authorModule, runsModule,
 * budgetModule, storyModule }` the modules come from elsewhere. Each call gives an instance with memory of its own; one
 * is enough for a program.
 */
export function load(source?: Source | PromiseLike<Source> | Sources): Promise<Plumb> {
  return start(finder, source);
}
