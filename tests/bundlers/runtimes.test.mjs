// load() without an argument in each runtime, on an app that has the package in its node_modules.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import test, { after } from "node:test";
import { build } from "esbuild";
import { bin, expected, here, newApp, run } from "./support.mjs";

const modules = ["schema", "check", "author", "runs", "budget", "story"].map((name) => `plumb-${name}.wasm`);
const app = newApp({
  "main.js":
    'import { load } from "@plumbline/plumbline"; import { judge } from "./judge.js"; console.log(JSON.stringify(await judge(await load())));',
  "main.cjs":
    'const { load, PlumbError } = require("@plumbline/plumbline"); load().then(async (plumb) => { const { judge } = await import("./judge.js"); console.log(JSON.stringify(await judge(plumb))); });',
  "worker.js": `import { load } from "@plumbline/plumbline"; import { judge } from "./judge.js";
    export default {
      async fetch() {
        try { return Response.json(await judge(await load())); } catch (error) { return new Response(String(error.stack ?? error), { status: 500 }); }
      },
    };`,
  "wrangler.toml": 'name = "worker"\nmain = "worker.js"\ncompatibility_date = "2026-01-01"\n',
});
after(() => rmSync(app, { recursive: true, force: true }));

for (const [name, command, words] of [
  ["Node 22", join(here, "node_modules/node/bin/node"), ["main.js"]],
  ["Node 22, by require", join(here, "node_modules/node/bin/node"), ["main.cjs"]],
  ["Bun", bin("bun"), ["main.js"]],
  ["Bun, by require", bin("bun"), ["main.cjs"]],
  ["Deno", bin("deno"), ["run", "--allow-read", "main.js"]],
]) {
  test(`load() in ${name}`, async () => {
    assert.deepEqual(JSON.parse(await run(command, words, { cwd: app })), expected);
  });
}

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** Serves a worker with workerd alone, and asks it once. `wasm`: name of the module -> file. */
async function asked(folder, script, wasm) {
  const port = await freePort();
  const listed = Object.entries(wasm).map(([name, file]) => `(name = "${name}", wasm = embed "${file}")`);
  writeFileSync(
    join(folder, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "${script}"), ${listed.join(", ")}],
  compatibilityDate = "2026-01-01"
);
`,
  );
  const workerd = spawn(bin("workerd"), ["serve", "config.capnp"], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  workerd.stderr.on("data", (text) => (said += text));
  try {
    for (let attempt = 0; ; ++attempt) {
      try {
        const response = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(20_000) });
        const text = await response.text();
        assert.equal(response.status, 200, text);
        return JSON.parse(text);
      } catch (error) {
        if (attempt > 100 || workerd.exitCode !== null || error.name === "AssertionError") {
          throw new Error(`${error.message}\n${said}`);
        }
        await new Promise((done) => setTimeout(done, 100));
      }
    }
  } finally {
    workerd.kill("SIGKILL");
  }
}

test("load() in workerd, bundled by wrangler", async () => {
  await run(bin("wrangler"), ["deploy", "--dry-run", "--outdir", "out"], {
    cwd: app,
    env: { WRANGLER_SEND_METRICS: "false", PATH: `${bin("")}:${process.env.PATH}` },
  });
  const files = readdirSync(join(app, "out")).filter((name) => name.endsWith(".wasm"));
  assert.equal(files.length, modules.length);
  const wasm = Object.fromEntries(files.map((name) => [name, `out/${name}`]));
  assert.deepEqual(await asked(app, "out/worker.js", wasm), expected);
});

test("load() in workerd, in its plain form: the package's modules by their names", async () => {
  await build({
    absWorkingDir: app,
    entryPoints: ["worker.js"],
    outfile: join(app, "plain.js"),
    bundle: true,
    format: "esm",
    conditions: ["workerd"],
    external: ["*.wasm"],
    logLevel: "silent",
  });
  const wasm = Object.fromEntries(modules.map((name) => [name, `node_modules/@plumbline/plumbline/dist/${name}`]));
  assert.deepEqual(await asked(app, "plain.js", wasm), expected);
});
