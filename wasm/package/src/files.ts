/** Where the modules stand: beside this file. Written out, since bundlers see only such a URL, and give each its own. */
import type { ModuleFile } from "./source.js";

export function addressOf(file: ModuleFile): string {
  switch (file) {
    case "plumb-schema.wasm":
      return new URL("./plumb-schema.wasm", import.meta.url).href;
    case "plumb-check.wasm":
      return new URL("./plumb-check.wasm", import.meta.url).href;
    case "plumb-author.wasm":
      return new URL("./plumb-author.wasm", import.meta.url).href;
    case "plumb-runs.wasm":
      return new URL("./plumb-runs.wasm", import.meta.url).href;
    case "plumb-budget.wasm":
      return new URL("./plumb-budget.wasm", import.meta.url).href;
    case "plumb-story.wasm":
      return new URL("./plumb-story.wasm", import.meta.url).href;
  }
}
