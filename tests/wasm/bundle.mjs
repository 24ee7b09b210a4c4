// node bundle.mjs vite|webpack|esbuild|esbuild-file|esbuild-binary FOLDER ENTRY OUTPUT: bundles FOLDER/ENTRY as main.js
// in FOLDER/OUTPUT. What a bundler complains of is an error. A process of its own, so that a bundler that does not come
// back can be ended.
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { npm, tool } from "./support.mjs";

const [bundler, folder, entry, output] = process.argv.slice(2);
const out = join(folder, output);

async function vite() {
  const { build } = await tool("vite");
  await build({
    root: folder,
    logLevel: "warn",
    configFile: false,
    worker: { format: "es" },
    build: {
      outDir: out,
      rollupOptions: { input: join(folder, entry), output: { entryFileNames: "main.js" } },
      modulePreload: false,
    },
  });
}

async function webpack() {
  const imported = await tool("webpack");
  const run = imported.default ?? imported;
  const stats = await new Promise((resolve, reject) => {
    run(
      {
        mode: "production",
        target: "web",
        context: folder,
        entry: `./${entry}`,
        output: { path: out, filename: "main.js" },
      },
      (error, done) => (error ? reject(error) : resolve(done)),
    );
  });
  const { errors, warnings } = stats.toJson();
  const said = [...errors, ...warnings.filter((one) => !/size limit|performance/.test(one.message))];
  if (said.length > 0) {
    throw new Error(said.map((one) => one.message).join("\n"));
  }
}

async function esbuild(loader) {
  const { build } = await tool("esbuild");
  const { warnings } = await build({
    absWorkingDir: folder,
    entryPoints: { main: entry },
    bundle: true,
    format: "esm",
    outdir: out,
    logLevel: "silent",
    ...(loader === undefined ? {} : { loader: { ".wasm": loader }, publicPath: "/" }),
  });
  if (warnings.length > 0) {
    throw new Error(warnings.map((one) => one.text).join("\n"));
  }
  if (loader === undefined) {
    for (const name of ["schema", "check", "author", "runs", "budget", "story"].map((one) => `plumb-${one}.wasm`)) {
      copyFileSync(join(npm, "dist", name), join(out, name));
    }
  }
}

const bundlers = {
  vite,
  webpack,
  esbuild: () => esbuild(),
  "esbuild-file": () => esbuild("file"),
  "esbuild-binary": () => esbuild("binary"),
};
await bundlers[bundler]();
