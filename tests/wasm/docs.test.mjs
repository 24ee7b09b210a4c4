// Every block of JavaScript in the documentation does what its page says. Blocks with published packages are in
// tests/adapters/docs.test.mjs, those of bundlers.md in tests/bundlers.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { serve, startBrowser } from "./browser.mjs";
import { blocksOf, follow, followText } from "../docs_blocks.mjs";
import { recordedStory } from "../recorded.mjs";
import { cleanQuiz, npm, top } from "./support.mjs";

const packageJson = JSON.parse(readFileSync(join(npm, "package.json"), "utf8"));
// What Node would import: the first of an entry's conditions that it has.
const fileOf = (entry) => (typeof entry === "string" ? entry : fileOf(entry.node ?? entry.import ?? entry.default));
const find = (name) => {
  const path = name.replace("@plumbline/plumbline", ".");
  const entry = packageJson.exports[path];
  assert.ok(entry, `${name} is no part of the package`);
  return import(pathToFileURL(join(npm, fileOf(entry))).href);
};
const { load } = await find("@plumbline/plumbline");
const plumb = await load();
const quiz = plumb.contract("quiz");
const good = cleanQuiz(2);
const broken = '{"questions": []}';
async function* pieces(text) {
  for (let at = 0; at < text.length; at += 16) yield text.slice(at, at + 16);
}
const readme = "wasm/package/README.md";

test("every block of JavaScript is followed by a test", () => {
  const tests = ["tests/wasm/docs.test.mjs", "tests/wasm/readme.test.mjs", "tests/adapters/docs.test.mjs"].map((name) => readFileSync(join(top, name), "utf8")).join("\n");
  const pages = ["README.md", readme, ...readdirSync(join(top, "docs")).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)];
  for (const page of pages) {
    if (page === "docs/bundlers.md" || page === "README.md") continue; // bundlers.test.mjs; readme.test.mjs
    blocksOf(page).forEach((_, number) => {
      const name = page === readme ? "readme" : `"${page}"`;
      assert.ok(tests.includes(`follow(${name}, ${number},`) || tests.includes(`blocksOf(${name})[${number}]`), `${page}: no test follows block ${number}`);
    });
  }
});

test("boundaries.md: functions judge and revise the page's own items", async () => {
  const [contract, briefs] = blocksOf("docs/boundaries.md", "json");
  const files = { "brief.json": contract, "briefs.json": briefs };
  const given = async (name) => (name === "node:fs" ? { readFileSync: (file) => files[file] } : find(name));
  const { items, briefs: before } = await follow("docs/boundaries.md", 0, { console: { log() {} } }, ["items", "briefs"], given);
  const problems = (all) => all.map(({ problem_statement }) => problem_statement);
  assert.ok(problems(before).some((one) => one.includes(", and ")), "an item has two issues");
  assert.deepEqual([...problems(items)].sort(), problems(before).flatMap((one) => one.split(", and ")).sort());
});

test("frameworks.md: functions judge and revise at a boundary", async () => {
  const briefs = [{ area: "search", problem: "It finds nothing" }, { area: "checkout", problem: "It is slow and the total is wrong" }, { area: "login", problem: "" }];
  const { items, warned, heldBack } = await follow("docs/frameworks.md", 9, { briefs }, ["items", "warned", "heldBack"], find);
  assert.deepEqual(items.map(({ problem }) => problem), ["It finds nothing", "It is slow", "the total is wrong"]);
  assert.deepEqual([warned, heldBack.map(({ index, rule }) => [index, rule])], [[], [[2, "minLength"]]]);
});

test("budget.md and the package's README: a window has room, or has not", async () => {
  const { fit, available } = await follow("docs/budget.md", 0, { load, text: "Count the tokens." }, ["fit", "available"]);
  assert.equal(fit, "fits");
  assert.ok(available > 50_000 && available < 128_000, String(available));
  const { likely, safe } = await follow(readme, 10, { plumb, text: "Count the tokens." }, ["likely", "safe"]);
  assert.ok(likely >= 3 && likely <= safe && safe < 12, `${likely} ${safe}`);
});

test("derived-targets.md: the types of a contract, and what they leave open", async () => {
  const { text, residual, narrows, tokens } = await follow("docs/derived-targets.md", 0, { plumb, contract: quiz }, ["text", "residual", "narrows", "tokens"]);
  assert.match(text, /export/);
  assert.ok(residual.length > 0);
  assert.ok(narrows.every((one) => one.kind === "other members"), JSON.stringify(narrows));
  assert.ok(Object.keys(tokens).length > 0);
});

test("editors.md: the extension starts plumb lsp, and ends it", async () => {
  const made = [];
  class LanguageClient {
    constructor(...given) {
      made.push(given);
    }
    start = () => "started";
    stop = () => "stopped";
  }
  const exports = {};
  const require = (name) => (assert.equal(name, "vscode-languageclient/node"), { LanguageClient });
  await follow("docs/editors.md", 0, { require, exports }, []);
  assert.equal(exports.activate(), "started");
  assert.equal(exports.deactivate(), "stopped");
  assert.deepEqual(made[0][2], { command: "plumb", args: ["lsp"] });
});

test("edits.md and the package's README: certain edits are listed, and the text that was checked is there", async () => {
  const fenced = `Here it is:\n\`\`\`json\n${good}\n\`\`\``;
  const { verdict } = await follow("docs/edits.md", 0, { quiz, text: fenced }, ["verdict"]);
  assert.deepEqual([verdict.valid, verdict.edits.map((edit) => edit.applied).includes(true)], [true, true]);
  assert.equal(verdict.text.trim(), good.trim());
  const same = await follow(readme, 5, { quiz, answer: fenced }, ["verdict"]);
  assert.deepEqual(same.verdict.edits, verdict.edits);
});

test("getting-started.md: a whole text and a stream come to the same", async () => {
  for (const text of [good, broken]) {
    const said = [];
    const console = { log: (...words) => said.push(words) };
    const { verdict } = await follow("docs/getting-started.md", 0, { text, answer: pieces(text), console }, ["verdict"], find);
    assert.equal(said.at(-1)[0], verdict.decision);
    assert.equal(verdict.valid, text === good);
  }
});

test("samples.md: an artifact that breaks the rule", async () => {
  const { made } = await follow("docs/samples.md", 0, {}, ["made"], find);
  assert.equal(made[0].artifact, '{"questions":[]}');
});

test("the package's README: messages with their places", async () => {
  const said = [];
  await follow(readme, 0, { answer: broken, console: { log: (line) => said.push(line) } }, [], find);
  assert.deepEqual(said, ["1:15 Quiz must have at least 1 question"]);
});

test("the package's README: streams, their values, and a degenerate one that is left", async () => {
  const shown = [];
  const first = await follow(readme, 1, { quiz, model: pieces(broken), show: (finding) => shown.push(finding.rule) }, ["verdict"]);
  assert.deepEqual([first.verdict.valid, shown], [false, ["minItems"]]);
  let taken = 0;
  async function* endless() {
    for (;;) {
      taken += 1;
      yield " ".repeat(1000);
    }
  }
  await follow(readme, 1, { quiz, model: endless(), show() {} }, ["verdict"]);
  assert.ok(taken < 1000, String(taken));
  const values = [];
  const second = await follow(readme, 2, { quiz, model: pieces(good), show: (value) => values.push(JSON.stringify(value)) }, ["verdict", "stream"]);
  assert.equal(second.verdict.valid, true);
  assert.equal(second.stream.value().state, "complete");
  assert.deepEqual(second.stream.value().value, JSON.parse(good));
  assert.ok(new Set(values).size > 3);
});

test("the package's README: contracts of every kind, and as Standard Schema", async () => {
  const card = { type: "string", format: "email" };
  await follow(readme, 3, { plumb, text: '{"$ref": "https://example.org/card.json"}', card }, []);
  const text = "{}";
  const z = { object: () => ({ "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }), jsonSchema: { input: () => ({ type: "object", required: ["name"] }) } } }), string() {} };
  const { issues } = await follow(readme, 4, { quiz, plumb, text, z, context: {}, limits: {}, response: { json: async () => JSON.parse(broken) } }, ["issues"]);
  assert.equal(issues.length, 1);
});

test("the package's README: showing and writing contracts", async () => {
  const verdict = quiz.check(broken);
  const { author } = await follow(readme, 6, { plumb, verdict, contract: quiz, quizText: good, text: '{"type": "array", "minItems": 2, "maxItems": 1}' }, ["author"]);
  assert.ok(author.explain("minItems"));
});

test("the package's README: a run asks only fulfil(), is stored as it goes, and is replayed", async () => {
  const stored = [];
  const said = [];
  const fetch = async () => ({ ok: false, status: 503 });
  const { state, error, run } = await follow(readme, 7,
    { plumb, chapter: "Photosynthesis occurs in chloroplasts.", fetch, store: (line) => stored.push(line), console: { log: (...words) => said.push(words) } },
    ["state", "error", "run"],
  );
  assert.equal(state, "failed");
  assert.match(JSON.stringify(error), /503/);
  assert.ok(stored.length > 3 && said.length > 0);
  const text = run.journal.text;
  const { replay } = await followText(blocksOf(readme)[8].replace("replay.at(12)", "replay.at(3)"), { plumb, text }, ["replay"]);
  assert.equal(replay.verify().same, true);
});

test("the package's README: stories", async () => {
  const { outline } = recordedStory("story_lighthouse");
  const { made, at } = await follow(readme, 11, { plumb, outline, twee: ":: Start\n[[End]]\n\n:: End\nover", text: JSON.stringify(outline) }, ["made", "at"]);
  assert.equal(made.valid, true);
  assert.ok(at.passage);
});

test("the package's README: modules from bytes, paths and functions, and parts", async () => {
  const module = (name) => readFileSync(join(npm, "dist", `${name}.wasm`));
  for (const given of [module("plumb-check"), join(npm, "dist/plumb-check.wasm"), new WebAssembly.Module(module("plumb-check"))]) {
    assert.equal((await load(given)).contract("quiz").check(good).valid, true);
  }
  assert.match(blocksOf(readme)[12], /await load\(bytes\)/);
  for (const [line] of blocksOf(readme)[13].matchAll(/^const plumb = .*$/gm)) {
    const parts = await followText(line, { load }, ["plumb"]);
    assert.ok(parts.plumb.contract({ type: "string" }).check('"a"').valid);
  }
});

// In Chromium, with a proxy and a model, they are run by proxy.test.mjs.
test("page.md: a run and an answer in a preview, their lines in Node", async () => {
  const preview = { run: async (run) => (await run.result).state, from: async (response) => response };
  const content = readFileSync(join(top, "docs/examples/chapter.md"), "utf8");
  const own = async () => Object.assign(Object.create(plumb), { run: plumb.run.bind(plumb), viaProxy: () => plumb.extract });
  const { verdict: state } = await follow("docs/page.md", 4, { load: own, preview, content, url: "", model: "fast", token: "" }, ["verdict"]);
  assert.equal(state, "done");
  const fetch = async (path, { body }) => [path, body];
  const { verdict } = await follow("docs/page.md", 5, { preview, fetch, topic: "light" }, ["verdict"]);
  assert.deepEqual(verdict, ["/answer", '{"topic":"light"}']);
});

// The last one is run by proxy.test.mjs, with a proxy and a client token.
test("page.md: the four programs are as short as they are said to be", () => {
  const lines = (block) => block.trim().split("\n").filter((line) => line !== "").length;
  const [run, from] = [blocksOf("docs/page.md")[4], blocksOf("docs/page.md")[5]];
  assert.deepEqual([lines(from) <= 3, lines(run) <= 3, lines(blocksOf("docs/page.md")[3]) <= 5, lines(blocksOf("docs/page.md")[6]) <= 10], [true, true, true, true]);
});

test("page.md and budget.md: an editor, and a call with its cost, in Chromium under a strict policy", async () => {
  const program = `
    import { load } from "/npm/dist/index.js";
    import "/npm/dist/edit.js";
    import "/npm/dist/budget_element.js";
    const save = document.querySelector("#save");
    const text = ${JSON.stringify(broken)};
    const plumb = { viaProxy: (url, { model }) => async ({ request }) => ({ value: { text: model + request.output_tokens_max, usage: { input_tokens: 20, output_tokens: 7 } } }) };
    const [url, model, token, messages] = ["https://proxy.example.org", "fast", "", [{ role: "user", content: "Which word is it?" }]];
    const wait = (what) => new Promise((done) => document.addEventListener(what, ({ detail }) => done(detail), { once: true }));
    try {
      const first = wait("plumb-verdict");
      const told = async () => { ${blocksOf("docs/page.md")[3]} return edit; };
      const edit = await told();
      await first;
      const refused = save.disabled;
      const second = wait("plumb-verdict");
      edit.value = ${JSON.stringify(good)};
      await second;
      await customElements.whenDefined("plumb-budget");
      const element = document.querySelector("plumb-budget");
      while (!(element.request = { messages }, element.cost)) await new Promise((done) => setTimeout(done, 20));
      ${blocksOf("docs/budget.md")[1]}
      window.outcome = { refused, saved: !save.disabled, value, error, cost: budget.cost, shown: budget.shadowRoot.textContent };
    } catch (error) {
      window.outcome = { error: String(error) };
    }`;
  const site = await serve({ "/npm/": npm }, {
    "/page": '<!doctype html><html lang="en"><title>t</title><link rel="icon" href="data:,"><plumb-edit contract="quiz"></plumb-edit><button id="save">Save</button><plumb-budget price="2 10"></plumb-budget><script type="module" src="/program.js"></script>',
    "/program.js": program,
  }, { "content-security-policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src data:" });
  const { context, close } = await startBrowser();
  try {
    const page = await context.newPage();
    const wrong = [];
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
    await page.goto(`${site.origin}/page`);
    await page.waitForFunction(() => window.outcome !== undefined);
    const { refused, saved, value, error, cost, shown } = await page.evaluate(() => window.outcome);
    assert.deepEqual([refused, saved, error, value?.text], [true, true, undefined, "fast500"]);
    assert.ok(cost.input_tokens >= 5 && cost.input_tokens < 40 && cost.output_tokens_max === 500, JSON.stringify(cost));
    // Without a value there is no window to draw, and nothing is made up.
    assert.equal(shown, `Make the callThe call: about ${cost.input_tokens} tokens in, at most 500 out, $${((cost.input_tokens * 2 + 5000) / 1e6).toFixed(4)} at most.It took 20 tokens in, 7 out, $0.0001.`);
    assert.deepEqual(wrong, []);
  } finally {
    await close();
    await site.close();
  }
});

test("page.md and the package's README: plumb-preview in Chromium takes a stream, and tells its problems", async () => {
  assert.equal(blocksOf("docs/page.md")[0], 'import "@plumbline/plumbline/preview";\n');
  const drawn = blocksOf("docs/page.md")[2].replace("await preview.end()", "var verdict = await preview.end()");
  const streams = { page: blocksOf("docs/page.md")[1], drawn, readme: blocksOf(readme)[9].replace(/^import .*\n/, "") };
  const of = (name, block) => `<script type="importmap">{"imports": {"@plumbline/plumbline/preview": "/npm/${fileOf(packageJson.exports["./preview"])}"}}</script>
    <plumb-preview contract="quiz"${name === "drawn" ? ' format="quiz"' : ""}></plumb-preview>
    <script type="module">
      import "@plumbline/plumbline/preview";
      const abort = new AbortController();
      async function* pieces() { yield '{"ques'; yield 'tions": []}'; }
      const answer = pieces();
      ${block}
      window.outcome = { valid: verdict.valid, aborted: abort.signal.aborted };
    </script>`;
  const site = await serve({ "/npm/": npm }, { "/page": of("page", streams.page), "/drawn": of("drawn", streams.drawn), "/readme": of("readme", streams.readme) });
  const { context, close } = await startBrowser();
  try {
    for (const [path, aborted] of [["/page", true], ["/drawn", false], ["/readme", false]]) {
      const page = await context.newPage();
      await page.goto(site.origin + path);
      await page.waitForFunction(() => window.outcome !== undefined);
      assert.deepEqual(await page.evaluate(() => window.outcome), { valid: false, aborted });
      await page.close();
    }
  } finally {
    await close();
    await site.close();
  }
});
