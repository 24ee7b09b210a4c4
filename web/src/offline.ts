// The page without a network: a service worker keeps its files after the first visit, and tells when newer ones are there.
import { signal } from "@preact/signals";

import { handOver } from "./studio";

export const newVersion = signal(false);

let waiting: ServiceWorker | null = null;
let taking = false;
let asked = false;

function watch(registration: ServiceWorkerRegistration): void {
  const offer = (worker: ServiceWorker | null): void => {
    // The first one is nothing new; it only keeps what is here.
    if (!worker || !navigator.serviceWorker.controller) return;
    waiting = worker;
    newVersion.value = true;
  };
  offer(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const coming = registration.installing;
    coming?.addEventListener("statechange", () => {
      if (coming.state === "installed") offer(coming);
    });
  });
}

// Where there are no service workers (an address that is not secure, a private window) the page needs the network.
export async function keepOffline(): Promise<void> {
  if (asked || !import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  asked = true;
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    if (!taking) return;
    taking = false;
    location.reload();
  });
  try {
    watch(await navigator.serviceWorker.register(new URL("service_worker.js", document.baseURI)));
  } catch {
    // Refused by the browser or not to be had: the page works as long as its server does.
  }
}

export function takeNewVersion(): void {
  handOver();
  taking = true;
  newVersion.value = false;
  waiting?.postMessage("take over");
}
