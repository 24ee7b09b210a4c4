// Prints what the built page weighs on the wire, each kind of file with gzip, and fails when the page, or a view that is
// loaded when it is first looked at, has outgrown its bound. The modules are counted apart: they have bounds of their own.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const page_kb_max = 216; // with exports, and names of the new edits
// `budget`, `server` and `state` (of runs) are what views share; `research_gates` and
// `story_lighthouse` are the recorded runs that are looked at as examples.
const view_kb_max = {
  runs_place: 5,
  runs_view: 27,
  runs_worker: 1.5,
  server: 2,
  state: 7,
  research_view: 10,
  research_gates: 48,
  discovery_view: 11,
  discovery_example: 4,
  server_view: 7,
  budget_view: 16,
  budget: 2.8,
  story_view: 9,
  story_worker: 1.5,
  story: 2.5,
  story_lighthouse: 30,
  intake_view: 20.8,
  via_proxy: 4,
  kept: 1,
  listed: 1.2,
  asker: 3,
};
const out = resolve(dirname(fileURLToPath(import.meta.url)), "..", process.env.PLUMB_WEB_OUT ?? "../build/web");

function filesIn(folder) {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesIn(path) : [path]))
    .sort();
}

// What other pages take from here is not part of the page.
const apart = ["docs", "embed", "examples"];

let page = 0;
let module = 0;
const views = Object.fromEntries(Object.keys(view_kb_max).map((name) => [name, 0]));
for (const path of filesIn(out)) {
  if ([".map", ".br", ".gz"].includes(extname(path))) continue;
  const size = gzipSync(readFileSync(path), { level: 9 }).length;
  if (apart.includes(relative(out, path).split(sep)[0])) {
    // Shown, and counted by the tests of the embedded preview.
  } else if (extname(path) === ".wasm") module += size;
  else {
    const view = Object.keys(views).find((name) => basename(path).startsWith(`${name}-`));
    if (view === undefined) page += size;
    else views[view] += size;
  }
  console.log(`${(size / 1024).toFixed(1).padStart(8)} KB gzip  ${relative(out, path)}`);
}
const kb = (bytes) => `${(bytes / 1024).toFixed(1)} KB gzip`;
console.log(`web: page ${kb(page)} (at most ${page_kb_max}), module ${kb(module)}`);
for (const [name, size] of Object.entries(views)) console.log(`web: ${name} ${kb(size)} (at most ${view_kb_max[name]})`);
const over = Object.entries(views).filter(([name, size]) => size / 1024 > view_kb_max[name]);
if (page / 1024 > page_kb_max) over.push(["the page", page]);
for (const [name] of over) console.error(`web: ${name} is larger than its bound.`);
if (over.length > 0) process.exit(1);
