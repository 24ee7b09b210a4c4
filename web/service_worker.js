// Lets the page work without a network after one visit. scripts/make_service_worker.mjs puts in the list of the page's
// files with their hashes; another list is another version. Files that are marked as such, the large ones that not
// everybody wants, are taken when they are first used; a new version takes those that the one before it had.
//
// A version is whole or not at all: each file is held to its hash when it is fetched, so that a half-renewed server never
// makes a page of two versions. Nothing but the page's own files is ever kept, and nothing is asked for that the page
// would not ask for itself.
/* global self, caches, fetch, Request, Response, URL */
const files = /* FILES */ [];
const version = /* VERSION */ "";

const cacheName = `plumbline-${version}`;
const scope = self.registration.scope;
const addresses = new Map(files.map(([path, hash]) => [new URL(path, scope).href, hash]));
const later = new Set(files.filter(([, , when]) => when === "later").map(([path]) => new URL(path, scope).href));
const start = new URL("index.html", scope).href;
// Which server it is that the page comes from: never kept, and where none answers, that is the answer.
const server = new URL("server.json", scope).href;
const unreachable = () => new Response('{"server":"unreachable"}', { headers: { "content-type": "application/json" } });

// The name of a file without its hash.
const stem = (address) => address.replace(/-[\w-]{8}(?=\.)/, "");

// A name that carries its hash stands for the same bytes in every version.
async function fetched(address) {
  const known = address.includes("/assets/") ? await caches.match(address) : undefined;
  return known ?? fetch(new Request(address, { integrity: addresses.get(address), cache: "no-cache" }));
}

async function fill() {
  const used = new Set();
  for (const name of await caches.keys()) {
    if (!name.startsWith("plumbline-")) continue;
    for (const { url } of await (await caches.open(name)).keys()) used.add(stem(url));
  }
  const cache = await caches.open(cacheName);
  const wanted = [...addresses.keys()].filter((address) => !later.has(address) || used.has(stem(address)));
  await Promise.all(
    wanted.map(async (address) => {
      const response = await fetched(address);
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

async function answer(address, event) {
  const cache = await caches.open(cacheName);
  const kept = await cache.match(address);
  if (kept || !later.has(address)) return kept ?? fetch(event.request);
  const response = await fetched(address);
  // Where there is no room for it the page works with the network.
  if (response.ok) event.waitUntil(cache.put(address, response.clone()).catch(() => undefined));
  return response;
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
  if (address === server) event.respondWith(fetch(request).catch(unreachable));
  else if (addresses.has(address)) event.respondWith(answer(address, event));
});
