// Writes the service worker beside the built page: web/service_worker.js with the page's files and their hashes, and which
// of these wait until they are first used: every module but the one that checks, and the recorded runs.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const out = resolve(web, process.env.PLUMB_WEB_OUT ?? "../build/web");
// What other pages take from here is theirs to keep.
const apart = ["docs", "embed", "examples", "server.json", "service_worker.js"];
const isLater = (name) => /\/(plumb-(?!check-)|research_gates-|story_lighthouse-|discovery_example-)/.test(name);

const files = readdirSync(out, { recursive: true })
  .map(String)
  .filter((name) => statSync(join(out, name)).isFile() && !name.endsWith(".map"))
  .map((name) => relative(out, join(out, name)).split(sep).join("/"))
  .filter((name) => !apart.includes(name.split("/")[0]) && !/\.(br|gz)$/.test(name))
  .sort()
  .map((name) => [
    name,
    `sha256-${createHash("sha256")
      .update(readFileSync(join(out, name)))
      .digest("base64")}`,
    ...(isLater(name) ? ["later"] : []),
  ]);
const list = JSON.stringify(files);
const version = createHash("sha256").update(list).digest("hex").slice(0, 16);
// Its comments are for those who read the source.
const template = readFileSync(join(web, "service_worker.js"), "utf8").replace(/^\s*(?:\/\/.*|\/\*.*\*\/)\n/gm, "");
for (const place of ["/* FILES */ []", '/* VERSION */ ""']) {
  if (!template.includes(place)) throw new Error(`service_worker.js has no place ${place}`);
}
writeFileSync(
  join(out, "service_worker.js"),
  template.replace("/* FILES */ []", () => list).replace('/* VERSION */ ""', JSON.stringify(version)),
);
