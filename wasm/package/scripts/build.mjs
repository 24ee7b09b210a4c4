// Builds the package: PLUMB_WASM is the folder of the modules, PLUMB_OUT the folder to fill. The folder beside it, with
// -pack after its name, gets the tarball that `npm install` takes.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const top = resolve(here, "../..");
const wasm = resolve(process.env.PLUMB_WASM ?? join(top, "build/cmake/wasm/bin"));
const modules = [
  "plumb-schema.wasm",
  "plumb-check.wasm",
  "plumb-author.wasm",
  "plumb-runs.wasm",
  "plumb-budget.wasm",
  "plumb-story.wasm",
];
for (const name of modules) {
  if (!existsSync(join(wasm, name))) {
    console.error(`${name} is not there (${wasm}); build it first: ./dev build`);
    process.exit(1);
  }
}
const out = resolve(process.env.PLUMB_OUT ?? join(top, "build/npm"));
const next = `${out}.new`;
rmSync(next, { recursive: true, force: true });
const dist = join(next, "dist");
mkdirSync(dist, { recursive: true });

execFileSync(process.execPath, [join(here, "node_modules/typescript/bin/tsc"), "-p", here, "--outDir", dist], {
  stdio: "inherit",
});
// The command has no types that anybody imports.
for (const name of readdirSync(join(dist, "cli"))) {
  if (name.endsWith(".d.ts")) {
    rmSync(join(dist, "cli", name));
  }
}
rmSync(join(dist, "cli.d.ts"));
for (const name of modules) {
  copyFileSync(join(wasm, name), join(dist, name));
}
copyFileSync(join(here, "src/keywords.d.ts"), join(dist, "keywords.d.ts"));
writeFileSync(
  join(dist, "keywords.js"),
  `export const keywords = /* @__PURE__ */ Object.freeze(${JSON.stringify(about().keywords, null, 2)});\n`,
);
cpSync(join(here, "static"), dist, { recursive: true });
// A hook is called, and not awaited: so for require() it is a file of its own.
execFileSync(
  join(here, "node_modules/.bin/esbuild"),
  [join(dist, "react.js"), "--format=cjs", "--log-level=warning", `--outfile=${join(dist, "react.cjs")}`],
  { stdio: "inherit" },
);
chmodSync(join(dist, "cli.js"), 0o755);

const { scripts, devDependencies, overrides, ...shipped } = JSON.parse(
  readFileSync(join(here, "package.json"), "utf8"),
);
writeFileSync(join(next, "package.json"), `${JSON.stringify(shipped, null, 2)}\n`);
copyFileSync(join(here, "README.md"), join(next, "README.md"));
copyFileSync(join(top, "LICENSE"), join(next, "LICENSE"));
rmSync(out, { recursive: true, force: true });
renameSync(next, out);

// The package as one file, which installs in any project without a registry.
const packed = `${out}-pack`;
rmSync(packed, { recursive: true, force: true });
mkdirSync(packed);
execFileSync("npm", ["pack", out, "--ignore-scripts", "--silent", "--pack-destination", packed], { stdio: ["ignore", "ignore", "inherit"] });

/** What the module says of itself; plumb_about in wasm/exports.cpp. */
function about() {
  const module = new WebAssembly.Module(readFileSync(join(wasm, "plumb-check.wasm")));
  const { exports } = new WebAssembly.Instance(module, {});
  exports._initialize?.();
  const frame = exports.plumb_frame();
  exports.plumb_about();
  const [at, length] = new Uint32Array(exports.memory.buffer, frame, 2);
  return JSON.parse(new TextDecoder().decode(new Uint8Array(exports.memory.buffer, at, length)));
}
