/** The same package in Node: the module is read from disk. */
import { randomFillSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { addressOf } from "./files.js";
import type { LiteralSource } from "./literal.js";
import { start, type Plumb } from "./plumb.js";
import { useRandom } from "./random.js";
import { notFound, type Finder, type LoadSource } from "./source.js";

export * from "./exports.js";

useRandom((bytes) => randomFillSync(bytes));

const finder: Finder = {
  readDefault: (file) => finder.readFrom(addressOf(file), file),
  async readFrom(source, file) {
    try {
      if (/^(?:https?|data|blob):/.test(source)) {
        return await fetch(source);
      }
      return await readFile(source.startsWith("file:") ? fileURLToPath(source) : source);
    } catch (error) {
      throw notFound(file, source, error);
    }
  },
};

/**
 * Starts the module. Without `source` it is read from beside this file; `{ parts }` says what is
 * wanted; with `{ module, authorModule, runsModule, budgetModule, storyModule }` the modules come from elsewhere. Each call
 * gives an instance with memory of its own; one is enough for a program.
 */
export function load(): Promise<Plumb>;
export function load<const Given extends LoadSource>(source: Given & LiteralSource<Given>): Promise<Plumb>;
export function load(source?: LoadSource): Promise<Plumb> {
  return start(finder, source);
}
