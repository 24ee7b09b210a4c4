/**
 * Plumbline: tells whether what a language model produced is good enough to pass on.
 *
 *     const plumb = await load();
 *     const quiz = plumb.contract("quiz");
 *     const verdict = quiz.check(text);
 *     if (!verdict.valid) console.log((await plumb.author()).render(verdict, "text"));
 */
import { addressOf } from "./files.js";
import type { LiteralSource } from "./literal.js";
import { start, type Plumb } from "./plumb.js";
import { notFound, type Finder, type LoadSource } from "./source.js";

export * from "./exports.js";

/** Browsers and workers. */
const finder: Finder = {
  readDefault: (file) => finder.readFrom(addressOf(file), file),
  async readFrom(source, file) {
    try {
      return await fetch(source);
    } catch (error) {
      throw notFound(file, source, error);
    }
  },
};

/**
 * Starts the module. Without `source` it is fetched from beside this file; `{ parts }` says what is
 * wanted; with `{ module, authorModule, runsModule, budgetModule, storyModule }` the modules come from elsewhere. Each call
 * gives an instance with memory of its own; one is enough for a program.
 */
export function load(): Promise<Plumb>;
export function load<const Given extends LoadSource>(source: Given & LiteralSource<Given>): Promise<Plumb>;
export function load(source?: LoadSource): Promise<Plumb> {
  return start(finder, source);
}
