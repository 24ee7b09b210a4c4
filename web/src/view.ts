// Which view of the page is shown. It is in the address, so that it can be linked to, Back leads back and a reload comes
// back; after the view's mark and a slash comes what it shows. The views lie in three places: a run, whatever it is shown
// as, lies in Runs.
import { signal } from "@preact/signals";

export type View = "studio" | "runs" | "research" | "discovery" | "story" | "server" | "budget" | "intake";
export type Place = "check" | "runs" | "server" | "tools";

export const placeOf: Record<View, Place> = {
  studio: "check",
  intake: "check",
  runs: "runs",
  research: "runs",
  discovery: "runs",
  story: "runs",
  server: "server",
  budget: "tools",
};

// Marks that are no view of their own any more, and where they lead.
const moved: Record<string, View> = { proxy: "server", roles: "studio", check: "studio" };

const current = (): View => {
  const mark = location.hash.slice(1).split("/")[0] ?? "";
  return Object.hasOwn(placeOf, mark) ? (mark as View) : (Object.hasOwn(moved, mark) ? moved[mark]! : "studio");
};

export const view = signal<View>(current());
// What follows `#`, also after a change that made no step in the history.
export const address = signal(location.hash);

function look(): void {
  address.value = location.hash;
  view.value = current();
}

for (const event of ["hashchange", "popstate"]) addEventListener(event, look);

const markOf = (of: View, part: string): string => (part === "" ? `#${of}` : `#${of}/${part}`);

// Where a link to a view leads.
export const linkTo = (of: View, ...names: string[]): string =>
  of === "studio" ? "#check" : markOf(of, names.map(encodeURIComponent).join("/"));

// Goes there, as a link would.
export function goToLink(link: string): void {
  if (link !== location.hash) location.hash = link;
}

// What follows the mark of a view: its state as a link holds it.
export function addressedPart(of: View): string {
  return location.hash.startsWith(`#${of}/`) ? location.hash.slice(of.length + 2) : "";
}

// The names that are there, one after each slash. What was escaped badly, as in a link that was cut off, stays as it
// is: nothing has such a name, and that is what the view will say.
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

// The view tells what it shows now; no step in the history.
export function addressPart(of: View, part: string): void {
  if (view.value !== of) return;
  history.replaceState(null, "", markOf(of, part));
  address.value = location.hash;
}
