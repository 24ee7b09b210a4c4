// The page's side of the worker that holds runs: started with the first question.
import { startWorker } from "../worker";
import type { FromRuns, RunsAsk, RunsCalls, ToRuns } from "./messages";
import { messages as t } from "../strings";

type Told = Extract<FromRuns, { kind: "run_stored" | "run_told" | "run_ended" }>;

let worker: Worker | undefined;
let nextId = 1;
const asked = new Map<number, { told(value: unknown): void; refused(error: Error): void }>();
let listener: (told: Told) => void = () => undefined;

// Hears of the run in the page.
export function listen(hear: (told: Told) => void): void {
  listener = hear;
}

function begin(): Worker {
  const started = startWorker("plumbline-runs");
  const fail = (message: string): void => {
    worker = undefined;
    started.terminate();
    for (const { refused } of asked.values()) refused(new Error(message));
    asked.clear();
  };
  started.onmessage = ({ data }: MessageEvent<FromRuns | { kind: "unavailable"; message: string }>) => {
    switch (data.kind) {
      case "runs_told":
        asked.get(data.id)?.told(data.told);
        asked.delete(data.id);
        break;
      case "runs_refused":
        asked.get(data.id)?.refused(new Error(data.message));
        asked.delete(data.id);
        break;
      case "run_stored":
      case "run_told":
      case "run_ended":
        listener(data);
        break;
      case "unavailable":
        fail(data.message);
        break;
    }
  };
  started.onerror = (event) => {
    event.preventDefault();
    fail(event.message || t.runsNotStarted);
  };
  return started;
}

export function ask<What extends keyof RunsCalls>(
  what: What,
  rest: RunsCalls[What]["ask"],
): Promise<RunsCalls[What]["told"]> {
  worker ??= begin();
  const id = nextId++;
  const request: ToRuns = { kind: "runs", id, ask: { what, ...rest } as RunsAsk };
  return new Promise((told, refused) => {
    asked.set(id, { told: (value) => told(value as RunsCalls[What]["told"]), refused });
    worker?.postMessage(request);
  });
}

// Who comes to the runs may go on without a network: what makes them is taken as soon as the page itself is kept.
export async function takeRuns(): Promise<void> {
  const kept = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (!kept) return;
  await kept.ready;
  if (!kept.controller) {
    await new Promise((taken) => kept.addEventListener("controllerchange", taken, { once: true }));
  }
  // A journal of nothing is refused, once the module is there.
  await ask("open", { text: "" }).catch(() => undefined);
}
