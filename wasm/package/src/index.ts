/**
 * Plumbline: tells whether what a language model produced is good enough to pass on.
 *
 *     const plumb = await load();
 *     const quiz = plumb.contract("quiz");
 *     const verdict = quiz.check(text);
 *     if (!verdict.valid) console.log(quiz.render(verdict, "text"));
 */
import { PlumbError } from "./error.js";
import { start, type Finder, type Plumb, type Source } from "./plumb.js";

export * from "./exports.js";

/** Browsers, workers and edge runtimes. */
const finder: Finder = {
  readDefault() {
    // Written so, bundlers see that the file belongs to the bundle.
    return finder.readFrom(new URL("./plumb-check.wasm", import.meta.url).href);
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
 * Starts the module. Without `source` it is fetched from beside this file. Each call gives an instance with memory of
 * its own; one is enough for a program.
 */
export function load(source?: Source | PromiseLike<Source>): Promise<Plumb> {
  return start(finder, source);
}
