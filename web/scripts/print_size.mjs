// Prints what the built page weighs on the wire, each kind of file with gzip, and fails when the page has outgrown its
// bound. The check module is counted apart: it has a bound of its own.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const page_kb_max = 240;
const out = resolve(dirname(fileURLToPath(import.meta.url)), "..", process.env.PLUMB_WEB_OUT ?? "../build/web");

function filesIn(folder) {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesIn(path) : [path]))
    .sort();
}

// What other pages take from here is not part of the page.
const apart = ["embed", "examples"];

let page = 0;
let module = 0;
for (const path of filesIn(out)) {
  if (extname(path) === ".map") continue;
  const size = gzipSync(readFileSync(path), { level: 9 }).length;
  if (apart.includes(relative(out, path).split(sep)[0])) {
    // Shown, and counted by the tests of the embedded preview.
  } else if (extname(path) === ".wasm") module += size;
  else page += size;
  console.log(`${(size / 1024).toFixed(1).padStart(8)} KB gzip  ${relative(out, path)}`);
}
const kb = (bytes) => `${(bytes / 1024).toFixed(1)} KB gzip`;
console.log(`web: page ${kb(page)} (at most ${page_kb_max}), module ${kb(module)}`);
if (page / 1024 > page_kb_max) {
  console.error(`web: the page is larger than ${page_kb_max} KB gzip.`);
  process.exit(1);
}
