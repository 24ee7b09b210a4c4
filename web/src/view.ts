// Which view of the page is shown. It stands in the address, so that Back leads back; behind the view's mark and a slash
// stands what it shows.
import { signal } from "@preact/signals";

export type View = "studio" | "runs" | "research" | "discovery" | "proxy" | "budget" | "intake" | "roles";

const runsMark = "#runs";
const marked: readonly Exclude<View, "studio">[] = ["runs", "research", "discovery", "proxy", "budget", "intake", "roles"];

const current = (): View =>
  marked.find((one) => location.hash === `#${one}` || location.hash.startsWith(`#${one}/`)) ?? "studio";

export const view = signal<View>(current());

addEventListener("hashchange", () => (view.value = current()));

// The run of the server that the address names; "" where it names none.
export function addressedRun(): string {
  return location.hash.startsWith(`${runsMark}/`) ? decodeURIComponent(location.hash.slice(runsMark.length + 1)) : "";
}

export function addressRun(id: string): void {
  history.replaceState(null, "", id === "" ? runsMark : `${runsMark}/${encodeURIComponent(id)}`);
}

// What stands behind the mark of a view: its state as a link holds it.
export function addressedPart(of: View): string {
  return location.hash.startsWith(`#${of}/`) ? location.hash.slice(of.length + 2) : "";
}

export function addressPart(of: View, part: string): void {
  if (view.value === of) history.replaceState(null, "", part === "" ? `#${of}` : `#${of}/${part}`);
}

export function show(wanted: View): void {
  if (wanted === view.value) return;
  history.pushState(null, "", wanted === "studio" ? location.pathname + location.search : `#${wanted}`);
  view.value = wanted;
}
addEventListener("popstate", () => (view.value = current()));
