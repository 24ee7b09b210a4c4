/** The same package in Node: the module is read from disk. */
import { randomFillSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { PlumbError } from "./error.js";
import { start, type Plumb } from "./plumb.js";
import { useRandom } from "./random.js";
import type { Finder, Source, Sources } from "./source.js";

export * from "./exports.js";

useRandom((bytes) => randomFillSync(bytes));

const finder: Finder = {
  readDefault(file) {
    return finder.readFrom(new URL(`./${file}`, import.meta.url).href);
  },
  async readFrom(source) {
    try {
      if (/^(?:https?|data|blob):/.test(source)) {
        return await fetch(source);
      }
      return await readFile(source.startsWith("file:") ? fileURLToPath(source) : source);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new PlumbError("unavailable", `The Plumbline module could not be read: ${why}`, { where: source }, error);
    }
  },
};

/**
 * Starts the module. Without `source` it is read from beside this file; with `{ module, authorModule, runsModule,
 * budgetModule, storyModule }` the modules come from elsewhere. Each call gives an instance with memory of its own; one
 * is enough for a program.
 */
export function load(source?: Source | PromiseLike<Source> | Sources): Promise<Plumb> {
  return start(finder, source);
}
