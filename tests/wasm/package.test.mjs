// The package as it is published: what is in it, how it is found, how large and how quick the module is.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { gzipSync } from "node:zlib";
import { serve, startBrowser } from "./browser.mjs";
import { npm, packageName, packageSource, tool, toolPath, within } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "plumb-package-"));
after(() => rmSync(folder, { recursive: true }));
// The tarball lies where `./dev build` leaves it: beside the package, named by npm after its name and version.
const { version } = JSON.parse(readFileSync(join(npm, "package.json"), "utf8"));
const tarball = join(`${npm}-pack`, `plumbline-plumbline-${version}.tgz`);
const files = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" })
  .trim()
  .split("\n")
  .map((path) => path.replace(/^package\//, ""));

test("the package holds what it needs and nothing else", () => {
  for (const path of [
    "LICENSE",
    "README.md",
    "package.json",
    "dist/plumb-schema.wasm",
    "dist/plumb-check.wasm",
    "dist/plumb-author.wasm",
    "dist/plumb-runs.wasm",
    "dist/plumb-budget.wasm",
    "dist/plumb-story.wasm",
    "dist/index.js",
    "dist/index.d.ts",
    "dist/node.js",
    "dist/preview.js",
    "dist/edit.js",
    "dist/edit.cjs",
    "dist/edit.d.cts",
    "dist/intake.js",
    "dist/intake.cjs",
    "dist/adapters.js",
    "dist/adapters.cjs",
    "dist/react.js",
    "dist/react.cjs",
    "dist/boundary.js",
    "dist/via_proxy.js",
    "dist/index.cjs",
    "dist/cli.js",
  ]) {
    assert.ok(files.includes(path), path);
  }
  for (const path of files) {
    assert.match(path, /^(?:LICENSE|README\.md|package\.json|dist\/[\w./-]+\.(?:c?js|d\.c?ts|wasm))$/);
  }
  const { dependencies, devDependencies, scripts, license } = JSON.parse(
    readFileSync(join(npm, "package.json"), "utf8"),
  );
  assert.deepEqual([dependencies, devDependencies, scripts, license], [undefined, undefined, undefined, "MIT"]);
  assert.ok(readFileSync(join(npm, "README.md"), "utf8").includes("load()"));
});

test("the version is the module's", async () => {
  const { load } = await import(join(npm, "dist/node.js"));
  assert.equal((await load()).version, version);
});

test("publint has nothing to say", async () => {
  const { publint } = await tool("publint");
  const { formatMessage } = await tool("publint/utils");
  const { messages, pkg } = await publint({ pkgDir: npm, strict: true });
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg)),
    [],
  );
});

test("@arethetypeswrong finds nothing", () => {
  const cli = toolPath("@arethetypeswrong/cli/dist/index.js");
  try {
    execFileSync(process.execPath, [cli, tarball, "--no-color", "--no-emoji"], { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    assert.fail(error.stdout + error.stderr);
  }
});

test("the modules import nothing and export what the loader calls, no more", async () => {
  const ofTexts = ["plumb_clarify", "plumb_measure"];
  for (const [file, loaders, without] of [
    ["plumb-schema.wasm", ["module.js"], ofTexts],
    ["plumb-check.wasm", ["module.js"], []],
    ["plumb-author.wasm", ["module.js", "author.js"], []],
    ["plumb-runs.wasm", ["module.js", "runs.js"], []],
    ["plumb-budget.wasm", ["budget.js"], []],
    ["plumb-story.wasm", ["story.js"], []],
  ]) {
    const module = await WebAssembly.compile(readFileSync(join(npm, "dist", file)));
    assert.deepEqual(WebAssembly.Module.imports(module), []);
    const exported = WebAssembly.Module.exports(module)
      .map((one) => one.name)
      .filter((name) => name.startsWith("plumb_"));
    const code = ["instance.js", ...loaders].map((name) => readFileSync(join(npm, "dist", name), "utf8")).join("");
    const called = new Set(code.match(/\bplumb_\w+/g));
    assert.deepEqual(exported.sort(), [...called].filter((name) => !without.includes(name)).sort());
  }
});

/** What a program prints that may ask `modules()`, the modules that have been read, in the order of reading. */
function printedBy(program) {
  const whole = `
    import fs from "node:fs/promises";
    import { syncBuiltinESMExports } from "node:module";
    const read = [];
    const readFile = fs.readFile;
    fs.readFile = (path, ...rest) => (read.push(String(path).split(/[\\\\/]/).pop()), readFile(path, ...rest));
    syncBuiltinESMExports();
    const { load } = await import(${JSON.stringify(join(npm, "dist/node.js"))});
    const modules = () => read.filter((name) => name.endsWith(".wasm")).join(" ");
    ${program}`;
  return execFileSync(process.execPath, ["--input-type=module", "-e", whole], { encoding: "utf8" });
}

test("load() looks at no other module before it is wanted", () => {
  const program = `
    const plumb = await load();
    plumb.contract("quiz").render(plumb.contract("quiz").check("{}"), "llm");
    console.log(modules());
    await plumb.author();
    await plumb.author();
    console.log(modules());
    await plumb.pipelines();
    await plumb.pipelines();
    console.log(modules());`;
  assert.equal(
    printedBy(program),
    "plumb-check.wasm\nplumb-check.wasm plumb-author.wasm\nplumb-check.wasm plumb-author.wasm plumb-runs.wasm\n",
  );
});

/**
 * What a page fetches, gzip, an empty cache before it: the modules that `load({ parts })` takes. A change that needs more
 * raises its row, and says what for.
 */
const rows = [
  // Patterns of the syntax without `u` are read; a member that is missing knows the one that is nearly named so.
  [[], "plumb-schema.wasm", 193],
  // Six classes of edits more: backslashes, commas, brackets, ellipses, joined strings, quotes.
  [["text"], "plumb-check.wasm", 259],
  // Authoring has the writers of GIFT, Moodle XML, Anki, CSV, OPML, FreeMind and the review sheet.
  [["author"], "plumb-author.wasm", 430],
  // Runs have a check beneath every judge, duplicates, what was wrong in each retry, the floor under research's judge,
  // revisions by the items' own contract, files that gates run, and the steps of runs that were begun before these.
  // And measured judges, the languages of artifacts, waivers, edits as models write them, the reader of stories, and
  // boundaries around clients.
  [["runs"], "plumb-runs.wasm", 1098],
  [["text", "author"], "plumb-author.wasm", 430],
  [["author", "runs"], "plumb-author.wasm plumb-runs.wasm", 1526],
  [["budget"], "plumb-schema.wasm plumb-budget.wasm", 273],
  // The check of stories reads their texts and numbers, and runs SugarCube's macros; stories are written as a page and a
  // gamebook that leave out what no reader meets.
  [["text", "story"], "plumb-check.wasm plumb-story.wasm", 446],
];

test("load({ parts }) fetches what they are made of, and nothing later", () => {
  for (const [parts, files] of rows) {
    const program = `
      const plumb = await load({ parts: ${JSON.stringify(parts)} });
      const all = modules();
      const quiz = plumb.contract("quiz");
      quiz.check("{}");
      const got = [];
      for (const [part, get] of Object.entries({
        author: () => plumb.author(), runs: () => plumb.pipelines(), budget: () => plumb.budget(), story: () => plumb.story(),
      })) {
        await get().then(() => got.push(part), (error) => console.error(error.code, error.message));
      }
      if (modules() !== all) throw new Error("later: " + modules());
      console.log(all + ": " + got.join(" "));`;
    const with_ = parts.filter((part) => part !== "text").join(" ");
    assert.equal(printedBy(program), `${files}: ${with_}\n`);
  }
});

test("a page fetches the modules of its parts, each once", async () => {
  const server = await serve({ "/npm/": join(npm, "dist") }, { "/": "<!doctype html><title>t</title>" });
  const browser = await startBrowser();
  try {
    for (const [parts, files] of rows) {
      const page = await browser.context.newPage();
      await page.goto(`${server.origin}/`);
      const used = page.evaluate(
        ([parts]) =>
          import("/npm/index.js").then(async ({ load }) => {
            const plumb = await load({ parts });
            plumb.contract("quiz").check("{}");
            await Promise.allSettled([plumb.author(), plumb.pipelines(), plumb.budget(), plumb.story()]);
            return performance.getEntriesByType("resource").map((one) => one.name.split("/").pop());
          }),
        [parts],
      );
      const fetched = (await within(60_000, "a page with parts", used)).filter((name) => name.endsWith(".wasm"));
      assert.deepEqual(fetched.sort(), files.split(" ").sort(), JSON.stringify(parts));
      await page.close();
    }
  } finally {
    await browser.close();
    await server.close();
  }
});

test("what was not loaded says which line loads it", async () => {
  const { load } = await import(join(npm, "dist/node.js"));
  const least = await load({ parts: [] });
  const line = /load\(\{ parts: \["text"\] \}\)/;
  assert.equal(least.contract("quiz").check("{}").valid, false);
  assert.throws(() => least.contract({ properties: { a: { facts: { min: 1 } } } }), (error) => {
    assert.match(error.message, line);
    assert.deepEqual([error.code, error.where], ["invalid_contract", "/properties/a/facts"]);
    return true;
  });
  assert.throws(() => least.contract("quiz").check("{}", { edits: "certain" }), { message: line });
  assert.throws(() => least.contract("intake"), { code: "not_found", message: line });
  assert.throws(() => least.measure([]), { code: "unavailable", message: line });
  assert.throws(() => least.clarify(least.contract("quiz").check("{}")), { code: "unavailable", message: line });
  // Somebody else's keyword of that name is nobody's here either.
  for (const theirs of [{ facts: "two" }, { facts: ["a"] }, { mentions: 3 }, { maxSentences: {} }, { singleUnknown: [] }, { quotedFrom: true }]) {
    assert.equal(least.contract(theirs).check("1").valid, true, JSON.stringify(theirs));
  }
  assert.throws(() => least.contract({ pointers: { "context:/measured/progress": {} } }), { message: line });
  await assert.rejects(least.author(), { code: "unavailable", message: /load\(\{ parts: \["author"\] \}\) has it/ });
  const some = await load({ parts: ["budget", "text"] });
  await assert.rejects(some.story(), { message: /load\(\{ parts: \["budget", "text", "story"\] \}\) has it/ });
  await assert.rejects(load({ parts: ["texts"] }), { code: "invalid_argument", message: /text, author, runs, budget, story, and not "texts"/ });
  await assert.rejects(load({ parts: "text" }), { code: "invalid_argument", message: /is a list/ });
});

test("each row of parts has the size that it may have", (t) => {
  for (const [parts, files, most] of rows) {
    const size = files
      .split(" ")
      .map((file) => gzipSync(readFileSync(join(npm, "dist", file)), { level: 9 }).length)
      .reduce((a, b) => a + b);
    t.diagnostic(`${JSON.stringify(parts)}: ${size} bytes gzip (${files})`);
    assert.ok(size <= most * 1024, `${JSON.stringify(parts)}: ${size} bytes`);
  }
});

test("the import of the package, minified, is at most 20 KB gzip beside the module", async (t) => {
  const { build } = await tool("esbuild");
  const { outputFiles, metafile } = await build({
    entryPoints: [join(npm, "dist/index.js")],
    bundle: true,
    minify: true,
    format: "esm",
    splitting: true,
    outdir: folder,
    metafile: true,
    write: false,
  });
  const size = (path) => gzipSync(outputFiles.find((file) => file.path.endsWith(path)).contents, { level: 9 }).length;
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => ({ ...output, path, name: path.split("/").pop() }));
  // The entry with all that it imports at once; what is imported when it is called is told apart.
  const entry = outputs.find(({ entryPoint }) => entryPoint?.endsWith("dist/index.js"));
  const needs = new Set([entry]);
  for (const output of needs) {
    for (const { path, kind } of output.imports) {
      if (kind === "import-statement") needs.add(outputs.find((one) => one.path === path));
    }
  }
  const gzipped = [...needs].map(({ name }) => size(name)).reduce((a, b) => a + b);
  t.diagnostic(`import "@plumbline/plumbline": ${gzipped} bytes gzip`);
  assert.ok(gzipped <= 20 * 1024, `${gzipped} bytes`);
  for (const one of outputs.filter((one) => !needs.has(one))) {
    t.diagnostic(`loaded when it is called: ${one.name}, ${size(one.name)} bytes gzip`);
    assert.ok(size(one.name) <= 5 * 1024, `${one.name}: ${size(one.name)} bytes`);
  }
  // Adapters are what they are, and nothing of the module's.
  const adapters = await build({
    entryPoints: [join(npm, "dist/adapters.js")],
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
  });
  assert.ok(gzipSync(adapters.outputFiles[0].contents, { level: 9 }).length <= 4 * 1024);
});

test("installed from the tarball in an empty folder, without a registry: import, require and the command work", () => {
  const app = join(folder, "app");
  mkdirSync(app);
  const options = { cwd: app, encoding: "utf8" };
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { ...options, stdio: "pipe" });
  assert.deepEqual(
    readdirSync(join(app, "node_modules"), { recursive: true }).filter((path) => path.endsWith("package.json")),
    [join(packageName, "package.json")],
  );
  const program = 'load().then((plumb) => console.log(plumb.contract("quiz").check("{}").valid));';
  const esm = `import { load } from "@plumbline/plumbline"; ${program}`;
  assert.equal(execFileSync(process.execPath, ["--input-type=module", "-e", esm], options), "false\n");
  const cjs = `const { load } = require("@plumbline/plumbline"); ${program}`;
  assert.equal(execFileSync(process.execPath, ["-e", cjs], options), "false\n");
  const caught = `const { load, PlumbError } = require("@plumbline/plumbline");
    load().then((plumb) => plumb.contract("quizz")).catch(async (error) => {
      const own = (await import("@plumbline/plumbline")).PlumbError;
      const made = new PlumbError("limit", "m", { where: "/a" });
      console.log(error instanceof PlumbError, error instanceof Error, made instanceof own, made.where, new Error("x") instanceof PlumbError);
    });`;
  assert.equal(execFileSync(process.execPath, ["-e", caught], options), "true true true /a false\n");
  writeFileSync(join(app, "answer.json"), "{}");
  for (const command of [["node_modules/.bin/plumbline"], ["npx", "--offline", packageName]]) {
    const [program, ...words] = [...command, "check", "-c", "quiz", "answer.json"];
    assert.throws(
      () => execFileSync(program, words, { ...options, stdio: "pipe" }),
      (error) => error.status === 1 && /Missing 'questions' field/.test(error.stdout),
    );
  }
});

test("nothing names the place or the registry it was built with", () => {
  const lock = readFileSync(join(packageSource, "package-lock.json"), "utf8");
  assert.ok(!/"resolved"/.test(lock), "the lock file names where packages come from");
  for (const name of readdirSync(join(npm, "dist"), { recursive: true })) {
    if (/\.(?:js|cjs|ts|cts|wasm)$/.test(name)) {
      const text = readFileSync(join(npm, "dist", name), "latin1");
      assert.ok(!/\/(?:home|root|work|tmp)\/[\w-]+/.test(text), name);
    }
  }
});
