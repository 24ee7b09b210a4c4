// A page and a worker, bundled with Vite, webpack and esbuild, each run in Chromium; and the package as it is, without a
// bundler.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { noBrowser, serve, startBrowser } from "./browser.mjs";
import { faultyQuiz, faultyQuizMessages, npm, tool } from "./support.mjs";

const skip = noBrowser;
let browser;
let folder;

before(async () => {
  if (skip) {
    return;
  }
  browser = await startBrowser();
  folder = mkdtempSync(join(tmpdir(), "plumb-bundle-"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(npm, join(folder, "node_modules/plumbline"), "dir");
  writeFileSync(join(folder, "package.json"), '{"name":"app","type":"module","private":true}');
  const judge = `
    const text = ${JSON.stringify(faultyQuiz)};
    export async function judge(plumb) {
      const quiz = plumb.contract("quiz");
      const stream = quiz.stream();
      for (const chunk of text.match(/[^]{1,7}/g)) stream.push(chunk);
      const whole = quiz.check(text);
      const author = await plumb.author();
      return { report: author.render(whole, "github").split("\\n").length, messages: whole.findings.map((f) => f.message), same: JSON.stringify(stream.end()) === JSON.stringify(whole) };
    }`;
  writeFileSync(join(folder, "judge.js"), judge);
  const main = (source, importing) => `
    import { load } from "plumbline";
    ${importing}
    import { judge } from "./judge.js";
    load(${source}).then(judge).then((result) => { globalThis.result = result; }, (error) => { globalThis.failed = String(error); });`;
  writeFileSync(join(folder, "main.js"), main("", ""));
  writeFileSync(
    join(folder, "main_url.js"),
    main(
      "{ module, authorModule }",
      `import module from "plumbline/plumb-check.wasm";
    import authorModule from "plumbline/plumb-author.wasm";`,
    ),
  );
  writeFileSync(
    join(folder, "worker.js"),
    `import { load } from "plumbline"; import { judge } from "./judge.js";
     load().then(judge).then((result) => postMessage(result));`,
  );
  writeFileSync(
    join(folder, "main_worker.js"),
    `const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
     worker.onmessage = ({ data }) => { globalThis.result = data; };
     worker.onerror = (event) => { globalThis.failed = event.message ?? "the worker failed"; };`,
  );
});

after(async () => {
  await browser?.close();
  if (folder) {
    rmSync(folder, { recursive: true, force: true });
  }
});

async function runs(output, script = "main.js", folders = { "/": output }) {
  const pages = {
    "/": `<!doctype html><meta charset="utf-8"><title>t</title><script type="module" src="/${script}"></script>`,
  };
  const server = await serve(folders, pages);
  const page = await browser.context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("requestfailed", (request) => errors.push(`failed: ${request.url()}`));
  try {
    await page.goto(`${server.origin}/`);
    await page
      .waitForFunction("globalThis.result || globalThis.failed", undefined, { timeout: 20000 })
      .catch((error) => {
        throw new Error(`${error.message}\n${errors.join("\n")}`);
      });
    assert.equal(await page.evaluate("globalThis.failed"), undefined);
    assert.deepEqual(await page.evaluate("globalThis.result"), {
      report: 4,
      messages: faultyQuizMessages,
      same: true,
    });
    assert.deepEqual(errors, []);
  } finally {
    await page.close();
    await server.close();
  }
}

async function withVite(entry, name) {
  const { build } = await tool("vite");
  const outDir = join(folder, name);
  await build({
    root: folder,
    logLevel: "warn",
    configFile: false,
    worker: { format: "es" },
    build: {
      outDir,
      rollupOptions: { input: join(folder, entry), output: { entryFileNames: "main.js" } },
      modulePreload: false,
    },
  });
  return outDir;
}

test("bundled with Vite, a page", { skip }, async () => {
  const output = await withVite("main.js", "vite");
  for (const module of [/plumb-check.*\.wasm$/, /plumb-author.*\.wasm$/]) {
    assert.ok(readdirSync(join(output, "assets")).some((name) => module.test(name)));
  }
  await runs(output);
});

test("bundled with Vite, a worker", { skip }, async () => {
  await runs(await withVite("main_worker.js", "vite_worker"));
});

async function withWebpack(entry, name) {
  const imported = await tool("webpack");
  const webpack = imported.default ?? imported;
  const path = join(folder, name);
  const stats = await new Promise((resolve, reject) => {
    webpack(
      {
        mode: "production",
        target: "web",
        context: folder,
        entry: `./${entry}`,
        output: { path, filename: "main.js" },
      },
      (error, done) => (error ? reject(error) : resolve(done)),
    );
  });
  assert.deepEqual(
    stats.toJson().errors.map((error) => error.message),
    [],
  );
  assert.deepEqual(
    stats
      .toJson()
      .warnings.filter((one) => !/size limit|performance/.test(one.message))
      .map((one) => one.message),
    [],
  );
  return path;
}

test("bundled with webpack, a page", { skip }, async () => {
  const output = await withWebpack("main.js", "webpack");
  assert.equal(readdirSync(output).filter((name) => name.endsWith(".wasm")).length, 2);
  await runs(output);
});

test("bundled with webpack, a worker", { skip }, async () => {
  await runs(await withWebpack("main_worker.js", "webpack_worker"));
});

test("bundled with esbuild, the modules beside the bundle", { skip }, async () => {
  const esbuild = await tool("esbuild");
  const outdir = join(folder, "esbuild");
  const result = await esbuild.build({
    absWorkingDir: folder,
    entryPoints: ["main.js"],
    bundle: true,
    format: "esm",
    outdir,
    logLevel: "silent",
  });
  assert.deepEqual(result.warnings, []);
  for (const name of ["plumb-check.wasm", "plumb-author.wasm"]) {
    copyFileSync(join(npm, "dist", name), join(outdir, name));
  }
  await runs(outdir);
});

test("bundled with esbuild, the modules as files or inside of the bundle", { skip }, async () => {
  const esbuild = await tool("esbuild");
  for (const loader of ["file", "binary"]) {
    const outdir = join(folder, `esbuild_${loader}`);
    await esbuild.build({
      absWorkingDir: folder,
      entryPoints: { main: "main_url.js" },
      bundle: true,
      format: "esm",
      outdir,
      loader: { ".wasm": loader },
      publicPath: "/",
      logLevel: "silent",
    });
    await runs(outdir);
  }
});

test("without a bundler: the package's own files in a page", { skip }, async () => {
  const plain = join(folder, "plain");
  mkdirSync(plain);
  copyFileSync(join(folder, "judge.js"), join(plain, "judge.js"));
  writeFileSync(
    join(plain, "main.js"),
    `import { load } from "/npm/index.js"; import { judge } from "./judge.js";
     load().then(judge).then((result) => { globalThis.result = result; }, (error) => { globalThis.failed = String(error); });`,
  );
  await runs(plain, "main.js", { "/npm/": join(npm, "dist"), "/": plain });
});
