// Builds what other pages take: embed/plumb-preview.js, plumb-edit.js, plumb-budget.js and plumb-intake.js
// with their modules, and the examples beside them.
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const out = resolve(web, process.env.PLUMB_WEB_OUT ?? "../build/web");
const examples = resolve(web, "../docs/examples");
const target = ["chrome123", "firefox128", "safari17.5"];

const shared = { configFile: false, base: "./", logLevel: "warn", publicDir: false };

// Each is one file, so each is a build of its own.
for (const [source, name] of [
  ["src/embed.ts", "plumb-preview.js"],
  ["src/embed_edit.ts", "plumb-edit.js"],
  ["src/embed_budget.ts", "plumb-budget.js"],
  ["src/embed_intake.ts", "plumb-intake.js"],
]) {
  await build({
    ...shared,
    root: web,
    build: {
      outDir: join(out, "embed"),
      emptyOutDir: name === "plumb-preview.js",
      target,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rollupOptions: {
        input: join(web, source),
        preserveEntrySignatures: "exports-only",
        output: { codeSplitting: false, entryFileNames: name, assetFileNames: "[name][extname]" },
      },
    },
  });
}

// The examples find their packages where the page has them.
const packages = {
  name: "packages-of-the-page",
  enforce: "pre",
  resolveId(source) {
    if (!/^(@plumbline\/plumbline|react|react-dom)(\/|$)/.test(source)) return null;
    return this.resolve(source, join(web, "src/embed.ts"), { skipSelf: true });
  },
};
rmSync(join(out, "examples"), { recursive: true, force: true });
await build({
  ...shared,
  root: join(examples, "react"),
  plugins: [packages],
  build: {
    outDir: join(out, "examples/react"),
    emptyOutDir: true,
    target,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
mkdirSync(join(out, "examples"), { recursive: true });
for (const name of readdirSync(examples)) {
  if (/\.(html|js)$/.test(name)) copyFileSync(join(examples, name), join(out, "examples", name));
}
