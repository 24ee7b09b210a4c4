// The worker that holds the package. Checks and runs each have one of their own, from the same file: a run goes on
// whatever becomes of a check.
export function startWorker(name: string): Worker {
  return new Worker(new URL("./check_worker.ts", import.meta.url), { type: "module", name });
}
