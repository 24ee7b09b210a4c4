// Lets the page work without a network after one visit. scripts/make_service_worker.mjs puts in the list of the page's
// files with their hashes; another list is another version.
//
// A version is whole or not at all: each file is held to its hash when it is fetched, so that a half-renewed server never
// makes a page of two versions. Nothing but the page's own files is ever kept, and nothing is asked for that the page
// would not ask for itself.
/* global self, caches, fetch, Request, URL */
const files = /* FILES */ [];
const version = /* VERSION */ "";

const cacheName = `plumbline-${version}`;
const scope = self.registration.scope;
const addresses = new Map(files.map(([path, hash]) => [new URL(path, scope).href, hash]));
const start = new URL("index.html", scope).href;

async function fill() {
  const cache = await caches.open(cacheName);
  await Promise.all(
    [...addresses].map(async ([address, hash]) => {
      // A name that carries its hash stands for the same bytes in every version.
      const known = address.includes("/assets/") ? await caches.match(address) : undefined;
      const response = known ?? (await fetch(new Request(address, { integrity: hash, cache: "no-cache" })));
      if (!response.ok) throw new Error(`${address}: status ${response.status}`);
      await cache.put(address, response);
    }),
  );
}

async function dropOthers() {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name.startsWith("plumbline-") && name !== cacheName).map((name) => caches.delete(name)),
  );
  await self.clients.claim();
}

async function answer(address, request) {
  const cache = await caches.open(cacheName);
  return (await cache.match(address)) ?? fetch(request);
}

self.addEventListener("install", (event) => event.waitUntil(fill()));
self.addEventListener("activate", (event) => event.waitUntil(dropOthers()));
self.addEventListener("message", (event) => {
  if (event.data === "take over") void self.skipWaiting();
});
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  const url = new URL(request.url);
  url.hash = "";
  url.search = "";
  const address = url.href === scope ? start : url.href;
  if (addresses.has(address)) event.respondWith(answer(address, request));
});
