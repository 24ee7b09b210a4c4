// load() without an argument in a page, as each bundler builds it, in Chromium. Takes minutes:
// part of ./dev test --all.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { serve, startBrowser } from "../wasm/browser.mjs";
import { bin, expected, here, newApp, npm, run } from "./support.mjs";

const node = join(here, "node_modules/node/bin/node");
const env = { PATH: `${bin("")}:${process.env.PATH}` };
const main = `import { load } from "@plumbline/plumbline"; import { judge } from "./judge.js";
load().then(judge).then((result) => (globalThis.result = result), (error) => (globalThis.failed = String(error)));`;
const html = '<!doctype html><meta charset="utf-8"><title>t</title><link rel="icon" href="data:,">';

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

async function shows(address) {
  const page = await browser.context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  try {
    await page.goto(address);
    await page
      .waitForFunction("globalThis.result || globalThis.failed", undefined, { timeout: 60_000, polling: 100 })
      .catch((error) => assert.fail(`${error.message}\n${errors.join("\n")}`));
    assert.equal(await page.evaluate("globalThis.failed"), undefined);
    assert.deepEqual(await page.evaluate("globalThis.result"), expected);
  } finally {
    await page.close();
  }
}

async function built(app, folder) {
  const server = await serve({ "/": join(app, folder) }, { "/": `${html}<script type="module" src="/main.js"></script>` });
  try {
    await shows(`${server.origin}/`);
  } finally {
    await server.close();
  }
}

/** A server that a command starts: its address, once it answers. */
async function started(command, words, options, use) {
  const probe = createServer();
  await new Promise((done) => probe.listen(0, "127.0.0.1", done));
  const { port } = probe.address();
  await new Promise((done) => probe.close(done));
  const child = spawn(command, words(port), { ...options, env: { ...process.env, ...env, ...options.env }, detached: true });
  let said = "";
  child.stdout.on("data", (text) => (said += text));
  child.stderr.on("data", (text) => (said += text));
  try {
    for (let attempt = 0; ; ++attempt) {
      try {
        await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(60_000) });
        break;
      } catch (error) {
        if (attempt > 300 || child.exitCode !== null) {
          throw new Error(`${command} does not answer: ${error.message}\n${said}`);
        }
        await new Promise((done) => setTimeout(done, 200));
      }
    }
    await use(`http://127.0.0.1:${port}`);
  } catch (error) {
    error.message += `\n${said.slice(-2000)}`;
    throw error;
  } finally {
    try {
      process.kill(-child.pid, "SIGKILL"); // with what it has started
    } catch {
      // it has ended
    }
  }
}

function withApp(files, use, packages) {
  return async () => {
    const app = newApp(files, packages);
    try {
      await use(app);
    } finally {
      rmSync(app, { recursive: true, force: true });
    }
  };
}

for (const version of [5, 6, 7, 8]) {
  const vite = join(here, `node_modules/vite${version}/bin/vite.js`);
  const files = {
    "main.js": main,
    "index.html": `${html}<script type="module" src="/main.js"></script>`,
    "vite.config.js": 'export default { optimizeDeps: { exclude: ["@plumbline/plumbline"] } };',
  };
  test(`Vite ${version}, built`, withApp(files, async (app) => {
    await run(node, [vite, "build"], { cwd: app });
    const server = await serve({ "/": join(app, "dist") });
    try {
      await shows(`${server.origin}/index.html`);
    } finally {
      await server.close();
    }
  }));
  test(`Vite ${version}, its development server`, withApp(files, (app) =>
    started(node, (port) => [vite, "--port", String(port), "--strictPort", "--host", "127.0.0.1"], { cwd: app }, shows),
  ));
}

test("esbuild, the modules copied beside the bundle", withApp({ "main.js": main }, async (app) => {
  await run(bin("esbuild"), ["main.js", "--bundle", "--format=esm", "--outfile=dist/main.js"], { cwd: app });
  for (const name of ["check", "author", "runs"]) {
    cpSync(join(npm, `dist/plumb-${name}.wasm`), join(app, `dist/plumb-${name}.wasm`));
  }
  await built(app, "dist");
}));

const rollup = `import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
export default {
  input: "main.js",
  output: { dir: "dist", format: "es", entryFileNames: "main.js" },
  plugins: [
    {
      name: "resolve",
      resolveId: (source) => (source === "@plumbline/plumbline" ? join(import.meta.dirname, "node_modules/@plumbline/plumbline/dist/index.js") : null),
    },
    {
      // new URL("./file.wasm", import.meta.url): the file is part of the bundle.
      name: "wasm-urls",
      transform(code, id) {
        return code.replace(/new URL\\("(\\.\\/[\\w-]+\\.wasm)", import\\.meta\\.url\\)/g, (_, path) => {
          const source = readFileSync(join(dirname(id), path));
          return \`new URL(import.meta.ROLLUP_FILE_URL_\${this.emitFile({ type: "asset", name: path.slice(2), source })})\`;
        });
      },
    },
  ],
};`;
test("Rollup, with the plugin of docs/bundlers.md", withApp({ "main.js": main, "rollup.config.mjs": rollup }, async (app) => {
  await run(node, [bin("rollup"), "--config", "rollup.config.mjs", "--failAfterWarnings"], { cwd: app });
  await built(app, "dist");
}));

const webpackConfig = 'export default { mode: "production", entry: "./main.js", output: { filename: "main.js" }, performance: false };';
const webpackScript =
  'import webpack from "webpack"; import config from "./webpack.config.mjs"; webpack({ ...config, context: process.cwd() }, (error, stats) => { if (error || stats.hasErrors() || stats.hasWarnings()) { console.error(error ?? stats.toString()); process.exitCode = 1; } });';
test("webpack", withApp({ "main.js": main, "webpack.config.mjs": webpackConfig }, async (app) => {
  await run(node, ["--input-type=module", "-e", webpackScript], { cwd: app });
  await built(app, "dist");
}, ["webpack"]));

// In a worker of its page, and in one that pages share.
const workers = {
  "main.js": `const own = new Worker(new URL("./own.js", import.meta.url), { type: "module" });
const shared = new SharedWorker(new URL("./shared.js", import.meta.url), { type: "module" });
const told = (port) => new Promise((done, failed) => (port.onmessage = ({ data }) => (data.failed ? failed(data.failed) : done(data))));
own.onerror = shared.onerror = (event) => (globalThis.failed = event.message || "a worker was not loaded");
Promise.all([told(own), told(shared.port)]).then(
  (both) => (globalThis.result = JSON.stringify(both[0]) === JSON.stringify(both[1]) ? both[0] : both),
  (error) => (globalThis.failed = String(error)),
);`,
  "own.js": `import { load } from "@plumbline/plumbline"; import { judge } from "./judge.js";
load().then(judge).catch((error) => ({ failed: String(error) })).then((result) => postMessage(result));`,
  "shared.js": `import { load } from "@plumbline/plumbline"; import { judge } from "./judge.js";
onconnect = ({ ports: [port] }) => load().then(judge).catch((error) => ({ failed: String(error) })).then((result) => port.postMessage(result));`,
};

test("esbuild: in a worker and in a shared worker", withApp(workers, async (app) => {
  await run(bin("esbuild"), ["main.js", "own.js", "shared.js", "--bundle", "--format=esm", "--outdir=dist"], { cwd: app });
  for (const name of ["check", "author", "runs"]) {
    cpSync(join(npm, `dist/plumb-${name}.wasm`), join(app, `dist/plumb-${name}.wasm`));
  }
  await built(app, "dist");
}));

test("webpack: in a worker and in a shared worker", withApp({ ...workers, "webpack.config.mjs": webpackConfig }, async (app) => {
  await run(node, ["--input-type=module", "-e", webpackScript], { cwd: app });
  await built(app, "dist");
}, ["webpack"]));

const viteWorkers = {
  ...workers,
  "index.html": `${html}<script type="module" src="/main.js"></script>`,
  "vite.config.js": 'export default { worker: { format: "es" }, optimizeDeps: { exclude: ["@plumbline/plumbline"] } };',
};
test("Vite: in a worker and in a shared worker", withApp(viteWorkers, async (app) => {
  await run(node, [join(here, "node_modules/vite8/bin/vite.js"), "build"], { cwd: app });
  const server = await serve({ "/": join(app, "dist") });
  try {
    await shows(`${server.origin}/index.html`);
  } finally {
    await server.close();
  }
}));

const exportsRead = { name: "app", type: "module", private: true, "@parcel/resolver-default": { packageExports: true } };
for (const [what, files] of [
  ["Parcel", { "main.js": main }],
  ["Parcel that reads exports", { "main.js": `import "@plumbline/plumbline/preview"; ${main}`, "package.json": JSON.stringify(exportsRead) }],
]) {
  test(what, withApp({ ...files, "index.html": `${html}<script type="module" src="./main.js"></script>` }, async (app) => {
    await run(node, [bin("parcel"), "build", "index.html", "--no-cache", "--no-source-maps"], { cwd: app, env });
    const server = await serve({ "/": join(app, "dist") });
    try {
      await shows(`${server.origin}/index.html`);
    } finally {
      await server.close();
    }
  }));
}

// Next.js: a page that loads it in the browser, a route of the server and one of the edge.
const route = (edge) => `import { load } from "@plumbline/plumbline";
import { judge } from "../../judge.js";
${edge ? 'export const runtime = "edge";' : ""}
export const dynamic = "force-dynamic";
export async function GET() {
  try { return Response.json(await judge(await load())); } catch (error) { return new Response(String(error.stack ?? error), { status: 500 }); }
}`;
const next = {
  "app/layout.jsx": "export default function Layout({ children }) { return <html lang='en'><body>{children}</body></html>; }",
  "app/page.jsx": `"use client";
import { useEffect } from "react";
import { load } from "@plumbline/plumbline";
import { judge } from "../judge.js";
export default function Page() {
  useEffect(() => { load().then(judge).then((result) => (globalThis.result = result), (error) => (globalThis.failed = String(error))); }, []);
  return <p>A page</p>;
}`,
  "app/server/route.js": route(false),
  "app/edge/route.js": route(true),
};
// The build of 16.4 with webpack loses every route of the edge, whatever is in it.
for (const [bundler, flag, paths] of [
  ["Turbopack", "--turbopack", ["server", "edge"]],
  ["webpack", "--webpack", ["server"]],
]) {
  test(`Next.js with ${bundler}: page, ${paths.join(" and ")}`, async () => {
    // Its bundlers follow no link out of the app's folder: so the app is where its packages are.
    const files = Object.entries(next).filter(([name]) => !name.endsWith("route.js") || paths.includes(name.split("/")[1]));
    const config = 'export default { serverExternalPackages: ["@plumbline/plumbline"] };';
    const app = newApp({ ...Object.fromEntries(files), ...(bundler === "webpack" ? { "next.config.mjs": config } : {}) });
    const inside = join(here, `.app-${bundler}`);
    rmSync(inside, { recursive: true, force: true });
    cpSync(app, inside, { recursive: true });
    rmSync(app, { recursive: true });
    const command = join(here, "node_modules/next/dist/bin/next");
    const telemetry = { NEXT_TELEMETRY_DISABLED: "1" };
    try {
      await run(node, [command, "build", flag], { cwd: inside, env: { ...env, ...telemetry }, seconds: 300 });
      await started(node, (port) => [command, "start", "-p", String(port), "-H", "127.0.0.1"], { cwd: inside, env: telemetry }, async (origin) => {
        await shows(`${origin}/`);
        for (const path of paths) {
          const response = await fetch(`${origin}/${path}`);
          const text = await response.text();
          assert.equal(response.status, 200, `${path}: ${text}`);
          assert.deepEqual(JSON.parse(text), expected, path);
        }
      });
    } finally {
      rmSync(inside, { recursive: true, force: true });
    }
  });
}
