// What is on the page, kept in this browser so that it is there again after a reload: in this tab, and for a tab that is
// opened later the newest of all tabs. Kept as the history is (past.ts): bounded, switched off with it, and where the
// browser keeps nothing (a private window) the page begins as it does on a first visit.
import { signal } from "@preact/signals";

import { onClear, pastOn } from "./past";
import type { Pace } from "./player";
import type { Shared } from "./share";

export interface Last extends Shared {
  preset: string; // the example that it is, unchanged; "" for one's own
  pace: Pace;
  wrap: boolean;
  drawer: boolean; // the contract's is open
}

const key = "plumbline-last";
const unitsMax = 1_500_000;

// What is on the page is too large to be kept, and lost with the page.
export const lost = signal(false);

addEventListener("beforeunload", (event) => {
  if (lost.value) event.preventDefault();
});

// What was cleared stays so until something else is on the page.
let cleared = false;

function inEach(act: (storage: Storage) => void): void {
  for (const name of ["sessionStorage", "localStorage"] as const) {
    try {
      act(window[name]);
    } catch {
      // No storage, or no room in it.
    }
  }
}

export function keepLast(last: Last): void {
  if (!pastOn.value || cleared) return;
  const isOwn = last.preset === "";
  // JSON takes no less room than the text itself.
  const text = last.artifact.length > unitsMax ? null : JSON.stringify(last);
  const kept = text !== null && text.length <= unitsMax;
  lost.value = !kept && isOwn;
  inEach((storage) => {
    storage.removeItem(key);
    if (kept) storage.setItem(key, text);
  });
}

// Once, over a reload that the page itself asks for, also where nothing else is kept.
export function handOverLast(last: Last): void {
  if (lost.value) return;
  try {
    sessionStorage.setItem(key, JSON.stringify(last));
  } catch {
    // Too large for that: the history has it, or the file that it came from.
  }
}

onClear(() => {
  cleared = true;
  inEach((storage) => storage.removeItem(key));
});

export function beginLast(): void {
  cleared = false;
}

export function readLast(): Last | null {
  let found: Last | null = null;
  inEach((storage) => {
    const text = found ? null : storage.getItem(key);
    const told = JSON.parse(text ?? "null") as Partial<Last> | null;
    const { contract, artifact } = told ?? {};
    const named = contract?.kind === "own" ? contract.text : contract?.name;
    if (told === null || typeof named !== "string" || typeof artifact !== "string" || contract === undefined) return;
    const { context, preset, pace, wrap, drawer } = told;
    found = {
      contract,
      artifact,
      context: typeof context === "string" ? context : null,
      preset: typeof preset === "string" ? preset : "",
      pace: typeof pace?.rate === "number" && pace.unit === "characters" ? pace : { rate: Number(pace?.rate ?? 50), unit: "tokens" },
      wrap: wrap === true,
      drawer: drawer === true,
    };
  });
  if (!pastOn.value) inEach((storage) => storage.removeItem(key));
  return found;
}
