// Which view of the page is shown: the studio, runs, or the proxy. It stands in the address, so that Back leads back.
import { signal } from "@preact/signals";

export type View = "studio" | "runs" | "proxy";

const runsMark = "#runs";
const proxyMark = "#proxy";

const current = (): View =>
  location.hash === proxyMark
    ? "proxy"
    : location.hash === runsMark || location.hash.startsWith(`${runsMark}/`)
      ? "runs"
      : "studio";

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
  const marks: Record<View, string> = {
    studio: location.pathname + location.search,
    runs: runsMark,
    proxy: proxyMark,
  };
  history.pushState(null, "", marks[wanted]);
  view.value = wanted;
}
addEventListener("popstate", () => (view.value = current()));
