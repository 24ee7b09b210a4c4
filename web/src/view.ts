// Which view of the page is shown: the studio, or runs. It stands in the address, so that Back leads back.
import { signal } from "@preact/signals";

export type View = "studio" | "runs";

const runsMark = "#runs";

const current = (): View =>
  location.hash === runsMark || location.hash.startsWith(`${runsMark}/`) ? "runs" : "studio";

export const view = signal<View>(current());

addEventListener("hashchange", () => (view.value = current()));

// The run of the server that the address names; "" where it names none.
export function addressedRun(): string {
  return location.hash.startsWith(`${runsMark}/`) ? decodeURIComponent(location.hash.slice(runsMark.length + 1)) : "";
}

export function addressRun(id: string): void {
  history.replaceState(null, "", id === "" ? runsMark : `${runsMark}/${encodeURIComponent(id)}`);
}

export function show(wanted: View): void {
  if (wanted === view.value) return;
  history.pushState(null, "", wanted === "runs" ? runsMark : location.pathname + location.search);
  view.value = wanted;
}
addEventListener("popstate", () => (view.value = current()));
