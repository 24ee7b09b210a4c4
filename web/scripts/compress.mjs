// Leaves each file of the built page also as brotli and as gzip beside it, `index.js.br` and `index.js.gz`: what
// `plumb serve` gives to clients that take them. What would hardly be smaller has none.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const out = resolve(dirname(fileURLToPath(import.meta.url)), "..", process.env.PLUMB_WEB_OUT ?? "../build/web");
const kinds = [".html", ".js", ".css", ".svg", ".wasm", ".json", ".md", ".txt"];
const bytes_min = 512;
const worth = 0.9; // of the size of the file, at most

const brotli = (bytes) =>
  promisify(brotliCompress)(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });

// The same bytes lie in several places: what other pages take has the check module too.
const made = new Map();
function codings(bytes) {
  const key = createHash("sha256").update(bytes).digest("hex");
  if (!made.has(key)) made.set(key, Promise.all([brotli(bytes), promisify(gzip)(bytes, { level: 9 })]));
  return made.get(key);
}

const files = readdirSync(out, { recursive: true })
  .map((name) => join(out, String(name)))
  .filter((path) => kinds.includes(extname(path)) && statSync(path).isFile());
let before = 0;
let after = 0;
await Promise.all(
  files.map(async (path) => {
    const bytes = readFileSync(path);
    if (bytes.length < bytes_min) return;
    const [br, gz] = await codings(bytes);
    before += bytes.length;
    after += Math.min(br.length, bytes.length);
    if (br.length < bytes.length * worth) writeFileSync(`${path}.br`, br);
    if (gz.length < bytes.length * worth) writeFileSync(`${path}.gz`, gz);
  }),
);
const kb = (size) => `${(size / 1024).toFixed(0)} KB`;
console.log(`web: ${kb(before)}, with brotli ${kb(after)}`);
