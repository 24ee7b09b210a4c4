import { defineConfig } from "vite";

// The page gives the package texts and nothing else, so the guard against other values and names is left out of it; and
// doors of the package that it does not open.
const without = (doors: RegExp) => ({
  name: "without-misuse",
  load: (id: string) =>
    /[/\\]dist[/\\]misuse\.js$/.test(id)
      ? "export const refuseMistaken = () => {}, refuseFunctions = refuseMistaken, refuseOther = refuseMistaken, " +
        "refuseUnknown = refuseMistaken, refusePiece = (chunk) => { throw new TypeError(typeof chunk); };"
      : doors.test(id)
        ? "export {};"
        : null,
});

// The texts of src/strings stand where they are used, without a name.
const optimization = { inlineConst: { mode: "all" as const } };

// Relative addresses, so that the page works from any folder of any server. The worker is a module of its own and
// carries the package `@plumbline/plumbline`; its .wasm becomes a file beside it.
export default defineConfig({
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [without(/[/\\]dist[/\\](?:boundary|via_proxy)\.js$/)],
  // Runs are made in the worker, also with a model through a proxy.
  worker: { format: "es", plugins: () => [without(/[/\\]dist[/\\]boundary\.js$/)], rolldownOptions: { optimization } },
  build: {
    outDir: process.env.PLUMB_WEB_OUT ?? "../build/web",
    emptyOutDir: true,
    target: ["chrome123", "firefox128", "safari17.5"],
    cssTarget: ["chrome123", "firefox128", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { optimization },
  },
  server: { fs: { allow: ["..", process.env.PLUMB_NPM ?? "../build/npm"] } },
});
