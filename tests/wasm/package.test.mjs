// The package as it is published: what is in it, how it is found, how large and how quick the module is.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { gzipSync } from "node:zlib";
import { npm, packageSource, tool, toolPath } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "plumb-package-"));
after(() => rmSync(folder, { recursive: true }));
const [packed] = JSON.parse(
  execFileSync("npm", ["pack", npm, "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }),
);
const tarball = join(folder, packed.filename);
const files = packed.files.map((file) => file.path);

test("the package holds what it needs and nothing else", () => {
  for (const path of [
    "LICENSE",
    "README.md",
    "package.json",
    "dist/plumb-check.wasm",
    "dist/plumb-author.wasm",
    "dist/plumb-runs.wasm",
    "dist/plumb-budget.wasm",
    "dist/plumb-story.wasm",
    "dist/index.js",
    "dist/index.d.ts",
    "dist/node.js",
    "dist/preview.js",
    "dist/intake.js",
    "dist/intake.cjs",
    "dist/adapters.js",
    "dist/adapters.cjs",
    "dist/react.js",
    "dist/react.cjs",
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
  const { version } = JSON.parse(readFileSync(join(npm, "package.json"), "utf8"));
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
  for (const [file, loader] of [
    ["plumb-check.wasm", "module.js"],
    ["plumb-author.wasm", "author.js"],
    ["plumb-runs.wasm", "runs.js"],
    ["plumb-budget.wasm", "budget.js"],
    ["plumb-story.wasm", "story.js"],
  ]) {
    const module = await WebAssembly.compile(readFileSync(join(npm, "dist", file)));
    assert.deepEqual(WebAssembly.Module.imports(module), []);
    const exported = WebAssembly.Module.exports(module)
      .map((one) => one.name)
      .filter((name) => name.startsWith("plumb_"));
    const code = ["instance.js", loader].map((name) => readFileSync(join(npm, "dist", name), "utf8")).join("");
    assert.deepEqual(exported.sort(), [...new Set(code.match(/\bplumb_\w+/g))].sort());
  }
});

test("load() looks at no other module before it is wanted", () => {
  const program = `
    import fs from "node:fs/promises";
    import { syncBuiltinESMExports } from "node:module";
    const read = [];
    const readFile = fs.readFile;
    fs.readFile = (path, ...rest) => (read.push(String(path).split(/[\\\\/]/).pop()), readFile(path, ...rest));
    syncBuiltinESMExports();
    const { load } = await import(${JSON.stringify(join(npm, "dist/node.js"))});
    const plumb = await load();
    plumb.contract("quiz").render(plumb.contract("quiz").check("{}"), "llm");
    const modules = () => console.log(read.filter((name) => name.endsWith(".wasm")).join(" "));
    modules();
    await plumb.author();
    await plumb.author();
    modules();
    await plumb.pipelines();
    await plumb.pipelines();
    modules();`;
  assert.equal(
    execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }),
    "plumb-check.wasm\nplumb-check.wasm plumb-author.wasm\nplumb-check.wasm plumb-author.wasm plumb-runs.wasm\n",
  );
});

test("the module of stories is at most 150 KB gzip", (t) => {
  const bytes = readFileSync(join(npm, "dist/plumb-story.wasm"));
  const gzipped = gzipSync(bytes, { level: 9 }).length;
  t.diagnostic(`plumb-story.wasm: ${bytes.length} bytes, ${gzipped} gzip`);
  assert.ok(gzipped <= 150 * 1024, `${gzipped} bytes`);
});

test("the module is at most 255 KB gzip", (t) => {
  const bytes = readFileSync(join(npm, "dist/plumb-check.wasm"));
  const gzipped = gzipSync(bytes, { level: 9 }).length;
  t.diagnostic(`plumb-check.wasm: ${bytes.length} bytes, ${gzipped} gzip`);
  assert.ok(gzipped <= 255 * 1024, `${gzipped} bytes`);
});

test("the import of the package, minified, is at most 20 KB gzip beside the module", async (t) => {
  const { build } = await tool("esbuild");
  const { outputFiles } = await build({
    entryPoints: [join(npm, "dist/index.js")],
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
  });
  const gzipped = gzipSync(outputFiles[0].contents, { level: 9 }).length;
  t.diagnostic(`import "plumbline": ${gzipped} bytes gzip`);
  assert.ok(gzipped <= 20 * 1024, `${gzipped} bytes`);
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

test("installed from the tarball: import, require and the command work", () => {
  const app = join(folder, "app");
  mkdirSync(join(app, "node_modules/.bin"), { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", join(app, "node_modules")]);
  execFileSync("mv", [join(app, "node_modules/package"), join(app, "node_modules/plumbline")]);
  symlinkSync("../plumbline/dist/cli.js", join(app, "node_modules/.bin/plumbline"));
  const options = { cwd: app, encoding: "utf8" };
  const program = 'load().then((plumb) => console.log(plumb.contract("quiz").check("{}").valid));';
  const esm = `import { load } from "plumbline"; ${program}`;
  assert.equal(execFileSync(process.execPath, ["--input-type=module", "-e", esm], options), "false\n");
  const cjs = `const { load } = require("plumbline"); ${program}`;
  assert.equal(execFileSync(process.execPath, ["-e", cjs], options), "false\n");
  const caught = `const { load, PlumbError } = require("plumbline");
    load().then((plumb) => plumb.contract("quizz")).catch(async (error) => {
      const own = (await import("plumbline")).PlumbError;
      const made = new PlumbError("limit", "m", { where: "/a" });
      console.log(error instanceof PlumbError, error instanceof Error, made instanceof own, made.where, new Error("x") instanceof PlumbError);
    });`;
  assert.equal(execFileSync(process.execPath, ["-e", caught], options), "true true true /a false\n");
  writeFileSync(join(app, "answer.json"), "{}");
  assert.throws(
    () =>
      execFileSync("node_modules/.bin/plumbline", ["check", "-c", "quiz", "answer.json"], {
        ...options,
        stdio: "pipe",
      }),
    (error) => error.status === 1 && /Missing 'questions' field/.test(error.stdout),
  );
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
