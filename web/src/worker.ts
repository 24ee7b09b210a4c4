// The worker that holds the package. Checks and runs each have one of their own, from the same file: a run goes on
// whatever becomes of a check.
import checkModule from "@plumbline/plumbline/plumb-check.wasm?url";

import type { Begin } from "./messages";

// The module is asked for while the worker's own file is on its way, and compiled once for all workers. Where that fails
// the worker loads it by itself, and says why it cannot.
let compiled: Promise<WebAssembly.Module | null> | undefined;

function compile(): Promise<WebAssembly.Module | null> {
  compiled ??= WebAssembly.compileStreaming(fetch(checkModule)).catch(() => {
    compiled = undefined;
    return null;
  });
  return compiled;
}

export function startWorker(name: string): Worker {
  const worker = new Worker(new URL("./check_worker.ts", import.meta.url), { type: "module", name });
  void compile().then((module) => worker.postMessage({ kind: "begin", module } satisfies Begin));
  return worker;
}
