// Whether this page comes from `plumb serve`. It asks for a file of its own, server.json: a plain web server has the one that
// lies beside the page and says that there is none, `plumb serve` answers for itself. Who does not answer at all cannot be
// reached, which is something else; where there was a server before, it is still told of then.
import { computed, signal } from "@preact/signals";
import { messages as t } from "./strings";

export type Presence = "unknown" | "absent" | "present" | "unreachable";

const key = "plumbline-server";

function remembered(): boolean {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

function remember(there: boolean): void {
  try {
    if (there) localStorage.setItem(key, "seen");
    else localStorage.removeItem(key);
  } catch {
    // Not kept: it is asked for again.
  }
}

export const presence = signal<Presence>("unknown");
const seen = signal(remembered());
// Whether there is a server to be shown at all, also one that does not answer now.
export const hasServer = computed(() => presence.value === "present" || (presence.value !== "absent" && seen.value));

export const unreachable = t.unreachable;

let asking: Promise<Presence> | undefined;

async function ask(): Promise<Presence> {
  let told: Presence = "absent";
  try {
    const answer = await fetch(new URL("server.json", document.baseURI), { cache: "no-store" });
    const said = answer.ok ? ((await answer.json()) as { server?: unknown }).server : null;
    // The page's own service worker answers so for a server that does not.
    told = said === "plumb" ? "present" : said === "unreachable" ? "unreachable" : "absent";
  } catch (error) {
    told = error instanceof SyntaxError ? "absent" : "unreachable";
  }
  if (told !== "unreachable") {
    seen.value = told === "present";
    remember(seen.value);
  }
  presence.value = told;
  return told;
}

// Asked once, and anew where it was not to be reached.
export function askPresence(): Promise<Presence> {
  if (presence.value === "unreachable") asking = undefined;
  asking ??= ask();
  return asking;
}

const watchMs = 3000;

// While somebody looks, a server that goes or comes back is noticed.
export function watchPresence(changed: () => void): () => void {
  const timer = setInterval(() => {
    const before = presence.value;
    if (document.hidden || (before !== "present" && before !== "unreachable")) return;
    asking = ask();
    void asking.then((now) => now !== before && changed());
  }, watchMs);
  return () => clearInterval(timer);
}

// Something else has found that it does not answer.
export function lostServer(): void {
  if (presence.value === "present") presence.value = "unreachable";
}
