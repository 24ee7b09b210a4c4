import { defineConfig } from "vite";

// Relative addresses, so that the page works from any folder of any server. The worker is a module of its own and
// carries the package `plumbline`; its .wasm becomes a file beside it.
export default defineConfig({
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  worker: { format: "es" },
  build: {
    outDir: process.env.PLUMB_WEB_OUT ?? "../build/web",
    emptyOutDir: true,
    target: ["chrome123", "firefox128", "safari17.5"],
    cssTarget: ["chrome123", "firefox128", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { fs: { allow: ["..", process.env.PLUMB_NPM ?? "../build/npm"] } },
});
