// Which view of the page is shown. It stands in the address, so that Back leads back; behind the view's mark and a slash
// stands what it shows.
import { signal } from "@preact/signals";

export type View = "studio" | "runs" | "research" | "discovery" | "proxy" | "budget" | "story" | "intake" | "roles";

const marked: readonly Exclude<View, "studio">[] = ["runs", "research", "discovery", "proxy", "budget", "story", "intake", "roles"];

const current = (): View => marked.find((one) => one === location.hash.slice(1).split("/")[0]) ?? "studio";

export const view = signal<View>(current());

for (const event of ["hashchange", "popstate"]) addEventListener(event, () => (view.value = current()));

const markOf = (of: View, part: string): string => (part === "" ? `#${of}` : `#${of}/${part}`);

// The run of the server that the address names; "" where it names none.
export const addressedRun = (): string => addressedNames("runs")[0] ?? "";

export function addressRun(id: string): void {
  history.replaceState(null, "", markOf("runs", encodeURIComponent(id)));
}

// What stands behind the mark of a view: its state as a link holds it.
export function addressedPart(of: View): string {
  return location.hash.startsWith(`#${of}/`) ? location.hash.slice(of.length + 2) : "";
}

// The names that stand there, one after each slash. What was escaped badly, as in a link that was cut off, stays as it
// stands: nothing has such a name, and that is what the view will say.
export function addressedNames(of: View): string[] {
  const part = addressedPart(of);
  return part === "" ? [] : part.split("/").map(decoded);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

export function addressPart(of: View, part: string): void {
  if (view.value === of) history.replaceState(null, "", markOf(of, part));
}

export function show(wanted: View): void {
  if (wanted === view.value) return;
  history.pushState(null, "", wanted === "studio" ? location.pathname + location.search : `#${wanted}`);
  view.value = wanted;
}
