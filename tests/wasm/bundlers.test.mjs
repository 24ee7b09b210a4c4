// A page and a worker, bundled with Vite, webpack and esbuild, each run in Chromium; and the package as it is, without a
// bundler. Every step has a bound and says which one it was that did not end.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { serve, startBrowser } from "./browser.mjs";
import { faultyQuiz, faultyQuizMessages, givePackage, here, npm, within } from "./support.mjs";

/** Much more than each takes on a machine that has other things to do. */
const bundleMs = 120_000;
const pageMs = 60_000;
let browser;
let folder;

before(async () => {
  browser = await startBrowser();
  folder = mkdtempSync(join(tmpdir(), "plumb-bundle-"));
  givePackage(folder);
  writeFileSync(join(folder, "package.json"), '{"name":"app","type":"module","private":true}');
  const judge = `
    const text = ${JSON.stringify(faultyQuiz)};
    export async function judge(plumb) {
      const quiz = plumb.contract("quiz");
      const stream = quiz.stream();
      for (const chunk of text.match(/[^]{1,7}/g)) stream.push(chunk);
      const whole = quiz.check(text);
      const author = await plumb.author();
      const extracted = await plumb.extract({ kind: "model", request: {} });
      return { extract: extracted.status, report: author.render(whole, "github").split("\\n").length, messages: whole.findings.map((f) => f.message), same: JSON.stringify(stream.end()) === JSON.stringify(whole) };
    }`;
  writeFileSync(join(folder, "judge.js"), judge);
  const main = (source, importing) => `
    import { load } from "@plumbline/plumbline";
    ${importing}
    import { judge } from "./judge.js";
    load(${source}).then(judge).then((result) => { globalThis.result = result; }, (error) => { globalThis.failed = String(error); });`;
  writeFileSync(join(folder, "main.js"), main("", ""));
  writeFileSync(
    join(folder, "main_url.js"),
    main(
      "{ module, authorModule, runsModule }",
      `import module from "@plumbline/plumbline/plumb-check.wasm";
    import authorModule from "@plumbline/plumbline/plumb-author.wasm";
    import runsModule from "@plumbline/plumbline/plumb-runs.wasm";`,
    ),
  );
  writeFileSync(
    join(folder, "worker.js"),
    `import { load } from "@plumbline/plumbline"; import { judge } from "./judge.js";
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
  const page = await within(pageMs, "Chromium opening a page", browser.context.newPage());
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("crash", () => errors.push("the page has crashed"));
  page.on("requestfailed", (request) => errors.push(`failed: ${request.url()}`));
  try {
    await page.goto(`${server.origin}/`);
    await page
      .waitForFunction("globalThis.result || globalThis.failed", undefined, { timeout: pageMs, polling: 100 })
      .catch((error) => {
        throw new Error(`${error.message}\n${errors.join("\n")}`);
      });
    const [failed, result] = await within(
      pageMs,
      "Chromium telling the page's result",
      page.evaluate("[globalThis.failed, globalThis.result]"),
    );
    assert.equal(failed, undefined);
    assert.deepEqual(result, { extract: "failed", report: 4, messages: faultyQuizMessages, same: true });
    assert.deepEqual(errors, []);
  } finally {
    await within(pageMs, "Chromium closing a page", page.close());
    await server.close();
  }
}

/** Bundles an entry; the folder of what has come out. */
async function bundled(bundler, entry) {
  const output = `${bundler}_${entry}`;
  const script = join(here, "bundle.mjs");
  await new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [script, bundler, folder, entry, output],
      { timeout: bundleMs, killSignal: "SIGKILL", encoding: "utf8" },
      (error, stdout, stderr) => {
        if (error !== null) {
          const what = error.killed ? `did not come back within ${bundleMs / 1000} s` : "failed";
          reject(new Error(`${bundler} ${what}\n${stdout}${stderr}`));
        } else {
          resolve();
        }
      },
    );
  });
  return join(folder, output);
}

test("bundled with Vite, a page", async () => {
  const output = await bundled("vite", "main.js");
  for (const module of [/plumb-check.*\.wasm$/, /plumb-author.*\.wasm$/, /plumb-runs.*\.wasm$/, /plumb-budget.*\.wasm$/, /plumb-story.*\.wasm$/]) {
    assert.ok(readdirSync(join(output, "assets")).some((name) => module.test(name)));
  }
  await runs(output);
});

test("bundled with Vite, a worker", async () => {
  await runs(await bundled("vite", "main_worker.js"));
});

test("bundled with webpack, a page", async () => {
  const output = await bundled("webpack", "main.js");
  assert.equal(readdirSync(output).filter((name) => name.endsWith(".wasm")).length, 6);
  await runs(output);
});

test("bundled with webpack, a worker", async () => {
  await runs(await bundled("webpack", "main_worker.js"));
});

test("bundled with esbuild, the modules beside the bundle", async () => {
  await runs(await bundled("esbuild", "main.js"));
});

test("bundled with esbuild, the modules as files or inside of the bundle", async () => {
  await runs(await bundled("esbuild-file", "main_url.js"));
  await runs(await bundled("esbuild-binary", "main_url.js"));
});

test("without a bundler: the package's own files in a page", async () => {
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
